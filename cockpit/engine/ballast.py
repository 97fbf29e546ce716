"""Room kept for the last words: a file that is given up when the disk is full.

Belongs here: the ballast and telling a full disk from other trouble. Not here: what is written then.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil

from cockpit.journal.places import RunFolder

SIZE = 1 << 20  # bytes; enough for a journal record and git's housekeeping
LOW = 64 << 10


def take(folder: RunFolder) -> None:
    """Keep `SIZE` bytes in reserve, really allocated; a disk that has no room for it has none for a stage.

    Raises:
        OSError: no space.
    """
    path = folder.cockpit / "ballast"
    if path.exists() and path.stat().st_size == SIZE:
        return
    with path.open("wb") as file:
        file.write(os.urandom(SIZE))
        file.flush()
        os.fsync(file.fileno())


def release(folder: RunFolder) -> None:
    """Give the reserve up."""
    with contextlib.suppress(OSError):
        (folder.cockpit / "ballast").unlink(missing_ok=True)


def is_full(error: BaseException, folder: RunFolder) -> bool:
    """Is lack of space what stands behind `error`?"""
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return True
    try:
        return shutil.disk_usage(folder.root).free < LOW
    except OSError:
        return False
