"""Leaving a terminal without leaving the run, and what each signal means on the way.

Belongs here: giving the terminal up, stopping the face, the rules for signals. Not here: the pipe
(`signals.py`), the shim's side (`shim.py`). `abandon` and the rules run on the engine's thread.
"""

from __future__ import annotations

import asyncio
import os
import signal
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from cockpit.front import signals
from cockpit.front.shim import Link

if TYPE_CHECKING:
    from cockpit.front.app import CockpitApp

SAME_KEYSTROKE_S = 0.3  # two INTs within it are one ctrl+c
EDITORS_S = 0.5  # an INT up to this long after the editor closed was the editor's
HELD_TERM_S = 0.3  # a shell that hangs up sends TERM to stopped jobs, and HUP at once after it
AFTER_HUP_S = 1.0


class Terminal:
    """The hold that a face has on its terminal. `detached` once it is given up."""

    def __init__(self, link: Link | None) -> None:
        self.link = link
        self.detached = False
        self.stopped = False  # the face, by ctrl+z
        self.own_session = True
        self.went_on = threading.Event()  # CONT, or detached
        self._lock = threading.Lock()

    def say_restored(self) -> None:
        """Tell the shim that the terminal is as it was."""
        if self.link is not None:
            self.link.restored()

    def abandon(self) -> bool:
        """Give the terminal up: own session, nothing on 0 to 2, shell gets its prompt. False = was given up before."""
        with self._lock:
            if self.detached:
                return False
            self.detached = True
        try:
            os.setsid()
        except PermissionError:  # we lead a group already: started without a shim
            self.own_session = False
        to_nowhere()
        self.went_on.set()
        if self.link is not None and os.getppid() == self.link.parent:
            os.kill(self.link.parent, signal.SIGUSR2)
        return True

    def stop_face(self, app: CockpitApp) -> None:
        """ctrl+z, on the screen's thread: the shell gets its prompt, the run goes on, `fg` comes back here."""
        if self.link is None:
            return
        with app.suspend():
            self.stopped = True
            while not self.detached:
                self.went_on.clear()
                if self.detached:
                    break
                os.kill(self.link.parent, signal.SIGSTOP)
                self.went_on.wait()
                time.sleep(0.05)  # the shell moves the terminal to us just after CONT
                if self.detached or os.tcgetpgrp(0) == os.getpgrp():
                    break
            self.stopped = False
        app.refresh(layout=True)


def to_nowhere() -> None:
    """Put /dev/null on standard input, output and error."""
    null = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(null, fd)
    os.close(null)


class SignalRules:
    """What a signal asks for. All methods run on the engine's loop."""

    def __init__(self, terminal: Terminal, *, hang_up: Callable[[], None], interrupt: Callable[[int], None]) -> None:
        self.terminal, self._hang_up, self._interrupt = terminal, hang_up, interrupt
        self._in_editor = False
        self._editor_closed = self._last_int = self._last_hup = float("-inf")
        self._held: asyncio.TimerHandle | None = None

    def in_editor(self, inside: bool) -> None:
        """The face is in $EDITOR (or back from it)."""
        self._in_editor = inside
        self._editor_closed = time.monotonic()

    def attach(self, loop: asyncio.AbstractEventLoop, fd: int) -> None:
        """Read signals and the shim's link; call on the loop's thread."""
        self._loop = loop
        signals.attach(loop, fd, self.take)
        if self.terminal.link is not None:
            link = self.terminal.link.socket
            link.setblocking(False)
            loop.add_reader(link.fileno(), self._link_spoke)

    def _link_spoke(self) -> None:
        link = self.terminal.link
        if link is None:
            return
        try:
            gone = link.socket.recv(16) == b""
        except BlockingIOError:
            return
        except OSError:
            gone = True
        if gone:
            self._loop.remove_reader(link.socket.fileno())
            self._hang_up()

    def take(self, number: int) -> None:
        """One signal."""
        now = time.monotonic()
        match number:
            case signal.SIGHUP:
                self._last_hup = now
                if self._held is not None:
                    self._held.cancel()
                    self._held = None
                self._hang_up()
            case signal.SIGCONT:
                self.terminal.went_on.set()
            case signal.SIGINT:
                mine = not self._in_editor and now - self._editor_closed > EDITORS_S
                again = now - self._last_int < SAME_KEYSTROKE_S
                self._last_int = now
                if mine and not again:
                    self._interrupt(number)
            case signal.SIGTERM:
                self._term(now)
            case _:
                return  # WINCH, USR1 and others: nothing is asked for

    def _term(self, now: float) -> None:
        if now - self._last_hup < AFTER_HUP_S:
            return
        if not self.terminal.stopped:
            self._interrupt(signal.SIGTERM)
        elif self._held is None:
            self._held = self._loop.call_later(HELD_TERM_S, self._release)

    def _release(self) -> None:
        self._held = None
        self._interrupt(signal.SIGTERM)
