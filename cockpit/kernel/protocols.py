"""What the rooms expect of one another, as protocols.

Belongs here: the seams. Not here: implementations. The engine knows agents, sandbox and gates only
by these; agents know the engine only as a `Desk`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from cockpit.kernel.events import AnyEvent, GuidanceGiven, LedgerEvent
from cockpit.kernel.findings import AuditRun, Finding, GateVerdict, Obligation
from cockpit.kernel.hints import Hint
from cockpit.kernel.ids import CallPath, Instant, Part, Position, Seq, Sha256
from cockpit.kernel.model import JsonObject, Model
from cockpit.kernel.results import JobResult, JobSpec
from cockpit.kernel.reviews import Review, Score, Verification
from cockpit.kernel.settings import Settings
from cockpit.kernel.stages import Stage
from cockpit.kernel.view import RunView


class Clock(Protocol):
    """Injected time. `now` is wall time for show, `monotonic` seconds for durations."""

    def now(self) -> Instant: ...
    def monotonic(self) -> float: ...


class Tree(Protocol):
    """Files of a run at some moment: the work tree, a commit, or a dict in tests. Paths are run-relative."""

    def list(self, prefix: str = "") -> list[str]:
        """Paths under `prefix`, sorted; without `.git` and `.cockpit`."""

    def read(self, path: str) -> bytes:
        """Raises FileNotFoundError."""

    def sha(self, path: str) -> Sha256:
        """SHA-256 of the content. Raises FileNotFoundError."""

    def exists(self, path: str) -> bool: ...


class StageReport(Model):
    """What an agent says after its work; the engine turns it into report files and a commit."""

    summary: str  # one line; becomes the commit's subject
    body: str = ""  # a paragraph for the morning
    fields: JsonObject = {}  # structured report: stages/sNN.json, merged into report.json
    plan: JsonObject = {}  # goal, method, risks for work_plan.md; empty = engine's text from the roster
    findings: tuple[Finding, ...] = ()
    reviews: tuple[Review, ...] = ()
    verifications: tuple[Verification, ...] = ()
    audits: tuple[AuditRun, ...] = ()
    uncertainty: float | None = None  # [0,1], for SmartPause
    unpublishable: str = ""  # no-metrics, dependency-missing, dataset-unavailable, design-too-large
    go_back: int | None = None  # 15 only: refine (13) or pivot (8)
    go_back_why: str = ""


class Desk(Protocol):
    """An agent's desk for one stage instance: what it may read, where it may write, how it acts.

    All effects go through it and are journalled by their path within the stage instance; on resume
    the same path gives the same answer without acting again.
    """

    @property
    def position(self) -> Position: ...
    @property
    def part(self) -> Part: ...
    @property
    def stage(self) -> Stage: ...
    @property
    def at(self) -> Instant:
        """Time of the StageEntered record: the only time that may reach an artifact."""

    @property
    def settings(self) -> Settings: ...
    @property
    def view(self) -> RunView:
        """The run as it stood when the stage was entered (plus what it recorded since)."""

    @property
    def tree(self) -> Tree:
        """The work tree as it was, overlaid with what this stage has written so far."""

    @property
    def revising(self) -> bool:
        """True when the stage has earlier outputs in `tree` that it should change, not replace."""

    @property
    def obligations(self) -> tuple[Obligation, ...]:
        """Open obligations whose owner is this stage (19: all with a span in the paper, and 18's points)."""

    @property
    def guidance(self) -> tuple[GuidanceGiven, ...]: ...

    def token(self, path: str) -> str:
        """An unguessable, reproducible token for nonces and fence markers: HMAC(run secret, position, path)."""

    def write(self, path: str, content: str | bytes) -> None:
        """Stage an output; the engine moves it in. Raises ValueError if this stage does not own `path`."""

    def remove(self, path: str) -> None:
        """Take an owned path out of the tree at the stage's end."""

    def recall(self, path: CallPath) -> tuple[AnyEvent, JsonObject] | None:
        """The journalled reply or effect at `path` (CallReplied or EffectRecorded) with its stored body."""

    def seq_of(self, path: CallPath) -> Seq | None:
        """The journal's seq of the reply or effect at `path`, None when there is none yet."""

    def attempts(self, path: CallPath) -> int:
        """How many attempts at `path` are journalled as intended."""

    async def record(self, event: AnyEvent) -> Seq:
        """Append an event durably and fold it. Returns its seq."""

    async def keep(self, body: JsonObject) -> Sha256:
        """Store a body durably under its hash, for CallReplied.body or EffectRecorded.body."""

    def hint(self, hint: Hint) -> None:
        """Show, without keeping."""

    async def once(self, path: str, request: JsonObject, do: Callable[[], Awaitable[JsonObject]], *,
                   what: str = "tool") -> JsonObject:  # fmt: skip
        """Do something nondeterministic once: journalled by path; replayed on resume.

        Raises ReplayMismatch if the journal holds another request at that path.
        """

    async def run_jobs(self, jobs: Sequence[JobSpec], *, block: str = "") -> list[JobResult]:
        """Run jobs in the sandbox, `settings.sandbox.parallel` at a time; finished ones are not rerun.

        `files` of a spec name blobs put by `put_blob`. Results come back in the order of `jobs`.
        """

    def put_blob(self, content: bytes) -> Sha256:
        """Keep an input file for jobs."""

    def job_output(self, job: JobSpec, path: str) -> bytes:
        """An output of an ended job, checked against its receipt. Raises FileNotFoundError, ValueError."""


class Workers(Protocol):
    """The agents, as the engine calls them."""

    async def work(self, desk: Desk) -> StageReport:
        """Do `desk.stage` (and `desk.part`). Stage 20: the confirmation and verification reviews."""

    async def brief(self, desk: Desk, verdict: GateVerdict, route: Route) -> StageReport:
        """Stage 20's second half: the orchestrator writes the revision brief for where the engine goes next."""

    async def close(self) -> None: ...


class Route(Model):
    """Where the rounds go after stage 20. `entry` None = leave the rounds, with `outcome`."""

    entry: int | None
    outcome: str = ""  # accepted, negative-result, best-effort, blocked, pending, degenerate
    export_round: int | None = None  # which round is exported
    why: str
    stale: bool = False
    pivot: bool = False  # a structural pivot: it counts among the run's pivots


class Audited(Model):
    """What the deterministic auditors of a stage part said, and the files they wrote."""

    findings: tuple[Finding, ...] = ()
    runs: tuple[AuditRun, ...] = ()
    files: dict[str, str] = {}  # path → text: number_map.json, fix_patch.json, paper_fixed.tex, claims.json


class Judge(Protocol):
    """The gates, as the engine calls them. Pure: same tree and view, same answer."""

    def unmet(self, stage: int, tree: Tree, view: RunView) -> tuple[str, ...]:
        """Sentences about what the stage's contract still lacks; empty = done."""

    def audit(self, stage: int, part: Part, tree: Tree, view: RunView) -> Audited:
        """Run the program auditors that belong at the end of this stage part."""

    def intake(self, view: RunView, position: Position, at: Instant, findings: Sequence[Finding],
               auditors: Sequence[str]) -> tuple[LedgerEvent, ...]:  # fmt: skip
        """Ledger events for a report: opened, seen, disappeared (of those `auditors`), reappeared, reopened."""

    def settle(self, view: RunView, position: Position, at: Instant, tree: Tree,
               verifications: Sequence[Verification] = ()) -> tuple[LedgerEvent, ...]:  # fmt: skip
        """Ledger events by those who may close: programs on the present bytes, independent verifications."""

    def refusal(self, verb: str, obligation: Obligation) -> str:
        """Why a person may not `close`, `refute` or `waive` it by hand, as a sentence; empty = they may."""

    def score(self, view: RunView, reviews: Sequence[Review]) -> Score: ...

    def decide(self, tree: Tree, view: RunView, score: Score | None) -> GateVerdict:
        """The policy on these bytes and this ledger."""

    def route(self, view: RunView, verdict: GateVerdict, score: Score | None) -> Route:
        """Where the rounds go."""


class JobWatch(Protocol):
    """What the sandbox tells while a job runs. Called on the engine's loop."""

    async def started(self, handle: str) -> None:
        """Durable before the sandbox relies on it."""

    def hint(self, hint: Hint) -> None: ...


class Sandbox(Protocol):
    """A backend. Folders: `folder/work` is the job's, `folder/log` its output, `folder/*.json` the launcher's."""

    @property
    def name(self) -> str: ...
    @property
    def isolated(self) -> bool: ...
    def describe(self) -> str:
        """One line for header and commits: "docker 20.10, image 1f3a…, no network"."""

    async def run(self, spec: JobSpec, folder: Path, blobs: Callable[[Sha256], bytes], watch: JobWatch, *,
                  block: str = "", handle: str | None = None) -> JobResult:  # fmt: skip
        """Run (or, with `handle`, adopt) one job to its end. Never raises for what the job does.

        Cancelling the task ends the whole job tree. Raises CockpitError(code=Exit.SANDBOX) only when
        the backend itself is gone and cannot say so in a result.
        """

    async def hold(self) -> None: ...
    async def release(self) -> None: ...
    async def reap(self, handles: Mapping[str, str]) -> tuple[str, ...]:
        """End left-over jobs of this run that are not in `handles` (job → handle). Returns what it ended."""

    async def close(self) -> None: ...


class Face(Protocol):
    """Somebody who watches: gets facts (never dropped) and hints, and may post commands."""

    def facts(self, view: RunView, events: Sequence[tuple[Seq, AnyEvent]]) -> None: ...
    def hint(self, hint: Hint) -> None: ...


class ReplayMismatch(Exception):
    """The journal holds another request at this path: a bug, never papered over."""

    def __init__(self, path: str, was: str, now: str) -> None:
        super().__init__(f"at {path} the journal holds another request")
        self.path, self.was, self.now = path, was, now
