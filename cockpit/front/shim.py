"""The shim: one fork before any import, so that a run can outlive its terminal.

Belongs here: the fork, the waiting parent, the healing of the terminal. Not here: detaching, which
the child does (`detach.py`). The parent waits and nothing more: it passes signals on, stops and
goes on with the child, leaves with the child's code, or with 0 once the child has detached.
Imports the standard library only.
"""

from __future__ import annotations

import os
import signal
import socket
import termios
from dataclasses import dataclass

RESTORED = b"R"  # said by the child: the terminal is as it was
RESET = (
    b"\x1b[<u\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1015l\x1b[?1016l\x1b[?2004l\x1b[?1004l"
    b"\x1b[?2048l\x1b[?2026l\x1b[?7h\x1b[?1049l\x1b[?25h\x1b[0m"
)  # modes that a full-screen program may have left on
PASSED = {signal.SIGHUP, signal.SIGTERM, signal.SIGINT, signal.SIGQUIT, signal.SIGUSR1}
Modes = list[int | list[bytes | int]]


@dataclass
class Link:
    """The child's end: the parent's pid, and a socket whose end of file means that the parent is gone."""

    parent: int
    socket: socket.socket
    touched: bool = False  # has a face changed the terminal?

    def restored(self) -> None:
        """Say that the terminal is as it was."""
        try:
            self.socket.send(RESTORED)
        except OSError:  # the shim is gone, and with it whoever cared
            return

    def untouched(self) -> None:
        """At the end of a command that opened no face after all."""
        if not self.touched:
            self.restored()


LINK: Link | None = None


def split() -> Link:
    """Fork; returns in the child only. Call before anything heavy is imported, with a terminal on 0."""
    global LINK
    ours, theirs = socket.socketpair()
    saved = termios.tcgetattr(0)
    # blocked before the fork, or the end of a child that dies at once is never seen
    old = signal.pthread_sigmask(signal.SIG_BLOCK, PASSED | {signal.SIGCHLD, signal.SIGUSR2})
    parent = os.getpid()
    child = os.fork()
    if child == 0:
        signal.pthread_sigmask(signal.SIG_SETMASK, old)
        ours.close()
        LINK = Link(parent, theirs)
        return LINK
    theirs.close()
    ours.setblocking(False)
    _wait(child, ours, saved)
    raise AssertionError("the shim never returns")


def _wait(child: int, ours: socket.socket, saved: Modes) -> None:
    """Wait for the child to end or to detach; leaves the process."""
    while True:
        info = signal.sigwaitinfo(PASSED | {signal.SIGCHLD, signal.SIGUSR2})
        if info.si_signo == signal.SIGUSR2:
            if info.si_pid == child:
                os._exit(0)
        elif info.si_signo != signal.SIGCHLD:
            if info.si_code <= 0:  # by kill(); a signal from the terminal has reached the child already
                _pass_on(child, info.si_signo)
        else:
            _look_at(child, ours, saved)


def _pass_on(child: int, number: int) -> None:
    try:
        os.kill(child, number)
    except ProcessLookupError:
        return  # its end is the next thing we hear of


def _look_at(child: int, ours: socket.socket, saved: Modes) -> None:
    pid, status = os.waitpid(child, os.WNOHANG | os.WUNTRACED)
    if pid == 0:
        return
    if os.WIFSTOPPED(status):
        os.kill(os.getpid(), signal.SIGSTOP)
        os.kill(child, signal.SIGCONT)
        return
    try:
        clean = ours.recv(1) == RESTORED
    except BlockingIOError:
        clean = False
    if not clean:
        heal(saved)
    code = os.waitstatus_to_exitcode(status)
    os._exit(code if code >= 0 else 128 - code)


def heal(saved: Modes) -> None:
    """Put the terminal back as it was before the fork; never blocks, even on a terminal that nobody reads."""
    try:
        if os.tcgetpgrp(0) != os.getpgrp():
            return
        termios.tcsetattr(0, termios.TCSANOW, saved)  # TCSADRAIN would wait
        # a description of our own: the shell's stays blocking
        fd = os.open(os.ttyname(0), os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY)
        try:
            os.write(fd, RESET)
        except BlockingIOError:
            termios.tcflush(fd, termios.TCOFLUSH)
            os.write(fd, RESET)
    except (OSError, termios.error):
        return  # the terminal is gone, so there is nothing to heal
