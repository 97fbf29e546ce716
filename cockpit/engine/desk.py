"""An agent's desk: what one stage part may read, where it may write, how it acts.

Belongs here: the kernel's `Desk`. Not here: what is done at it (agents), moving outputs in (`outputs.py`).
Writes are staged in memory until the part is over, so a crash leaves nothing half done in the tree.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from cockpit.engine.controls import Controls
from cockpit.engine.jobs import JobRunner
from cockpit.engine.recorder import Recorder
from cockpit.journal.bodies import Bodies
from cockpit.journal.places import RunFolder
from cockpit.journal.trees import OverlayTree
from cockpit.kernel import events as e
from cockpit.kernel.findings import Obligation
from cockpit.kernel.hints import Hint
from cockpit.kernel.ids import CallPath, Instant, Part, Position, Seq, Sha256
from cockpit.kernel.model import JsonObject, canonical, sha256
from cockpit.kernel.protocols import Clock, ReplayMismatch, Tree
from cockpit.kernel.results import JobResult, JobSpec
from cockpit.kernel.settings import Settings
from cockpit.kernel.stages import WRITING, Stage, owns
from cockpit.kernel.tokens import token
from cockpit.kernel.view import RunView

TAKES_ALL_OPEN = (19, 20)  # 19 answers every point, 20 has every open part verified


@dataclass(frozen=True, slots=True)
class Room:
    """What all desks of a run share."""

    folder: RunFolder
    recorder: Recorder
    controls: Controls
    jobs: JobRunner
    bodies: Bodies
    clock: Clock
    settings: Settings
    secret: str
    hint: Callable[[Hint], None]


class StageDesk:
    """The desk of one stage part."""

    def __init__(self, room: Room, stage: Stage, part: Part, entered: e.StageEntered, base: Tree, *,
                 revising: bool) -> None:  # fmt: skip
        self._room, self._stage, self._part, self._entered = room, stage, part, entered
        self._revising = revising
        self.staged: dict[str, bytes | None] = {}
        self._tree = OverlayTree(base, self.staged)
        self._obligations = obligations_of(stage.number, room.recorder.view)
        self._guidance = guidance_of(stage.number, room.recorder.view)
        self.calls: list[str] = []

    @property
    def position(self) -> Position:
        return self._entered.position

    @property
    def part(self) -> Part:
        return self._part

    @property
    def stage(self) -> Stage:
        return self._stage

    @property
    def at(self) -> Instant:
        return self._entered.at

    @property
    def settings(self) -> Settings:
        return self._room.settings

    @property
    def view(self) -> RunView:
        return self._room.recorder.view

    @property
    def tree(self) -> Tree:
        return self._tree

    @property
    def revising(self) -> bool:
        return self._revising

    @property
    def obligations(self) -> tuple[Obligation, ...]:
        return self._obligations

    @property
    def guidance(self) -> tuple[e.GuidanceGiven, ...]:
        return self._guidance

    def token(self, path: str) -> str:
        return token(self._room.secret, self.position, path)

    def write(self, path: str, content: str | bytes) -> None:
        self._may_write(path)
        self.staged[path] = content.encode() if isinstance(content, str) else content

    def remove(self, path: str) -> None:
        self._may_write(path)
        self.staged[path] = None

    def _may_write(self, path: str) -> None:
        if not owns(self._stage, path) or ".." in path.split("/") or path.startswith("/"):
            raise ValueError(f"stage {self._stage.number} {self._stage.name} does not own {path}")

    def recall(self, path: CallPath) -> tuple[e.AnyEvent, JsonObject] | None:
        event = self._room.recorder.recall(path)
        if event is None:
            return None
        self.calls.append(path)
        return event, self._room.bodies.read(event.body)

    def attempts(self, path: CallPath) -> int:
        return self._room.recorder.attempts(path)

    def seq_of(self, path: CallPath) -> Seq | None:
        return self._room.recorder.seq_of(path)

    async def record(self, event: e.AnyEvent) -> Seq:
        if isinstance(event, e.CallIntended):
            await self._room.controls.clear()
            self._room.controls.begin()
        seq = self._room.recorder.record(event)
        self._room.recorder.note_act(seq, event)
        if isinstance(event, e.CallReplied | e.CallFailed):
            self._room.controls.end()
            self.calls.append(event.path)
        return seq

    async def keep(self, body: JsonObject) -> Sha256:
        return self._room.bodies.keep(body)

    def hint(self, hint: Hint) -> None:
        self._room.hint(hint)

    async def once(self, path: str, request: JsonObject, do: Callable[[], Awaitable[JsonObject]], *,
                   what: str = "tool") -> JsonObject:  # fmt: skip
        asked = sha256(canonical(request))
        found = self.recall(CallPath(path))
        if found is not None:
            event, body = found
            if not isinstance(event, e.EffectRecorded) or event.request_sha256 != asked:
                raise ReplayMismatch(path, str(body.get("request")), str(request))
            result: JsonObject = body["result"]
            return result
        await self._room.controls.clear()
        result = await do()
        kept = await self.keep({"request": request, "result": result})
        fact = {"at": self._room.clock.now(), "position": self.position, "path": path, "what": what,
                "request_sha256": asked, "body": kept}  # fmt: skip
        await self.record(e.EffectRecorded.model_validate(fact))
        return result

    async def run_jobs(self, jobs: Sequence[JobSpec], *, block: str = "") -> list[JobResult]:
        return await self._room.jobs.run(self.position, jobs, block)

    def put_blob(self, content: bytes) -> Sha256:
        return self._room.jobs.put_blob(content)

    def job_output(self, job: JobSpec, path: str) -> bytes:
        return self._room.jobs.output(job, path)


def obligations_of(stage: int, view: RunView) -> tuple[Obligation, ...]:
    """Open obligations that `stage` answers for."""
    if stage in TAKES_ALL_OPEN:
        return view.ledger.open
    mine = (o for o in view.ledger.open if o.finding.owner == stage)
    if stage == 17:  # a draft also mends what stands in the paper
        mine = (o for o in view.ledger.open if o.finding.owner == stage or _in_paper(o))
    return tuple(mine)


def _in_paper(obligation: Obligation) -> bool:
    return any(span.file.startswith(WRITING) for span in obligation.finding.spans)


SENT_BACK = {"rejected": "was rejected", "pivot": "was left for another direction"}


def guidance_of(stage: int, view: RunView) -> tuple[e.GuidanceGiven, ...]:
    """A person's advice that `stage` honours: given for it or for an earlier one, until the run ends.

    A rejection is advice to the stages that it sends back, a pivot to all from its target on.
    """
    told = [
        e.GuidanceGiven(
            at=w.at, stage=w.target, text=f"Stage {w.position.stage} {SENT_BACK[w.why]}: {w.reason}", by=w.by
        )
        for w in view.ways_back
        if w.why in SENT_BACK
        and w.by
        and w.reason
        and w.target <= stage
        and (w.why == "pivot" or stage <= w.position.stage)
    ]
    return (*(g for g in view.guidance if g.stage <= stage), *told)
