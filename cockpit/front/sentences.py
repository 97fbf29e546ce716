"""One line a fact, for people who read a log.

Belongs here: a case for every kind of event. Not here: printing (`headless.py`), screens.
"""

from __future__ import annotations

from typing import assert_never

from cockpit.kernel import events as e
from cockpit.kernel.ids import Position
from cockpit.kernel.stages import BY_NUMBER
from cockpit.kernel.view import RunView
from panes.text import clean, crop

TURN_CELLS = 160  # of what somebody said


def line_of(event: e.AnyEvent, view: RunView) -> str:
    """`18:22:07  r1 s12  experiment_run: 25 of 25 jobs finished`; `view` is the run after `event`."""
    position = getattr(event, "position", None)
    place = position.label if isinstance(position, Position) else ""
    return f"{event.at[11:19]}  {place:<6}  {clean(words_of(event, view))}"


def words_of(event: e.AnyEvent, view: RunView) -> str:
    """What happened, as a sentence without time and place."""
    match event:
        case e.StageEntered() | e.StageReused() | e.StageDone() | e.StageFailed():
            return _stage(event)
        case e.CallIntended() | e.CallReplied() | e.CallFailed() | e.EffectRecorded() | e.TurnSpoken():
            return _call(event)
        case (
            e.JobsPlanned() | e.JobStarted() | e.JobFinished() | e.RepairMade() | e.PlanFrozen() | e.ResultsSeen()
        ):  # fmt: skip
            return _job(event)
        case (
            e.AuditRan() | e.ReviewReceived() | e.VerificationReceived() | e.GateJudged() | e.RoundClosed()
            | e.WentBack()
        ):  # fmt: skip
            return _judgement(event, view)
        case e.GuidanceGiven() | e.ControlChanged() | e.PauseReached() | e.Decided() | e.PersonEdited():
            return _person(event)
        case (
            e.RunCreated() | e.EngineStarted() | e.EngineStopped() | e.Noticed() | e.CommitMade() | e.RunFinished()
        ):  # fmt: skip
            return _run(event)
        case _:
            return _ledger(event, view)


def _run(
    event: e.RunCreated | e.EngineStarted | e.EngineStopped | e.Noticed | e.CommitMade | e.RunFinished,
) -> str:
    match event:
        case e.RunCreated():
            rehearsal = ", REHEARSAL" if event.settings.rehearsal.on else ""
            return (
                f"run {event.run} created: {event.settings.effort}, {event.sandbox}{rehearsal}{_listed(event.notices)}"
            )
        case e.EngineStarted():
            how = "took the run up again" if event.resumed else "started"
            return f"cockpit {how} (pid {event.pid}){_listed(event.recovered)}"
        case e.EngineStopped():
            return f"cockpit let go of the run: {event.why}"
        case e.Noticed():
            return f"{event.level}: {event.text}"
        case e.CommitMade():
            return f"commit {event.commit[:8]} {event.subject}{f' (tag {event.tag})' if event.tag else ''}"
        case e.RunFinished():
            return f"finished: {event.outcome} (exit {event.exit_code}, ${event.cost_usd:.2f}): {event.reason}"


def _listed(items: tuple[str, ...]) -> str:
    return f": {', '.join(items)}" if items else ""


def _stage(event: e.StageEntered | e.StageReused | e.StageDone | e.StageFailed) -> str:
    name = BY_NUMBER[event.position.stage].name
    match event:
        case e.StageEntered():
            return f"{name} entered ({event.because})"
        case e.StageReused():
            return f"{name} unchanged since {event.source.label}"
        case e.StageDone():
            part = "" if event.part == "whole" else f" ({event.part})"
            return f"{name}{part}: {event.summary}"
        case e.StageFailed():
            return f"{name} failed, {event.code}: {event.message}"


def _call(event: e.CallIntended | e.CallReplied | e.CallFailed | e.EffectRecorded | e.TurnSpoken) -> str:
    match event:
        case e.EffectRecorded():
            return f"{event.what} {event.path} recorded"
        case e.TurnSpoken():
            return f"{event.speaker} ({event.family}): {crop(' '.join(event.text.split()), TURN_CELLS)}"
        case e.CallIntended():
            return f"asks {event.model} ({event.role}) for {event.path}, attempt {event.attempt}"
        case e.CallReplied():
            tokens = f"{event.tokens_in}+{event.tokens_out} tokens"
            return (
                f"{event.reported_model} replied to {event.path}: {tokens}, ${event.cost_usd:.4f}, {event.took_s:.1f} s"
            )
        case e.CallFailed():
            return f"call {event.path} failed ({event.fault}): {event.message}"


