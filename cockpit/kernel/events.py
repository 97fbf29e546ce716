"""What happened in a run, one small frozen model per fact.

Belongs here: facts that a later reader needs to rebuild the run. Not here: token deltas and log
lines (`hints.py`), anything that only one face shows. A new fact is a class here, a line in
`fold.py`, a line in `cockpit/front/headless.py`, and a test. Names are past tense.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter

from cockpit.kernel.exits import Outcome
from cockpit.kernel.findings import AuditRun, Evidence, FixType, GateVerdict, Obligation, Severity, Span
from cockpit.kernel.ids import Actor, CallPath, Fingerprint, Instant, JobId, Part, Position, RunId, Sha256
from cockpit.kernel.levels import Assurance
from cockpit.kernel.model import Model
from cockpit.kernel.results import JobReceipt, JobSpec
from cockpit.kernel.reviews import Family, Review, Score, Verification
from cockpit.kernel.settings import Settings

EnterReason = Literal["first", "routed", "revised", "resumed", "repair"]
FaultClass = Literal["rate-limited", "server", "connection", "timeout", "cut", "truncated", "empty", "refused",
                     "overflow", "auth", "not-found", "wrong-model", "bad-request", "cancelled", "unknown"]  # fmt: skip
TurnKind = Literal["review", "confirmation", "verification", "answer", "debate", "note", "decision"]


class Event(Model):
    """Base of all facts. `at` is wall time for show; order is the journal's seq."""

    at: Instant


class RunCreated(Event):
    """A run folder came to be. First record of every journal."""

    kind: Literal["run-created"] = "run-created"
    run: RunId
    secret: str  # random, hex; nonces and fences are HMACs of it
    idea_sha256: Sha256
    title: str
    settings: Settings
    assurance_cap: Assurance  # the highest this run can reach, known at the start
    caps: tuple[str, ...] = ()  # why: sentences
    notices: tuple[str, ...] = ()  # said at the start: no TeX, offline, rehearsal study does not fit
    sandbox: str
    version: str


class EngineStarted(Event):
    """A cockpit took the run's lock and goes on from the journal."""

    kind: Literal["engine-started"] = "engine-started"
    pid: int
    host: str
    resumed: bool
    recovered: tuple[str, ...] = ()  # torn tail cut, commits made, stray files moved
    changes: dict[str, str] = {}  # resume options: budget, wall, model


class EngineStopped(Event):
    """The cockpit let go of the run without finishing it (pause, interrupt, detach of the process)."""

    kind: Literal["engine-stopped"] = "engine-stopped"
    why: str


class StageEntered(Event):
    """The engine started a stage instance. Its `at` is the only time agents, jobs and gates get."""

    kind: Literal["stage-entered"] = "stage-entered"
    position: Position
    because: EnterReason
    inputs: dict[str, Sha256]  # path → hash, as read
    input_hash: Sha256  # of inputs, guidance, open obligations (and brief, at the entry stage)


class StageReused(Event):
    """Nothing this stage reads has changed: the outputs of an earlier instance stand."""

    kind: Literal["stage-reused"] = "stage-reused"
    position: Position
    source: Position
    outputs: dict[str, Sha256]


class StageDone(Event):
    """Contract held, outputs are in place; the commit follows."""

    kind: Literal["stage-done"] = "stage-done"
    position: Position
    part: Part = "whole"
    input_hash: Sha256
    outputs: dict[str, Sha256]
    calls: tuple[str, ...] = ()
    summary: str
    body: str = ""
    uncertainty: float | None = None
    go_back: int | None = None  # 15 only: where it proposes to go back to
    go_back_why: str = ""


class StageFailed(Event):
    """A stage could not be done; the run ends (or pauses) with this E-code."""

    kind: Literal["stage-failed"] = "stage-failed"
    position: Position
    code: str
    message: str
    exit_code: int


class CallIntended(Event):
    """A model call is about to leave; its worst-case cost is reserved."""

    kind: Literal["call-intended"] = "call-intended"
    position: Position
    path: CallPath
    attempt: int
    role: str
    model: str
    purpose: str
    prompt_sha256: Sha256
    reserved_usd: float


class CallReplied(Event):
    """A reply is durable in `.cockpit/calls/<body>.json`; it is never asked for again."""

    kind: Literal["call-replied"] = "call-replied"
    position: Position
    path: CallPath
    attempt: int
    role: str
    purpose: str
    prompt_sha256: Sha256
    body: Sha256
    asked_model: str
    reported_model: str
    family: Family
    response_id: str
    tokens_in: int
    tokens_out: int
    tokens_cached: int = 0
    usage_source: Literal["provider", "estimate"]
    cost_usd: float
    finish: str
    took_s: float


class CallFailed(Event):
    """An attempt failed, by class; `discarded` characters of partial text were thrown away."""

    kind: Literal["call-failed"] = "call-failed"
    position: Position
    path: CallPath
    attempt: int
    fault: FaultClass
    message: str
    discarded: int = 0
    cost_usd: float = 0
    final: bool = False


class EffectRecorded(Event):
    """Something nondeterministic that is not a model call: an HTTP answer, a tool's result, a person's word."""

    kind: Literal["effect-recorded"] = "effect-recorded"
    position: Position
    path: CallPath
    what: Literal["http", "tool", "human", "probe", "host"]
    request_sha256: Sha256
    body: Sha256  # stored like a reply


