"""Collapse: results that cannot have come from the comparison they claim.

Belongs here: identity over conditions or seeds, not-a-number, bounds, perfection, missing seeds, a
positive control that is not worse. Not here: a null effect, which is a result, and what code does (`static.py`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import combinations
from statistics import fmean

from cockpit.kernel.findings import Finding, Severity, Span
from cockpit.kernel.plan import Condition, ExperimentPlan
from cockpit.kernel.protocols import Tree
from cockpit.kernel.results import CurrentResults
from cockpit.kernel.view import RunView
from gates.artifacts import CURRENT, SCHEDULE, json_of
from gates.measured import Measured, Series, measured

OWNER = 10
CONSTANT_FROM = 3  # seeds from which equality on all of them is no coincidence


def find(tree: Tree, view: RunView) -> tuple[Finding, ...]:
    """All findings on the current results.

    Raises:
        ValueError: plan or `current_results.json` cannot be read.
    """
    data = measured(tree)
    checks = (_unreadable, _not_numbers, _bounds, _constant, _identical, _control)
    found = [finding for check in checks for finding in check(data)]
    return (*found, *_seeds(data, frozenset(cut_jobs(tree))))


def _unreadable(data: Measured) -> Iterator[Finding]:
    for path, why in data.unreadable.items():
        yield _finding("collapse-unreadable", f"a current result cannot be read: {why}", (Span(file=path),))


def _not_numbers(data: Measured) -> Iterator[Finding]:
    for (condition, metric, _), series in data.series.items():
        bad = sorted(seed for seed, value in series.items() if value is None)
        if bad:
            seeds = ", ".join(map(str, bad))
            yield _finding("collapse-not-a-number", f"{metric} of {condition} is NaN or infinite for seed {seeds}",
                           _spans(data, (condition,), metric, bad[0]))  # fmt: skip


def _bounds(data: Measured) -> Iterator[Finding]:
    for metric in data.plan.metrics:
        for condition in data.plan.conditions:
            values = [v for v in data.of(condition.id, metric).values() if v is not None]
            low, high = metric.lower_bound, metric.upper_bound
            if any((low is not None and v < low) or (high is not None and v > high) for v in values):
                yield _finding("collapse-bounds", f"{metric.name} of {condition.id} leaves its bounds",
                               _spans(data, (condition.id,), metric.name))  # fmt: skip
            best = {"lower": low, "higher": high, "none": None}[metric.direction]
            judged = metric in data.outcomes and len(values) > 1 and condition.kind != "control"
            if judged and best is not None and all(v == best for v in values):
                yield _finding("collapse-perfect", f"{metric.name} of {condition.id} is perfect on every seed",
                               _spans(data, (condition.id,), metric.name))  # fmt: skip


def _constant(data: Measured) -> Iterator[Finding]:
    for metric in data.outcomes:
        for condition in data.plan.conditions:
            series = data.of(condition.id, metric)
            values = set(series.values())
            if len(series) >= CONSTANT_FROM and len(values) == 1 and None not in values:
                yield _finding("collapse-constant", f"{metric.name} of {condition.id} is the same on every seed",
                               _spans(data, (condition.id,), metric.name))  # fmt: skip


def _identical(data: Measured) -> Iterator[Finding]:
    for one, other in combinations(data.plan.conditions, 2):
        shared = [_pairs(data.of(one.id, m), data.of(other.id, m)) for m in data.outcomes]
        pairs = [pair for metric in shared for pair in metric]
        if len(pairs) > 1 and all(a == b for a, b in pairs):
            title = f"{one.id} and {other.id} are equal to the last digit on every seed"
            yield _finding("collapse-identical", title, _spans(data, (one.id, other.id), ""))


def _pairs(one: Series, other: Series) -> list[tuple[float, float]]:
    shared = sorted(one.keys() & other.keys())
    both = ((one[seed], other[seed]) for seed in shared)
    return [(a, b) for a, b in both if a is not None and b is not None]


def _control(data: Measured) -> Iterator[Finding]:
    """The condition that must come out worse than what it compares to, on the first outcome both have."""
    control = data.plan.condition(data.plan.positive_control)
    against = against_of(control, data.plan) if control else None
    if control is None or against is None:
        title = f"the plan's positive control {data.plan.positive_control} is no condition of it"
        yield _finding("control-missing", title, (Span(file=CURRENT, text=data.plan.positive_control),), owner=9)
        return
    metric = next((m for m in data.outcomes if data.of(control.id, m) and data.of(against.id, m)), None)
    if metric is None:
        return
    mean, reference = _mean(data.of(control.id, metric)), _mean(data.of(against.id, metric))
    if mean is None or reference is None:
        return
    worse = mean > reference if metric.direction == "lower" else mean < reference
    if not worse:
        title = f"positive control {control.id} does not come out worse than {against.id} in {metric.name}"
        yield _finding("control-not-worse", title, _spans(data, (control.id, against.id), metric.name))


def against_of(control: Condition, plan: ExperimentPlan) -> Condition | None:
    """What the control compares to: as it says, or the first main condition."""
    if control.compares_to:
        return plan.condition(control.compares_to)
    return next((c for c in plan.conditions if c.kind == "main"), None)


def _mean(series: Series) -> float | None:
    values = [v for v in series.values() if v is not None]
    return fmean(values) if values else None


def _seeds(data: Measured, cut: frozenset[tuple[str, int]]) -> Iterator[Finding]:
    failed = {(f.condition, f.seed): f.signature for f in data.current.failed}
    have = {(r.condition, r.seed) for r in data.current.results}
    for condition in data.plan.conditions:
        if condition.kind == "efficiency":
            continue
        lacking = [s for s in planned_seeds(data.plan, data.current) if (condition.id, s) not in have | cut]
        if lacking:
            silent = any(not failed.get((condition.id, s)) for s in lacking)
            seeds = ", ".join(map(str, lacking))
            title = f"{condition.id} has fewer seeds than planned: {seeds} of block {data.current.block} are missing"
            yield _finding("collapse-seeds", title, (Span(file=CURRENT, text=f"{condition.id} seeds {seeds}"),),
                           severity="critical" if silent else "major")  # fmt: skip


def planned_seeds(plan: ExperimentPlan, current: CurrentResults) -> tuple[int, ...]:
    """The seeds of the block that counts now; none when the plan has no such block."""
    return plan.seed_blocks.get(current.block, ())


def cut_jobs(tree: Tree) -> set[tuple[str, int]]:
    """(condition, seed) that the schedule says were cut."""
    schedule = json_of(tree, SCHEDULE).value
    listed = schedule.get("cut") if isinstance(schedule, dict) else None
    jobs = [job for job in listed if isinstance(job, dict)] if isinstance(listed, list) else []
    return {(str(j.get("condition")), j["seed"]) for j in jobs if isinstance(j.get("seed"), int)}


def _spans(data: Measured, conditions: tuple[str, ...], metric: str, seed: int | None = None) -> tuple[Span, ...]:
    text = " = ".join(conditions) if not metric else f"{metric} of {', '.join(conditions)}"
    files = [data.file_of(c, seed) for c in conditions]
    return tuple(Span(file=f or CURRENT, text=text) for f in files)


def _finding(pattern: str, title: str, spans: tuple[Span, ...], *, severity: Severity = "critical",
             owner: int = OWNER) -> Finding:  # fmt: skip
    return Finding(auditor="collapse", pattern=pattern, severity=severity, title=title, spans=spans, owner=owner,
                   evidence=(json.dumps([s.file for s in spans]),))  # fmt: skip
