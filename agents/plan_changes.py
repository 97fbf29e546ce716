"""What differs between two versions of a plan, in sentences.

Belongs here: the difference, by program. Not here: the reason for it (the planner says it).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from cockpit.kernel.model import Model
from cockpit.kernel.plan import ExperimentPlan

SCALARS = ("positive_control", "efficiency", "packages", "wall_s_a_job")


def changes(before: ExperimentPlan, after: ExperimentPlan) -> list[str]:
    """Sentences without a full stop, in the plan's order; empty when nothing that is frozen differs."""
    return [
        *_changed("condition", {c.id: c for c in before.conditions}, {c.id: c for c in after.conditions}),
        *_changed("component", {c.name: c for c in before.components}, {c.name: c for c in after.components}),
        *_changed("metric", {m.name: m for m in before.metrics}, {m.name: m for m in after.metrics}),
        *_changed("data set", {d.name: d for d in before.datasets}, {d.name: d for d in after.datasets}),
        *_changed("test", {t.id: t for t in before.tests}, {t.id: t for t in after.tests}),
        *_scalars(before, after),
        *_blocks(before, after),
    ]


def _changed(what: str, before: Mapping[str, Model], after: Mapping[str, Model]) -> Iterable[str]:
    for name, now in after.items():
        was = before.get(name)
        if was is None:
            yield f"added {what} {name}"
        elif was != now:
            fields = sorted(key for key in type(now).model_fields if getattr(was, key) != getattr(now, key))
            yield f"changed {what} {name}: {', '.join(fields)}"
    for name in before:
        if name not in after:
            yield f"removed {what} {name}"


def _scalars(before: ExperimentPlan, after: ExperimentPlan) -> Iterable[str]:
    for name in SCALARS:
        was, now = getattr(before, name), getattr(after, name)
        if was != now:
            yield f"{name.replace('_', ' ')} {_shown(was)} became {_shown(now)}"


def _blocks(before: ExperimentPlan, after: ExperimentPlan) -> Iterable[str]:
    for name, block in after.seed_blocks.items():
        was = before.seed_blocks.get(name, ())
        if was != block:
            yield f"seeds of {name}: {len(was)} became {len(block)}"


def _shown(value: Any) -> str:
    return ", ".join(str(item) for item in value) or "none" if isinstance(value, tuple) else str(value)