class JobStarted(Event):
    """A job was handed to the sandbox; `handle` finds it again after a crash."""

    kind: Literal["job-started"] = "job-started"
    position: Position
    job: JobSpec
    block: str
    handle: str


class JobFinished(Event):
    """A job ended, however; its outputs are kept under `.cockpit/jobs/<job>/`."""

    kind: Literal["job-finished"] = "job-finished"
    position: Position
    job: JobId
    receipt: JobReceipt
    signature: str = ""
    tail: tuple[str, ...] = ()


class RepairMade(Event):
    """Experiment code was repaired after a failure signature."""

    kind: Literal["repair-made"] = "repair-made"
    position: Position
    signature: str
    attempt: int
    strategy: str
    files: tuple[str, ...]


class PlanFrozen(Event):
    """Stage 9 froze a plan version."""

    kind: Literal["plan-frozen"] = "plan-frozen"
    position: Position
    version: int
    sha256: Sha256
    reason: str = ""


class ResultsSeen(Event):
    """Somebody (13 or 14) read a metric of a main or ablation condition of this block of seeds."""

    kind: Literal["results-seen"] = "results-seen"
    position: Position
    block: str
    plan_version: int
    code_hash: Sha256


class AuditRan(Event):
    """An auditor ran on bytes of the tree."""

    kind: Literal["audit-ran"] = "audit-ran"
    position: Position
    part: Part = "whole"
    run: AuditRun


class ReviewReceived(Event):
    """A review arrived in a fresh thread."""

    kind: Literal["review-received"] = "review-received"
    position: Position
    review: Review


class VerificationReceived(Event):
    """A verifier answered on one atomic part."""

    kind: Literal["verification-received"] = "verification-received"
    position: Position
    verification: Verification


class ObligationOpened(Event):
    """A finding went on the books."""

    kind: Literal["obligation-opened"] = "obligation-opened"
    position: Position
    obligation: Obligation


class ObligationSeen(Event):
    """An open one was reported again (perhaps worse, perhaps elsewhere)."""

    kind: Literal["obligation-seen"] = "obligation-seen"
    position: Position
    fingerprint: Fingerprint
    severity: Severity
    spans: tuple[Span, ...] = ()


class ObligationDisappeared(Event):
    """A later report lacks it. It stays open."""

    kind: Literal["obligation-disappeared"] = "obligation-disappeared"
    position: Position
    fingerprint: Fingerprint


class ObligationReappeared(Event):
    """A vanished one was reported again."""

    kind: Literal["obligation-reappeared"] = "obligation-reappeared"
    position: Position
    fingerprint: Fingerprint


class PartProvisionallyMet(Event):
    """A provisional verification says a part is met. It closes nothing."""

    kind: Literal["part-provisionally-met"] = "part-provisionally-met"
    position: Position
    fingerprint: Fingerprint
    part: int
    closer: str
    note: str = ""


class PartClosed(Event):
    """An atomic part was closed by one who may. When all are, the obligation is resolved."""

    kind: Literal["part-closed"] = "part-closed"
    position: Position
    fingerprint: Fingerprint
    part: int
    fix: FixType
    closer: str
    evidence: tuple[Evidence, ...]
    note: str = ""


class ObligationWaived(Event):
    """A named person lives with it. Not a resolution; stands in the checklist."""

    kind: Literal["obligation-waived"] = "obligation-waived"
    position: Position
    fingerprint: Fingerprint
    by: Actor
    why: str


class ObligationSuperseded(Event):
    """Its span and key belong to a line of work that was left, by a checker."""

    kind: Literal["obligation-superseded"] = "obligation-superseded"
    position: Position
    fingerprint: Fingerprint
    why: str


class ObligationReopened(Event):
    """A resolved, waived or superseded one is back, or got worse."""

    kind: Literal["obligation-reopened"] = "obligation-reopened"
    position: Position
    fingerprint: Fingerprint
    why: str


class TurnSpoken(Event):
    """Something worth reading in the dialogue pane; `text` is an excerpt, the whole is at `path`."""

    kind: Literal["turn-spoken"] = "turn-spoken"
    position: Position
    path: CallPath
    turn: TurnKind
    speaker: str  # "reviewer", "executor", "innovator", ...
    family: str
    model: str
    grade: str = ""
    thread: str  # short id; a fresh one for each verdict
    about: str = ""  # a place in the paper, an obligation
    text: str


class GateJudged(Event):
    """The policy was computed on a tree."""

    kind: Literal["gate-judged"] = "gate-judged"
    position: Position
    verdict: GateVerdict
    score: Score


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


class CommitMade(Event):
    """A commit carries everything up to a record. Not synced; git itself is the truth."""

    kind: Literal["commit-made"] = "commit-made"
    commit: str
    subject: str
    tag: str = ""


class RunFinished(Event):
    """The end. Written before the last seal."""

    kind: Literal["run-finished"] = "run-finished"
    outcome: Outcome
    exit_code: int
    cost_usd: float
    reason: str
    next: str = ""  # what to type


AnyEvent = Annotated[
    RunCreated | EngineStarted | EngineStopped | StageEntered | StageReused | StageDone | StageFailed
    | CallIntended | CallReplied | CallFailed | EffectRecorded | JobStarted | JobFinished | RepairMade | PlanFrozen
    | ResultsSeen | AuditRan | ReviewReceived | VerificationReceived | ObligationOpened | ObligationSeen
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
