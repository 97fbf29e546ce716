"""A desk in memory for tests of agents: same promises as the engine's, without engine, journal or git."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from cockpit.kernel.events import AnyEvent, CallIntended, CallReplied, EffectRecorded, GuidanceGiven, RunCreated
from cockpit.kernel.findings import Obligation
from cockpit.kernel.fold import fold
from cockpit.kernel.hints import Hint, Tokens
from cockpit.kernel.ids import CallPath, Instant, Part, Position, RunId, Seq, Sha256
from cockpit.kernel.model import JsonObject, canonical, sha256
from cockpit.kernel.protocols import ReplayMismatch, Tree
from cockpit.kernel.results import JobResult, JobSpec
from cockpit.kernel.settings import Settings
from cockpit.kernel.stages import Stage, owns, stage
from cockpit.kernel.tokens import token
from cockpit.kernel.view import RunView
from tests.memory_tree import DictTree

SECRET = "5ec4e7"
AT = Instant("2026-11-30T18:22:07Z")


class TestClock:
    """A real monotonic clock, a fixed wall time."""

    __test__ = False

    def now(self) -> Instant:
        return AT

    def monotonic(self) -> float:
        import time

        return time.monotonic()


@dataclass
class Store:
    """What survives a crash: journal and bodies."""

    events: list[AnyEvent] = field(default_factory=list)
    bodies: dict[str, JsonObject] = field(default_factory=dict)


@dataclass
class MemoryDesk:
    """A desk at one position. Give the same `store` to another one to resume."""

    settings: Settings
    stage_number: int = 9
    store: Store = field(default_factory=Store)
    files: dict[str, bytes] = field(default_factory=dict)
    revising: bool = False
    obligations: tuple[Obligation, ...] = ()
    guidance: tuple[GuidanceGiven, ...] = ()
    round: int = 1
    part: Part = "whole"
    before_record: Callable[[AnyEvent], None] = lambda _event: None
    hints: list[Hint] = field(default_factory=list)
    view: RunView = field(init=False)

    def __post_init__(self) -> None:
        created = RunCreated(at=AT, run=RunId("r"), secret=SECRET, idea_sha256=Sha256("0" * 64), title="t",
                             settings=self.settings, assurance_cap="draft", sandbox="none", version="0")  # fmt: skip
        self.view = fold(RunView(), Seq(1), created)
        for n, event in enumerate(self.store.events):
            self.view = fold(self.view, Seq(n + 2), event)

    @property
    def position(self) -> Position:
        return Position(round=self.round, stage=self.stage_number)

    @property
    def stage(self) -> Stage:
        return stage(self.stage_number)

    @property
    def at(self) -> Instant:
        return AT

    @property
    def tree(self) -> Tree:
        return DictTree(self.files)

    def token(self, path: str) -> str:
        return token(SECRET, self.position, path)

    def write(self, path: str, content: str | bytes) -> None:
        if not owns(self.stage, path):
            raise ValueError(path)
        self.files[path] = content.encode() if isinstance(content, str) else content

    def remove(self, path: str) -> None:
        self.files.pop(path, None)

    def recall(self, path: CallPath) -> tuple[AnyEvent, JsonObject] | None:
        for event in self.store.events:
            if isinstance(event, CallReplied | EffectRecorded) and event.path == path:
                return event, self.store.bodies[event.body]
        return None

    def seq_of(self, path: CallPath) -> Seq | None:
        for n, event in enumerate(self.store.events):
            if isinstance(event, CallReplied | EffectRecorded) and event.path == path:
                return Seq(n + 2)
        return None

    def attempts(self, path: CallPath) -> int:
        return sum(isinstance(event, CallIntended) and event.path == path for event in self.store.events)

    async def record(self, event: AnyEvent) -> Seq:
        self.before_record(event)
        self.store.events.append(event)
        seq = Seq(len(self.store.events) + 1)
        self.view = fold(self.view, seq, event)
        return seq

    async def keep(self, body: JsonObject) -> Sha256:
        digest = sha256(canonical(body))
        self.store.bodies[digest] = body
        return Sha256(digest)

    def hint(self, hint: Hint) -> None:
        self.hints.append(hint)

    @property
    def shown(self) -> str:
        """Streamed text as a pane would have it now."""
        text = ""
        for hint in self.hints:
            if isinstance(hint, Tokens):
                text = "" if hint.discard else text + hint.text
        return text

    async def once(self, path: str, request: JsonObject, do: Callable[[], Awaitable[JsonObject]], *,
                   what: str = "tool") -> JsonObject:  # fmt: skip
        asked = sha256(canonical(request))
        if (found := self.recall(CallPath(path))) is not None:
            event, body = found
            if not isinstance(event, EffectRecorded) or event.request_sha256 != asked:
                raise ReplayMismatch(path, str(body), str(request))
            result: JsonObject = body["result"]
            return result
        result = await do()
        body_sha = await self.keep({"request": request, "result": result})
        fact: dict[str, Any] = {"at": AT, "position": self.position, "path": path, "what": what,
                                "request_sha256": asked, "body": body_sha}  # fmt: skip
        await self.record(EffectRecorded.model_validate(fact))
        return result

    async def run_jobs(self, jobs: Sequence[JobSpec], *, block: str = "") -> list[JobResult]:
        raise NotImplementedError

    def put_blob(self, content: bytes) -> Sha256:
        return Sha256(sha256(content))

    def job_output(self, job: JobSpec, path: str) -> bytes:
        raise FileNotFoundError(path)

    def kinds(self) -> list[str]:
        """Kinds of the journal's records, in order."""
        return [event.kind for event in self.store.events]
