"""Key to paint, by the time stamps of a pty, while a real job prints 10,000 lines a second."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pexpect
import pytest

from cockpit.journal.places import all_runs
from tests.scenarios.flights import ROOT

RATE, POURS_S, KEYS = 10_000, 20, 60
P95_S = 0.2


class Screen:
    """The program on a pty, and when its bytes came."""

    def __init__(self, runs: Path, data: Path) -> None:
        environment = {"PATH": os.environ["PATH"], "HOME": str(data), "TERM": "xterm-256color", "LANG": "C.UTF-8",
                       "PYTHONPATH": str(ROOT), "COCKPIT_DATA_DIR": str(data)}  # fmt: skip
        words = [str(Path(__file__).with_name("pouring.py")), str(runs), str(POURS_S), str(RATE)]
        self.child = pexpect.spawn(sys.executable, words, cwd=str(ROOT), env=environment, dimensions=(36, 120),
                                   encoding=None, timeout=30)  # fmt: skip
        self.seen = b""

    def read(self) -> None:
        self.seen += self.child.read_nonblocking(65536, timeout=30)

    def until(self, words: bytes) -> float:
        """When these bytes had come."""
        while words not in self.seen:
            self.read()
        return time.monotonic()

    def painted_after(self, key: str, words: bytes) -> float:
        """Seconds from a key to its picture."""
        self.seen = b""
        pressed = time.monotonic()
        self.child.send(key)
        return self.until(words) - pressed


@pytest.fixture
def screen(tmp_path: Path) -> Iterator[Screen]:
    it = Screen(tmp_path / "runs", tmp_path / "data")
    yield it
    it.child.send("qa")
    it.child.expect(pexpect.EOF, timeout=30)


def test_keys_are_painted_within_200_ms_while_a_job_prints_10_000_lines_a_second(
    screen: Screen, tmp_path: Path
) -> None:
    screen.until(b"loss=")
    (folder,) = all_runs(tmp_path / "runs")
    log = folder.jobs / "pour" / "log"
    before, start = log.stat().st_size, time.monotonic()
    took = sorted(
        screen.painted_after(key, words)
        for key, words in (("j", b"problem decompose"), ("k", b"topic init")) * (KEYS // 2)
    )
    elapsed = time.monotonic() - start
    poured = (log.stat().st_size - before) / len("23:41:07 cond=ridge n=20 seed=3 step=100000 loss=0.1234\n")
    assert poured / elapsed > 0.9 * RATE
    assert took[int(0.95 * KEYS) - 1] <= P95_S, [round(t, 3) for t in took]
