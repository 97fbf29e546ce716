"""Stages 10 to 13 with real processes and rehearsal models: the story of a night, and what may go wrong in it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

import pytest
from executor_desk import ExecutorDesk, Flight, flight

from agents import exp_executor
from agents.coding import layout
from agents.coding.complexity import complexity
from agents.coding.identity import block_in_force, closure, condition_hash
from agents.coding.repair import Failure, merged, place, signature_of
from agents.errors import StageError
from agents.rehearsal.studies import STUDIES
from agents.rehearsal.studies.code import slip
from cockpit.kernel.events import RepairMade, ResultsSeen
from cockpit.kernel.protocols import StageReport
from cockpit.kernel.results import CurrentResults, JobResult, JobSpec
from gates import collapse, contracts

E = TypeVar("E")
LATE = next(seed for seed in range(50) if slip("micro", seed).late)
EARLY = next(seed for seed in range(50) if not slip("micro", seed).late)


async def until(run: Flight, last: int, *, first: int = 10, round: int = 1, revising: bool = False) -> StageReport:
    """The stages of the executor, each with its contract held."""
    for number in range(first, last + 1):
        desk = run.desk(number, round=round, revising=revising)
        report = await exp_executor.work(desk, run.kit)
        assert contracts.unmet(number, desk.tree, desk.view) == (), number
    return report


def current(run: Flight) -> CurrentResults:
    return CurrentResults.model_validate_json(run.files[layout.CURRENT])


def events(run: Flight, kind: type[E]) -> list[E]:
    return [event for event in run.store.events if isinstance(event, kind)]


async def test_a_clean_study_runs_through(tmp_path: Path) -> None:
    run = flight()
    report = await until(run, 13)

    assert report.fields["converged"] is True and not events(run, RepairMade)
    now = current(run)
    assert len(now.results) == 5 * 3 and not now.failed and now.block == "round-1"
    assert [e.block for e in events(run, ResultsSeen)] == ["round-1"]
    assert collapse.find(run.desk(13).tree, run.desk(13).view) == ()
    assert run.door.steps() == ["exp-executor/code", "exp-executor/schedule", "exp-executor/refine"]

    for path in run.files:  # by hand, in a fresh folder: the same bytes
        if path.startswith(layout.SCRIPTS):
            (tmp_path / path.removeprefix(layout.SCRIPTS)).write_bytes(run.files[path])
    by_hand(tmp_path)
    again = {str(p.relative_to(tmp_path / "again")): p.read_bytes() for p in (tmp_path / "again").rglob("*.json")}
    raw = {p.removeprefix(layout.RAW): content for p, content in run.files.items() if p.startswith(layout.RAW)}
    assert again == raw


def by_hand(folder: Path) -> None:
    subprocess.run([sys.executable, "run_all.py", "--out", "again"], cwd=folder, check=True, capture_output=True)


async def test_a_late_crash_is_named_at_12_and_repaired_at_13() -> None:
    run = flight("micro", "crashing-script", seed=LATE)
    place_ = slip("micro", LATE)
    report = await until(run, 12)
    failed = current(run).failed
    assert failed and all(place_.error in f.signature for f in failed)
    assert place_.error in report.summary
    kept = {r.job for r in current(run).results}

    report = await until(run, 13, first=13)
    repairs = events(run, RepairMade)
    assert [(r.attempt, r.strategy, r.files) for r in repairs] == [(1, "patch", (place_.file,))]
    assert place_.error in report.summary and not current(run).failed
    assert kept <= {r.job for r in current(run).results}, "finished conditions are kept"
    assert current(run).block == "round-1", "nothing had been seen, so the block is still good"
    assert "temporary" not in "".join(str(run.files[p]) for p in run.files if "/logs/" in p)


async def test_an_early_crash_is_repaired_before_the_long_run() -> None:
    run = flight("micro", "crashing-script", seed=EARLY)
    report = await until(run, 12)
    repairs = events(run, RepairMade)
    assert len(repairs) == 1 and slip("micro", EARLY).error in repairs[0].signature
    assert repairs[0].position.stage == 10
    assert not current(run).failed
    assert repairs[0].signature in run.files[layout.SPEC].decode() and "failed" not in report.summary


async def test_the_second_round_runs_the_added_ablation_on_a_new_block() -> None:
    run = flight("micro", "missing-ablation", "crashing-script", seed=LATE)
    await until(run, 13)
    before = {r.condition for r in current(run).results}
    run.put_plan(STUDIES["micro"].mended(run.plan(), "a reviewer asked for it"))
    await until(run, 13, round=2, revising=True)
    now = current(run)
    assert now.block == "round-2" and now.plan_version == 2
    assert len({r.condition for r in now.results} - before) == 1
    assert {r.seed for r in now.results} == set(run.plan().seed_blocks["round-2"])
    assert len(events(run, RepairMade)) == 1, "the slip was planted once"
    assert [e.block for e in events(run, ResultsSeen)] == ["round-1", "round-2"]


async def test_the_same_journal_gives_the_same_bytes_without_running_again() -> None:
    run = flight("micro", "crashing-script", seed=LATE)
    await until(run, 13)
    other = flight("micro", "crashing-script", seed=LATE)
    await until(other, 13)
    assert run.files == other.files


async def test_design_first_checks_the_codes_own_functions() -> None:
    run = flight("shrinkage")
    await until(run, 10)
    assert run.door.steps() == ["exp-executor/spec", "exp-executor/code"]
    assert "scripts/check.py" in run.files[layout.SPEC].decode()
    smoke = [job for job in run.outputs if job.startswith("check.")]
    assert len(smoke) == 1


async def test_code_that_stays_broken_ends_after_three_attempts_in_three_ways() -> None:
    run = flight()
    broken = "```python file=scripts/run.py\nraise KeyError('never there')\n```"
    run.door.replies = {"exp-executor/code": [broken], "exp-executor/repair": [broken] * 9}
    with pytest.raises(StageError) as failure:
        await exp_executor.work(run.desk(10), run.kit)
    made = events(run, RepairMade)
    assert failure.value.code == 3
    by_signature: dict[str, list[str]] = {}
    for repair in made:
        by_signature.setdefault(repair.signature, []).append(repair.strategy)
    assert all(len(strategies) <= 3 for strategies in by_signature.values())
    assert ["patch", "another strategy", "rebuild"] in by_signature.values()


async def test_a_missing_package_makes_the_idea_unpublishable_not_the_cockpit_fail() -> None:
    run = flight()
    sound = STUDIES["micro"].code(run.plan(), seed=0, crash=False)
    files = _fences({path: f"import numpy_of_another_world\n{text}" for path, text in sound.items()})
    run.door.replies = {"exp-executor/code": [files], "exp-executor/repair": [files] * 9}
    report = await exp_executor.work(run.desk(10), run.kit)
    assert report.unpublishable == "dependency-missing" and "numpy_of_another_world" in report.summary


async def test_a_broken_sandbox_is_no_fault_of_the_code(monkeypatch: pytest.MonkeyPatch) -> None:
    run = flight()
    await until(run, 11)

    async def dead(desk: ExecutorDesk, jobs: Sequence[JobSpec], *, block: str = "") -> list[JobResult]:
        results = await ExecutorDesk.run_jobs(desk, jobs[:1])
        receipt = results[0].receipt.model_copy(update={"reason": "sandbox-dead", "exit_code": None})
        return [JobResult(receipt=receipt, tail=("the daemon is gone",)) for _ in jobs]

    desk = run.desk(12)
    monkeypatch.setattr(desk, "run_jobs", lambda jobs, block="": dead(desk, jobs))
    with pytest.raises(StageError) as failure:
        await exp_executor.work(desk, run.kit)
    assert failure.value.code == 6 and "the daemon is gone" in str(failure.value)
    assert not events(run, RepairMade) and layout.CURRENT not in run.files


async def test_conditions_that_do_the_same_are_sent_back() -> None:
    run = flight()
    sound = STUDIES["micro"].code(run.plan(), seed=0, crash=False)
    dull = sound["scripts/run.py"].replace('settings["robust_scale"]', 'settings["robust_scale"] is not None')
    run.door.replies = {"exp-executor/code": [_fences({**sound, "scripts/run.py": dull})]}
    await until(run, 10)
    repairs = events(run, RepairMade)
    assert [r.signature for r in repairs] == ["identical: clipped = no-scale"]


async def test_a_change_after_results_were_seen_costs_a_block() -> None:
    run = flight()
    await until(run, 12)
    sound = STUDIES["micro"].code(run.plan(), seed=0, crash=False)
    better = sound["scripts/run.py"].replace("ENOUGH, LIMIT = 0.02, 8", "ENOUGH, LIMIT = 0.01, 9")
    change = {"action": "change", "observations": [], "concerns": [], "change": "the iteration stops too early"}
    run.door.replies = {
        "exp-executor/refine": [json.dumps(change)],
        "exp-executor/change": [_fences({"scripts/run.py": better})],
    }
    report = await until(run, 13, first=13)
    assert current(run).block == "round-2" and report.fields["changes"][0]["block"] == "round-2"
    assert len(current(run).results) == 15 and not current(run).failed
    assert {e.block for e in events(run, ResultsSeen)} == {"round-1", "round-2"}
    conditions = json.loads(run.files[f"{layout.SCRIPTS}conditions.json"])
    assert conditions["block"] == "round-2"


async def test_observations_with_numbers_are_asked_for_again() -> None:
    run = flight()
    await until(run, 12)
    loud = {"action": "converged", "observations": ["the error fell to 0.397"]}
    run.door.replies = {"exp-executor/refine": [json.dumps(loud)]}
    report = await until(run, 13, first=13)
    assert run.door.steps().count("exp-executor/refine") == 2
    assert "0.397" not in json.dumps(report.fields)


async def test_what_does_not_fit_into_the_night_is_cut_and_said() -> None:
    run = flight(wall="150s")
    await until(run, 11)  # five conditions at 20 s, two at once: 50 s a seed
    schedule = json.loads(run.files[layout.SCHEDULE])
    assert len(schedule["jobs"]) == 15 and not schedule["cut"]
    short = flight(wall="2m")
    await until(short, 11)
    schedule = json.loads(short.files[layout.SCHEDULE])
    assert len(schedule["jobs"]) == 10 and {job["seed"] for job in schedule["cut"]} == {103}
    none = flight(wall="10s")
    await until(none, 10)
    assert (await exp_executor.work(none.desk(11), none.kit)).unpublishable == "design-too-large"


def _fences(files: dict[str, str]) -> str:
    return "\n".join(f"```python file={path}\n{text}```" for path, text in files.items())


def test_routes_follow_complexity() -> None:
    micro, shrinkage = (STUDIES[s].design(1, "balanced", missing=True, seed=0) for s in ("micro", "shrinkage"))
    assert complexity(micro, 0).route == "one-shot"
    assert complexity(shrinkage, 0).route == "design-first"
    hard = shrinkage.model_copy(update={"packages": ("a", "b", "c", "d"), "datasets": shrinkage.datasets * 4})
    assert complexity(hard, 4).route == "architecture-first"
    assert 0 <= complexity(micro, 0).value <= complexity(hard, 99).value <= 1


def test_a_block_is_used_until_it_was_seen() -> None:
    plan = STUDIES["micro"].design(1, "lite", missing=False, seed=0)
    assert block_in_force(plan, (), None) == ("round-1", True)
    assert block_in_force(plan, ("round-1",), "round-1") == ("round-1", True)
    assert block_in_force(plan, ("round-1",), None) == ("round-2", True)
    assert block_in_force(plan, tuple(f"round-{n}" for n in range(1, 6)), None) == ("round-5", False)


def test_a_result_is_that_of_what_its_entry_point_reads() -> None:
    plan = STUDIES["micro"].design(1, "lite", missing=False, seed=0)
    scripts = {**STUDIES["micro"].code(plan, seed=0, crash=False), **layout.program_files(plan, "round-1")}
    assert closure("scripts/baselines.py", scripts) == (
        "scripts/baselines.py",
        "scripts/contract.py",
        "scripts/problem.py",
    )
    main, plain = plan.conditions[0], next(c for c in plan.conditions if c.id == "plain")
    changed = {**scripts, "scripts/run.py": scripts["scripts/run.py"] + "# a word\n"}
    assert condition_hash(plan, main, 1, scripts, "i") != condition_hash(plan, main, 1, changed, "i")
    assert condition_hash(plan, plain, 1, scripts, "i") == condition_hash(plan, plain, 1, changed, "i")
    assert len({condition_hash(plan, main, s, scripts, i) for s in (1, 2) for i in ("i", "j")}) == 4


@pytest.mark.parametrize(
    ("path", "at"),
    [
        ("scripts/run.py", "scripts/run.py"),
        ("run.py", "scripts/run.py"),
        ("./lib/a.py", "scripts/lib/a.py"),
        ("scripts/conditions.json", None),
        ("run_all.py", None),
        ("/etc/passwd.py", None),
        ("../out.py", None),
        ("scripts/a.so", None),
        ("", None),
    ],
)
def test_models_may_write_under_scripts_only(path: str, at: str | None) -> None:
    assert place(path) == at


def test_merging_replaces_and_ends_lines() -> None:
    assert merged({"scripts/a.py": "1\n", "scripts/run_all.py": "x"}, {"b.py": "2"}) == {
        "scripts/a.py": "1\n",
        "scripts/b.py": "2\n",
    }


def test_signatures_forget_what_changes() -> None:
    def trace(folder: str, line: int, number: str) -> list[str]:
        return [
            "Traceback (most recent call last):",
            f'  File "{folder}/scripts/run.py", line {line}, in main',
            "    x",
            f'  File "/usr/lib/python3.11/json/x.py", line {line}, in loads',
            f"ValueError: bad value {number} at 0x7f{line} in {folder}/scripts/data.csv",
        ]

    one, other = (signature_of(trace(*t)) for t in (("/tmp/a1", 10, "3.5"), ("/home/me/b", 99, "-7e9")))
    assert one == other == "ValueError@run.py:main: bad value # at address in data.csv"
    assert signature_of(["Killed"]) == "Killed" and signature_of([]) == "no output"
    assert Failure("x", ()) == Failure("x", ())
