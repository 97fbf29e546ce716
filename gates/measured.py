"""The current results as series: metric, split, condition → seed → value.

Belongs here: reading what counts now into one table. Not here: aggregates and keys (`gates/registry`),
judging (`collapse.py`, `figures.py`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isfinite

from cockpit.kernel.plan import ExperimentPlan, Metric
from cockpit.kernel.protocols import Tree
from cockpit.kernel.results import CurrentResult, CurrentResults, ResultRow
from gates.artifacts import current_of, plan_of, result_of

Series = dict[int, float | None]  # seed → value; None = NaN or infinity


@dataclass(frozen=True)
class Measured:
    """Plan, index and values; `unreadable` = result files that could not be read, and why."""

    plan: ExperimentPlan
    current: CurrentResults
    series: dict[tuple[str, str, str], Series]  # (condition, metric, split)
    unreadable: dict[str, str] = field(default_factory=dict)

    def of(self, condition: str, metric: Metric) -> Series:
        """The values of one condition in one metric on its split."""
        return self.series.get((condition, metric.name, metric.split), {})

    @property
    def outcomes(self) -> tuple[Metric, ...]:
        """The metrics that say how good a condition is: directed, and not costs."""
        return tuple(m for m in self.plan.metrics if m.direction != "none" and m.name not in self.plan.efficiency)

    def file_of(self, condition: str, seed: int | None = None) -> str:
        """A result file of the condition (and seed), for a place to point at."""
        mine = (r for r in self.current.results if r.condition == condition and seed in (None, r.seed))
        return next((r.file for r in mine), "")


def measured(tree: Tree) -> Measured:
    """The present results.

    Raises:
        ValueError: plan or `current_results.json` cannot be read.
    """
    plan, current = plan_of(tree), current_of(tree)
    if plan.value is None or current.value is None:
        raise ValueError(plan.problem or current.problem)
    found = Measured(plan.value, current.value, {}, {})
    for result in current.value.results:
        read = result_of(tree, result.file)
        if read.value is None:
            found.unreadable[result.file] = read.problem
            continue
        for row in read.value.rows:
            if (row.condition, row.seed) == (result.condition, result.seed):
                _add(found, result, row)
    return found


def _add(found: Measured, result: CurrentResult, row: ResultRow) -> None:
    value = row.value if row.value is not None and isfinite(row.value) else None
    found.series.setdefault((result.condition, row.metric, row.split), {})[row.seed] = value
