"""One stage part, from entering it to its commit.

Belongs here: the order of work, audits, ledger, contract, done. Not here: which stage comes next
(`engine.py`). Write order: entered → effects → outputs moved in → done (durable) → sealed → commit.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from cockpit.engine import outputs, reports
from cockpit.engine.desk import Room, StageDesk, guidance_of, obligations_of
from cockpit.engine.keeper import Keeper
from cockpit.engine.trouble import telling
from cockpit.journal.history import History
from cockpit.journal.trees import OverlayTree, WorkTree
from cockpit.kernel import events as e
from cockpit.kernel.exits import CockpitError, Exit
from cockpit.kernel.ids import Part, Position, Sha256
from cockpit.kernel.model import canonical, pretty, sha256
from cockpit.kernel.protocols import Judge, Route, StageReport, Tree, Workers
from cockpit.kernel.reviews import Review
from cockpit.kernel.stages import Stage
from cockpit.kernel.view import Heading, RunView

NEVER_REUSED = (18, 20, 21, 22, 23)  # fresh threads, fresh verdicts, fresh look-ups
BRIEF = "08_paper_review/artifacts/revision_brief.json"


class ContractUnmet(CockpitError):
    """A stage's work is over and its contract does not hold."""

    def __init__(self, of: Stage, unmet: tuple[str, ...]) -> None:
        what = f"stage {of.number} {of.name} is not done: {unmet[0]}"
        super().__init__(what, where="\n".join(unmet[1:8]), code=Exit.BLOCKED)
        self.unmet = unmet


@dataclass(frozen=True, slots=True)
class House:
    """What a stage part needs of the whole run."""

    room: Room
    tree: WorkTree
    history: History
    keeper: Keeper
    workers: Workers
    judge: Judge


class StagePart:
    """Runs one part of one stage instance."""

    def __init__(self, house: House, of: Stage, part: Part, entered: e.StageEntered, base: Tree | None = None) -> None:
        self._house, self._stage, self._part, self._entered = house, of, part, entered
        revising = any(v.number == of.number and v.position != entered.position for v in self._view.instances.values())
        self._desk = StageDesk(house.room, of, part, entered, base or house.tree, revising=revising)

    @property
    def _view(self) -> RunView:
        return self._house.room.recorder.view

    async def run(self) -> None:
        """Do the part, judge it, close it, commit it.

        Raises:
            CockpitError: it could not be done; nothing of it is in git. Of several troubles at once the most telling.
        """
        try:
            await self._run()
        except BaseExceptionGroup as group:
            raise telling(group) from group

    async def _run(self) -> None:
        started = self._house.room.clock.monotonic()
        report = await self._house.workers.work(self._desk)
        await self._judge(report)
        if self._stage.number == 20:
            report = await self._gate(report)
        self._require(report)
        self._desk.staged.update(outputs.evidence_copies(self._view, self._desk.tree))
        self._house.keeper.put(self._desk.staged)
        await self._finish(report, self._house.room.clock.monotonic() - started)

    async def _judge(self, report: StageReport) -> None:
        position, at = self._desk.position, self._desk.at
        for review in report.reviews:
            self._record(e.ReviewReceived(at=at, position=position, review=review))
        for verification in report.verifications:
            self._record(e.VerificationReceived(at=at, position=position, verification=verification))
        judge = self._house.judge
        audited = await asyncio.to_thread(judge.audit, self._stage.number, self._part, self._desk.tree, self._view)
        self._desk.staged.update({path: text.encode() for path, text in audited.files.items()})
        for run in (*report.audits, *audited.runs):
            self._record(e.AuditRan(at=at, position=position, part=self._part, run=run))
        findings = (*report.findings, *audited.findings)
        auditors = [r.auditor for r in (*report.audits, *audited.runs)]
        for event in judge.intake(self._view, position, at, findings, auditors):
            self._record(event)
        for event in judge.settle(self._view, position, at, self._desk.tree, report.verifications):
            self._record(event)

    async def _gate(self, report: StageReport) -> StageReport:
        judge, desk = self._house.judge, self._desk
        score = judge.score(self._view, reviews_that_count(self._view, desk.position, report.reviews))
        verdict = judge.decide(desk.tree, self._view, score)
        self._record(e.GateJudged(at=desk.at, position=desk.position, verdict=verdict, score=score))
        gate = {"verdict": verdict.model_dump(mode="json"), "score": score.model_dump(mode="json")}
        desk.staged["ledger/gate.json"] = pretty(gate).encode()
        route: Route = judge.route(self._view, verdict, score)
        brief = await self._house.workers.brief(desk, verdict, route)
        summary = f"{_score(score.value)}, {verdict.outcome}; {route.why}"
        fields = {**report.fields, **brief.fields, "route": route.model_dump(mode="json")}
        return report.model_copy(update={"summary": summary, "body": brief.body or report.body, "fields": fields})

    def _require(self, report: StageReport) -> None:
        if self._part == "draft" or report.unpublishable:
            return
        report_file = {self._stage.report: pretty({"_meta": {}, **report.fields}).encode()}
        tree = OverlayTree(self._desk.tree, report_file)
        unmet = self._house.judge.unmet(self._stage.number, tree, self._view)
        if unmet:
            raise ContractUnmet(self._stage, unmet)

    async def _finish(self, report: StageReport, took_s: float) -> None:
        room, tree = self._house.room, self._house.tree
        mine = [p for p in outputs.outputs_of(self._stage, tree) if p != self._stage.report]
        files = reports.stage_files(self._stage, self._entered, report, mine, room.clock.now(), took_s)
        self._house.keeper.put(files)
        for phase in reports.phases_of(self._stage):
            self._house.keeper.put(reports.phase_files(phase, tree))
        room.recorder.end_part()
        done = e.StageDone(
            at=room.clock.now(), position=self._desk.position, part=self._part, input_hash=self._entered.input_hash,
            outputs=outputs.outputs_of(self._stage, tree), calls=tuple(self._desk.calls),
            summary=report.summary, body=report.body, uncertainty=report.uncertainty, go_back=report.go_back,
            go_back_why=report.go_back_why)  # fmt: skip
        room.recorder.record(done)
        await self._house.keeper.commit()

    def _record(self, event: e.AnyEvent) -> None:
        self._house.room.recorder.record(event)


