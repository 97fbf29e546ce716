"""The run as it stands: what every pane, command, gate and resume reads. Made only by `fold.py`.

Belongs here: the frozen shape and plain questions about it. Not here: what events mean (`fold.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from cockpit.kernel.events import (
    Decided,
    EnterReason,
    GuidanceGiven,
    PauseReached,
    RoundClosed,
    RunCreated,
    RunFinished,
    TurnSpoken,
    WentBack,
)
from cockpit.kernel.findings import AuditRun, GateVerdict, Obligation
from cockpit.kernel.ids import CallPath, Fingerprint, Instant, JobId, Part, Position
from cockpit.kernel.results import JobReceipt
from cockpit.kernel.reviews import Family, Review, Score, Verification

StageStatus = Literal["waiting", "running", "done", "reused", "failed"]
ControlState = Literal["running", "quiescing", "paused", "holding", "stepping", "aborting", "stopped", "finished"]


@dataclass(frozen=True, slots=True)
class StageView:
    """A stage in the present round (or, if it has not run in it, its last instance)."""

    number: int
    status: StageStatus = "waiting"
    position: Position | None = None
    since: Instant | None = None
    ended: Instant | None = None
    summary: str = ""
    jobs_planned: int = 0
    parts: tuple[Part, ...] = ()  # parts done
    input_hash: str = ""
    outputs: Mapping[str, str] = field(default_factory=dict)
    stale: bool = False
    go_back: int | None = None
    go_back_why: str = ""


@dataclass(frozen=True, slots=True)
class Heading:
    """Where the run goes next; `entry` = this stage runs whatever its inputs say."""

    position: Position
    because: EnterReason
    entry: bool = False


@dataclass(frozen=True, slots=True)
class LedgerView:
    """Obligations in the order they were opened."""

    obligations: dict[Fingerprint, Obligation] = field(default_factory=dict)

    @property
    def open(self) -> tuple[Obligation, ...]:
        return tuple(o for o in self.obligations.values() if o.is_open)

    @property
    def criticals(self) -> int:
        return sum(o.finding.severity == "critical" for o in self.open)

    @property
    def majors(self) -> int:
        return sum(o.finding.severity == "major" for o in self.open)

    def numbered(self, key: str) -> Obligation | None:
        """The obligation that people call `#4`, `4` or by (a prefix of) its fingerprint."""
        key = key.removeprefix("#")
        for o in self.obligations.values():
            if str(o.number) == key or (len(key) >= 4 and o.fingerprint.startswith(key)):
                return o
        return None


@dataclass(frozen=True, slots=True)
class JobView:
    """A job of the present or an earlier stage."""

    job: JobId
    kind: str
    condition: str
    seed: int | None
    position: Position
    handle: str
    since: Instant
    receipt: JobReceipt | None = None
    signature: str = ""


@dataclass(frozen=True, slots=True)
class Spending:
    """Calls, tokens and dollars so far. `reserved` belongs to calls in flight.

    A call that was in flight at a crash is charged its reserve when it is asked again, and is `lost`.
    """

    calls: int = 0
    in_flight: tuple[CallPath, ...] = ()
    reserves: tuple[float, ...] = ()  # USD, beside in_flight
    lost: tuple[CallPath, ...] = ()
    tokens_in: int = 0
    tokens_out: int = 0
    usd: float = 0.0
    reserved_usd: float = 0.0
    failures: int = 0


@dataclass(frozen=True, slots=True)
class ReviewRecord:
    """A review with the position it was received at."""

    position: Position
    review: Review


@dataclass(frozen=True, slots=True)
class VerificationRecord:
    """A verification with the position it was received at."""

    position: Position
    verification: Verification


@dataclass(frozen=True, slots=True)
class AuditRecord:
    """An audit's run, where."""

    position: Position
    part: Part
    run: AuditRun


@dataclass(frozen=True, slots=True)
class RunView:
    """Everything; empty until `RunCreated` was folded."""

    seq: int = 0  # of the last record folded
    run: RunCreated | None = None
    position: Position | None = None
    heading: Heading | None = None
    stages: dict[int, StageView] = field(default_factory=dict)
    instances: dict[str, StageView] = field(default_factory=dict)  # by str(position): all stage instances
    rounds: tuple[RoundClosed, ...] = ()
    ledger: LedgerView = LedgerView()
    reviews: tuple[ReviewRecord, ...] = ()
    verifications: tuple[VerificationRecord, ...] = ()
    audits: tuple[AuditRecord, ...] = ()
    dialogue: tuple[TurnSpoken, ...] = ()
    jobs: dict[JobId, JobView] = field(default_factory=dict)
    spending: Spending = Spending()
    families: dict[str, Family] = field(default_factory=dict)  # role → who answered last, as far as known
    control: ControlState = "stopped"
    pause: PauseReached | None = None
    decisions: tuple[Decided, ...] = ()
    guidance: tuple[GuidanceGiven, ...] = ()
    verdict: GateVerdict | None = None
    score: Score | None = None
    plan_version: int = 0
    plan_sha256: str = ""
    ways_back: tuple[WentBack, ...] = ()  # rejections, refinements, pivots, in order
    blocks_seen: tuple[str, ...] = ()  # blocks of seeds whose results were read
    pivots: int = 0
    refines: int = 0  # since the last pivot
    repairs: dict[str, int] = field(default_factory=dict)
    notices: tuple[tuple[str, str], ...] = ()  # level, text
    failure: str = ""
    finished: RunFinished | None = None

    @property
    def round(self) -> int:
        """The present round, from 1."""
        return self.position.round if self.position else 1

    @property
    def title(self) -> str:
        return self.run.title if self.run else ""

    @property
    def live(self) -> bool:
        """Is a cockpit working on it, as far as the journal knows?"""
        return self.control not in ("stopped", "finished")

    @property
    def receipts(self) -> tuple[JobReceipt, ...]:
        """Receipts of all jobs that ended, in the order they were started."""
        return tuple(j.receipt for j in self.jobs.values() if j.receipt is not None)

    @property
    def jobs_running(self) -> tuple[JobView, ...]:
        return tuple(j for j in self.jobs.values() if j.receipt is None)
