"""Jobs as processes of this machine: in a bubblewrap box, or without one where that is allowed.

Belongs here: starting, finding again, holding and ending jobs through their launcher. Not here: what a
box is (`box.py`), what the launcher does (`launcher.py`), what may be used (`choose.py`).
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import platform
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from cockpit.kernel.ids import Sha256
from cockpit.kernel.protocols import JobWatch
from cockpit.kernel.results import WORKSPACE_ENV, JobResult, JobSpec, Usage
from sandbox import box, ceiling, job, receipts
from sandbox.folder import (
    BadInput,
    Ended,
    Launch,
    Live,
    Running,
    claim,
    digest_of,
    lay_out,
    next_attempt,
    read,
    write,
)
from sandbox.following import Exit, Follower, alive
from sandbox.processes import boot_id, descendants, tell, ticks

POLITE_S = 0.25  # for a launcher to end its job before it is killed itself
PATIENCE_S = 2.0  # for a launcher to say who it is
STEP_S = 0.005


@dataclass
class _Live:
    """A job that this cockpit looks after now. `child` is None for an adopted one."""

    folder: Path
    attempt: int
    pid: int
    exit: Exit
    child: subprocess.Popen[bytes] | None = field(repr=False, default=None)


class ProcessBackend:
    """Implements `Sandbox`. `jobs` is the folder that holds the folders of all jobs of the run (for `reap`).

    `because`: why it is not Docker, if that was tried first.
    """

    def __init__(self, *, boxed: bool, jobs: Path | None = None, because: str = "") -> None:
        self._because = f" ({because})" if because else ""
        self.isolated = boxed
        self.name = "bubblewrap" if boxed else "process"
        self._jobs = jobs
        self._live: dict[Path, _Live] = {}
        self._released = asyncio.Event()
        self._released.set()

    @property
    def image(self) -> str:
        """What stands in a receipt for an image: the interpreter."""
        return f"{platform.python_implementation()} {platform.python_version()}"

    def describe(self) -> str:
        """`bubblewrap 0.8.0, CPython 3.11.7, no network`."""
        if self.isolated:
            return f"bubblewrap {box.bubblewrap_version()}, {self.image}, no network{self._because}"
        return f"process, {self.image}, NOT ISOLATED{self._because}"

    async def run(self, spec: JobSpec, folder: Path, blobs: Callable[[Sha256], bytes], watch: JobWatch, *,
                  block: str = "", handle: str | None = None) -> JobResult:  # fmt: skip
        """Run or adopt one job; see `Sandbox.run`. A job of the same specification that nobody collected is adopted
        also without a handle: its cockpit died before it could write the handle down."""
        if handle is not None and (done := receipts.kept(folder, handle)):
            return done
        launch = read(folder / "launch.json", Launch)
        if launch and launch.digest == digest_of(spec) and not (handle is None and receipts.kept(folder)):
            if adopted := await self._adopt(spec, folder, launch, watch, block):
                return adopted
        elif launch:
            await self._end_stray(folder)
        await self._released.wait()
        return await self._start(spec, folder, blobs, watch, block)

    async def hold(self) -> None:
        """Freeze all running jobs; their wall clocks stand still."""
        self._released.clear()
        for live in [*self._live.values()]:
            await self._signal_until(live, signal.SIGUSR1, held=True)

    async def release(self) -> None:
        """Let held jobs go on."""
        self._released.set()
        for live in [*self._live.values()]:
            await self._signal_until(live, signal.SIGUSR2, held=False)

    async def reap(self, handles: Mapping[str, str]) -> tuple[str, ...]:
        """End jobs in the run's folder that no handle claims."""
        ended: list[str] = []
        for folder in sorted(self._jobs.iterdir()) if self._jobs and self._jobs.is_dir() else ():
            launch = read(folder / "launch.json", Launch)
            if launch and launch.job not in handles and folder not in self._live and await self._end_stray(folder):
                ended.append(launch.job)
        return tuple(ended)

    async def close(self) -> None:
        """End what still runs."""
        for live in [*self._live.values()]:
            await self._end(live)

    # starting

    async def _start(self, spec: JobSpec, folder: Path, blobs: Callable[[Sha256], bytes], watch: JobWatch,
                     block: str) -> JobResult:  # fmt: skip
        attempt = next_attempt(folder)
        launch = Launch(attempt=attempt, job=spec.id, digest=digest_of(spec), asked_s=time.time(), backend=self.name,
                        isolated=self.isolated, image=self.image, handle=f"{self.name}:{attempt}")  # fmt: skip
        try:
            lay_out(folder, spec, blobs)
            write(folder / "launch.json", launch)
            words, variables = self._command(spec, folder, attempt)
        except (BadInput, ValueError, OSError) as error:
            return self._could_not_start(spec, block, launch, folder, str(error))
        await watch.started(launch.handle)
        try:
            child = _begin(words, variables)
        except OSError as error:
            return self._could_not_start(spec, block, launch, folder, str(error))
        live = _Live(folder, attempt, child.pid, Exit(child.pid, ticks(child.pid)), child)
        return await self._look_after(live, spec, launch, watch, block)

    def _command(self, spec: JobSpec, folder: Path, attempt: int) -> tuple[list[str], dict[str, str]]:
        """The launcher's command line and environment. Raises BadInput, ValueError for what a job may not ask."""
        work, checkpoints = (folder / "work").resolve(), (folder / "checkpoints").resolve()
        limits, command = spec.limits, box.interpreter(spec.command)
        if not command:
            raise BadInput("the job has no command")
        if self.isolated:
            command = [*box.bubblewrap(work, checkpoints, limits, spec.needs), *command]
            shown = box.INSIDE_WORK, box.INSIDE_CHECKPOINTS
        else:
            shown = str(work), str(checkpoints)
        cpu = int(limits.wall_s * max(1.0, limits.cpus) * 2) + 10  # only for when the launcher itself was killed
        ask = {"attempt": attempt, "wall_s": limits.wall_s, "memory_mb": limits.memory_mb, "tasks": limits.processes,
               "disk_mb": limits.disk_mb, "output_mb": limits.output_mb, "cpu_s": cpu,
               "boxed": int(self.isolated)}  # fmt: skip
        words = [f"{name}={value}" for name, value in ask.items()]
        launcher = [sys.executable, "-I", "-S", job.__file__, str(folder.resolve())]
        variables = box.environment(spec, *shown, box.search_path(spec.needs))
        return [*launcher, *words, "--", *command], variables

    def _could_not_start(self, spec: JobSpec, block: str, launch: Launch, folder: Path, why: str) -> JobResult:
        ending = receipts.Ending("could-not-start", None, launch.asked_s, time.time(), Usage(wall_s=0), why)
        return receipts.make_result(spec, block, _backing(launch), ending, folder)

    # looking after

    async def _look_after(self, live: _Live, spec: JobSpec, launch: Launch, watch: JobWatch, block: str) -> JobResult:
        """Follow a job to its end. Whatever stops us, except our own death, ends the job."""
        self._live[live.folder] = live
        try:
            await Follower(spec.id, live.folder, watch).until(live.exit.ended)
        except BaseException:  # a cancelled task, a failing face: nobody would ever collect the job
            await asyncio.shield(asyncio.ensure_future(self._end(live)))
            raise
        finally:
            del self._live[live.folder]
            live.exit.close()
        if live.child:
            live.child.wait()  # it has ended: only its zombie is left
        return await asyncio.to_thread(self._collect, spec, launch, block, live.folder)

    async def _adopt(
        self, spec: JobSpec, folder: Path, launch: Launch, watch: JobWatch, block: str
    ) -> JobResult | None:
        """Take over a job that another cockpit started; None when it never began."""
        running = await self._who_runs(folder, launch)
        if running is None and not (folder / "exit.json").exists() and claim(folder, launch.attempt):
            return None
        if running and running.boot == boot_id() and alive(running.pid, running.ticks):
            live = _Live(folder, launch.attempt, running.pid, Exit(running.pid, running.ticks))
            if self._released.is_set():
                live.exit.send(signal.SIGUSR2)  # it may have been on hold when its cockpit died
            return await self._look_after(live, spec, launch, watch, block)
        return await asyncio.to_thread(self._collect, spec, launch, block, folder)

    async def _who_runs(self, folder: Path, launch: Launch) -> Running | None:
        """Who runs this attempt. A launcher that has passed the door is given time to say so."""
        until = time.monotonic() + (PATIENCE_S if (folder / f"claim.{launch.attempt}").exists() else 0)
        while True:
            running = read(folder / "job.json", Running)
            if running and running.attempt == launch.attempt:
                return running
            if time.monotonic() >= until or (folder / "exit.json").exists():
                return None
            await asyncio.sleep(STEP_S)

    def _collect(self, spec: JobSpec, launch: Launch, block: str, folder: Path) -> JobResult:
        """The result of an ended attempt, kept for whoever asks again."""
        ended = read(folder / "exit.json", Ended)
        trusted = ended and ended.attempt == launch.attempt and (ended.synced or ended.boot == boot_id())
        if ended and trusted:
            usage = Usage(
                wall_s=round(ended.wall_s, 4), cpu_s=round(ended.cpu_s, 4), peak_memory_mb=round(ended.peak_mb, 2)
            )
            ending = receipts.Ending(ended.reason, ended.code, launch.asked_s, ended.ended_s, usage, ended.why)
        else:
            self._bury(folder)
            now = time.time()
            usage = Usage(wall_s=round(max(0.0, now - launch.asked_s), 4))
            why = "the launcher was killed, or the machine went down; how the job ended is not known"
            ending = receipts.Ending("sandbox-dead", None, launch.asked_s, now, usage, why)
        result = receipts.make_result(spec, block, _backing(launch), ending, folder)
        receipts.keep(folder, launch.handle, result)
        return result

    # holding and ending

    async def _signal_until(self, live: _Live, what: signal.Signals, *, held: bool) -> None:
        """Send a signal to a launcher that can take it, and wait until its sample shows the effect."""
        until = time.monotonic() + PATIENCE_S
        sent = False
        while not live.exit.ended.done() and time.monotonic() < until:
            running = read(live.folder / "job.json", Running)
            if not sent and running and running.attempt == live.attempt:
                live.exit.send(what)
                sent = True
            sample = read(live.folder / "live", Live)
            if sent and sample and sample.held == held:
                return
            await asyncio.sleep(STEP_S)

    async def _end(self, live: _Live) -> None:
        """Cancel: the launcher ends its tree; if it cannot, we do."""
        live.exit.send(signal.SIGTERM)
        await asyncio.wait({live.exit.ended}, timeout=POLITE_S)
        if not live.exit.ended.done():
            tell([live.pid, *descendants(live.pid)[0]], signal.SIGKILL)
            self._bury(live.folder)
        if live.child:
            with contextlib.suppress(subprocess.TimeoutExpired):
                live.child.wait(timeout=POLITE_S)

    async def _end_stray(self, folder: Path) -> bool:
        """End whatever runs in a folder; True if something did."""
        launch = read(folder / "launch.json", Launch)
        running = await self._who_runs(folder, launch) if launch else None
        if launch is None or running is None or running.boot != boot_id():
            return False
        was_alive = alive(running.pid, running.ticks)
        if was_alive:
            stray = _Live(folder, running.attempt, running.pid, Exit(running.pid, running.ticks))
            await self._end(stray)
            stray.exit.close()
        return self._bury(folder) or was_alive

    def _bury(self, folder: Path) -> bool:
        """Kill what a dead launcher left: the box by its pid 1, the control group, whoever carries the environment."""
        running = read(folder / "job.json", Running)
        if running is None or running.boot != boot_id() or alive(running.pid, running.ticks):
            return False
        left = [running.init] if running.init and alive(running.init, running.init_ticks) else []
        left += [pid for init in left for pid in descendants(init)[0]] + ceiling.members(running.group)
        left += _carriers(folder) if not self.isolated else []
        tell(left, signal.SIGKILL)
        ceiling.remove_group(running.group)
        return bool(left)


def _begin(words: list[str], variables: dict[str, str]) -> subprocess.Popen[bytes]:
    """Start a launcher in a session of its own: about 2 ms, since it is spawned without copying us."""
    nothing = subprocess.DEVNULL
    return subprocess.Popen(words, stdin=nothing, stdout=nothing, stderr=nothing, env=variables, start_new_session=True)


def _backing(launch: Launch) -> receipts.Backing:
    return receipts.Backing(launch.backend, launch.isolated, launch.image)


def _carriers(folder: Path) -> list[int]:
    """Processes whose environment names this job's folder: where no box holds them together, this finds them."""
    mark = f"{WORKSPACE_ENV}={(folder / 'work').resolve()}".encode()
    found = []
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            try:
                words = Path(entry.path, "environ").read_bytes().split(b"\0")
            except OSError:  # gone, or another user's
                continue
            if mark in words and int(entry.name) != os.getpid():
                found.append(int(entry.name))
    return found
