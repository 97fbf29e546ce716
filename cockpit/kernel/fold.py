"""What events mean: `fold(view, seq, event)` is the run as it stands after `event`.

Belongs here: the only interpretation of the journal. Pure. Not here: reading the journal, drawing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import assert_never

from cockpit.kernel import events as e
from cockpit.kernel.fold_ledger import fold_ledger
from cockpit.kernel.ids import CallPath, Position, Seq
from cockpit.kernel.settings import changed
from cockpit.kernel.stages import reads, stage
from cockpit.kernel.view import (
    AuditRecord,
    Heading,
    JobView,
    ReviewRecord,
    RunView,
    Spending,
    StageView,
    VerificationRecord,
)

# the facts left to each of the smaller folds, so that a new fact without a meaning is a type error
Course = (e.RoundClosed | e.WentBack | e.GuidanceGiven | e.ControlChanged | e.PauseReached | e.Decided | e.PersonEdited
          | e.Noticed | e.CommitMade | e.RunFinished)  # fmt: skip
Noted = (e.EffectRecorded | e.RepairMade | e.PlanFrozen | e.ResultsSeen | e.AuditRan | e.ReviewReceived
         | e.VerificationReceived | e.TurnSpoken | e.GateJudged | Course)  # fmt: skip


def fold_all(events: Iterable[tuple[int, e.AnyEvent]], view: RunView | None = None) -> RunView:
    """Fold many records onto `view` (default: an empty run)."""
    view = view or RunView()
    for seq, event in events:
        view = fold(view, Seq(seq), event)
    return view


def fold(view: RunView, seq: Seq, event: e.AnyEvent) -> RunView:
    """The run as it stands after `event`."""
    return replace(_meaning(view, event), seq=seq)


def _meaning(view: RunView, event: e.AnyEvent) -> RunView:
    match event:
        case e.RunCreated():
            first = Heading(Position(round=1, stage=event.settings.from_stage or 1), "first")
            return replace(
                view, run=event, heading=first, notices=tuple(("info", n) for n in (*event.caps, *event.notices))
            )
        case e.EngineStarted():
            run = (
                view.run.model_copy(update={"settings": changed(view.run.settings, event.changes)})
                if view.run
                else None
            )
            return replace(view, run=run, control="running", failure="", finished=None)
        case e.EngineStopped():
            return replace(view, control="finished" if view.finished else "stopped")
        case e.StageEntered() | e.StageReused() | e.StageDone() | e.StageFailed():
            return _stage(view, event)
        case e.CallIntended() | e.CallReplied() | e.CallFailed():
            return _call(view, event)
        case e.JobsPlanned() | e.JobStarted() | e.JobFinished():
            return _job(view, event)
        case (
            e.ObligationOpened()
            | e.ObligationSeen()
            | e.ObligationDisappeared()
            | e.ObligationReappeared()
            | e.PartProvisionallyMet()
            | e.PartClosed()
            | e.ObligationWaived()
            | e.ObligationSuperseded()
            | e.ObligationReopened()
        ):
            return replace(view, ledger=fold_ledger(view.ledger, event))
        case _:
            return _noted(view, event)


def _noted(view: RunView, event: Noted) -> RunView:
    """The facts that change one field."""
    match event:
        case e.EffectRecorded():
            return view
        case e.RepairMade():
            return replace(view, repairs={**view.repairs, event.signature: event.attempt})
        case e.PlanFrozen():
            return replace(view, plan_version=event.version, plan_sha256=event.sha256)
        case e.ResultsSeen():
            seen = dict.fromkeys((*view.blocks_seen, event.block))
            return replace(view, blocks_seen=tuple(seen))
        case e.AuditRan():
            return replace(view, audits=(*view.audits, AuditRecord(event.position, event.part, event.run)))
        case e.ReviewReceived():
            return replace(view, reviews=(*view.reviews, ReviewRecord(event.position, event.review)))
        case e.VerificationReceived():
            record = VerificationRecord(event.position, event.verification)
            return replace(view, verifications=(*view.verifications, record))
        case e.TurnSpoken():
            return replace(view, dialogue=(*view.dialogue, event))
        case e.GateJudged():
            return replace(view, verdict=event.verdict, score=event.score)
        case _:
            return _course(view, event)


def _course(view: RunView, event: Course) -> RunView:
    """Rounds, pauses, people."""
    match event:
        case e.RoundClosed():
            return _round_closed(view, event)
        case e.WentBack():
            return _went_back(view, event)
        case e.GuidanceGiven():
            return replace(view, guidance=(*view.guidance, event))
        case e.ControlChanged():
            pause = None if event.control in ("running", "stepping") else view.pause
            return replace(view, control=event.control, pause=pause)
        case e.PauseReached():
            return replace(view, control="paused", pause=event)
        case e.Decided():
            return replace(view, decisions=(*view.decisions, event), pause=None if event.position else view.pause)
        case e.PersonEdited():
            note = f"{event.by.user} edited {', '.join(event.paths)}"
            return replace(view, notices=(*view.notices, ("info", note)), stages=_stale(view, event.paths))
        case e.Noticed():
            return replace(view, notices=(*view.notices, (event.level, event.text)))
        case e.CommitMade():
            return view
        case e.RunFinished():
            return replace(view, finished=event, control="finished", pause=None)
        case _:
            assert_never(event)


def _stage(view: RunView, event: e.StageEntered | e.StageReused | e.StageDone | e.StageFailed) -> RunView:
    position = event.position
    now = view.instances.get(str(position)) or StageView(position.stage, position=position)
    match event:
        case e.StageEntered():
            now = replace(now, status="running", since=event.at, input_hash=event.input_hash)
            if event.because == "routed":
                view = replace(view, refines=0)
        case e.StageReused():
            now = replace(now, status="reused", since=event.at, ended=event.at, outputs=event.outputs,
                          summary=f"unchanged since {event.source.label}",
                          input_hash=_input_hash(view, event.source))  # fmt: skip
        case e.StageDone():
            last = event.part != "draft"
            now = replace(now, status="done" if last else "running", ended=event.at, summary=event.summary,
                          parts=(*now.parts, event.part),
                go_back=event.go_back,
                go_back_why=event.go_back_why, outputs={**now.outputs, **event.outputs},
                          input_hash=event.input_hash)  # fmt: skip
        case e.StageFailed():
            now = replace(now, status="failed", ended=event.at, summary=event.message)
            view = replace(view, failure=f"{event.code}: {event.message}")
        case _:
            assert_never(event)
    stages = _of_round(view, position) | {position.stage: now}
    heading = view.heading
    if now.status in ("done", "reused"):
        onward = Position(round=position.round, stage=position.stage + 1, ordinal=position.ordinal)
        heading = Heading(onward, "first" if position.round == 1 and position.ordinal == 1 else "revised")
    if now.status == "failed":  # going on is a new instance: the journalled replies of this one led to the failure
        again = Position(round=position.round, stage=position.stage, ordinal=position.ordinal + 1)
        heading = Heading(again, "resumed", entry=True)
    instances = {**view.instances, str(position): now}
    return replace(view, position=position, heading=heading, stages=stages, instances=instances)


def _round_closed(view: RunView, event: e.RoundClosed) -> RunView:
    ordinal = view.position.ordinal if view.position else 1
    view = replace(view, rounds=(*view.rounds, event))
    if event.entry is None:
        return replace(view, heading=Heading(Position(round=event.round, stage=21, ordinal=ordinal), "first"))
    view = replace(view, heading=Heading(Position(round=event.round + 1, stage=event.entry), "routed", entry=True))
    if not event.pivot:
        return view
    here = Position(round=event.round, stage=20, ordinal=ordinal)
    left = e.WentBack(at=event.at, position=here, target=event.entry, why="pivot", reason=event.why)
    return replace(view, pivots=view.pivots + 1, ways_back=(*view.ways_back, left))


def _input_hash(view: RunView, source: Position) -> str:
    instance = view.instances.get(str(source))
    return instance.input_hash if instance else ""


def _of_round(view: RunView, position: Position) -> dict[int, StageView]:
    """The stages as shown from `position` on: those from it on are waiting again after a way back."""
    before = view.position
    if before and (before.round, before.ordinal) != (position.round, position.ordinal):
        return {n: s for n, s in view.stages.items() if n < position.stage}
    return dict(view.stages)


def _went_back(view: RunView, event: e.WentBack) -> RunView:
    here = event.position
    ordinals = [i.position.ordinal for i in view.instances.values() if i.position and i.position.round == here.round]
    target = Position(round=here.round, stage=event.target, ordinal=max([here.ordinal, *ordinals]) + 1)
    because: e.EnterReason = "repair" if event.why == "citation-repair" else "revised"
    view = replace(view, heading=Heading(target, because, entry=True), pause=None, ways_back=(*view.ways_back, event))
    if event.why == "pivot":
        return replace(view, pivots=view.pivots + 1, refines=0)
    if event.why == "refine":
        return replace(view, refines=view.refines + 1)
    return view


def _call(view: RunView, event: e.CallIntended | e.CallReplied | e.CallFailed) -> RunView:
    s, before = view.spending, view.spending.reserved_usd
    match event:
        case e.CallIntended():
            lost, s = (event.path,) if event.path in s.in_flight else (), _landed(s, event.path)
            reserves = (*s.reserves, event.reserved_usd)
            s = replace(s, in_flight=(*s.in_flight, event.path), reserves=reserves, reserved_usd=sum(reserves),
                        lost=(*s.lost, *lost), usd=s.usd + (before - sum(s.reserves) if lost else 0.0))  # fmt: skip
            return replace(view, spending=s)
        case e.CallReplied():
            s = replace(_landed(s, event.path), calls=s.calls + 1, tokens_in=s.tokens_in + event.tokens_in,
                        tokens_out=s.tokens_out + event.tokens_out, usd=s.usd + event.cost_usd)  # fmt: skip
            return replace(view, spending=s, families={**view.families, event.role: event.family})
        case e.CallFailed():
            s = replace(_landed(s, event.path), failures=s.failures + 1, usd=s.usd + event.cost_usd)
            return replace(view, spending=s)
        case _:
            assert_never(event)


def _landed(s: Spending, path: str) -> Spending:
    """One call less in flight, with its reserve."""
    paths, reserves = list(s.in_flight), list(s.reserves)
    if path in paths:
        at = paths.index(CallPath(path))
        del paths[at], reserves[at]
    return replace(s, in_flight=tuple(paths), reserves=tuple(reserves), reserved_usd=sum(reserves))


def _planned(view: RunView, event: e.JobsPlanned) -> RunView:
    key, number = str(event.position), event.position.stage
    if (instance := view.instances.get(key)) is None:
        return view
    now = replace(instance, jobs_planned=event.total)
    shown = {number: now} if view.stages.get(number) == instance else {}
    return replace(view, instances={**view.instances, key: now}, stages={**view.stages, **shown})


def _job(view: RunView, event: e.JobsPlanned | e.JobStarted | e.JobFinished) -> RunView:
    match event:
        case e.JobsPlanned():
            return _planned(view, event)
        case e.JobStarted():
            spec = event.job
            job = JobView(spec.id, spec.kind, spec.condition or "", spec.seed, event.position, event.handle, event.at)
            return replace(view, jobs={**view.jobs, spec.id: job})
        case e.JobFinished():
            known = view.jobs.get(event.job)
            if known is None:
                return view
            ended = replace(known, receipt=event.receipt, signature=event.signature)
            return replace(view, jobs={**view.jobs, event.job: ended})
        case _:
            assert_never(event)


def _stale(view: RunView, edited: tuple[str, ...]) -> dict[int, StageView]:
    """The stages, those marked whose declared inputs a person changed after they ran."""
    stages = dict(view.stages)
    for number, known in view.stages.items():
        if known.status in ("done", "reused") and any(reads(stage(number), path) for path in edited):
            stages[number] = replace(known, stale=True)
    return stages
