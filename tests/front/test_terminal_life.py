"""On real terminals: detach, hang-up, ctrl+z, kill, a frozen reader; what stays, what goes on, what the shell gets."""

from __future__ import annotations

import os
import re
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pexpect
import pyte
import pytest

ROOT = Path(__file__).parents[2]
DEMO = Path(__file__).with_name("demo_engine.py")
WAIT = 20


class Shell:
    """A bash on a pty, its picture, and the demo run in it."""

    def __init__(self, tmp: Path, width: int = 120, height: int = 36) -> None:
        self.ticks = tmp / "ticks"
        environment = {"PATH": os.environ["PATH"], "HOME": str(tmp), "TERM": "xterm-256color", "LANG": "C.UTF-8",
                       "PS1": "ready> ", "PYTHONPATH": str(ROOT)}  # fmt: skip
        self.child = pexpect.spawn("bash", ["--norc", "--noprofile", "-i"], cwd=str(ROOT), env=environment,
                                   dimensions=(height, width), encoding=None, timeout=WAIT)  # fmt: skip
        self.screen = pyte.Screen(width, height)
        self.stream = pyte.ByteStream(self.screen)
        self.raw = b""
        self.see(lambda: "ready>" in self.text)

    def read(self, seconds: float = 0.05) -> int:
        """Take what the terminal was sent; bytes."""
        try:
            data = self.child.read_nonblocking(65536, timeout=seconds)
        except (pexpect.TIMEOUT, pexpect.EOF):
            return 0
        self.raw += data
        data = re.sub(rb"\x1b\[[<>=][0-9;]*u", b"", data)  # keyboard protocol, unknown to the emulator
        # nor does it know the alternate screen: what was there before is not asked for here
        self.stream.feed(re.sub(rb"\x1b\[\?1049[hl]", b"\x1b[2J\x1b[H", data))
        return len(data)

    def see(self, condition: Callable[[], bool], limit: float = WAIT) -> None:
        end = time.monotonic() + limit
        while not condition():
            self.read()
            assert time.monotonic() < end, f"not seen:\n{self.text}"

    @property
    def text(self) -> str:
        return "\n".join(line.rstrip() for line in self.screen.display)

    def start(self, *options: str) -> None:
        self.child.sendline(" ".join([sys.executable, str(DEMO), "--ticks", str(self.ticks), *options]))
        self.see(lambda: "round 2/5" in self.text and "● #4" in self.text)

    def at_prompt(self, code: int) -> None:
        """Is the shell back, with `$?` and a sane terminal?"""
        self.see(lambda: self.text.rstrip().endswith("ready>"))
        self.child.sendline(
            "echo code=$?; stty -a | tr ' ;' '\\n\\n' | grep -x -e icanon -e echo -e isig | tr '\\n' ' '"
        )
        self.see(lambda: f"code={code}" in self.text and "isig icanon echo ready>" in self.text)

    def tick(self) -> int:
        try:
            return int(self.ticks.read_text() or 0)
        except FileNotFoundError:
            return 0

    def painted_after(self, key: str, shows: bytes) -> float:
        """Seconds from a key to its picture, by the time stamps of the bytes."""
        self.raw, before = b"", time.monotonic()
        self.child.send(key)
        while shows not in self.raw:
            self.raw += self.child.read_nonblocking(65536, timeout=5)
        return time.monotonic() - before

    def goes_on(self, by: int = 5) -> None:
        """The engine ticks 20 times a second; it must tick on."""
        start, end = self.tick(), time.monotonic() + WAIT
        while self.tick() < start + by:
            self.read()
            assert time.monotonic() < end, "the engine stands still"

    def pids(self) -> list[int]:
        """The demo's processes of this test, parents first."""
        found = []
        for entry in sorted(Path("/proc").glob("[0-9]*"), key=lambda p: int(p.name)):
            try:
                line = (entry / "cmdline").read_bytes().decode(errors="replace")
            except OSError:
                continue
            if str(self.ticks) in line and "demo_engine" in line:
                found.append(int(entry.name))
        return found

    def close(self) -> None:
        for pid in self.pids():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        self.child.close(force=True)


@pytest.fixture
def shell(tmp_path: Path) -> Iterator[Shell]:
    it = Shell(tmp_path)
    yield it
    it.close()


