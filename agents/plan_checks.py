"""Is a set of hypotheses falsifiable, is a plan whole: by program, before anything is frozen.

Belongs here: what must hold between hypotheses, conditions, components, metrics and tests. Each fault is
a sentence that says what would be right, since models read it. Not here: reviews of a plan by models.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from agents.soundness import repeated
from cockpit.kernel.levels import EFFORTS, Effort
from cockpit.kernel.plan import ExperimentPlan, Hypothesis

CONDITION_ID = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,46}[a-z0-9])?")
METRIC_NAME = re.compile(r"[a-z][a-z0-9_]{0,31}")
HYPOTHESIS_ID = re.compile(r"H[1-9][0-9]?")
ENTRY = re.compile(r"scripts/[A-Za-z0-9_][A-Za-z0-9_/-]*\.py")
PACKAGE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(?:\[[a-z0-9,_-]+\])?(?:\s*[=<>~!]=?\s*[0-9][A-Za-z0-9.*]*)?")
WORDLESS = 12  # characters: shorter is no statement


def hypothesis_faults(hypotheses: Sequence[Hypothesis]) -> list[str]:
    """Sentences about what keeps `hypotheses` from being two to four falsifiable ones; empty = sound."""
    said = repeated("the hypothesis", [h.id for h in hypotheses])
    if not 2 <= len(hypotheses) <= 4:
        said.append(f"there must be two to four hypotheses, not {len(hypotheses)}")
    if not any(h.primary for h in hypotheses):
        said.append("at least one hypothesis must be primary")
    for h in hypotheses:
        said += _hypothesis(h)
    predicted = [(h.prediction.left, h.prediction.right, h.prediction.metric, h.prediction.split) for h in hypotheses]
    mirrored = [(right, left, metric, split) for left, right, metric, split in predicted]
    if len(set(predicted)) < len(predicted) or set(predicted) & set(mirrored):
        said.append("two hypotheses are decided by the same comparison: keep one of them")
    return said


def _hypothesis(h: Hypothesis) -> Iterable[str]:
    p = h.prediction
    if not HYPOTHESIS_ID.fullmatch(h.id):
        yield f"the hypothesis id “{h.id}” must be H1, H2, …"
    if p.left == p.right:
        yield f"{h.id} compares {p.left} with itself"
    for named in (p.left, p.right):
        if not CONDITION_ID.fullmatch(named):
            yield f"{h.id}: “{named}” is no condition id (lower case letters, digits, hyphens)"
    if not METRIC_NAME.fullmatch(p.metric):
        yield f"{h.id}: “{p.metric}” is no metric name (lower case letters, digits, underscores)"
    if h.primary and p.relation == "different":
        yield f"{h.id} is primary: it must predict a direction, lower or higher"
    if len(h.refuted_if.strip()) < WORDLESS or len(h.statement.strip()) < WORDLESS:
        yield f"{h.id} must say what it states and what would refute it"


def plan_faults(plan: ExperimentPlan, hypotheses: Sequence[Hypothesis], effort: Effort,
                before: ExperimentPlan | None = None) -> list[str]:  # fmt: skip
    """Sentences about what `plan` lacks, against its hypotheses, the effort and the version before it."""
    return [
        *_names(plan),
        *_measured(plan),
        *_compared(plan, hypotheses),
        *_ablated(plan, effort),
        *_controlled(plan),
        *_tested(plan, hypotheses),
        *_seeded(plan, effort),
        *(_dropped(plan, before) if before else ()),
    ]


def _names(plan: ExperimentPlan) -> Iterable[str]:
    yield from repeated("the condition", [c.id for c in plan.conditions])
    yield from repeated("the label", [c.label for c in plan.conditions])
    yield from repeated("the metric", [m.name for m in plan.metrics])
    yield from repeated("the data set", [d.name for d in plan.datasets])
    for c in plan.conditions:
        if not CONDITION_ID.fullmatch(c.id):
            yield f"“{c.id}” is no condition id (lower case letters, digits, hyphens)"
        if not ENTRY.fullmatch(c.entry) or ".." in c.entry:
            yield f"the entry of {c.id} must be a Python file under scripts/, not “{c.entry}”"
    for m in plan.metrics:
        if not METRIC_NAME.fullmatch(m.name):
            yield f"“{m.name}” is no metric name (lower case letters, digits, underscores)"
        if m.lower_bound is not None and m.upper_bound is not None and m.lower_bound >= m.upper_bound:
            yield f"the bounds of {m.name} leave no room"
    for package in plan.packages:
        if not PACKAGE.fullmatch(package):
            yield f"“{package}” is no package name"


def _measured(plan: ExperimentPlan) -> Iterable[str]:
    splits = {split for d in plan.datasets for split in d.splits}
    for d in plan.datasets:
        if not d.rights.strip():
            yield f"say who may use the data set {d.name} (rights)"
    for m in plan.metrics:
        if m.split not in splits:
            yield f"the metric {m.name} is reported on the split “{m.split}”, which no data set has"
    if all(m.direction == "none" for m in plan.metrics):
        yield "at least one metric needs a direction, lower or higher"
    if not plan.efficiency:
        yield "name at least one cost that is counted (efficiency)"


def _compared(plan: ExperimentPlan, hypotheses: Sequence[Hypothesis]) -> Iterable[str]:
    measured = {(m.name, m.split) for m in plan.metrics}
    for h in hypotheses:
        p = h.prediction
        for named in (p.left, p.right):
            if plan.condition(named) is None:
                yield f"{h.id} needs the condition “{named}”, which the plan does not hold"
        if (p.metric, p.split) not in measured:
            yield f"{h.id} needs the metric “{p.metric}” on the split “{p.split}”"
    kinds = {c.kind for c in plan.conditions}
    for kind in ("main", "baseline"):
        if kind not in kinds:
            yield f"the plan needs a condition of kind {kind}"
    for c in plan.conditions:
        if c.compares_to is not None and (c.compares_to == c.id or plan.condition(c.compares_to) is None):
            yield f"{c.id} compares to “{c.compares_to}”, which is no other condition of the plan"


def ablations_needed(plan: ExperimentPlan, effort: Effort) -> int:
    """How many ablations the effort demands of `plan`: never more than the method has parts."""
    wanted = EFFORTS[effort].ablations
    return len(plan.components) if wanted < 0 else min(wanted, len(plan.components))


def _ablated(plan: ExperimentPlan, effort: Effort) -> Iterable[str]:
    yield from repeated("the component", [c.name for c in plan.components])
    named = {c.name: c for c in plan.components}
    ablations = [c for c in plan.conditions if c.kind == "ablation"]
    needed = ablations_needed(plan, effort)
    if len(ablations) < needed:
        yield f"{needed} ablations are needed at effort {effort}, the plan holds {len(ablations)}"
    for c in ablations:
        if c.component not in named:
            yield f"the ablation {c.id} removes “{c.component}”, which is no component of the plan"
        if c.compares_to is None:
            yield f"the ablation {c.id} must say what it compares to"
    for part in plan.components:
        if part.ablation is None:
            if EFFORTS[effort].ablations < 0:
                yield f"the component “{part.name}” needs an ablation at effort {effort}"
            continue
        condition = plan.condition(part.ablation)
        if condition is None or condition.kind != "ablation" or condition.component != part.name:
            yield f"the component “{part.name}” names “{part.ablation}”, which is no ablation of it"


def _controlled(plan: ExperimentPlan) -> Iterable[str]:
    control = plan.condition(plan.positive_control)
    if control is None:
        yield f"the positive control “{plan.positive_control}” is no condition of the plan"
    elif control.kind != "control" or control.compares_to is None:
        yield f"the positive control {control.id} must be of kind control and say what it must come out worse than"


def _tested(plan: ExperimentPlan, hypotheses: Sequence[Hypothesis]) -> Iterable[str]:
    by_id = {h.id: h for h in hypotheses}
    yield from repeated("the test", [t.id for t in plan.tests])
    for t in plan.tests:
        h = by_id.get(t.hypothesis)
        if h is None:
            yield f"the test {t.id} is of “{t.hypothesis}”, which is no hypothesis"
        elif t.comparison != h.prediction:
            yield f"the test {t.id} must compare what {h.id} predicts: {h.prediction.left}, {h.prediction.right}"
        if not 0 < t.alpha < 0.5:
            yield f"alpha of {t.id} must lie between 0 and 0.5"
    tested = {t.hypothesis for t in plan.tests}
    for h in hypotheses:
        if h.id not in tested:
            yield f"the hypothesis {h.id} has no test"


def _seeded(plan: ExperimentPlan, effort: Effort) -> Iterable[str]:
    seeds = [seed for block in plan.seed_blocks.values() for seed in block]
    if len(set(seeds)) < len(seeds):
        yield "the blocks of seeds overlap"
    least = min((len(block) for block in plan.seed_blocks.values()), default=0)
    if least < EFFORTS[effort].seeds:
        yield f"{EFFORTS[effort].seeds} seeds a condition are needed at effort {effort}, there are {least}"


def _dropped(plan: ExperimentPlan, before: ExperimentPlan) -> Iterable[str]:
    """A later version adds and mends; it never loses a condition or a test, and keeps the control."""
    for c in before.conditions:
        if plan.condition(c.id) is None:
            yield f"the condition {c.id} of the plan in force must stay"
    tests = {t.id for t in plan.tests}
    for t in before.tests:
        if t.id not in tests:
            yield f"the test {t.id} of the plan in force must stay"
    if plan.positive_control != before.positive_control:
        yield f"the positive control of the plan in force, {before.positive_control}, must stay"
