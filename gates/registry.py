"""The registry: what the experiments measured, each value under the key a paper may name.

Belongs here: admission by receipt, facts, aggregates, derivations, the plan's constants. Not here:
reading papers (`gates/numbers`), statistics as such (`gates/statistics.py`).

A result file enters only if its bytes are an output of the sandbox job that `current_results.json`
names. Claims rest on the current confirmatory block only. Keys: `metric/condition/split/aggregate`,
aggregate one of mean, median, min, max, count, std, std0, stderr, ci, ci-low, ci-high, seed-<n>;
tests: `test/<id>/p`, `/statistic`, `/effect`, `/low`, `/high`, `/difference`, `/n`.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import ROUND_HALF_EVEN, Decimal
from functools import cached_property
from typing import Any

import yaml
from pydantic import ValidationError

from cockpit.kernel.findings import Finding, Span
from cockpit.kernel.plan import Condition, ExperimentPlan, Hypothesis
from cockpit.kernel.protocols import Tree
from cockpit.kernel.results import CurrentResult, CurrentResults
from cockpit.kernel.stages import EXEC_A, PLAN_A
from cockpit.kernel.view import RunView
from gates.hypothesis_tests import TESTS, TooFew
from gates.plan_file import parse_plan
from gates.statistics import CONTEXT, summaries

CURRENT, PLAN, HYPOTHESES = f"{EXEC_A}/current_results.json", f"{PLAN_A}/exp_plan.yaml", f"{PLAN_A}/hypotheses.json"
SPREADS = ("std", "std0", "stderr", "ci")


@dataclass(frozen=True, slots=True)
class Fact:
    """A measured or computed value. `jobs` and `files` are what it rests on; `given` = without a receipt."""

    key: str
    value: Decimal
    metric: str
    condition: str
    split: str
    aggregate: str
    unit: str = ""
    files: tuple[str, ...] = ()
    jobs: tuple[str, ...] = ()
    given: bool = False


@dataclass(frozen=True)
class Registry:
    """Facts by key, and what they are about. `plan` None = a folder of results without a plan."""

    facts: Mapping[str, Fact] = field(default_factory=dict)
    plan: ExperimentPlan | None = None
    hypotheses: tuple[Hypothesis, ...] = ()
    block: str = ""
    seeds: Mapping[str, tuple[int, ...]] = field(default_factory=dict)  # condition → seeds run in the block
    directions: Mapping[str, str] = field(default_factory=dict)  # metric → lower | higher | none
    units: Mapping[str, str] = field(default_factory=dict)  # metric → unit as measured

    @cached_property
    def conditions(self) -> tuple[str, ...]:
        """Ids of conditions with facts, in the plan's order, then by name."""
        known = {f.condition for f in self.facts.values() if f.metric != "test"}
        planned = [c.id for c in self.plan.conditions if c.id in known] if self.plan else []
        return (*planned, *sorted(known - set(planned)))

    @cached_property
    def metrics(self) -> tuple[str, ...]:
        """Names of metrics with facts, in the plan's order, then by name."""
        known = {f.metric for f in self.facts.values()} - {"test"}
        planned = [m.name for m in self.plan.metrics if m.name in known] if self.plan else []
        return (*planned, *sorted(known - set(planned)))

    @cached_property
    def splits(self) -> tuple[str, ...]:
        """Splits with facts, by name."""
        return tuple(sorted({f.split for f in self.facts.values() if f.metric != "test"}))

    @cached_property
    def ordered(self) -> tuple[list[float], list[Fact]]:
        """All facts by magnitude, for look-up by value."""
        facts = sorted(self.facts.values(), key=lambda f: (abs(f.value), f.key))
        return [abs(float(f.value)) for f in facts], facts

    def near(self, low: float, high: float) -> list[Fact]:
        """Facts whose magnitude is in [low, high], by magnitude."""
        values, facts = self.ordered
        start = bisect_left(values, low)
        found = []
        for i in range(start, len(values)):
            if values[i] > high:
                break
            found.append(facts[i])
        return found

    def fact(self, metric: str, condition: str, split: str, aggregate: str) -> Fact | None:
        """The fact of that key."""
        return self.facts.get(f"{metric}/{condition}/{split}/{aggregate}")

    def condition(self, id: str) -> Condition | None:
        """The planned condition of that id."""
        return self.plan.condition(id) if self.plan else None

    def split_of(self, metric: str) -> str:
        """The split that the plan reports `metric` on; the only one there is, or "" """
        return self._reported.get(metric, "")

    @cached_property
    def _reported(self) -> dict[str, str]:
        splits: dict[str, set[str]] = {}
        for fact in self.facts.values():
            splits.setdefault(fact.metric, set()).add(fact.split)
        planned = {m.name: m.split for m in self.plan.metrics} if self.plan else {}
        return {
            metric: planned[metric] if planned.get(metric) in here else next(iter(here)) if len(here) == 1 else ""
            for metric, here in splits.items()
        }

    def parameter(self, condition: str, name: str) -> Decimal | None:
        """A numeric parameter of a planned condition."""
        return self._parameters.get((condition, name))

    @cached_property
    def _parameters(self) -> dict[tuple[str, str], Decimal]:
        return {
            (str(c.id), name): Decimal(str(value))
            for c in (self.plan.conditions if self.plan else ())
            for name, value in c.parameters.items()
            if isinstance(value, int | float) and not isinstance(value, bool)
        }

    def resolve(self, key: str, digits: int | None = None) -> str | None:
        r"""How `\\res[digits]{key}` prints (half-even); without digits as `printed`. None = unknown key."""
        fact = self.facts.get(key)
        return None if fact is None else printed(fact.value, digits)


