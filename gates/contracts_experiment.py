"""Contracts of stages 10 to 15: code, schedule, jobs, refinement, analysis, decision.

Belongs here: one function a demand of `run.md`; each yields sentences that say what and where. Not here:
the table (`contracts.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite
from typing import Any

from cockpit.kernel.protocols import Tree
from cockpit.kernel.results import CurrentResults
from cockpit.kernel.stages import EXEC_A
from cockpit.kernel.view import RunView
from gates import static
from gates.artifacts import CURRENT, DECISION, SCHEDULE, SCRIPTS, TESTS, current_of, hypotheses_of, json_of, plan_of
from gates.collapse import cut_jobs

REFINEMENTS = f"{EXEC_A}/refinement_log.json"
VERDICTS = frozenset({"supported", "refuted", "inconclusive"})
DECISIONS = frozenset({"proceed", "refine", "pivot"})


def scripts(tree: Tree, view: RunView) -> Iterator[str]:
    """10: there is code, and each condition's entry point is in it."""
    plan = plan_of(tree)
    if plan.value is None:
        yield plan.problem
        return
    files = static.script_files(tree)
    if not files:
        yield f"{SCRIPTS} holds no Python file"
        return
    lost = sorted({c.entry for c in plan.value.conditions if f"{EXEC_A}/{c.entry}" not in files})
    yield from (f"{EXEC_A}/{entry}, an entry point of the plan, is missing" for entry in lost)


def clean_code(tree: Tree, view: RunView) -> Iterator[str]:
    """10: the static checks hold; the one audit that keeps a stage from being done."""
    for finding in static.find(tree, view):
        if finding.severity in ("critical", "major"):
            yield f"{finding.spans[0]}: {finding.title}"


def schedule(tree: Tree, view: RunView) -> Iterator[str]:
    """11: order, time, memory for each planned job; what does not fit is said to be cut."""
    plan, read = plan_of(tree), json_of(tree, SCHEDULE)
    if plan.value is None or not isinstance(read.value, dict):
        yield plan.problem or read.problem or f"{SCHEDULE} is not an object"
        return
    jobs = [j for j in _list(read.value.get("jobs")) if isinstance(j, dict)]
    if not jobs:
        yield f"{SCHEDULE}: no jobs"
    for job in jobs:
        name = f"{job.get('condition')} seed {job.get('seed')}"
        lost = [k for k in ("order", "wall_s", "memory_mb") if not _number(job.get(k))]
        yield from (f"{SCHEDULE}: job {name} has no {key}" for key in lost)
    listed = {j.get("condition") for j in jobs} | {c for c, _ in cut_jobs(tree)}
    lost_conditions = [c.id for c in plan.value.conditions if c.id not in listed and c.kind != "efficiency"]
    yield from (f"{SCHEDULE}: condition {c} is neither scheduled nor cut" for c in lost_conditions)


def all_jobs(tree: Tree, view: RunView) -> Iterator[str]:
    """12: each planned job finished, or has a failure signature."""
    read, current = json_of(tree, SCHEDULE), current_of(tree)
    if current.value is None:
        yield current.problem
        return
    if not isinstance(read.value, dict):
        yield read.problem or f"{SCHEDULE} is not an object"
        return
    have = {(str(r.condition), r.seed) for r in current.value.results}
    signed = {(str(f.condition), f.seed): f.signature for f in current.value.failed}
    for key in _due(tree, read.value, current.value):
        if key in have:
            continue
        if key not in signed:
            yield f"{CURRENT}: job {key[0]} seed {key[1]} has neither a result nor a failure"
        elif not signed[key].strip():
            yield f"{CURRENT}: job {key[0]} seed {key[1]} failed without a signature"
    if not have and not signed:
        yield f"{CURRENT}: no result and no failure"


def _due(tree: Tree, schedule: dict[str, Any], current: CurrentResults) -> list[tuple[str, Any]]:
    """The jobs that must have ended: the schedule's, or every one of a later block that 13 had to go to."""
    jobs = [j for j in _list(schedule.get("jobs")) if isinstance(j, dict)]
    plan = plan_of(tree).value
    seeds = plan.seed_blocks.get(current.block, ()) if plan else ()
    if plan is None or not seeds or any(j.get("seed") in seeds for j in jobs):
        return [(str(j.get("condition")), j.get("seed")) for j in jobs]
    return [(str(c.id), seed) for c in plan.conditions for seed in seeds]


def refined(tree: Tree, view: RunView) -> Iterator[str]:
    """13: converged, or the limits are used; the log says which."""
    read = json_of(tree, REFINEMENTS)
    if read.problem:
        yield read.problem
    elif not isinstance(read.value, (dict, list)):
        yield f"{REFINEMENTS} is neither an object nor a list"


def verdicts(tree: Tree, view: RunView) -> Iterator[str]:
    """14: each hypothesis is supported, refuted or inconclusive."""
    read, tests = hypotheses_of(tree), json_of(tree, TESTS)
    if read.value is None or not isinstance(tests.value, dict):
        yield read.problem or tests.problem or f"{TESTS} is not an object"
        return
    said = tests.value.get("hypotheses")
    given = said if isinstance(said, dict) else {}
    for h in read.value:
        if given.get(h.id) not in VERDICTS:
            yield f"{TESTS}: hypothesis {h.id} has no verdict ({given.get(h.id)!r})"


def tests(tree: Tree, view: RunView) -> Iterator[str]:
    """14: each hypothesis with a verdict other than inconclusive has its test, effect size and interval."""
    read, plan = json_of(tree, TESTS), plan_of(tree)
    if not isinstance(read.value, dict) or plan.value is None:
        yield read.problem or plan.problem or f"{TESTS} is not an object"
        return
    made = {str(t.get("id")): t for t in _list(read.value.get("tests")) if isinstance(t, dict)}
    given = read.value.get("hypotheses")
    open_ = {h for h, v in given.items() if v == "inconclusive"} if isinstance(given, dict) else set()
    for planned in plan.value.tests:
        test = made.get(planned.id)
        if test is None:
            if planned.hypothesis not in open_:
                yield f"{TESTS}: the frozen test {planned.id} of {planned.hypothesis} was not made"
            continue
        yield from (f"{TESTS}: test {planned.id} has no {what}" for what in _lacking(test, planned.hypothesis in open_))


def _lacking(test: dict[str, Any], open_: bool) -> Iterator[str]:
    interval = test.get("interval")
    good = isinstance(interval, list) and len(interval) == 2 and all(_number(v) for v in interval)
    if not good and not open_:
        yield "interval"
    if not _number(test.get("effect_size")) and not open_:
        yield "effect size"
    p = test.get("p")
    if p is not None and not (_number(p) and 0 <= p <= 1):
        yield f"p in [0, 1] ({p!r})"


def decision(tree: Tree, view: RunView) -> Iterator[str]:
    """15: proceed, refine or pivot, with evidence."""
    read = json_of(tree, DECISION)
    if not isinstance(read.value, dict):
        yield read.problem or f"{DECISION} is not an object"
        return
    said = read.value.get("decision")
    if said not in DECISIONS:
        yield f"{DECISION}: decision is {said!r}, not one of {', '.join(sorted(DECISIONS))}"
    if not read.value.get("evidence"):
        yield f"{DECISION}: no evidence for the decision"


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and isfinite(value)
