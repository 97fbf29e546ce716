"""A job on each backend: it runs, it ends in each of the ways there are, and its receipt says so."""

from __future__ import annotations

import asyncio
import hashlib
import json
import time

import pytest
from sandbox_bench import Bench, until

from cockpit.kernel.ids import JobId, Sha256
from cockpit.kernel.results import JobSpec
from sandbox import receipts

RESULTS = """
import json, os, sys
print("seed", os.environ["COCKPIT_SEED"], sys.argv[1:])
with open(os.environ["COCKPIT_WORKSPACE"] + "/results.json", "w") as file:
    json.dump({"rows": []}, file)
"""


async def test_a_job_runs_and_its_receipt_names_what_came_out(bench: Bench) -> None:
    spec = bench.spec(RESULTS, "--condition", "ridge", condition="ridge", files={"lib/model.py": "X = 1\n"})
    result = await bench.run(spec, block="round-2")

    receipt = result.receipt
    assert result.ok and result.signature == ""
    assert (receipt.reason, receipt.exit_code, receipt.block, receipt.seed) == ("finished", 0, "round-2", 7)
    assert (receipt.backend, receipt.isolated) == (bench.backend.name, bench.backend.isolated)
    assert receipt.outputs == {"results.json": hashlib.sha256(b'{"rows": []}').hexdigest()}
    assert receipt.inputs == spec.files
    assert receipt.started_s < receipt.ended_s and receipt.started_at.endswith("Z")
    assert 0 < receipt.usage.wall_s < 10
    assert result.tail == ("seed 7 ['--condition', 'ridge']",)
    assert bench.watch.lines == list(result.tail)
    assert len(bench.watch.handles) == 1 and bench.watch.handles[0].startswith(f"{bench.backend.name}:")
    assert receipts.read_output(bench.jobs / spec.id, receipt, "results.json") == b'{"rows": []}'


async def test_a_crash_keeps_its_traceback_and_gets_a_signature(bench: Bench) -> None:
    result = await bench.ran("def fit(n):\n    return 1 / n\n\nfit(0)\n")

    assert (result.receipt.reason, result.receipt.exit_code) == ("failed", 1)
    assert result.tail[-1] == "ZeroDivisionError: division by zero"
    assert result.signature == "ZeroDivisionError@run.py:fit: division by zero"


async def test_wall_time_is_kept_by_the_launcher(bench: Bench) -> None:
    result = await bench.ran("import time\nprint('on')\ntime.sleep(60)", limits={"wall_s": 0.5})

    assert (result.receipt.reason, result.receipt.exit_code) == ("timed-out", None)
    assert 0.5 <= result.receipt.usage.wall_s < 2
    assert result.tail == ("on", "[cockpit: over 0.5 s of wall time]")


async def test_too_much_memory_is_ended_and_called_so(isolated: Bench) -> None:
    code = "kept = []\nfor _ in range(400):\n    kept.append(bytearray(b'x') * 1_000_000)\n"
    result = await isolated.ran(code, limits={"memory_mb": 64})

    assert result.receipt.reason == "out-of-memory"
    assert 64 <= result.receipt.usage.peak_memory_mb < 400


async def test_memory_that_is_shared_by_workers_is_counted_once(bench: Bench) -> None:
    code = """
import os, time
block = bytearray(b"x") * 60_000_000
children = []
for _ in range(4):
    if not (pid := os.fork()):
        time.sleep(0.4)
        os._exit(0)
    children.append(pid)
for pid in children:
    os.waitpid(pid, 0)
"""
    assert (await bench.ran(code, limits={"memory_mb": 120})).receipt.reason == "finished"


async def test_more_processes_than_allowed_are_ended(isolated: Bench) -> None:
    code = """
import os, time
for n in range(40):
    if not os.fork():
        time.sleep(20)
        os._exit(0)
time.sleep(20)
"""
    result = await isolated.ran(code, limits={"processes": 10})

    assert result.receipt.reason in ("killed", "failed")  # watched, or stopped by the hard ceiling before that
    assert result.receipt.usage.wall_s < 5


async def test_files_beyond_the_quota_end_the_job(isolated: Bench) -> None:
    code = """
import time
for n in range(40):
    with open(f"part-{n}", "wb") as file:
        file.write(bytes(1_000_000))
time.sleep(20)
"""
    result = await isolated.ran(code, limits={"disk_mb": 8})

    assert result.receipt.reason == "killed"
    assert result.tail[-1] == "[cockpit: over 8 MiB of files]"


async def test_output_beyond_the_cap_is_cut_but_its_end_is_kept(bench: Bench) -> None:
    spec = bench.spec("for n in range(60_000):\n    print('line', n, 'x' * 40)\n1 / 0\n")
    result = await bench.run(spec)

    log = bench.file(spec, "log").read_bytes()
    assert len(log) < (1 << 20) + (1 << 17)
    assert b"[cockpit: output is over 1 MiB;" in log
    assert log.startswith(b"line 0 x") and result.tail[-1] == "ZeroDivisionError: division by zero"


async def test_what_cannot_start_says_so(bench: Bench) -> None:
    spec = JobSpec(id=JobId("no-such"), kind="probe", command=("no-such-program",))
    result = await bench.run(spec)

    assert (result.receipt.reason, result.receipt.exit_code) == ("could-not-start", None)
    assert "no-such-program" in " ".join(result.tail)


@pytest.mark.parametrize("path", ["/etc/x", "../x", "a/../../x", "a//b", "", "."])
async def test_inputs_stay_inside_the_folder(bench: Bench, path: str) -> None:
    spec = JobSpec(id=JobId("odd"), kind="main", command=("python", "x"), files={path: bench.store.put("x")})

    assert (await bench.run(spec)).receipt.reason == "could-not-start"


