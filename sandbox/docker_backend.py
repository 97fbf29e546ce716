"""Jobs as Docker containers: the one module that speaks to a Docker daemon.

Belongs here: the docker SDK (imported late: 175 ms), a container's life. Not here: what a container
is allowed (`container.py`), which files make our own image (`image.py`).

`attach` carries the live lines, since `logs` loses lines when the daemon rotates its file; after a
crash of ours `logs` has what `attach` could not give. The wall clock is ours, `wait` has none.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from cockpit.kernel.exits import CockpitError, Exit
from cockpit.kernel.ids import Sha256
from cockpit.kernel.protocols import JobWatch
from cockpit.kernel.results import EndReason, JobResult, JobSpec, Usage
from sandbox import container, image, receipts
from sandbox.folder import BadInput, Launch, digest_of, lay_out, next_attempt, own, read, write
from sandbox.following import Follower
from sandbox.meter import Groups, Meter, groups_of
from sandbox.output import CappedLog, disk_used

MIB = 1 << 20
ANSWER_S = 2
DISK_S = 1.0
BACK_S = 10.0  # a daemon that restarts is waited for that long
MOST_JOBS = 64
HOST_IMAGES = ("host", "host-science")
Answer = TypeVar("Answer")


class NoDocker(Exception):
    """No daemon, or no image; says which."""


@dataclass
class _Live:
    """A container that this cockpit looks after now. `clock`: monotonic seconds at its start, less time on hold."""

    container: Any
    stream: Iterable[bytes]
    folder: Path
    spec: JobSpec
    clock: float
    meter: Meter
    reason: EndReason | None = None
    why: str = ""
    next_disk: float = 0.0


class DockerBackend:
    """Implements `Sandbox` with the docker SDK. `jobs` is the folder of the run's job folders (for `reap`)."""

    def __init__(self, client: Any, image_name: str, *, jobs: Path | None = None) -> None:
        self.name, self.isolated = "docker", True
        self._client, self._jobs = client, jobs
        found = client.images.get(image_name)
        facts = client.info()
        self._image_name, self._image_id = image_name, str(found.id)
        self._version = str(facts.get("ServerVersion", "?"))
        self._user = container.user_of(list(facts.get("SecurityOptions") or []))
        self._cpus = int(facts.get("NCPU") or os.cpu_count() or 1)
        self._threads = ThreadPoolExecutor(2 * MOST_JOBS, thread_name_prefix="docker")
        self._live: dict[Path, _Live] = {}
        self._held_since: float | None = None
        self._released = asyncio.Event()
        self._released.set()

    def describe(self) -> str:
        """`docker 20.10.24, image cockpit-host:… (1f3a5c7d9e0b), no network`."""
        return f"docker {self._version}, image {self._image_name} ({self._image_id[7:19]}), no network"

    async def run(self, spec: JobSpec, folder: Path, blobs: Callable[[Sha256], bytes], watch: JobWatch, *,
                  block: str = "", handle: str | None = None) -> JobResult:  # fmt: skip
        """Run or adopt one job; see `Sandbox.run`."""
        if handle is not None and (done := receipts.kept(folder, handle)):
            return done
        launch = read(folder / "launch.json", Launch)
        if launch and launch.digest == digest_of(spec) and not (handle is None and receipts.kept(folder)):
            if live := await self._call(partial(self._find, spec, folder, launch)):
                return await self._look_after(live, launch, watch, block)
        elif launch:
            await self._call(partial(self._remove_named, folder, launch))
        await self._released.wait()
        return await self._start(spec, folder, blobs, watch, block)

    async def hold(self) -> None:
        """Freeze all running jobs; their wall clocks stand still."""
        self._released.clear()
        self._held_since = self._held_since or time.monotonic()
        await asyncio.gather(*(self._call(partial(_quietly, live.container.pause)) for live in self._live.values()))

    async def release(self) -> None:
        """Let held jobs go on."""
        self._released.set()
        held, self._held_since = self._held_since, None
        for live in self._live.values() if held is not None else ():
            await self._call(partial(_quietly, live.container.unpause))
            live.clock += time.monotonic() - (held or 0)

    async def reap(self, handles: Mapping[str, str]) -> tuple[str, ...]:
        """Remove this run's containers that no handle claims."""
        folders = {self._jobs} if self._jobs else {folder.parent for folder in self._live}
        ended: list[str] = []
        for run in sorted(container.run_of(folder) for folder in folders):
            listing = partial(self._client.containers.list, all=True, filters={"label": f"{container.RUN_LABEL}={run}"})
            for found in await self._call(listing):
                job = found.labels.get(container.JOB_LABEL, "")
                if job not in handles and found.name not in {live.container.name for live in self._live.values()}:
                    await self._call(partial(_remove, found))
                    ended.append(job)
        return tuple(sorted(ended))

    async def close(self) -> None:
        """End what still runs."""
        for live in [*self._live.values()]:
            await self._call(partial(_remove, live.container))
        self._threads.shutdown(wait=False, cancel_futures=True)

    # starting and finding

    async def _start(self, spec: JobSpec, folder: Path, blobs: Callable[[Sha256], bytes], watch: JobWatch,
                     block: str) -> JobResult:  # fmt: skip
        attempt = next_attempt(folder)
        name = container.name_of(folder, attempt)
        launch = Launch(attempt=attempt, job=spec.id, digest=digest_of(spec), asked_s=time.time(), backend=self.name,
                        isolated=True, image=await self._call(partial(self._image_for, spec)),
                        handle=f"docker:{name}")  # fmt: skip
        try:
            lay_out(folder, spec, blobs)
            write(folder / "launch.json", launch)
        except (BadInput, OSError) as error:
            return self._ended_early("could-not-start", spec, block, launch, folder, str(error))
        await watch.started(launch.handle)
        creating = asyncio.ensure_future(self._call(partial(self._create, spec, folder, name, launch.image)))
        try:
            live = await asyncio.shield(creating)
        except asyncio.CancelledError:  # the thread goes on: what it makes must not be left behind
            with contextlib.suppress(Exception):
                await self._call(partial(_remove, (await creating).container))
            raise
        except Exception as error:  # noqa: BLE001  ours, the SDK's and requests' kinds; each has its reason code
            await self._call(partial(self._remove_named, folder, launch))
            return self._ended_early(self._reason_of(error), spec, block, launch, folder, container.words(error))
        return await self._look_after(live, launch, watch, block)

    def _image_for(self, spec: JobSpec) -> str:
        """The image's id. TeX is this machine's own: it runs among this machine's libraries, whatever the image."""
        from docker.errors import DockerException

        if spec.needs == "tex" and sys.platform == "linux":
            with contextlib.suppress(DockerException, OSError):  # the job says what is missing where it runs
                return str(self._client.images.get(_image(self._client, HOST_IMAGES[0])).id)
        return self._image_id

    def _create(self, spec: JobSpec, folder: Path, name: str, image_id: str) -> _Live:
        """Create, attach, start: in this order nothing of the output is missed."""
        own(folder, self._user)
        place = container.Place(folder, name, image_id, self._user, self._cpus)
        made = self._client.containers.create(**container.request(spec, place))
        stream = made.attach(stream=True, logs=False, stdout=True, stderr=True)
        made.start()
        return self._meet(made, stream, spec, folder)

    def _meet(self, met: Any, stream: Iterable[bytes], spec: JobSpec, folder: Path) -> _Live:
        """A container that has begun: since when it runs, and where its use can be read."""
        met.reload()
        state = met.attrs["State"]
        groups = groups_of(int(state.get("Pid") or 0), met.id) if state.get("Running") else Groups()
        ran_s = max(0.0, time.time() - container.seconds(state["StartedAt"]))
        return _Live(met, stream, folder, spec, time.monotonic() - ran_s, Meter(groups, folder / "live"))

    def _find(self, spec: JobSpec, folder: Path, launch: Launch) -> _Live | None:
        """The job of a launch, if it ever began. Raises CockpitError when no daemon says so or otherwise."""
        try:
            found = self._get(container.name_of(folder, launch.attempt))
            if found is None:
                return None
            if found.status == "created":
                _remove(found)
                return None
            if found.status == "paused" and self._released.is_set():
                _quietly(found.unpause)  # it was on hold when its cockpit died
            return self._meet(found, self._logs(found), spec, folder)
        except Exception as error:
            raise CockpitError(
                f"the Docker daemon does not say what became of {launch.job}.", where=container.words(error),
                hint="Start Docker and resume the run: the job is then found again.", code=Exit.SANDBOX,
            ) from error  # fmt: skip

    def _logs(self, found: Any) -> Iterable[bytes]:
        """All that it printed so far, and then what it prints."""
        lines: Iterable[bytes] = found.logs(stream=True, follow=True, stdout=True, stderr=True)
        return lines

    def _get(self, name: str) -> Any | None:
        from docker.errors import NotFound

        try:
            return self._client.containers.get(name)
        except NotFound:
            return None

    def _remove_named(self, folder: Path, launch: Launch) -> None:
        """Take a launch's container away, whatever state it is in, and give the folders back."""
        with contextlib.suppress(Exception):  # the daemon may be what is gone; `reap` comes by again
            if found := self._get(container.name_of(folder, launch.attempt)):
                _remove(found)
        own(folder, f"{os.geteuid()}:{os.getegid()}")

    # looking after

    async def _look_after(self, live: _Live, launch: Launch, watch: JobWatch, block: str) -> JobResult:
        """Follow a container to its end, take what it left, remove it."""
        spec, folder = live.spec, live.folder
        self._live[folder] = live
        try:
            follower = Follower(spec.id, folder, watch)
            copying = asyncio.ensure_future(self._call(partial(self._copy, live)))
            await follower.until(copying, partial(self._tick, live))
            ending = await self._call(partial(self._ending, live, launch, broken=await copying))
        except BaseException:  # a cancelled task, a failing face: nobody would ever collect the job
            await asyncio.shield(asyncio.ensure_future(self._call(partial(self._remove_named, folder, launch))))
            raise
        finally:
            del self._live[folder]
        return await self._call(partial(self._collect, spec, launch, block, folder, ending))

    def _copy(self, live: _Live) -> bool:
        """Write the output to the log until the container ends. True: the daemon went away meanwhile."""
        broken = False
        while True:
            log = CappedLog(str(live.folder / "log"), live.spec.limits.output_mb * MIB)
            try:
                for chunk in live.stream:
                    log.take(chunk)
            except Exception:  # noqa: BLE001  a broken connection has many classes; what it means is asked below
                broken = True
            finally:
                log.finish()
            try:
                if not self._is_running(live):
                    return broken
                live.stream = self._logs(live.container)
            except Exception:  # noqa: BLE001  it stays away: then the end is asked for, which says so
                return True

    def _is_running(self, live: _Live) -> bool:
        """Does the container still run? A daemon that does not answer is asked again for a while."""
        until = time.monotonic() + BACK_S
        while True:
            try:
                live.container.reload()
                return bool(live.container.attrs["State"]["Running"])
            except Exception:  # a daemon that restarts refuses, resets or times out
                if time.monotonic() > until:
                    raise
                time.sleep(0.05)

    def _tick(self, live: _Live) -> None:
        """Sample, and keep the ceilings that the daemon does not keep."""
        if self._held_since is not None or live.reason:
            return
        live.meter.sample()
        now, limits = time.monotonic(), live.spec.limits
        if now - live.clock > limits.wall_s:
            live.reason, live.why = "timed-out", f"over {limits.wall_s:g} s of wall time"
            self._threads.submit(_quietly, live.container.kill)
        elif now >= live.next_disk:
            live.next_disk = now + DISK_S
            self._threads.submit(self._check_disk, live)

    def _check_disk(self, live: _Live) -> None:
        """No quota on overlay storage: the folder is looked through, and a job that fills it is ended."""
        quota = live.spec.limits.disk_mb
        if disk_used(str(live.folder / "work")) > quota * MIB and live.reason is None:
            live.reason, live.why = "killed", f"over {quota} MiB of files"
            _quietly(live.container.kill)

    def _ending(self, live: _Live, launch: Launch, *, broken: bool) -> receipts.Ending:
        """What the daemon says about the end."""
        try:
            live.container.reload()
            state = live.container.attrs["State"]
        except Exception as error:  # noqa: BLE001  whatever the SDK raises here means: the sandbox is gone
            usage = Usage(wall_s=round(time.time() - launch.asked_s, 4))
            return receipts.Ending("sandbox-dead", None, launch.asked_s, time.time(), usage, container.words(error))
        ended = container.seconds(state["FinishedAt"])
        wall = max(0.0, ended - container.seconds(state["StartedAt"]))
        last = receipts.tail_of(live.folder / "log")[-1:]
        seen = container.Seen(int(state["ExitCode"]), bool(state.get("OOMKilled")), broken, live.reason, live.why)
        reason, code, why = container.verdict(seen, "".join(last), live.spec.limits)
        peak = max(live.meter.peak_mb, float(live.spec.limits.memory_mb) if reason == "out-of-memory" else -1.0)
        usage = Usage(wall_s=round(wall, 4), cpu_s=round(live.meter.cpu_s, 4), peak_memory_mb=round(peak, 2))
        return receipts.Ending(reason, code, launch.asked_s, max(ended, launch.asked_s + wall), usage, why)

    def _collect(self, spec: JobSpec, launch: Launch, block: str, folder: Path, ending: receipts.Ending) -> JobResult:
        """Take the folders back, keep the result, and only then remove the container."""
        own(folder, f"{os.geteuid()}:{os.getegid()}")
        backing = receipts.Backing(launch.backend, launch.isolated, launch.image)
        result = receipts.make_result(spec, block, backing, ending, folder)
        receipts.keep(folder, launch.handle, result)
        self._remove_named(folder, launch)
        return result

    def _ended_early(self, reason: EndReason, spec: JobSpec, block: str, launch: Launch, folder: Path,
                     why: str) -> JobResult:  # fmt: skip
        ending = receipts.Ending(reason, None, launch.asked_s, time.time(), Usage(wall_s=0), why)
        return receipts.make_result(spec, block, receipts.Backing(self.name, True, launch.image), ending, folder)

    def _reason_of(self, error: Exception) -> EndReason:
        """A daemon that refuses a job says so in an APIError, we in a ValueError; all else means there is no daemon."""
        from docker.errors import APIError

        return "could-not-start" if isinstance(error, APIError | ValueError) else "sandbox-dead"

    async def _call(self, do: Callable[[], Answer]) -> Answer:
        """A blocking call, on a thread of ours: the loop's own pool is small, and each job blocks one for long."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, do)


def connect(image_wanted: str, *, jobs: Path | None = None) -> DockerBackend:
    """A backend on the daemon that answers, with the image that is wanted: "host", "host-science" or a reference.

    Raises NoDocker with the reason when there is no daemon or the image cannot be had.
    """
    client = ping()
    if not client.api.base_url.startswith("http+docker:"):  # a Unix socket
        raise NoDocker("the Docker daemon is on another machine, which cannot see the jobs' folders")
    if image_wanted in HOST_IMAGES and sys.platform != "linux":
        raise NoDocker("the image `host` can only be made on Linux; set sandbox.image, say to python:3.11-slim")
    try:
        return DockerBackend(client, _image(client, image_wanted), jobs=jobs)
    except NoDocker:
        raise
    except Exception as error:  # one door for the SDK's many classes, with the reason in words
        raise NoDocker(container.words(error)) from error


def ping() -> Any:
    """A client of the daemon that answers within two seconds. Raises NoDocker."""
    try:
        import docker

        quick = docker.from_env(timeout=ANSWER_S)
        quick.ping()
        quick.close()
        return docker.from_env(timeout=60, max_pool_size=2 * MOST_JOBS)
    except Exception as error:  # no SDK, no socket, no permission, no answer: all mean no Docker
        raise NoDocker(f"no Docker daemon answers: {container.unanswered(error)}") from error


def _image(client: Any, wanted: str) -> str:
    """The name of an image that is there: built from this machine's Python once, or as given."""
    from docker.errors import ImageNotFound

    made = image.plan(science=wanted == "host-science") if wanted in HOST_IMAGES else None
    name = made.name if made else wanted
    try:
        client.images.get(name)
        return name
    except ImageNotFound:
        if made is None:
            client.images.pull(name)
            return name
    with tempfile.TemporaryFile() as archive:
        image.write_archive(made, archive)
        archive.seek(0)
        repository, tag = name.split(":")
        changes = [f"ENV {variable}" for variable in image.ENVIRONMENT]
        chunks = iter(partial(archive.read, MIB), b"")
        client.api.import_image_from_stream(chunks, repository=repository, tag=tag, changes=changes)
    return name


def _remove(found: Any) -> None:
    from docker.errors import NotFound

    with contextlib.suppress(NotFound):
        found.remove(force=True)


def _quietly(do: Callable[[], None]) -> None:
    """Pause, unpause or kill a container that may have ended meanwhile."""
    from docker.errors import APIError

    with contextlib.suppress(APIError):
        do()
