"""What the kernel knows of processes: who lives, who descends from whom, what they take.

Belongs here: reading `/proc`, signals to many. Not here: deciding what to do about it (`launcher.py`,
`process_backend.py`). Loaded by the launcher before a job starts, so it imports next to nothing.
"""

from __future__ import annotations

import os
import signal

TYPE_CHECKING = False  # `typing` and `collections.abc` would cost each job milliseconds
if TYPE_CHECKING:
    from collections.abc import Iterable

PAGE, TICK = os.sysconf("SC_PAGE_SIZE"), os.sysconf("SC_CLK_TCK")


def boot_id() -> str:
    """Names this boot of the machine: process ids mean nothing in another one."""
    with open("/proc/sys/kernel/random/boot_id") as file:
        return file.read().strip()


def stat(pid: int) -> list[str] | None:
    """Fields of `/proc/PID/stat` from the state on (man 5 proc, field 3 is index 0); None = no such process."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()
    except (FileNotFoundError, ProcessLookupError):
        return None


def ticks(pid: int) -> int:
    """Start time of a process in clock ticks since boot, its name for good with the boot id; -1 = no such process."""
    fields = stat(pid)
    return int(fields[19]) if fields else -1


def descendants(root: int) -> tuple[list[int], int]:
    """All processes below `root`, parents first, and how many tasks (threads) they have."""
    found: list[int] = []
    todo, tasks = [root], 0
    while todo:
        pid = todo.pop()
        try:
            threads = os.listdir(f"/proc/{pid}/task")
            for thread in threads:
                with open(f"/proc/{pid}/task/{thread}/children") as file:
                    todo += map(int, file.read().split())
        except (FileNotFoundError, ProcessLookupError):
            threads = []
        if pid != root:
            found.append(pid)
            tasks += len(threads)
    return found, tasks


def tell(pids: Iterable[int], what: signal.Signals) -> None:
    """Send a signal to each; those that are gone do not matter."""
    for pid in pids:
        try:
            os.kill(pid, what)
        except ProcessLookupError:
            continue


def proportional(pids: Iterable[int]) -> int:
    """Bytes in memory with shared pages split among their sharers (PSS). Dear, so asked only before a verdict."""
    total = 0
    for pid in pids:
        try:
            with open(f"/proc/{pid}/smaps_rollup") as file:
                total += next((int(line.split()[1]) * 1024 for line in file if line.startswith("Pss:")), 0)
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            continue
    return total


def resident(pid: int) -> int:
    """Bytes of a process in memory."""
    try:
        with open(f"/proc/{pid}/statm") as file:
            return int(file.read().split()[1]) * PAGE
    except (FileNotFoundError, ProcessLookupError):
        return 0


def cpu_seconds(pid: int) -> float:
    """CPU of a process and of the children it has waited for."""
    fields = stat(pid)
    return sum(map(int, fields[11:15])) / TICK if fields else 0.0