FORMULAS: dict[str, Callable[[Decimal, Decimal], Decimal]] = {
    "difference": CONTEXT.subtract,
    "ratio": CONTEXT.divide,
    "relative-change": lambda a, b: CONTEXT.divide(CONTEXT.subtract(a, b), abs(b)),
    "percent": lambda a, b: CONTEXT.multiply(CONTEXT.divide(CONTEXT.subtract(a, b), abs(b)), Decimal(100)),
}


def derive(formula: str, a: Decimal, b: Decimal) -> Decimal | None:
    """difference a−b, ratio a/b, relative-change (a−b)/|b|, percent of it; None when it divides by zero."""
    if formula != "difference" and b == 0:
        return None
    return FORMULAS[formula](a, b)


def printed(value: Decimal, digits: int | None = None) -> str:
    """`value` with `digits` decimals, half-even; without `digits` four significant ones, whole numbers as they are."""
    if digits is None:
        if value == value.to_integral_value() and abs(value) < 10**9:
            return str(int(value))
        digits = max(0, 3 - value.adjusted())
    return f"{value.quantize(Decimal(1).scaleb(-digits), rounding=ROUND_HALF_EVEN, context=CONTEXT):f}"


def build(tree: Tree, view: RunView | None) -> tuple[Registry, tuple[Finding, ...]]:
    """The registry of a run, with a finding for each current file that may not enter.

    `view` None: no receipts to ask, so everything enters as given. Without `current_results.json`
    the registry is empty (an honest registry of a run that measured nothing yet).
    """
    plan = _plan(tree)
    hypotheses = _hypotheses(tree)
    if not tree.exists(CURRENT):
        return Registry(plan=plan, hypotheses=hypotheses), ()
    try:
        current = CurrentResults.model_validate_json(tree.read(CURRENT))
    except ValidationError:
        return Registry(plan=plan, hypotheses=hypotheses), (_refused(CURRENT, "is not readable as current results"),)
    outputs = None if view is None else {str(r.job): {str(s) for s in r.outputs.values()} for r in view.receipts}
    findings: list[Finding] = []
    rows: list[_Row] = []
    for result in sorted(current.results, key=lambda r: (r.condition, r.seed, r.file)):
        if result.block != current.block:
            continue
        trouble, read = _admit(tree, result, outputs)
        rows.extend(read)
        if trouble:
            findings.append(_refused(result.file, trouble))
    registry = _assemble(rows, plan, hypotheses, current.block, given=view is None)
    return registry, tuple(findings)


@dataclass(frozen=True, slots=True)
class _Row:
    metric: str
    condition: str
    split: str
    seed: int
    value: Decimal | None
    unit: str
    direction: str
    file: str
    job: str


def _refused(file: str, why: str) -> Finding:
    return Finding(
        auditor="numbers",
        pattern="result-without-job",
        severity="critical",
        owner=10,
        title=f"{file} {why}",
        spans=(Span(file=file),),
    )


def _admit(tree: Tree, result: CurrentResult, outputs: dict[str, set[str]] | None) -> tuple[str, list[_Row]]:
    """Why the file may not enter ("" = it may) and its rows."""
    if not tree.exists(result.file):
        return "is listed as current and missing", []
    if tree.sha(result.file) != result.sha256:
        return "has other bytes than current_results.json says", []
    if outputs is not None and result.sha256 not in outputs.get(str(result.job), ()):
        return f"is not an output of job {result.job}", []
    try:
        data = json.loads(tree.read(result.file), parse_float=Decimal, parse_int=Decimal, parse_constant=lambda _: None)
        return "", [_row(row, result) for row in data["rows"]]
    except (ValueError, KeyError, TypeError) as error:
        return f"holds no readable results ({error})", []


