"""A writer thread for Textual that never makes the screen's loop wait for the terminal.

Belongs here: the replacement of Textual's own. Not here: what is written. Textual's queue holds 30
updates and blocks when it is full, so that a terminal that stopped reading stops the loop for good.
Here an update that does not fit is lost and counted; each is whole, and a repaint mends the loss.
"""

from __future__ import annotations

import queue
from collections.abc import Callable
from typing import IO

from textual.drivers import linux_driver
from textual.drivers._writer_thread import WriterThread

QUEUED = 200  # updates; the mode switches at the start must not be among the lost


class PatientWriter(WriterThread):
    """Drops what a frozen terminal does not take."""

    thawed: Callable[[], None] | None = None  # called from the writer's thread once a terminal reads again
    stuck = False  # at the end: the terminal still reads nothing, so nothing was restored

    def __init__(self, file: IO[str]) -> None:
        super().__init__(file)
        self._queue = queue.Queue(QUEUED)
        self.lost = 0

    def write(self, text: str) -> None:
        try:
            self._queue.put_nowait(text)
        except queue.Full:
            self.lost += 1

    def run(self) -> None:
        try:
            self._pump()
        except OSError:  # the terminal is gone: take everything, write nothing
            while self._queue.get() is not None:
                pass

    def _pump(self) -> None:
        while (text := self._queue.get()) is not None:
            self._file.write(text)
            if self._queue.empty():
                self._file.flush()
                if self.lost and PatientWriter.thawed is not None:
                    self.lost = 0
                    PatientWriter.thawed()
        self._file.flush()

    def stop(self) -> None:
        try:
            self._queue.put(None, timeout=0.2)
        except queue.Full:
            self.lost += 1
        self.join(0.3)
        PatientWriter.stuck = self.is_alive()


def replace_writer() -> None:
    """Let Textual's driver use it."""
    vars(linux_driver)["WriterThread"] = PatientWriter
