"""Results in words, from the blocks that stages 14 to 16 are shown: no digits besides names.

Belongs here: reading tests and summary rows, and saying what they say. Not here: which step says what
(`answers/result_analyzer.py`, `answers/paper_writer_outline.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from agents.frozen_tests import TestReport, TestRow
from agents.rehearsal.reading import Prompt
from cockpit.kernel.plan import Component, Condition, ExperimentPlan, Hypothesis, Metric

SMALL = 0.02  # a change below this share of the value is called none


@dataclass(frozen=True)
class Results:
    """What the prompt shows. `means`: (metric, condition) → mean over seeds."""

    plan: ExperimentPlan
    hypotheses: tuple[Hypothesis, ...]
    tests: TestReport
    means: dict[tuple[str, str], float]

    @cached_property
    def main(self) -> Condition | None:
        """The method: the first main condition."""
        return next((c for c in self.plan.conditions if c.kind == "main"), None)

    @cached_property
    def outcome(self) -> Metric:
        """The first measure that is no cost."""
        return next(m for m in self.plan.metrics if m.name not in self.plan.efficiency)

    def label(self, condition: str) -> str:
        """Its row name in tables."""
        found = next((c for c in self.plan.conditions if c.id == condition), None)
        return found.label if found else condition

    def worse(self, condition: str, than: str) -> float | None:
        """By how much of its value `condition` is worse in the outcome; None when one of them has no results."""
        one, other = (self.means.get((self.outcome.name, c)) for c in (condition, than))
        if one is None or other is None:
            return None
        share = (one - other) / (abs(other) or 1.0)
        return share if self.outcome.direction != "higher" else -share

    def ran(self, condition: str | None) -> bool:
        """Does `condition` have results?"""
        return condition is not None and (self.outcome.name, condition) in self.means


def of_debate(prompt: Prompt) -> Results:
    """From summary rows (stage 14)."""
    means = {
        (name, row["condition"]): value["mean"]
        for row in prompt.json("results")
        for name, value in row.items()
        if isinstance(value, dict) and value["mean"] is not None
    }
    return _results(prompt, means)


def of_outline(prompt: Prompt) -> Results:
    """From registry keys (stage 16)."""
    means = {}
    for key, value in prompt.json("results").items():
        metric, condition, _, aggregate = key.split("/")
        if aggregate == "mean":
            means[metric, condition] = value
    return _results(prompt, means)


def _results(prompt: Prompt, means: dict[tuple[str, str], float]) -> Results:
    plan = ExperimentPlan.model_validate(prompt.json("plan"))
    hypotheses = tuple(Hypothesis.model_validate(h) for h in prompt.json("hypotheses"))
    return Results(plan, hypotheses, TestReport.model_validate(prompt.json("tests")), means)


def tested(row: TestRow | None, r: Results) -> str:
    """What a frozen test found, in words."""
    if row is None or row.difference is None:
        return "there were no results to test"
    left, right = r.label(row.left), r.label(row.right)
    order = "lower" if row.difference < 0 else "higher"
    if row.verdict == "inconclusive":
        return f"{left} is {order} in {row.metric} than {right}, but the interval of the difference holds zero"
    return f"{left} is {order} in {row.metric} than {right}, and the interval of the difference leaves zero out"


def component_said(component: Component, r: Results) -> str:
    """What the ablation of a component says."""
    if r.main is None or component.ablation is None or not r.ran(component.ablation):
        return f"Nothing was measured about {component.name}."
    change = r.worse(component.ablation, r.main.id) or 0.0
    if change > SMALL:
        effect = f"makes {r.outcome.name} worse"
    elif change < -SMALL:
        effect = f"makes {r.outcome.name} better"
    else:
        effect = f"hardly changes {r.outcome.name}"
    return f"Taking {component.name} away {effect}."


def control_said(r: Results) -> str:
    """Whether the positive control came out worse."""
    control = r.plan.condition(r.plan.positive_control)
    against = control.compares_to if control else None
    if control is None or against is None or not r.ran(control.id):
        return "The positive control has no results."
    change = r.worse(control.id, against) or 0.0
    said = "is worse, as it must be" if change > 0 else "is not worse, which it should be"
    return f"The control {control.label} {said}."


def names(values: Mapping[str, str]) -> str:
    """`H1 is supported, H2 is refuted`."""
    return ", ".join(f"{name} is {value}" for name, value in values.items())
