"""Jobs, a watch that remembers, a bench to run them on: what the sandbox's tests share."""

from __future__ import annotations

import asyncio
import hashlib
import itertools
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from cockpit.kernel.hints import Hint, JobSample, LogLines
from cockpit.kernel.ids import JobId, Sha256
from cockpit.kernel.results import JobLimits, JobResult, JobSpec
from sandbox import box
from sandbox.container import run_of

needs_bubblewrap = pytest.mark.skipif(bool(box.bubblewrap_trouble()), reason=f"no box: {box.bubblewrap_trouble()}")


class Store(dict[str, bytes]):
    """Blobs by hash, as the engine keeps them."""

    def put(self, content: str | bytes) -> Sha256:
        data = content.encode() if isinstance(content, str) else content
        digest = Sha256(hashlib.sha256(data).hexdigest())
        self[digest] = data
        return digest


@dataclass
class Watching:
    """A `JobWatch` that remembers, and can be waited for."""

    handles: list[str] = field(default_factory=list)
    hints: list[Hint] = field(default_factory=list)

    async def started(self, handle: str) -> None:
        self.handles.append(handle)

    def hint(self, hint: Hint) -> None:
        self.hints.append(hint)

    @property
    def lines(self) -> list[str]:
        return [line for hint in self.hints if isinstance(hint, LogLines) for line in hint.lines]

    @property
    def samples(self) -> list[JobSample]:
        return [hint for hint in self.hints if isinstance(hint, JobSample)]


@dataclass
class Bench:
    """One backend and a folder for its jobs."""

    backend: Any
    jobs: Path
    store: Store = field(default_factory=Store)
    watch: Watching = field(default_factory=Watching)
    numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    def spec(self, code: str, *arguments: str, files: Mapping[str, str] | None = None, **rest: Any) -> JobSpec:
        """A job that runs `code` as run.py."""
        limits = JobLimits(**{"wall_s": 20, "memory_mb": 256, "processes": 16, "disk_mb": 32, "output_mb": 1,
                              **rest.pop("limits", {})})  # fmt: skip
        inputs = {"run.py": self.store.put(code)} | {p: self.store.put(text) for p, text in (files or {}).items()}
        return JobSpec(id=JobId(f"job-{next(self.numbers)}"), kind="main", files=inputs, limits=limits,
                       command=("python", "run.py", *arguments), **{"seed": 7, **rest})  # fmt: skip

    async def run(self, spec: JobSpec, **rest: Any) -> JobResult:
        result: JobResult = await self.backend.run(
            spec, self.jobs / spec.id, self.store.__getitem__, self.watch, **rest
        )
        return result

    async def ran(self, code: str, *arguments: str, **rest: Any) -> JobResult:
        return await self.run(self.spec(code, *arguments, **rest))

    def leftovers(self, spec: JobSpec) -> list[str]:
        """What of a job still runs."""
        if self.backend.name == "docker":
            return [
                c.name
                for c in self.backend._client.containers.list(all=True, filters={"label": f"cockpit.job={spec.id}"})
                if self.run_label in c.labels.values()
            ]
        return carriers(self, spec)

    def has_ended(self, spec: JobSpec) -> bool:
        """Has the job ended, whether or not anybody collected it?"""
        if self.backend.name == "docker":
            client = self.backend._client
            return all(client.containers.get(name).status == "exited" for name in self.leftovers(spec))
        return self.file(spec, "exit.json").exists()

    @property
    def run_label(self) -> str:
        return run_of(self.jobs)

    def file(self, spec: JobSpec, name: str) -> Path:
        return self.jobs / spec.id / name


async def until(true: Callable[[], Any], seconds: float = 10) -> None:
    """Wait for a condition, for a bounded time."""
    async with asyncio.timeout(seconds):
        while not true():  # noqa: ASYNC110
            await asyncio.sleep(0.005)  # what is waited for happens in other processes


def carriers(bench: Bench, spec: JobSpec) -> list[str]:
    """Processes that still carry this job's folder in their arguments or environment."""
    mark = str(bench.jobs / spec.id).encode()
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as words, open(f"/proc/{pid}/environ", "rb") as variables:
                if mark in words.read() + variables.read() and int(pid) != os.getpid():
                    found.append(pid)
        except OSError:
            continue
    return found