def reviews_that_count(view: RunView, position: Position, fresh: tuple[Review, ...]) -> tuple[Review, ...]:
    """The confirmation reviews of this gate: those just received, or 18's if 19 changed no byte."""
    if fresh:
        return fresh
    same_round = (r for r in view.reviews if r.position.round == position.round and r.position.stage == 18)
    return tuple(r.review for r in same_round)


def enter(house: House, of: Stage, heading: Heading) -> e.StageEntered:
    """Hash what the stage reads and record that it begins."""
    room = house.room
    inputs = outputs.inputs_of(of, house.tree)
    digest = input_hash(house, of, inputs, entry=heading.entry)
    entered = e.StageEntered(at=room.clock.now(), position=heading.position, because=heading.because, inputs=inputs,
                             input_hash=digest)  # fmt: skip
    room.recorder.record(entered)
    return entered


def input_hash(house: House, of: Stage, inputs: Mapping[str, Sha256], *, entry: bool) -> Sha256:
    """Identity of all that a stage reads: artifacts, guidance, its open obligations, the brief at the entry stage."""
    view = house.room.recorder.view
    reads = {
        "inputs": dict(inputs),
        "guidance": [g.text for g in guidance_of(of.number, view)],
        "obligations": [(o.fingerprint, [p.state for p in o.parts]) for o in obligations_of(of.number, view)],
        "brief": house.tree.sha(BRIEF) if entry and house.tree.exists(BRIEF) else "",
    }
    return Sha256(sha256(canonical(reads)))


def reusable(house: House, of: Stage, heading: Heading) -> Position | None:
    """The last instance of this stage, if it read exactly what it would read now."""
    if heading.entry or of.number in NEVER_REUSED:
        return None
    view = house.room.recorder.view
    ended = [v for v in view.instances.values() if v.number == of.number and v.status in ("done", "reused")]
    if not ended:
        return None
    inputs = outputs.inputs_of(of, house.tree)
    same = ended[-1].input_hash == input_hash(house, of, inputs, entry=False)
    return ended[-1].position if same else None


async def reuse(house: House, of: Stage, heading: Heading, source: Position) -> None:
    """Put the earlier outputs back and commit that they stand."""
    room = house.room
    back = outputs.put_back(house.history, room.recorder.view, source, of.number)
    for phase in reports.phases_of(of):
        house.keeper.put(reports.phase_files(phase, house.tree))
    room.recorder.record(e.StageReused(at=room.clock.now(), position=heading.position, source=source, outputs=back))
    await house.keeper.commit()


def _score(value: float | None) -> str:
    return "no score" if value is None else f"score {value:.2f}"
