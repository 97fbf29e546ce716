"""A shell in a tmux window, as a person has it: typed into, looked at, waited for.

Not here: anything a test asserts.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from tests.scenarios.flights import ROOT, without_tex

LIMIT_S = 90.0
PROMPT = "ready>"


def place_of_work(place: Path) -> dict[str, str]:
    """The environment of a newcomer: own data, own runs, `cockpit` on the PATH, no TeX (a PDF takes longer than all
    the rest)."""
    programs = Path(without_tex(place / "bin"))
    script = programs / "cockpit"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m cockpit "$@"\n')
    script.chmod(0o755)
    return {
        "PATH": str(programs), "HOME": str(place), "LANG": "C.UTF-8", "TERM": "xterm-256color", "PS1": f"{PROMPT} ",
        "PYTHONPATH": str(ROOT), "COCKPIT_DATA_DIR": str(place / "data"), "COCKPIT_RUNS_DIR": str(place / "runs"),
        "COCKPIT_CONFIG_DIR": str(place / "config"), "SHELL": "/bin/bash",
    }  # fmt: skip


class Server:
    """A tmux server of the test's own; windows of it are sessions, each with its own size."""

    def __init__(self, socket: Path, environment: dict[str, str]) -> None:
        self._socket, self._environment = socket, environment
        self.windows = 0

    def run(self, *words: str) -> str:
        done = subprocess.run(["tmux", "-S", str(self._socket), "-f", os.devnull, *words], capture_output=True,
                              text=True, env=self._environment, cwd=ROOT, check=False)  # fmt: skip
        return done.stdout

    def open(self, width: int, height: int) -> Window:
        """A new window with a prompt in it."""
        self.windows += 1
        name = f"w{self.windows}"
        shell = f"exec env 'PS1={PROMPT} ' TERM=tmux-256color bash --norc --noprofile"
        self.run("new-session", "-d", "-s", name, "-x", str(width), "-y", str(height), shell)
        window = Window(self, name)
        window.see(PROMPT)
        return window

    def close(self) -> None:
        self.run("kill-server")


class Window:
    """One window."""

    def __init__(self, server: Server, name: str) -> None:
        self._server, self._name = server, name

    @property
    def text(self) -> str:
        return self._server.run("capture-pane", "-p", "-t", self._name).rstrip("\n")

    def press(self, *keys: str) -> None:
        """Keys by tmux's names."""
        for key in keys:
            self._server.run("send-keys", "-t", self._name, key)

    def type(self, text: str) -> None:
        self._server.run("send-keys", "-t", self._name, "-l", text)

    def enter(self, line: str) -> None:
        self.type(line)
        self.press("Enter")

    def resize(self, width: int, height: int) -> None:
        self._server.run("resize-window", "-t", self._name, "-x", str(width), "-y", str(height))

    def wait(self, holds: Callable[[str], object], what: str = "", limit: float = LIMIT_S) -> str:
        """The picture for which `holds` is true."""
        end = time.monotonic() + limit
        while not holds(text := self.text):
            assert time.monotonic() < end, f"not seen: {what}\n{text}"
            time.sleep(0.05)
        return text

    def see(self, *words: str, limit: float = LIMIT_S) -> str:
        """The picture that shows all of `words`."""
        return self.wait(lambda text: all(word in text for word in words), str(words), limit)

    def gone(self, *words: str) -> str:
        """The picture that shows none of `words`."""
        return self.wait(lambda text: not any(word in text for word in words), f"no {words}")

    def prompt(self) -> str:
        """The picture with a prompt at its end."""
        return self.wait(lambda text: text.rstrip().endswith(PROMPT), "a prompt")

    def answer(self, line: str) -> str:
        """What a command prints, with its exit code as the last line `code=…`."""
        self.press("C-l")
        self.gone("code=")
        self.enter(f"{line}; echo code=$?")
        text = self.wait(lambda text: re.search(r"^code=\d+$", text, re.M), line)
        return text.partition("\n")[2].rpartition("\n")[0]


def until(holds: Callable[[], object], what: str, limit: float = LIMIT_S) -> None:
    """Wait for something that no window shows."""
    end = time.monotonic() + limit
    while not holds():
        assert time.monotonic() < end, f"did not come: {what}"
        time.sleep(0.05)
