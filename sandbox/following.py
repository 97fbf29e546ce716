"""Following a running job from outside: its lines and samples as hints, its end as an event.

Belongs here: tailing a log, reading samples, waiting for a process. Not here: who the process is
(`process_backend.py`).
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cockpit.kernel.hints import JobSample, LogLines
from cockpit.kernel.ids import JobId
from cockpit.kernel.protocols import JobWatch
from sandbox.folder import Live, read
from sandbox.processes import stat, ticks

LINES_S, SAMPLE_S, POLL_S = 0.05, 0.7, 0.05
MOST_BYTES = 256 * 1024  # a batch; what a job prints faster is whole on disk, and only its end is shown
MOST_LINES = 2000


class Tail:
    """New lines of a growing file. An unfinished line waits; of a progress bar the newest state is its line."""

    def __init__(self, path: Path) -> None:
        self.path, self.offset, self.rest = path, 0, b""

    def read(self, last: bool = False) -> tuple[str, ...]:
        """Lines since the last call; with `last` also the unfinished one."""
        try:
            with self.path.open("rb") as file:
                size = os.fstat(file.fileno()).st_size
                if size - self.offset > MOST_BYTES:
                    self.offset, self.rest = size - MOST_BYTES, b""
                file.seek(self.offset)
                data = file.read(MOST_BYTES)
        except FileNotFoundError:
            data = b""
        self.offset += len(data)
        *whole, self.rest = (self.rest + data).split(b"\n")
        self.rest = self.rest[-MOST_BYTES:]
        if last and self.rest:
            whole, self.rest = [*whole, self.rest], b""
        return tuple(_shown(line) for line in whole[-MOST_LINES:])


class Follower:
    """Turns a job's log and samples into hints, at most 20 batches and two samples a second."""

    def __init__(self, job: JobId, folder: Path, watch: JobWatch) -> None:
        self.job, self.folder, self.watch = job, folder, watch
        self.tail = Tail(folder / "log")
        self.now = asyncio.get_running_loop().time
        self.last_line = self.last_sample = self.now()
        self.earlier: Live | None = None

    def pump(self, last: bool = False) -> None:
        """Send what is new."""
        now = self.now()
        if lines := self.tail.read(last):
            self.last_line = now
            self.watch.hint(LogLines(self.job, lines))
        if now - self.last_sample >= SAMPLE_S and not last:
            self.last_sample = now
            self.sample(now)

    def sample(self, now: float) -> None:
        live = read(self.folder / "live", Live)
        if live is None:
            return
        before, self.earlier = self.earlier, live
        if before is not None and live.at > before.at:
            share = max(0.0, live.cpu_s - before.cpu_s) / (live.at - before.at)
            self.watch.hint(JobSample(self.job, share, live.mb, now - self.last_line))

    async def until(self, ended: asyncio.Future[Any], also: Callable[[], None] = lambda: None) -> None:
        """Pump (and do `also`) until `ended`, then once more."""
        while not ended.done():
            await asyncio.wait({ended}, timeout=LINES_S)
            also()
            self.pump()
        self.pump(last=True)


class Exit:
    """The end of a process, whoever's child it is, as a future. By pidfd; by asking where there is none."""

    def __init__(self, pid: int, start: int) -> None:
        self.pid, self.start = pid, start
        self.loop = asyncio.get_running_loop()
        self.ended: asyncio.Future[None] = self.loop.create_future()
        self.fd = -1
        try:
            self.fd = os.pidfd_open(pid)
        except ProcessLookupError:
            self._done()
            return
        except (AttributeError, OSError):  # no pidfd on this system
            self._ask()
            return
        if not alive(pid, start):  # the number is another process's by now
            self._done()
        else:
            self.loop.add_reader(self.fd, self._done)

    def send(self, what: signal.Signals) -> None:
        """Signal this very process; nothing if it has ended."""
        try:
            if self.fd >= 0:
                signal.pidfd_send_signal(self.fd, what)
            elif not self.ended.done():
                os.kill(self.pid, what)
        except ProcessLookupError:
            return

    def close(self) -> None:
        """Stop looking."""
        if self.fd >= 0:
            self.loop.remove_reader(self.fd)
            os.close(self.fd)
            self.fd = -1
        if not self.ended.done():
            self.ended.cancel()

    def _done(self) -> None:
        if self.fd >= 0:
            self.loop.remove_reader(self.fd)
        if not self.ended.done():
            self.ended.set_result(None)

    def _ask(self) -> None:
        if self.ended.done():
            return
        if alive(self.pid, self.start):
            self.loop.call_later(POLL_S, self._ask)
        else:
            self._done()


def alive(pid: int, start: int) -> bool:
    """Is this the same process, and not a zombie?"""
    fields = stat(pid)
    return bool(fields and fields[0] not in "ZX") and ticks(pid) == start


def _shown(line: bytes) -> str:
    text = line.decode("utf-8", errors="replace").rstrip("\r")
    return text.rsplit("\r", 1)[-1]