def _job(
    event: e.JobsPlanned | e.JobStarted | e.JobFinished | e.RepairMade | e.PlanFrozen | e.ResultsSeen,
) -> str:
    match event:
        case e.JobsPlanned():
            return f"{event.total} {'job' if event.total == 1 else 'jobs'} planned"
        case e.PlanFrozen():
            return f"plan v{event.version} frozen ({event.sha256[:12]}){f': {event.reason}' if event.reason else ''}"
        case e.ResultsSeen():
            return f"results of block {event.block} were read, plan v{event.plan_version}"
        case e.JobStarted():
            return f"job {event.job.id} started ({event.job.kind})"
        case e.JobFinished():
            code = "" if event.receipt.exit_code is None else f", exit {event.receipt.exit_code}"
            why = f": {event.signature}" if event.signature else ""
            return f"job {event.job} {event.receipt.reason}{code} in {event.receipt.usage.wall_s:.1f} s{why}"
        case e.RepairMade():
            return f"repair {event.attempt} ({event.strategy}) of {', '.join(event.files)} after {event.signature}"


def _judgement(
    event: e.AuditRan | e.ReviewReceived | e.VerificationReceived | e.GateJudged | e.RoundClosed | e.WentBack,
    view: RunView,
) -> str:
    match event:
        case e.AuditRan():
            reason = f" ({event.run.reason})" if event.run.reason else ""
            return f"audit {event.run.auditor}: {event.run.verdict}{reason}, {event.run.findings} findings"
        case e.ReviewReceived():
            review = event.review
            return (f"{review.purpose} review by {review.reviewer}: acceptance {review.acceptance_probability:.2f}, "
                    f"{len(review.weaknesses)} points")  # fmt: skip
        case e.VerificationReceived():
            found = event.verification
            known = view.ledger.obligations.get(found.obligation)
            name = f"#{known.number}" if known else found.obligation
            return f"verification of {name}, part {found.part + 1}: {found.met}"
        case e.GateJudged():
            score = "no score" if event.score.value is None else f"score {event.score.value:.2f}"
            counts = f"{event.verdict.criticals} critical, {event.verdict.majors} major"
            return f"gate {event.verdict.outcome}: {counts}, {score}"
        case e.RoundClosed():
            score = "no score" if event.score is None else f"score {event.score:.2f}"
            onward = f"round {event.round + 1} enters at s{event.entry:02}" if event.entry else "no further round"
            return f"round {event.round} closed, {score}; {onward}: {event.why}"
        case e.WentBack():
            return f"went back to s{event.target:02} ({event.why}): {event.reason}"


def _ledger(event: e.LedgerEvent, view: RunView) -> str:  # noqa: PLR0911 - one case a kind of event
    if isinstance(event, e.ObligationOpened):
        finding = event.obligation.finding
        place = f" at {finding.spans[0]}" if finding.spans else ""
        name = f"obligation #{event.obligation.number}"
        return f"{name} opened ({finding.severity}, {finding.auditor}): {finding.title}{place}"
    known = view.ledger.obligations.get(event.fingerprint)
    name = f"obligation #{known.number}" if known else f"obligation {event.fingerprint}"
    match event:
        case e.ObligationSeen():
            return f"{name} reported again ({event.severity})"
        case e.ObligationDisappeared():
            return f"{name} vanished from a report; it stays open"
        case e.ObligationReappeared():
            return f"{name} is back in a report"
        case e.PartProvisionallyMet():
            return f"{name}, part {event.part + 1} provisionally met, by {event.closer}; it stays open"
        case e.PartClosed():
            return f"{name}, part {event.part + 1} closed by {event.closer}: {event.fix}"
        case e.ObligationWaived():
            return f"{name} waived by {event.by.user}: {event.why}"
        case e.ObligationSuperseded():
            return f"{name} superseded: {event.why}"
        case e.ObligationReopened():
            return f"{name} opened again: {event.why}"
        case _:
            assert_never(event)


def _person(event: e.GuidanceGiven | e.ControlChanged | e.PauseReached | e.Decided | e.PersonEdited) -> str:
    match event:
        case e.GuidanceGiven():
            return f"{event.by.user} guides from s{event.stage:02} on: {event.text}"
        case e.ControlChanged():
            by = f" by {event.by.user}" if event.by else ""
            return f"{event.control}{by}{f': {event.why}' if event.why else ''}"
        case e.PauseReached():
            return f"waits for {'a decision' if event.decision else 'a person'}: {event.why}"
        case e.Decided():
            return f"{event.what} by {event.by.user}{f': {event.reason}' if event.reason else ''}"
        case e.PersonEdited():
            return f"{event.by.user} edited {', '.join(event.paths)}"
