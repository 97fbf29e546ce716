"""What happened in a run, one small frozen model per fact.

Belongs here: facts that a later reader needs to rebuild the run. Not here: token deltas and log
lines (`hints.py`), anything that only one face shows. A new fact is a class here, a line in
`fold.py`, a line in `cockpit/front/headless.py`, and a test. Names are past tense.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, TypeAdapter

from cockpit.kernel.event_base import EnterReason, Event, FaultClass, TurnKind
from cockpit.kernel.events_course import (
    ControlChanged,
    Decided,
    GuidanceGiven,
    Noticed,
    PauseReached,
    PersonEdited,
    RoundClosed,
    WentBack,
)
from cockpit.kernel.events_judgement import (
    AuditRan,
    GateJudged,
    ObligationDisappeared,
    ObligationOpened,
    ObligationReappeared,
    ObligationReopened,
    ObligationSeen,
    ObligationSuperseded,
    ObligationWaived,
    PartClosed,
    PartProvisionallyMet,
    ReviewReceived,
    VerificationReceived,
)
from cockpit.kernel.events_work import (
    CallFailed,
    CallIntended,
    CallReplied,
    CommitMade,
    EffectRecorded,
    EngineStarted,
    EngineStopped,
    JobFinished,
    JobsPlanned,
    JobStarted,
    PlanFrozen,
    RepairMade,
    ResultsSeen,
    RunCreated,
    RunFinished,
    StageDone,
    StageEntered,
    StageFailed,
    StageReused,
    TurnSpoken,
)

__all__ = [
    "LEDGER_KINDS",
    "AnyEvent",
    "AuditRan",
    "CallFailed",
    "CallIntended",
    "CallReplied",
    "CommitMade",
    "ControlChanged",
    "Decided",
    "EffectRecorded",
    "EngineStarted",
    "EngineStopped",
    "EnterReason",
    "Event",
    "FaultClass",
    "GateJudged",
    "GuidanceGiven",
    "JobFinished",
    "JobStarted",
    "JobsPlanned",
    "LedgerEvent",
    "Noticed",
    "ObligationDisappeared",
    "ObligationOpened",
    "ObligationReappeared",
    "ObligationReopened",
    "ObligationSeen",
    "ObligationSuperseded",
    "ObligationWaived",
    "PartClosed",
    "PartProvisionallyMet",
    "PauseReached",
    "PersonEdited",
    "PlanFrozen",
    "RepairMade",
    "ResultsSeen",
    "ReviewReceived",
    "RoundClosed",
    "RunCreated",
    "RunFinished",
    "StageDone",
    "StageEntered",
    "StageFailed",
    "StageReused",
    "TurnKind",
    "TurnSpoken",
    "VerificationReceived",
    "WentBack",
    "read_event",
    "read_event_json",
]

AnyEvent = Annotated[
    RunCreated | EngineStarted | EngineStopped | StageEntered | StageReused | StageDone | StageFailed
    | CallIntended | CallReplied | CallFailed | EffectRecorded | JobsPlanned | JobStarted | JobFinished | RepairMade
    | PlanFrozen | ResultsSeen | AuditRan | ReviewReceived | VerificationReceived | ObligationOpened | ObligationSeen
    | ObligationDisappeared | ObligationReappeared | PartProvisionallyMet | PartClosed | ObligationWaived
    | ObligationSuperseded | ObligationReopened | TurnSpoken | GateJudged | RoundClosed | WentBack | GuidanceGiven
    | ControlChanged | PauseReached | Decided | PersonEdited | Noticed | CommitMade | RunFinished,
    Field(discriminator="kind"),
]  # fmt: skip

LedgerEvent = (ObligationOpened | ObligationSeen | ObligationDisappeared | ObligationReappeared | PartProvisionallyMet
               | PartClosed | ObligationWaived | ObligationSuperseded | ObligationReopened)  # fmt: skip
LEDGER_KINDS = ("obligation-opened", "obligation-seen", "obligation-disappeared", "obligation-reappeared",
                "part-provisionally-met", "part-closed", "obligation-waived", "obligation-superseded",
                "obligation-reopened")  # fmt: skip

_ADAPTER: TypeAdapter[AnyEvent] = TypeAdapter(AnyEvent)


def read_event(data: dict[str, Any]) -> AnyEvent:
    """The event of a journal record's JSON.

    Raises:
        pydantic.ValidationError: unknown kind or wrong fields.
    """
    return _ADAPTER.validate_python(data)


def read_event_json(text: str | bytes) -> AnyEvent:
    """The event of a JSON text; faster than `read_event(json.loads(text))`."""
    return _ADAPTER.validate_json(text)
