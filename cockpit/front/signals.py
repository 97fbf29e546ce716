"""Signals as bytes: written by the interpreter on the main thread, read on the engine's loop.

Belongs here: the pipe. Not here: what a signal means (`detach.py`). The engine reads them because
a frozen terminal can stop the screen's loop. No loop may use `add_signal_handler`: it takes the
one wake-up descriptor away.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable

HANDLED = (signal.SIGHUP, signal.SIGTERM, signal.SIGINT, signal.SIGUSR1)
STOPPING = (signal.SIGTSTP, signal.SIGCONT)


def install() -> int:
    """Make signals readable; call on the main thread before the engine starts. Returns the descriptor to read."""
    reading, writing = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    for number in HANDLED:
        signal.signal(number, _noted)
    return reading


def take_over_stopping() -> None:
    """Take ctrl+z's signals from Textual, whose handlers would start the screen again after a detach."""
    for number in STOPPING:
        signal.signal(number, _noted)


def attach(loop: asyncio.AbstractEventLoop, fd: int, callback: Callable[[int], None]) -> None:
    """Call `callback(number)` on `loop` for each signal; call this on that loop's thread."""

    def read() -> None:
        try:
            numbers = os.read(fd, 64)
        except BlockingIOError:
            return
        for number in numbers:
            callback(number)

    loop.add_reader(fd, read)


def _noted(number: int, frame: object) -> None:
    """The byte in the pipe is all that is wanted."""
