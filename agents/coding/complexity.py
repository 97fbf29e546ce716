"""How hard an experiment's code is, in [0,1], and which way of writing it that calls for.

Belongs here: the measure and the thresholds. Not here: the ways themselves (`generation.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from cockpit.kernel.plan import ExperimentPlan

Route = Literal["one-shot", "design-first", "architecture-first"]
SIMPLE, HARD = 0.26, 0.7
# what each part weighs, and the amount that counts in full
WEIGHTS = {
    "components": (0.2, 4),
    "conditions": (0.25, 12),
    "dependencies": (0.2, 4),
    "data": (0.2, 3),
    "history": (0.15, 4),
}


@dataclass(frozen=True)
class Complexity:
    """The measure with its parts, each in [0,1]."""

    value: float
    parts: dict[str, float]
    route: Route


def complexity(plan: ExperimentPlan, failures: int) -> Complexity:
    """How hard the code of `plan` is, by components, conditions, packages, data that are not made by the code, history.

    `failures` counts repairs that earlier code of this run needed.
    """
    amounts = {
        "components": len(plan.components),
        "conditions": len(plan.conditions),
        "dependencies": len(plan.packages),
        "data": sum(d.source != "synthetic" for d in plan.datasets) + (len(plan.datasets) - 1) / 2,
        "history": failures,
    }
    parts = {name: min(1.0, amount / WEIGHTS[name][1]) for name, amount in amounts.items()}
    value = round(sum(WEIGHTS[name][0] * part for name, part in parts.items()), 3)
    route: Route = "one-shot" if value < SIMPLE else "design-first" if value < HARD else "architecture-first"
    return Complexity(value, {name: round(part, 3) for name, part in parts.items()}, route)