def gone(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return True
    return state == "Z"


def test_detach_gives_the_shell_back_and_the_run_goes_on(shell: Shell) -> None:
    shell.start()
    shell.child.send("q")
    shell.see(lambda: "d detach" in shell.text)
    shell.child.send("d")
    shell.at_prompt(0)

    assert "goes on without a terminal at r2 s12  REHEARSAL" in shell.text
    assert "come back    cockpit resume" in shell.text
    shell.goes_on()
    (pid,) = shell.pids()
    assert os.getsid(pid) == pid
    assert str(Path(f"/proc/{pid}/fd/0").readlink()) == "/dev/null"
    os.kill(pid, signal.SIGTERM)
    shell.see(lambda: gone(pid))


def test_a_closed_terminal_is_a_detach(shell: Shell) -> None:
    shell.start()
    pid = shell.pids()[-1]
    shell.child.close(force=True)
    end = time.monotonic() + WAIT
    while str(Path(f"/proc/{pid}/fd/0").readlink()) != "/dev/null":
        assert time.monotonic() < end
        time.sleep(0.02)
    start = shell.tick()
    while shell.tick() < start + 5:
        assert time.monotonic() < end
        time.sleep(0.02)
    assert not gone(pid)


@pytest.mark.parametrize("how", ["closed", "hup", "term"])
def test_a_face_that_outlives_its_engine_ends_with_its_terminal(shell: Shell, how: str) -> None:
    shell.start("--ends")
    shell.see(lambda: "accepted" in shell.text)
    pid = shell.pids()[-1]
    match how:
        case "closed":
            shell.child.close(force=True)
        case "hup":
            os.kill(pid, signal.SIGHUP)
        case _:
            os.kill(pid, signal.SIGTERM)
    end = time.monotonic() + WAIT
    while not gone(pid):
        assert time.monotonic() < end, "it spins on a terminal that is gone"
        time.sleep(0.02)


def test_a_killed_face_leaves_a_sane_terminal(shell: Shell) -> None:
    shell.start()
    os.kill(shell.pids()[-1], signal.SIGKILL)
    shell.at_prompt(137)


def test_term_stops_the_run_in_an_orderly_way(shell: Shell) -> None:
    shell.start()
    os.kill(shell.pids()[0], signal.SIGTERM)
    shell.at_prompt(130)
    assert "stopped at r2 s12, resumable" in shell.text


def test_ctrl_z_stops_the_face_only_and_fg_brings_it_back(shell: Shell) -> None:
    shell.start()
    shell.child.send("\x1a")
    shell.see(lambda: "Stopped" in shell.text)
    shell.goes_on()
    shell.child.sendline("fg")
    shell.see(lambda: "● #4" in shell.text and "q quit" in shell.text)
    shell.child.send("qd")
    shell.at_prompt(0)


def test_a_terminal_that_nobody_reads_does_not_stop_the_run(shell: Shell) -> None:
    shell.start("--lines", "2000")
    start, end = shell.tick(), time.monotonic() + 2.5
    while time.monotonic() < end:
        time.sleep(0.1)  # nobody reads the pty
    assert shell.tick() - start > 15
    shell.see(lambda: "rmse" in shell.text)
    shell.child.send("q")
    shell.see(lambda: "d detach" in shell.text)
    shell.child.send("a")
    shell.at_prompt(130)


def test_a_screen_that_fails_does_not_take_the_run_with_it(shell: Shell) -> None:
    shell.start("--crash")
    shell.see(lambda: "the run goes on without it" in shell.text)
    shell.at_prompt(0)
    shell.goes_on()


def test_what_a_person_can_mend_is_one_message(shell: Shell) -> None:
    shell.child.sendline(f"{sys.executable} {DEMO} --fail")
    shell.see(lambda: "cockpit: no model is configured" in shell.text)
    shell.at_prompt(7)
    assert "  Try --rehearsal." in shell.text


def test_an_idle_screen_sends_nothing(shell: Shell) -> None:
    shell.start()
    shell.child.send(" ")
    shell.see(lambda: "PAUSED" in shell.text)
    end = time.monotonic() + 0.6
    while time.monotonic() < end:
        shell.read()
    sent, end = 0, time.monotonic() + 2
    while time.monotonic() < end:
        sent += shell.read()
    assert sent == 0


def test_keys_are_painted_within_200_ms_while_10_000_lines_a_second_come(shell: Shell) -> None:
    shell.start("--lines", "10000")
    shell.see(lambda: "rmse" in shell.text)
    took = [
        shell.painted_after(key, shows) for key, shows in (("j", b"iterative refine"), ("k", b"experiment run")) * 20
    ]
    took.sort()
    assert took[37] <= 0.2, took  # the 95th of a hundred


def test_no_color_sends_no_colour(tmp_path: Path) -> None:
    it = Shell(tmp_path)
    try:
        it.child.sendline("export NO_COLOR=1")
        it.read(0.3)
        it.raw = b""
        it.start()
        codes = {code for group in re.findall(rb"\x1b\[([0-9;:]*)m", it.raw) for code in group.split(b";")}
        assert not {c for c in codes if re.fullmatch(rb"3[0-8]|4[0-8]|9[0-7]|10[0-7]", c)}
    finally:
        it.close()