async def test_an_input_must_be_what_the_specification_names(bench: Bench) -> None:
    spec = JobSpec(id=JobId("odd"), kind="main", command=("python", "x"), files={"x": Sha256("0" * 64)})
    assert (await bench.run(spec)).receipt.reason == "could-not-start"

    bench.store["0" * 64] = b"something else"
    assert (await bench.run(spec)).receipt.reason == "could-not-start"


async def test_a_killed_program_is_killed_and_a_segfault_failed(bench: Bench) -> None:
    killed = await bench.ran("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)")
    crashed = await bench.ran("import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)")

    assert (killed.receipt.reason, killed.receipt.exit_code) == ("killed", 137)
    assert (crashed.receipt.reason, crashed.receipt.exit_code) == ("failed", 139)


async def test_left_over_processes_are_swept(processes: Bench) -> None:
    code = """
import os, time
if not os.fork():
    os.setsid()
    if not os.fork():
        time.sleep(60)
    os._exit(0)
print("done", flush=True)
"""
    spec = processes.spec(code)
    assert (await processes.run(spec)).ok

    ended = json.loads(processes.file(spec, "exit.json").read_text())
    assert ended["swept"] >= 1 and not processes.leftovers(spec)


async def test_the_environment_is_an_allow_list(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "canary-5f1d")
    result = await bench.ran("import os\nprint(sorted(os.environ))", environment={"SOURCE_DATE_EPOCH": "0"})

    assert "canary" not in str(result.tail) and "SOME_API_KEY" not in result.tail[0]
    allowed = {"COCKPIT_WORKSPACE", "COCKPIT_SEED", "COCKPIT_BUDGET_S", "COCKPIT_CHECKPOINTS", "PATH", "HOME",
               "MPLCONFIGDIR", "PYTHONHASHSEED", "LC_ALL", "USER", "PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED",
               "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "SOURCE_DATE_EPOCH", "PWD", "HOSTNAME",
               "PYTHONHOME", "LD_LIBRARY_PATH"}  # fmt: skip
    assert set(eval(result.tail[0])) <= allowed


@pytest.mark.parametrize("name", ["LD_PRELOAD", "PYTHONPATH", "COCKPIT_SEED", "A=B", ""])
async def test_a_job_cannot_change_how_programs_are_loaded(bench: Bench, name: str) -> None:
    assert (await bench.ran("", environment={name: "x"})).receipt.reason == "could-not-start"


async def test_checkpoints_outlive_an_attempt(bench: Bench) -> None:
    code = "import os\np = os.environ['COCKPIT_CHECKPOINTS'] + '/n'\nprint(os.path.exists(p))\nopen(p, 'w').close()\n"
    spec = bench.spec(code)

    assert (await bench.run(spec)).tail == ("False",)
    assert (await bench.run(spec)).tail == ("True",)
    assert len(set(bench.watch.handles)) == 2


async def test_a_cancelled_task_ends_the_whole_tree(bench: Bench) -> None:
    code = """
import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
for _ in range(3):
    if not os.fork():
        os.setsid()
        time.sleep(60)
        os._exit(0)
print("ready", flush=True)
time.sleep(60)
"""
    spec = bench.spec(code)
    task = asyncio.create_task(bench.run(spec))
    await until(lambda: "ready" in bench.watch.lines)

    began = time.monotonic()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert time.monotonic() - began < 0.3
    assert not bench.leftovers(spec)


async def test_hold_freezes_and_release_goes_on(bench: Bench) -> None:
    spec = bench.spec("import time\nfor n in range(80):\n    print(n, flush=True)\n    time.sleep(0.01)\n")
    task = asyncio.create_task(bench.run(spec))
    await until(lambda: len(bench.watch.lines) > 5)

    await bench.backend.hold()
    size = bench.file(spec, "log").stat().st_size
    with pytest.raises(TimeoutError):
        await until(lambda: bench.file(spec, "log").stat().st_size > size, seconds=0.3)
    await bench.backend.release()

    assert (await task).ok and bench.watch.lines == [str(n) for n in range(80)]
    assert (await task).receipt.usage.wall_s < 2


async def test_a_held_job_can_be_cancelled_and_time_on_hold_is_no_wall_time(bench: Bench) -> None:
    spec = bench.spec("import time\nprint('ready', flush=True)\ntime.sleep(60)", limits={"wall_s": 1.0})
    task = asyncio.create_task(bench.run(spec))
    await until(lambda: bench.watch.lines)
    await bench.backend.hold()
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(asyncio.shield(task), 1.2)

    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not bench.leftovers(spec)


async def test_many_lines_cost_little_and_samples_arrive(isolated: Bench) -> None:
    code = """
import sys, time
end = time.monotonic() + 2.2
while time.monotonic() < end:
    sys.stdout.write("".join(f"epoch {n} loss 0.12345\\n" for n in range(500)))
    sys.stdout.flush()
    time.sleep(0.05)
"""
    began = time.process_time()
    result = await isolated.ran(code, limits={"output_mb": 16})

    assert result.ok and len(isolated.watch.lines) > 10_000
    assert (time.process_time() - began) < 0.9  # measured 0.1 to 0.25 s for 2.2 s of 10,000 lines a second
    assert len(isolated.watch.hints) < 60
    assert 1 <= len(isolated.watch.samples) <= 5 and isolated.watch.samples[-1].memory_mb > 1
