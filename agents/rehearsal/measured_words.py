"""What a rehearsal writer knows from its prompt: results by condition and metric, in words that can be bound.

Belongs here: looking values up and putting one or two of them into a sentence. Not here: sections
(`paper_sections.py`), faults (`planting.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from agents.latex_text import escape, measure
from agents.rehearsal.reading import Prompt
from cockpit.kernel.plan import Condition, ExperimentPlan, Hypothesis, Metric, Outline


@dataclass(frozen=True)
class Known:
    """The prompt's blocks, read."""

    outline: Outline
    plan: ExperimentPlan
    hypotheses: tuple[Hypothesis, ...]
    values: dict[tuple[str, str, str], dict[str, Any]]  # condition, metric, aggregate → value as shown
    seeds: int
    tests: dict[str, Any]
    floats: tuple[dict[str, Any], ...]
    unpublishable: str

    @cached_property
    def main(self) -> Condition:
        """The method: the condition that ablations and control are compared to."""
        targets = [c.compares_to for c in self.plan.conditions if c.kind in ("ablation", "control") and c.compares_to]
        first = next((c for c in self.plan.conditions if c.kind == "main"), self.plan.conditions[0])
        return (self.plan.condition(targets[0]) if targets else None) or first

    @cached_property
    def metric(self) -> Metric:
        """The metric that the hypotheses speak of first, else the plan's first."""
        wanted = self.hypotheses[0].prediction.metric if self.hypotheses else ""
        return next((m for m in self.plan.metrics if m.name == wanted), self.plan.metrics[0])

    def of_kind(self, kind: str) -> list[Condition]:
        """Conditions of a kind that have a value in the main metric."""
        return [c for c in self.plan.conditions if c.kind == kind and self.mean(c) is not None]

    def mean(self, condition: Condition | None, metric: Metric | None = None) -> dict[str, Any] | None:
        """The mean of a condition in a metric (default: the main one); None = not measured."""
        return self.values.get((condition.id, (metric or self.metric).name, "mean")) if condition else None

    def typed(self, condition: Condition, metric: Metric | None = None) -> str:
        """Its mean as typed by hand."""
        found = self.mean(condition, metric)
        return str(found["printed"]) if found else ""

    def macro(self, condition: Condition, metric: Metric | None = None) -> str:
        """Its mean as a macro that the program fills in."""
        found = self.mean(condition, metric)
        return f"\\res[{found['digits']}]{{{found['key']}}}" if found else ""

    def difference(self, left: Condition, right: Condition, metric: Metric | None = None) -> str:
        """How left compares to right, in words and derived numbers; empty if nothing can be said."""
        one, other = self.mean(left, metric), self.mean(right, metric)
        if not one or not other or one["printed"] == other["printed"] or not other["value"]:
            return ""
        gap, digits = one["value"] - other["value"], one["digits"]
        word, noun = ("lower", "reduction") if gap < 0 else ("higher", "increase")
        shown, share = f"{abs(gap):.{digits}f}", f"{abs(gap / other['value']) * 100:.1f}"
        if not float(shown) or not float(share):
            return ""
        return (
            f"In mean {name(metric or self.metric)}, {said(left)} is {word} than {said(right)} by {shown},"
            f" a relative {noun} of {share}\\%."
        )

    def pair(self, left: Condition, right: Condition, metric: Metric | None = None, *, macro: bool = False) -> str:
        """Both means in one sentence; empty if one is missing."""
        show = self.macro if macro else self.typed
        one = self.mean(left, metric)
        if one is None or self.mean(right, metric) is None:
            return ""
        if not one["digits"]:  # whole numbers beside a label's own would read as an enumeration
            return (
                f"The mean {name(metric or self.metric)} comes to {show(left, metric)} for {said(left)};"
                f" for {said(right)} it comes to {show(right, metric)}."
            )
        return (
            f"The mean {name(metric or self.metric)} comes to {show(left, metric)} for {said(left)}"
            f" and {show(right, metric)} for {said(right)}."
        )

    def better(self, left: Condition, right: Condition) -> bool | None:
        """Is left better in the main metric's direction? None = not measured, or equal as printed."""
        one, other = self.mean(left), self.mean(right)
        if not one or not other or one["printed"] == other["printed"]:
            return None
        return bool(one["value"] < other["value"]) == (self.metric.direction != "higher")

    def verdict(self, hypothesis: Hypothesis) -> str:
        """supported, refuted, inconclusive; empty = not tested."""
        return str((self.tests.get("hypotheses") or {}).get(hypothesis.id, ""))

    def float_of(self, kind: str, id: str = "") -> dict[str, Any] | None:
        """A table or figure on offer."""
        return next((f for f in self.floats if f["kind"] == kind and id in ("", f["id"])), None)


def known(prompt: Prompt) -> Known:
    """Read the blocks of a writing step."""
    results = prompt.json("results")
    unpublishable = prompt.blocks.get("unpublishable", "no").strip()
    return Known(
        outline=Outline.model_validate_json(prompt.blocks["outline"]),
        plan=ExperimentPlan.model_validate_json(prompt.blocks["plan"]),
        hypotheses=tuple(Hypothesis.model_validate(h) for h in prompt.json("hypotheses")),
        values={(v["condition"], v["metric"], v["aggregate"]): v for v in results["values"]},
        seeds=int(results["seeds"]["count"]),
        tests=prompt.json("tests"),
        floats=tuple(prompt.json("floats")),
        unpublishable="" if unpublishable == "no" else unpublishable,
    )


def name(metric: Metric) -> str:
    """A metric as prose calls it."""
    return escape(measure(metric.name))


def said(condition: Condition) -> str:
    """A condition as prose calls it: its label, set apart since labels hold commas."""
    return f"\\emph{{{escape(condition.label)}}}"
