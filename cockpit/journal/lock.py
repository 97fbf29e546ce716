"""One writer a run: a lock with who holds it, and a second one that git children inherit.

Belongs here: flock and its retries. Not here: what the holder does. Both are `flock`s (freed by the
kernel when the holder dies); the first is close-on-exec, the second is passed on to git children,
so that a survivor of our `kill -9` is waited for before its leftovers are touched.
"""

from __future__ import annotations

import fcntl
import json
import os
import socket
import time
from pathlib import Path

from cockpit.kernel.exits import CockpitError, Exit

RETRY_S, CHILDREN_S = 2.0, 10.0


class RunInUse(CockpitError):
    """Another cockpit holds the run; `holder` says which."""

    def __init__(self, holder: dict[str, str]) -> None:
        who = f"pid {holder.get('pid', '?')} on {holder.get('host', '?')}"
        super().__init__(
            f"this run is in use by another cockpit ({who})",
            hint="Look at it with `cockpit status RUN`; steer it with `cockpit pause|continue|step|approve RUN`.",
            code=Exit.RUN_FOLDER,
        )
        self.holder = holder


class RunLock:
    """The run's lock, held from construction to `release`."""

    def __init__(self, folder: Path, *, retry_s: float = RETRY_S) -> None:
        """Take the lock of the run whose `.cockpit` is `folder`.

        Raises:
            RunInUse: somebody else has it, also after `retry_s` seconds.
        """
        self.path = folder / "lock"
        self._fd = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        if not _try_for(self._fd, retry_s):
            os.close(self._fd)
            raise RunInUse(holder_of(folder))
        self.children = os.open(folder / "children", os.O_RDWR | os.O_CREAT, 0o644)
        os.set_inheritable(self.children, False)  # handed on by pass_fds only
        if not _try_for(self.children, CHILDREN_S):
            raise CockpitError("a git process of an earlier cockpit is still at work on this run",
                               where=str(folder.parent), hint="Wait for it, or end it, then try again.",
                               code=Exit.RUN_FOLDER)  # fmt: skip
        fcntl.flock(self.children, fcntl.LOCK_UN)
        self._note()

    def _note(self) -> None:
        holder = {"pid": str(os.getpid()), "host": socket.gethostname(), "boot": boot_id()}
        os.ftruncate(self._fd, 0)
        os.pwrite(self._fd, json.dumps(holder).encode(), 0)

    def release(self) -> None:
        """Let go; also happens by itself when the process dies."""
        os.close(self.children)
        os.close(self._fd)


def holder_of(folder: Path) -> dict[str, str]:
    """Who wrote itself into the lock last; empty if nobody or unreadable."""
    try:
        data = json.loads((folder / "lock").read_text() or "{}")
    except (OSError, ValueError):
        return {}
    return {str(k): str(v) for k, v in data.items()} if isinstance(data, dict) else {}


def is_locked(folder: Path) -> bool:
    """Does a cockpit hold the run now?"""
    try:
        fd = os.open(folder / "lock", os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(fd)
    return False


def boot_id() -> str:
    """Identity of this boot of the machine; empty where the system does not tell."""
    path = Path("/proc/sys/kernel/random/boot_id")
    return path.read_text().strip() if path.exists() else ""


def _try_for(fd: int, seconds: float) -> bool:
    end = time.monotonic() + seconds
    while True:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= end:
                return False
            time.sleep(0.02)
        else:
            return True
