"""Inside tmux, as most people sit: the expected lines at three sizes, detach, a closed window."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from rich.cells import cell_len

ROOT = Path(__file__).parents[2]
DEMO = Path(__file__).with_name("demo_engine.py")
LIMIT = 20.0

pytestmark = [
    pytest.mark.tmux,
    pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed"),
]


class Tmux:
    """A tmux server of our own with one window of a given size."""

    def __init__(self, tmp: Path) -> None:
        self._socket, self.ticks = str(tmp / "tmux"), tmp / "ticks"
        self._tmp = tmp

    def run(self, *words: str) -> str:
        environment = {"PATH": os.environ["PATH"], "HOME": str(self._tmp), "LANG": "C.UTF-8", "PYTHONPATH": str(ROOT),
                       "PS1": "ready> ", "TERM": "xterm-256color"}  # fmt: skip
        done = subprocess.run(["tmux", "-S", self._socket, "-f", os.devnull, *words], capture_output=True, text=True,
                              env=environment, cwd=ROOT, check=False)  # fmt: skip
        return done.stdout

    def open(self, width: int, height: int, *options: str) -> None:
        self.run(
            "new-session", "-d", "-x", str(width), "-y", str(height), "exec env 'PS1=ready> ' bash --norc --noprofile"
        )
        self.see(lambda: "ready>" in self.text)
        line = " ".join([sys.executable, str(DEMO), "--ticks", str(self.ticks), *options])
        self.run("send-keys", line, "Enter")
        self.see(lambda: "s12 experiment_run" in self.text or "round 2/5" in self.text)

    @property
    def text(self) -> str:
        return self.run("capture-pane", "-p").rstrip("\n")

    def see(self, condition: Callable[[], bool]) -> None:
        end = time.monotonic() + LIMIT
        while not condition():
            assert time.monotonic() < end, f"not seen:\n{self.text}"
            time.sleep(0.05)


@pytest.fixture
def tmux(tmp_path: Path) -> Iterator[Tmux]:
    it = Tmux(tmp_path)
    yield it
    it.run("kill-server")


def test_expected_lines_at_80_by_24(tmux: Tmux) -> None:
    tmux.open(80, 24, "--life", "20")
    tmux.see(lambda: "▶ 12 experiment run" in tmux.text)
    lines = tmux.text.splitlines()
    assert lines[0].startswith(" ridge-small-n REHEARSAL · round 2/5 · s12 experiment_run ▶")
    assert lines[1].rstrip() == "  1 stages   2 dialogue   3 ledger   4 sandbox"
    assert lines[23].rstrip().endswith("? help  q quit")
    tmux.run("send-keys", "3")
    tmux.see(lambda: "● #4 number not in results" in tmux.text and "gate  BLOCK" in tmux.text)
    assert {cell_len(line) for line in tmux.text.splitlines()[2:-1]} == {80}


def test_expected_lines_at_120_by_36_with_lines_pouring_in(tmux: Tmux) -> None:
    tmux.open(120, 36, "--lines", "2000", "--life", "20")
    tmux.see(lambda: "rmse=0.4127" in tmux.text)
    text = tmux.text
    for words in (
        "│ ▶ 12 experiment run       2+1││",
        "││● #4 number not in results       │",
        "gate  BLOCK (1 critical",
        "reviewer · openai (reported) · fresh thread 7f3a",
        "4 sandbox · docker · ridge-n20.seed-6",
        " space pause  s step  P pivot  A approve  X reject  i guide  d diff  v evidence  L ledger",
    ):
        assert words in text
    assert {cell_len(line) for line in text.splitlines()[1:-1]} == {120}


def test_expected_lines_at_200_by_60(tmux: Tmux) -> None:
    tmux.open(200, 60, "--life", "20")
    tmux.see(lambda: "gate  BLOCK" in tmux.text)
    text = tmux.text
    assert "12 experiment run   2+1 jobs" in text
    assert "co-pilot  docker" in text.splitlines()[0]
    assert len(text.splitlines()) == 60


def test_detach_inside_tmux_gives_the_prompt_back(tmux: Tmux) -> None:
    tmux.open(100, 30, "--life", "20")
    tmux.run("send-keys", "q")
    tmux.see(lambda: "d detach" in tmux.text)
    tmux.run("send-keys", "d")
    tmux.see(lambda: tmux.text.rstrip().endswith("ready>"))
    assert "goes on without a terminal" in tmux.text
    before = int(tmux.ticks.read_text())
    tmux.see(lambda: int(tmux.ticks.read_text() or 0) > before + 4)


def test_a_closed_window_is_a_detach(tmux: Tmux) -> None:
    tmux.open(100, 30, "--life", "8")
    tmux.run("kill-server")
    before = int(tmux.ticks.read_text() or 0)
    end = time.monotonic() + LIMIT
    while int(tmux.ticks.read_text() or 0) < before + 10:
        assert time.monotonic() < end
        time.sleep(0.05)
