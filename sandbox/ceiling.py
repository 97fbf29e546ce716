"""A hard ceiling on the number of tasks of a job: watching alone loses against a fork bomb.

Belongs here: the pids control group (as root) and RLIMIT_NPROC (as anybody else). Not here: the
ceilings that watching keeps (`launcher.py`). Loaded by the launcher, so it imports next to nothing.

RLIMIT_NPROC does not bind root. For others it counts per user namespace since Linux 5.14: from zero in
a box, with all that the user runs without one.
"""

from __future__ import annotations

import os
import resource
import signal
import time

SPARE = 8  # tasks above the limit, so that the watcher sees it crossed and says so; the box's own two are among them
ROOTS = (("/sys/fs/cgroup/pids", ""), ("/sys/fs/cgroup", "/sys/fs/cgroup/cgroup.subtree_control"))


def make_group(name: str, tasks: int) -> str:
    """A pids control group (version 1 or 2) that holds at most `tasks`; its path, or "" where that cannot be had."""
    if os.geteuid() != 0:
        return ""
    for root, control in ROOTS:
        try:
            if control and "pids" not in _read(control).split():
                continue
            os.mkdir(f"{root}/{name}")  # noqa: PTH102  pathlib would cost each job milliseconds
        except OSError:
            continue
        group = f"{root}/{name}"
        try:
            _write(f"{group}/pids.max", str(tasks + SPARE))
        except OSError:  # a folder without the controller
            os.rmdir(group)  # noqa: PTH106
            continue
        return group
    return ""


def enter(group: str, tasks: int, boxed: bool) -> None:
    """Put the calling process, and all that will descend from it, under the ceiling."""
    if group:
        _write(f"{group}/cgroup.procs", "0")
    elif os.geteuid() != 0:
        limit = tasks + SPARE + (0 if boxed else _tasks_of_user())
        hard = resource.getrlimit(resource.RLIMIT_NPROC)[1]
        if hard != resource.RLIM_INFINITY:
            limit = min(limit, hard)
        resource.setrlimit(resource.RLIMIT_NPROC, (limit, limit))


def shut(group: str) -> None:
    """From now on nothing in the group can fork."""
    if group:
        try:
            _write(f"{group}/pids.max", "0")
        except FileNotFoundError:
            return


def members(group: str) -> list[int]:
    """Processes in the group, wherever in the tree of processes they went."""
    try:
        return [int(pid) for pid in _read(f"{group}/cgroup.procs").split()] if group else []
    except OSError:  # the group is gone
        return []


def remove_group(group: str) -> None:
    """Kill what is in the group and take it away; one that is gone already is fine."""
    if not group:
        return
    shut(group)
    for _ in range(100):
        for pid in members(group):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        try:
            os.rmdir(group)  # noqa: PTH106
        except FileNotFoundError:
            return
        except OSError:  # dying processes are in it for a moment yet
            time.sleep(0.002)
            continue
        return


def _tasks_of_user() -> int:
    """Tasks that this user runs now: RLIMIT_NPROC counts them all."""
    total, me = 0, os.getuid()
    for entry in os.scandir("/proc"):
        try:
            if entry.name.isdigit() and entry.stat().st_uid == me:
                total += len(os.listdir(f"/proc/{entry.name}/task"))
        except (FileNotFoundError, ProcessLookupError):
            continue
    return total


def _read(path: str) -> str:
    with open(path) as file:
        return file.read()


def _write(path: str, text: str) -> None:
    with open(path, "w") as file:
        file.write(text)
