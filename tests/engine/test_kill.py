"""kill -9 at random instants: the run resumes to the same tree, and asks at most what was in flight again."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from cockpit.journal.canonical_tree import tree_hash
from cockpit.journal.history import History
from cockpit.journal.places import RunFolder
from cockpit.journal.trees import WorkTree
from tests.engine.scripted import flight, new_run

KILLS_A_RUN = 12


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = new_run(tmp_path_factory.mktemp("whole"))
    flight(folder).start().join(60)
    return tree_hash(WorkTree(folder.root))


@pytest.mark.parametrize("seed", range(4))
def test_killed_runs_end_like_undisturbed_ones(tmp_path: Path, undisturbed: str, seed: int) -> None:
    rng = random.Random(seed)
    folder, asked = new_run(tmp_path), tmp_path / "asked.log"
    for _ in range(KILLS_A_RUN):
        if fly(folder, asked, rng.uniform(0.25, 0.9)) == 0:
            break
    else:
        assert fly(folder, asked, 60) == 0
    history = History(folder.root)
    assert history.dirty() == []
    assert history.git("fsck", "--strict") == ""
    positions = history.trailer_values("Position")
    assert len(positions) == len(set(positions))
    assert tree_hash(WorkTree(folder.root)) == undisturbed
    repeats = [count - 1 for count in Counter(asked.read_text().splitlines()).values()]
    assert sum(repeats) <= KILLS_A_RUN  # one call in flight at a time


def fly(folder: RunFolder, asked: Path, seconds: float) -> int | None:
    """The program's exit code, or None when it was killed after `seconds`."""
    command = [sys.executable, "-m", "tests.engine.scripted", str(folder.root), str(asked)]
    with subprocess.Popen(command, stderr=subprocess.PIPE) as process:
        try:
            _out, err = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.communicate()
            return None
    assert process.returncode == 0, err.decode()
    return 0
