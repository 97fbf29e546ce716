"""What a container uses now, read from its control group on this machine.

Belongs here: control group files, versions 1 and 2. Not here: processes without a container
(`launcher.py` samples those). A daemon on another machine has no such files here: then nothing is
measured, and -1 says so.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from sandbox.folder import Live, write

MIB = 1 << 20
PACE_S = 0.1


@dataclass(frozen=True)
class Groups:
    """The files that say what a group of processes uses; None = not there."""

    cpu: Path | None = None
    memory: Path | None = None
    version: int = 2


def groups_of(pid: int, container: str) -> Groups:
    """The control groups of a container's first process; none if that process is not on this machine."""
    try:
        lines = Path(f"/proc/{pid}/cgroup").read_text().splitlines()
    except OSError:
        return Groups()
    paths: dict[str, str] = {}
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if container in path:
            paths |= dict.fromkeys(controllers.split(","), path)
    root = Path("/sys/fs/cgroup")
    if "memory" in paths:
        cpu = root / "cpuacct" / paths.get("cpuacct", "").lstrip("/") / "cpuacct.usage"
        return Groups(cpu, root / "memory" / paths["memory"].lstrip("/") / "memory.stat", 1)
    if "" in paths:
        group = root / paths[""].lstrip("/")
        return Groups(group / "cpu.stat", group / "memory.stat", 2)
    return Groups()


class Meter:
    """Samples a container into its folder's `live`, keeps the highest: CPU in seconds, memory in MiB, -1 unknown."""

    def __init__(self, groups: Groups, live: Path) -> None:
        self.groups, self.live = groups, live
        self.cpu_s = self.peak_mb = -1.0
        self.next = 0.0

    def sample(self) -> None:
        """Take a sample if it is time for one."""
        now = time.monotonic()
        if now < self.next or self.groups.cpu is None or self.groups.memory is None:
            return
        self.next = now + PACE_S
        try:
            memory, cpu = self._memory(self.groups.memory), self._cpu(self.groups.cpu)
        except OSError:  # the container has just ended
            return
        self.cpu_s, self.peak_mb = max(self.cpu_s, cpu), max(self.peak_mb, memory)
        write(self.live, Live(at=now, cpu_s=cpu, mb=memory, tasks=0, held=False))

    def _memory(self, file: Path) -> float:
        facts = dict(line.split(" ", 1) for line in file.read_text().splitlines())
        names = ("total_rss", "total_shmem") if self.groups.version == 1 else ("anon", "shmem")
        return sum(int(facts.get(name, 0)) for name in names) / MIB

    def _cpu(self, file: Path) -> float:
        if self.groups.version == 1:
            return int(file.read_text()) / 1e9
        return int(dict(line.split(" ", 1) for line in file.read_text().splitlines())["usage_usec"]) / 1e6
