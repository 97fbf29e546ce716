"""Jobs of a stage: handed to the sandbox once, found again after a crash, never run twice for nothing.

Belongs here: order, journal and reuse of jobs. Not here: running (sandbox), what to run (agents).
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from cockpit.engine.controls import Controls
from cockpit.engine.recorder import Recorder
from cockpit.journal.files import write_durably
from cockpit.journal.places import RunFolder
from cockpit.kernel import events as e
from cockpit.kernel.hints import Hint
from cockpit.kernel.ids import JobId, Position, Sha256
from cockpit.kernel.model import sha256
from cockpit.kernel.protocols import Clock, ReplayMismatch, Sandbox
from cockpit.kernel.results import JobResult, JobSpec

RERUN = ("killed", "cancelled", "sandbox-dead", "could-not-start")  # says nothing about the experiment
TAIL = 40


class JobRunner:
    """Runs jobs for the desk of a stage."""

    def __init__(self, folder: RunFolder, recorder: Recorder, sandbox: Sandbox, controls: Controls, clock: Clock,
                 parallel: int, hint: Callable[[Hint], None]) -> None:  # fmt: skip
        self._folder, self._recorder, self._sandbox = folder, recorder, sandbox
        self._controls, self._clock = controls, clock
        self._slots = asyncio.Semaphore(parallel)
        self._hint = hint
        self._asked: dict[Position, set[JobId]] = {}

    async def run(self, position: Position, jobs: Sequence[JobSpec], block: str) -> list[JobResult]:
        """Results in the order of `jobs`; each job of the list is run (or recalled) once."""
        self._plan(position, jobs)
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(self._one(position, job, block), name=f"job {job.id}") for job in jobs]
        return [task.result() for task in tasks]

    def _plan(self, position: Position, jobs: Sequence[JobSpec]) -> None:
        """Tell how many jobs this stage instance has; those that an earlier one ran are recalled, not run."""
        view, asked = self._recorder.view, self._asked.setdefault(position, set())
        earlier = (j.job for j in view.jobs.values()
                   if j.position != position and j.receipt is not None and j.receipt.reason not in RERUN)  # fmt: skip
        asked |= {job.id for job in jobs} - set(earlier)
        instance = view.instances.get(str(position))
        if instance is not None and len(asked) > instance.jobs_planned:
            self._recorder.record(e.JobsPlanned(at=self._clock.now(), position=position, total=len(asked)))

    async def _one(self, position: Position, job: JobSpec, block: str) -> JobResult:
        if (known := self._known(job)) is not None:
            return known
        async with self._slots:
            started = self._recorder.started_job(job.id)
            if started is None:
                await self._controls.clear()
            self._controls.begin()
            try:
                result = await self._in_sandbox(position, job, block, started)
                if started is not None and result.receipt.reason in RERUN:  # it died with us, which says nothing
                    result = await self._in_sandbox(position, job, block, None)
            finally:
                self._controls.end()
        tail = result.tail[-TAIL:]
        self._recorder.record(e.JobFinished(at=self._clock.now(), position=position, job=job.id, receipt=result.receipt,
                                            signature=result.signature, tail=tail))  # fmt: skip
        return result

    def _known(self, job: JobSpec) -> JobResult | None:
        ended = self._recorder.finished_jobs.get(job.id)
        if ended is None or ended.receipt.reason in RERUN:
            return None
        self._recorder.absorb_job(job.id)
        if ended.receipt.inputs != job.files or ended.receipt.command != job.command:
            raise ReplayMismatch(f"job {job.id}", repr(ended.receipt.command), repr(job.command))
        return JobResult(receipt=ended.receipt, tail=ended.tail, signature=ended.signature)

    async def _in_sandbox(
        self, position: Position, job: JobSpec, block: str, started: e.JobStarted | None
    ) -> JobResult:
        folder = self._folder.jobs / job.id
        handle = started.handle if started else None
        if handle is None and folder.exists():
            shutil.rmtree(folder)
        folder.mkdir(parents=True, exist_ok=True)
        watch = _Watch(self, position, job, block)
        if started is not None:
            self._recorder.absorb_job(job.id)
        return await self._sandbox.run(job, folder, self.blob, watch, block=block, handle=handle)

    def started(self, position: Position, job: JobSpec, block: str, handle: str) -> None:
        """The sandbox has it."""
        self._recorder.record(
            e.JobStarted(at=self._clock.now(), position=position, job=job, block=block, handle=handle)
        )

    def show(self, hint: Hint) -> None:
        self._hint(hint)

    def put_blob(self, content: bytes) -> Sha256:
        """Keep an input file for jobs under its hash."""
        digest = Sha256(sha256(content))
        path = self._folder.blobs / digest
        if not path.exists():
            write_durably(path, content)
        return digest

    def blob(self, digest: Sha256) -> bytes:
        return (self._folder.blobs / digest).read_bytes()

    def output(self, job: JobSpec, path: str) -> bytes:
        """An output of an ended job.

        Raises:
            FileNotFoundError: the receipt does not list it.
            ValueError: the bytes are not those of the receipt.
        """
        ended = self._recorder.finished_jobs.get(job.id)
        if ended is None or path not in ended.receipt.outputs:
            raise FileNotFoundError(f"{job.id} left no {path}")
        content = (self.work_folder(job) / path).read_bytes()
        if sha256(content) != ended.receipt.outputs[path]:
            raise ValueError(f"{path} of {job.id} changed after its receipt was made")
        return content

    def work_folder(self, job: JobSpec) -> Path:
        return self._folder.jobs / job.id / "work"


class _Watch:
    """The sandbox's way to tell about one job."""

    def __init__(self, runner: JobRunner, position: Position, job: JobSpec, block: str) -> None:
        self._runner, self._position, self._job, self._block = runner, position, job, block

    async def started(self, handle: str) -> None:
        self._runner.started(self._position, self._job, self._block, handle)

    def hint(self, hint: Hint) -> None:
        self._runner.show(hint)
