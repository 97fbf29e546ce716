"""The settings that say how much work, how strictly, and where a person is asked.

Belongs here: the levels and the numbers behind them (`run.md`, two axes). Not here: reading them
from files (`settings.py`), acting on them (engine, gates).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Effort = Literal["lite", "balanced", "max", "beast"]
Assurance = Literal["draft", "polished", "conference-ready", "submission"]
Mode = Literal["full-auto", "gate-only", "checkpoint", "co-pilot", "step-by-step", "express",
               "pre-experiment", "post-experiment", "custom"]  # fmt: skip

ASSURANCES: tuple[Assurance, ...] = ("draft", "polished", "conference-ready", "submission")
KEPT_PAPERS_FLOOR = 20
SCORE_THRESHOLD = 0.5
REFINES_A_LINE, PIVOTS_A_RUN, REPAIRS_A_SIGNATURE, REASKS_A_STEP = 10, 2, 3, 2


@dataclass(frozen=True)
class EffortLimits:
    """What an effort means; `ablations` -1 = all planned."""

    candidates: int
    kept: int
    debate_turns: int
    seeds: int
    ablations: int
    reviewers: int
    rounds: int


EFFORTS: dict[Effort, EffortLimits] = {
    "lite": EffortLimits(60, 20, 1, 3, 1, 1, 2),
    "balanced": EffortLimits(120, 30, 1, 3, 2, 2, 3),
    "max": EffortLimits(250, 50, 2, 5, 4, 3, 5),
    "beast": EffortLimits(500, 80, 3, 5, -1, 4, 5),
}

ALL = frozenset(range(1, 24))
PAUSES: dict[Mode, frozenset[int]] = {
    "full-auto": frozenset(),
    "gate-only": frozenset({5, 9, 20}),
    "checkpoint": frozenset({2, 7, 9, 13, 15, 17, 20, 23}),
    "co-pilot": frozenset({5, 8, 9, 15, 17, 20}),
    "step-by-step": ALL,
    "express": frozenset({8, 9, 20}),
    "pre-experiment": frozenset({5, 8, 9}),
    "post-experiment": frozenset({14, 17, 20}),
    "custom": frozenset(),
}


def default_assurance(effort: Effort) -> Assurance:
    """lite and balanced default to draft, max and beast to submission."""
    return "draft" if effort in ("lite", "balanced") else "submission"


def at_least(level: Assurance, floor: Assurance) -> bool:
    """Is `level` as strict as `floor` or stricter?"""
    return ASSURANCES.index(level) >= ASSURANCES.index(floor)


def lower(one: Assurance, other: Assurance) -> Assurance:
    """The less strict of two levels."""
    return min(one, other, key=ASSURANCES.index)