def _row(row: Any, result: CurrentResult) -> _Row:
    """One row. Raises ValueError if it speaks of another condition or seed than its job ran."""
    value = row["value"]
    if isinstance(value, str) and value.lower().lstrip("+-") in ("nan", "infinity", "inf"):
        value = None
    if value is not None and not (isinstance(value, Decimal) and value.is_finite()):
        raise ValueError(f"{value!r} is not a number")
    if row["condition"] != result.condition or int(row["seed"]) != result.seed:
        raise ValueError(f"a row of {row['condition']}, seed {row['seed']}")
    return _Row(
        str(row["metric"]),
        result.condition,
        str(row.get("split", "test")),
        result.seed,
        value,
        str(row.get("unit", "")),
        str(row.get("direction", "lower")),
        result.file,
        result.job,
    )


def _assemble(
    rows: list[_Row], plan: ExperimentPlan | None, hypotheses: tuple[Hypothesis, ...], block: str, *, given: bool
) -> Registry:
    facts = aggregated(rows, given=given)
    directions = {r.metric: r.direction for r in rows}
    if plan is not None:
        directions |= {m.name: m.direction for m in plan.metrics}
        facts |= _tests(plan, facts)
    seeds: dict[str, set[int]] = {}
    for row in rows:
        seeds.setdefault(row.condition, set()).add(row.seed)
    run = {condition: tuple(sorted(found)) for condition, found in sorted(seeds.items())}
    return Registry(facts, plan, hypotheses, block, run, directions, {r.metric: r.unit for r in rows})


def aggregated(rows: list[_Row], *, given: bool) -> dict[str, Fact]:
    """Facts of all aggregates, and of each seed. A group with a value twice, or with one that is none, has no facts."""
    grouped: dict[tuple[str, str, str], list[_Row]] = {}
    for row in rows:
        grouped.setdefault((row.metric, row.condition, row.split), []).append(row)
    facts: dict[str, Fact] = {}
    for (metric, condition, split), group in grouped.items():
        per_seed = {row.seed: row for row in sorted(group, key=lambda r: r.seed)}
        values = {row.seed: row.value for row in per_seed.values() if row.value is not None}
        if len(values) < len(group):
            continue
        named = summaries(list(values.values())) | {f"seed-{seed}": value for seed, value in values.items()}
        files, jobs = tuple(r.file for r in per_seed.values()), tuple(r.job for r in per_seed.values())
        for aggregate, value in named.items():
            key = f"{metric}/{condition}/{split}/{aggregate}"
            facts[key] = Fact(key, value, metric, condition, split, aggregate, group[0].unit, files, jobs, given)
    return facts


def _tests(plan: ExperimentPlan, facts: Mapping[str, Fact]) -> dict[str, Fact]:
    """The frozen tests recomputed, as facts `test/<id>/…`, paired by seed."""
    found: dict[str, Fact] = {}
    by_seed: dict[tuple[str, str, str], dict[str, Fact]] = {}
    for fact in facts.values():
        if fact.aggregate.startswith("seed-"):
            by_seed.setdefault((fact.metric, fact.condition, fact.split), {})[fact.aggregate] = fact
    for test in plan.tests:
        c = test.comparison
        left, right = by_seed.get((c.metric, c.left, c.split), {}), by_seed.get((c.metric, c.right, c.split), {})
        shared = list(left) if test.kind == "welch-t" else [s for s in left if s in right]
        other = list(right) if test.kind == "welch-t" else shared
        one, two = [float(left[s].value) for s in shared], [float(right[s].value) for s in other]
        try:
            tested = TESTS[test.kind](one, two, test.alpha)
        except TooFew:
            continue  # nothing to say a number of; stage 14 says why
        values = {
            "statistic": tested.statistic,
            "p": tested.p,
            "effect": tested.effect,
            "low": tested.interval[0],
            "high": tested.interval[1],
            "difference": tested.difference,
            "n": float(tested.n),
        }
        for name, value in values.items():
            if value is not None:
                key = f"test/{test.id}/{name}"
                found[key] = Fact(
                    key, Decimal(repr(value)), "test", test.id, "", name, files=tuple(f.files[0] for f in left.values())
                )
    return found


def _plan(tree: Tree) -> ExperimentPlan | None:
    if not tree.exists(PLAN):
        return None
    try:
        return parse_plan(tree.read(PLAN))
    except (yaml.YAMLError, ValidationError):
        return None  # the contract of stage 9 reports it; without a plan nothing is a constant


def _hypotheses(tree: Tree) -> tuple[Hypothesis, ...]:
    if not tree.exists(HYPOTHESES):
        return ()
    try:
        data = json.loads(tree.read(HYPOTHESES))
        return tuple(Hypothesis.model_validate(h) for h in data)
    except (ValueError, TypeError):
        return ()  # the contract of stage 8 reports it
