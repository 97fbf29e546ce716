"""The cockpit dies; its jobs do not, and the next cockpit collects each of them once."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from sandbox_bench import Bench, until

from cockpit.kernel.results import JobResult, JobSpec
from sandbox import folder as job_folder
from sandbox.processes import tell

WAITS = """
import os, time
print("ready", flush=True)
while not os.path.exists("go"):
    time.sleep(0.005)
with open("results.json", "w") as file:
    file.write('{"rows": []}')
print("done")
"""


def begin(*words: str) -> subprocess.Popen[str]:
    """Start a program with pipes."""
    here = {**os.environ, "PYTHONPATH": str(Path.cwd())}
    return subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=here)


async def orphan(bench: Bench, spec: JobSpec, tmp_path: Path) -> str:
    """Start `spec` in a cockpit of its own, kill that with -9 when the job is on its way; the handle."""
    blobs = tmp_path / "blobs"
    blobs.mkdir(exist_ok=True)
    for digest, content in bench.store.items():
        (blobs / digest).write_bytes(content)
    script = Path(__file__).with_name("short_lived_cockpit.py")
    cockpit = begin(sys.executable, str(script), str(bench.jobs / spec.id), bench.backend.name, str(blobs))
    assert cockpit.stdin and cockpit.stdout
    cockpit.stdin.write(spec.model_dump_json())
    cockpit.stdin.close()
    handle = (await asyncio.to_thread(cockpit.stdout.readline)).strip()
    log = bench.file(spec, "log")
    await until(lambda: log.exists() and "ready" in log.read_text())
    cockpit.kill()
    cockpit.wait()
    cockpit.stdout.close()
    return handle


def without_times(result: JobResult) -> JobResult:
    """What does not depend on when the job ran."""
    still = {"started_at": "", "ended_at": "", "started_s": 0, "ended_s": 0, "usage": {"wall_s": 0}}
    return result.model_copy(update={"receipt": result.receipt.model_copy(update=still)})


async def undisturbed(bench: Bench, spec: JobSpec) -> JobResult:
    """The same job on another folder, with nobody killed."""
    other = Bench(bench.backend, bench.jobs / "undisturbed", bench.store)
    task = asyncio.create_task(other.run(spec, block="b1"))
    await until(lambda: other.watch.lines)
    other.file(spec, "work/go").touch()
    return await task


async def test_a_running_job_is_adopted(bench: Bench, tmp_path: Path) -> None:
    spec = bench.spec(WAITS)
    handle = await orphan(bench, spec, tmp_path)
    task = asyncio.create_task(bench.run(spec, block="b1", handle=handle))
    await until(lambda: "ready" in bench.watch.lines)
    bench.file(spec, "work/go").touch()
    result = await task

    assert result.ok and bench.watch.handles == []
    assert without_times(result) == without_times(await undisturbed(bench, spec))
    assert await bench.run(spec, block="b1", handle=handle) == result


async def test_a_job_that_ended_meanwhile_is_collected_once(bench: Bench, tmp_path: Path) -> None:
    spec = bench.spec(WAITS)
    handle = await orphan(bench, spec, tmp_path)
    bench.file(spec, "work/go").touch()
    await until(lambda: bench.has_ended(spec))
    first = await bench.run(spec, block="b1", handle=handle)
    bench.file(spec, "work/results.json").write_text("changed afterwards")
    again = await bench.run(spec, block="b1", handle=handle)

    assert first.ok and again == first and bench.watch.handles == []
    assert without_times(first) == without_times(await undisturbed(bench, spec))


async def test_an_adopted_job_can_be_cancelled(bench: Bench, tmp_path: Path) -> None:
    spec = bench.spec(WAITS)
    handle = await orphan(bench, spec, tmp_path)
    task = asyncio.create_task(bench.run(spec, handle=handle))
    await until(lambda: bench.watch.lines)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert not bench.leftovers(spec)


async def test_a_held_job_goes_on_when_it_is_adopted(processes: Bench, tmp_path: Path) -> None:
    spec = processes.spec(WAITS)
    handle = await orphan(processes, spec, tmp_path)
    running = json.loads(processes.file(spec, "job.json").read_text())
    os.kill(running["pid"], signal.SIGUSR1)
    await until(lambda: json.loads(processes.file(spec, "live").read_text())["held"])
    processes.file(spec, "work/go").touch()

    assert (await processes.run(spec, handle=handle)).ok


async def test_a_dead_launcher_is_a_dead_sandbox_not_a_failed_experiment(processes: Bench, tmp_path: Path) -> None:
    spec = processes.spec(WAITS)
    handle = await orphan(processes, spec, tmp_path)
    os.kill(json.loads(processes.file(spec, "job.json").read_text())["pid"], signal.SIGKILL)
    result = await processes.run(spec, handle=handle)

    assert (result.receipt.reason, result.receipt.exit_code) == ("sandbox-dead", None)
    assert not processes.leftovers(spec)
    processes.store.put("")
    task = asyncio.create_task(processes.run(spec))  # without the handle: once more, as a new attempt
    await until(lambda: processes.watch.handles)
    await until(lambda: processes.file(spec, "log").exists() and "ready" in processes.file(spec, "log").read_text())
    processes.file(spec, "work/go").touch()
    assert (await task).ok and processes.watch.handles == [f"{processes.backend.name}:2"]


async def test_a_launcher_that_dies_under_us_is_noticed(processes: Bench) -> None:
    spec = processes.spec(WAITS)
    task = asyncio.create_task(processes.run(spec))
    await until(lambda: processes.watch.lines)
    os.kill(json.loads(processes.file(spec, "job.json").read_text())["pid"], signal.SIGKILL)

    assert (await task).receipt.reason == "sandbox-dead"
    assert not processes.leftovers(spec)


async def test_ids_of_another_boot_or_process_mean_nothing(processes: Bench, tmp_path: Path) -> None:
    spec = processes.spec(WAITS)
    handle = await orphan(processes, spec, tmp_path)
    job = processes.file(spec, "job.json")
    real = json.loads(job.read_text())
    innocent = begin("sleep", "60")
    try:
        job.write_text(json.dumps({**real, "boot": "another"}))
        assert (await processes.run(spec, handle=handle)).receipt.reason == "sandbox-dead"
        processes.file(spec, "receipt.json").unlink()
        job.write_text(json.dumps({**real, "pid": innocent.pid, "init": innocent.pid}))
        assert (await processes.run(spec, handle=handle)).receipt.reason == "sandbox-dead"
        assert innocent.poll() is None
    finally:
        innocent.kill()
        innocent.communicate()
        tell([real["pid"]], signal.SIGTERM)


async def test_a_launch_that_never_happened_is_done_again(processes: Bench) -> None:
    spec = processes.spec("print('ran')")
    place = processes.jobs / spec.id
    place.mkdir()
    launch = job_folder.Launch(attempt=1, job=spec.id, digest=job_folder.digest_of(spec), asked_s=1, backend="process",
                               isolated=False, image="x", handle="process:1")  # fmt: skip
    job_folder.write(place / "launch.json", launch)  # the cockpit died before it started the launcher
    result = await processes.run(spec, handle="process:1")

    assert result.ok and processes.watch.handles == [f"{processes.backend.name}:2"]
    assert not job_folder.claim(place, 1)  # a launcher of attempt 1 that wakes up late finds the door shut


async def test_strays_are_reaped_and_claimed_jobs_are_not(bench: Bench, tmp_path: Path) -> None:
    stray, claimed = bench.spec(WAITS), bench.spec(WAITS)
    await orphan(bench, stray, tmp_path)
    handle = await orphan(bench, claimed, tmp_path)

    assert await bench.backend.reap({claimed.id: handle}) == (stray.id,)
    assert not bench.leftovers(stray) and bench.leftovers(claimed)
    assert await bench.backend.reap({}) == (claimed.id,)
    assert not bench.leftovers(claimed)
