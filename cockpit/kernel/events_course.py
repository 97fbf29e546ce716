"""Facts of the course: rounds, ways back, pauses, what people asked and decided.

Belongs here: order and people. Not here: work (`events_work.py`).
"""

from __future__ import annotations

from typing import Literal

from cockpit.kernel.event_base import Event
from cockpit.kernel.ids import Actor, Position


class RoundClosed(Event):
    """A round is over; `entry` is where the next one begins, None when there is none.

    Leaving the rounds: `outcome` is the word for `final/STATUS`, `export_round` the round that is exported.
    """

    kind: Literal["round-closed"] = "round-closed"
    round: int
    score: float | None
    criticals: int
    dimensions: dict[str, float] = {}
    entry: int | None
    why: str
    stale: bool = False
    pivot: bool = False  # the next round leaves this line of work
    outcome: str = ""
    export_round: int | None = None


class WentBack(Event):
    """Inside a round, work returns to an earlier stage (reject, refine, pivot, stale input)."""

    kind: Literal["went-back"] = "went-back"
    position: Position  # the instance that sent it back
    target: int
    why: Literal["rejected", "refine", "pivot", "stale", "degenerate", "citation-repair"]
    reason: str
    by: Actor | None = None


class GuidanceGiven(Event):
    """A person's advice, honoured by the stages from `stage` on."""

    kind: Literal["guidance-given"] = "guidance-given"
    stage: int
    text: str
    by: Actor


class ControlChanged(Event):
    """Quiesce, hold, continue, step, abort: who, when, why."""

    kind: Literal["control-changed"] = "control-changed"
    control: Literal["running", "quiescing", "paused", "holding", "stepping", "aborting"]
    by: Actor | None = None
    why: str = ""


class PauseReached(Event):
    """The engine waits for a person after a stage."""

    kind: Literal["pause-reached"] = "pause-reached"
    position: Position
    why: str
    decision: bool  # True: approve or reject; False: just continue


class Decided(Event):
    """A person answered a pause, acknowledged WARNs or signed off."""

    kind: Literal["decided"] = "decided"
    what: Literal["approved", "rejected", "skipped", "acknowledged", "signed-off", "requested"]
    position: Position | None = None
    by: Actor
    reason: str = ""


class PersonEdited(Event):
    """A person changed files of the run by hand; committed as theirs."""

    kind: Literal["person-edited"] = "person-edited"
    paths: tuple[str, ...]
    by: Actor


class Noticed(Event):
    """Something everybody should know: disk low, fit of the idea, a source down."""

    kind: Literal["noticed"] = "noticed"
    level: Literal["info", "warning", "error"]
    text: str
