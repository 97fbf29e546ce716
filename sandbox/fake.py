"""A sandbox in memory, for tests of other rooms: scripted endings, real files, real receipts.

Belongs here: playing jobs. Not here: running anything. A run with it says so: its backend is `fake`,
and it is not isolated.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from cockpit.kernel.hints import LogLines
from cockpit.kernel.ids import Sha256
from cockpit.kernel.protocols import JobWatch
from cockpit.kernel.results import EndReason, JobResult, JobSpec, Usage
from sandbox import receipts
from sandbox.folder import lay_out


@dataclass(frozen=True)
class Played:
    """What a scripted job does: the files it leaves, what it prints, how it ends."""

    files: Mapping[str, str | bytes] = field(default_factory=dict)
    prints: tuple[str, ...] = ()
    reason: EndReason = "finished"
    exit_code: int | None = 0
    wall_s: float = 1.0


class FakeSandbox:
    """Implements `Sandbox`. `script` says what each job does; they end at once; receipts tell scripted times."""

    def __init__(self, script: Callable[[JobSpec], Played], *, start_s: float = 1_796_000_000.0) -> None:
        self.name, self.isolated = "fake", False
        self.ran: list[JobSpec] = []
        self.adopted: list[str] = []
        self._script, self._at = script, start_s
        self._go = asyncio.Event()
        self._go.set()

    def describe(self) -> str:
        """`fake: scripted results`."""
        return "fake: scripted results"

    async def run(self, spec: JobSpec, folder: Path, blobs: Callable[[Sha256], bytes], watch: JobWatch, *,
                  block: str = "", handle: str | None = None) -> JobResult:  # fmt: skip
        """Play a job; with a handle, give what was collected under it."""
        if handle is not None and (done := receipts.kept(folder, handle)):
            self.adopted.append(handle)
            return done
        handle = f"fake:{len(self.ran) + 1}"
        await self._go.wait()
        lay_out(folder, spec, blobs)
        await watch.started(handle)
        self.ran.append(spec)
        played = self._script(spec)
        for path, content in sorted(played.files.items()):
            target = folder / "work" / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content.encode() if isinstance(content, str) else content)
        (folder / "log").write_text("".join(f"{line}\n" for line in played.prints))
        if played.prints:
            watch.hint(LogLines(spec.id, played.prints))
        began, self._at = self._at, self._at + played.wall_s
        usage = Usage(wall_s=played.wall_s, cpu_s=played.wall_s, peak_memory_mb=16)
        ending = receipts.Ending(played.reason, played.exit_code, began, self._at, usage)
        result = receipts.make_result(spec, block, receipts.Backing("fake", False, "fake"), ending, folder)
        receipts.keep(folder, handle, result)
        return result

    async def hold(self) -> None:
        """No further job begins."""
        self._go.clear()

    async def release(self) -> None:
        """Jobs begin again."""
        self._go.set()

    async def reap(self, handles: Mapping[str, str]) -> tuple[str, ...]:
        """Nothing outlives a fake."""
        return ()

    async def close(self) -> None:
        """Nothing to end."""
