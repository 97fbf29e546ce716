"""What a job writes, while it writes: a log with a cap, and how much its folder holds.

Belongs here: bytes on disk. Not here: which of them count as outputs (`receipts.py`). Loaded by the
launcher, so it imports next to nothing.
"""

from __future__ import annotations

import os

MIB = 1 << 20
KEPT_TAIL = 64 * 1024  # of output beyond the cap the end is kept: a traceback stands at the end


class CappedLog:
    """A log that takes `cap` bytes; of what comes then only the end is kept, and the cut is marked."""

    def __init__(self, path: str, cap: int) -> None:
        self.fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o644)
        self.cap, self.written, self.dropped, self.kept = cap, 0, 0, b""

    def take(self, data: bytes) -> None:
        """Write, or only count."""
        room = self.cap - self.written
        if room > 0:
            os.write(self.fd, data[:room])
            self.written += min(room, len(data))
        if rest := data[max(room, 0) :]:
            self.dropped += len(rest)
            self.kept = (self.kept + rest)[-KEPT_TAIL:]

    def finish(self) -> None:
        """Mark a cut, add the end, close."""
        if self.dropped:
            lost = self.dropped - len(self.kept)
            mark = f"\n[cockpit: output is over {self.cap // MIB} MiB; {lost} bytes left out here]\n"
            os.write(self.fd, mark.encode() + self.kept)
        os.close(self.fd)


def disk_used(folder: str) -> int:
    """Bytes that the files under `folder` take. Links are not followed."""
    total = 0
    for path, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(f"{path}/{name}").st_blocks * 512
            except FileNotFoundError:
                continue
    return total


def sync_tree(folder: str) -> None:
    """Make the regular files under `folder` durable."""
    for path, _, names in os.walk(folder):
        for name in names:
            try:
                fd = os.open(f"{path}/{name}", os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            except OSError:  # a link, or something that went away: not an output either
                continue
            os.fsync(fd)
            os.close(fd)
