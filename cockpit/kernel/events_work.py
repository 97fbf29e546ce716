"""Facts of the work: run, stages, calls, jobs, turns, commits.

Belongs here: what was done. Not here: judgement (`events_judgement.py`), order and people (`events_course.py`).
"""

from __future__ import annotations

from typing import Literal

from cockpit.kernel.event_base import EnterReason, Event, FaultClass, TurnKind
from cockpit.kernel.exits import Outcome
from cockpit.kernel.ids import CallPath, JobId, Part, Position, RunId, Sha256
from cockpit.kernel.levels import Assurance
from cockpit.kernel.results import JobReceipt, JobSpec
from cockpit.kernel.reviews import Family
from cockpit.kernel.settings import Settings


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


class JobsPlanned(Event):
    """A stage has handed in jobs; `total` = how many this instance has handed in so far, less those it had recalled."""

    kind: Literal["jobs-planned"] = "jobs-planned"
    position: Position
    total: int


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
