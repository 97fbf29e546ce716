"""Over ssh to this very machine: the same picture, and a cut line leaves the run flying."""

from __future__ import annotations

import getpass
import os
import shlex
import signal
import socket
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from cockpit import commission
from cockpit.journal.lock import is_locked
from cockpit.journal.places import RunFolder, all_runs
from cockpit.kernel.commands import Abort
from cockpit.kernel.ids import Actor
from cockpit.steer import deliver
from tests.scenarios.flights import MICRO, ROOT
from tests.scenarios.windows import Server, place_of_work, until

pytestmark = [pytest.mark.ssh, pytest.mark.tmux, pytest.mark.timeout(300)]
SSHD = next((p for p in ("/usr/sbin/sshd", "/usr/local/sbin/sshd") if Path(p).exists()), "sshd")


@dataclass(frozen=True)
class Door:
    """A running sshd: how to come in by it."""

    place: Path
    port: int

    def line(self, command: str) -> str:
        """What a person types at home to run `command` over there, with a terminal."""
        options = (f"-i {self.place}/key -o IdentitiesOnly=yes -o StrictHostKeyChecking=no "
                   f"-o UserKnownHostsFile=/dev/null -o LogLevel=ERROR -F none")  # fmt: skip
        return f"ssh -tt -p {self.port} {options} {getpass.getuser()}@127.0.0.1 {shlex.quote(command)}"

    def client(self) -> int:
        """Process id of the ssh that holds the line."""
        for entry in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                words = entry.read_bytes().split(b"\0")
            except OSError:
                continue
            if words[0] == b"ssh" and str(self.port).encode() in words:
                return int(entry.parent.name)
        raise AssertionError("no ssh holds the line")


@pytest.fixture
def door(tmp_path: Path) -> Iterator[Door]:
    """An sshd of the test's own on loopback, with a host key and one key that may come in."""
    for name in ("host", "key"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(tmp_path / name)], check=True)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(exist_ok=True)
    settings = {"ListenAddress": "127.0.0.1", "Port": port, "HostKey": tmp_path / "host", "UsePAM": "no",
                "AuthorizedKeysFile": tmp_path / "key.pub", "StrictModes": "no", "PidFile": "none",
                "PasswordAuthentication": "no", "PermitRootLogin": "prohibit-password"}  # fmt: skip
    (tmp_path / "sshd_config").write_text("".join(f"{key} {value}\n" for key, value in settings.items()))
    with (tmp_path / "sshd.log").open("w") as log:
        daemon = subprocess.Popen([SSHD, "-D", "-e", "-f", str(tmp_path / "sshd_config")], stderr=log)
    until(lambda: _listens(port), (tmp_path / "sshd.log").read_text())
    yield Door(tmp_path, port)
    daemon.terminate()
    daemon.wait(10)


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture
def home(tmp_path: Path) -> Iterator[tuple[Server, dict[str, str]]]:
    """Windows at home, and the environment over there."""
    environment = place_of_work(tmp_path)
    server = Server(tmp_path / "tmux", environment)
    yield server, environment
    server.close()
    for folder in all_runs(tmp_path / "runs"):
        if is_locked(folder.cockpit):
            deliver(folder, Abort(by=Actor(user="test")))
        until(lambda folder=folder: not is_locked(folder.cockpit), "the end of the cockpit")  # type: ignore[misc]


def test_a_cut_line_leaves_the_run_flying(door: Door, home: tuple[Server, dict[str, str]], tmp_path: Path) -> None:
    server, environment = home
    window = server.open(120, 36)
    there = " ".join(f"{key}={shlex.quote(value)}" for key, value in environment.items() if key != "TERM")
    window.enter(door.line(f"cd {shlex.quote(str(ROOT))} && exec env {there} cockpit {shlex.quote(str(MICRO))}"))
    picture = window.see("s01 topic_init", "▶ 01 topic init")
    lines = picture.splitlines()
    assert lines[0].startswith(" Is a clipped mean worth… REHEARSAL · round 1/3 · s01 topic_init ▶")
    assert lines[1].startswith("╭─ 1 stages · round 1 ─")
    assert "2 dialogue" in lines[1]
    assert "3 ledger · 0 open" in lines[1]
    assert "4 sandbox · " in picture
    assert lines[-1].startswith(" space pause  s step  P pivot")

    os.kill(door.client(), signal.SIGKILL)
    window.see("\nready>")
    (folder,) = all_runs(tmp_path / "runs")
    assert is_locked(folder.cockpit)
    until(lambda: _gate(folder) == 5, "the first gate, without a terminal")
    other = server.open(120, 36)
    answer = other.answer("cockpit status last")
    assert "a cockpit is on it" in answer
    assert "s05 literature_screen: done" in answer
    other.answer("cockpit approve last")
    until(lambda: _gate(folder) == 8, "the second gate")


def _gate(folder: RunFolder) -> int:
    pause = commission.load(folder).pause
    return pause.position.stage if pause is not None else 0
