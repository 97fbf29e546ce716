"""People at a run: their commands, from a face or from files, and their hands in the folder.

Belongs here: obeying commands, the control folder, foreign edits. Not here: what a decision leads to
(`engine.py`). Commands that clear something count only from a face (a terminal's confirmation) or with the
token; from a file without it they are recorded as requests.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from cockpit.engine.controls import Controls
from cockpit.engine.recorder import Recorder
from cockpit.kernel import commands as c
from cockpit.kernel import events as e
from cockpit.kernel.exits import CockpitError
from cockpit.kernel.findings import Evidence, Obligation
from cockpit.kernel.ids import Actor, Position, Sha256
from cockpit.kernel.model import sha256
from cockpit.kernel.protocols import Clock, Judge
from cockpit.kernel.stages import BY_NUMBER

if TYPE_CHECKING:
    from cockpit.engine.part import House

LOOK_S = 0.4  # between looks into the control folder: a command acts within a second


class People:
    """Obeys. `present` = somebody may answer a pause (a cockpit is open, not `--auto`)."""

    def __init__(self, doors: Controls, recorder: Recorder, judge: Judge, clock: Clock, control: Path, *,
                 present: bool, token: str) -> None:  # fmt: skip
        self.doors, self.present, self._judge = doors, present, judge
        self._recorder, self._clock, self._control, self._token = recorder, clock, control, token
        self._queue: asyncio.Queue[tuple[c.AnyCommand, bool]] = asyncio.Queue()
        self._tasks: list[asyncio.Task[None]] = []
        self._stop: Callable[[str], None] = lambda why: None

    def begin(self, stop: Callable[[str], None]) -> None:
        """Start obeying; `stop` ends the engine."""
        self._stop = stop
        self._tasks = [asyncio.create_task(self._obey_all(), name="obey"),
                       asyncio.create_task(self._watch(), name="control folder")]  # fmt: skip

    async def end(self) -> None:
        """Stop obeying."""
        for task in self._tasks:
            task.cancel()
        for task in self._tasks:
            with contextlib.suppress(asyncio.CancelledError):
                await task

    def post(self, command: c.AnyCommand, *, trusted: bool = True) -> None:
        """Hand over a command (engine's loop). `trusted` = confirmed at this process's own terminal."""
        self._queue.put_nowait((command, trusted))

    async def _obey_all(self) -> None:
        while True:
            command, trusted = await self._queue.get()
            await self._obey(command, trusted)

    async def _watch(self) -> None:
        while True:
            for path in sorted(self._control.glob("*.json")) if self._control.is_dir() else []:
                self._take_file(path)
            await asyncio.sleep(LOOK_S)

    def _take_file(self, path: Path) -> None:
        try:
            command = c.read_command(path.read_bytes())
        except (ValidationError, OSError) as error:
            note = f"control file {path.name} is not a command: {type(error).__name__}"
            self._recorder.record(e.Noticed(at=self._clock.now(), level="warning", text=note))
            path.rename(path.with_suffix(".refused"))
            return
        path.unlink(missing_ok=True)
        trusted = bool(self._token) and hmac.compare_digest(command.token, self._token)
        self.post(command, trusted=trusted)

    async def _obey(self, command: c.AnyCommand, trusted: bool) -> None:
        if command.verb in c.CLEARING and not trusted:
            reason = f"{command.verb} by file without token: a request, clears nothing"
            self._decided("requested", command, reason)
            return
        match command:
            case c.Quiesce():
                self.doors.quiesce(command.by, command.why)
            case c.Hold():
                await self.doors.hold(command.by, command.why)
            case c.Continue() | c.Step():
                await self._go_on(command)
            case c.Approve() | c.Reject() | c.Pivot():
                await self._answer(command)
            case c.Guide():
                await self._guide(command)
            case c.Abort():
                self._stop(f"aborted by {command.by.user}: {command.why}".rstrip(": "))
            case _:
                self._note_down(command)

    def _note_down(self, command: c.SignOff | c.Acknowledge | c.Waive | c.Resolve) -> None:
        match command:
            case c.SignOff():
                self._decided("signed-off", command, command.reason)
            case c.Acknowledge():
                self._decided("acknowledged", command, command.reason)
            case c.Waive() | c.Resolve():
                clear_by_hand(command, self._recorder, self._judge, self._clock, self._control.parent.parent)

    async def _go_on(self, command: c.Continue | c.Step) -> None:
        if self._recorder.view.pause is not None:
            self.doors.answer(command)
        else:
            await self.doors.go_on(command.by, step=isinstance(command, c.Step))

    async def _answer(self, command: c.Approve | c.Reject | c.Pivot) -> None:
        waiting = self._recorder.view.pause is not None
        if waiting or isinstance(command, c.Pivot):
            self.doors.answer(command)
            if not waiting and not self.doors.is_open:
                await self.doors.go_on(command.by)
            return
        note = f"{command.verb} by {command.by.user}: no pause waits for it"
        self._recorder.record(e.Noticed(at=self._clock.now(), level="warning", text=note))

    async def _guide(self, command: c.Guide) -> None:
        view = self._recorder.view
        stage = command.stage or (view.position.stage + 1 if view.position else 1)
        fact = e.GuidanceGiven(at=self._clock.now(), stage=stage, text=command.text, by=command.by)
        self._recorder.record(fact)

    def _decided(self, what: str, command: c.AnyCommand, reason: str) -> None:
        fact = {"at": self._clock.now(), "what": what, "by": command.by, "reason": reason}
        self._recorder.record(e.Decided.model_validate(fact))

    async def go_on(self) -> None:
        """Wait until somebody says continue (or answers with anything)."""
        answer = await self.doors.decision()
        await self.doors.go_on(answer.by)

    async def notice_edits(self, house: House) -> None:
        """Commit what a person changed by hand as that person's; nothing is overwritten."""
        paths = await asyncio.to_thread(house.history.dirty)
        if not paths:
            return
        by = Actor(user="a person")
        self._recorder.record(e.PersonEdited(at=self._clock.now(), paths=tuple(sorted(paths)), by=by))
        await house.keeper.commit(author=by.user, everything=True)


def clear_by_hand(command: c.Waive | c.Resolve, recorder: Recorder, judge: Judge, clock: Clock, root: Path) -> str:
    """Record a person's waiver or resolution, if the judge lets them; returns a sentence about it.

    What they may not do, and mistakes, are recorded as notices and clear nothing.
    """
    at = clock.now()
    obligation = recorder.view.ledger.numbered(command.obligation)
    position = recorder.view.position or Position(round=1, stage=1)
    if obligation is None or not obligation.is_open:
        problem = f"{command.verb}: no open obligation is called {command.obligation}"
    else:
        problem = _why_not(command, obligation, judge, root)
    if problem or obligation is None:
        recorder.record(e.Noticed(at=at, level="warning", text=problem))
        return problem
    if isinstance(command, c.Waive):
        recorder.record(e.ObligationWaived(at=at, position=position, fingerprint=obligation.fingerprint, by=command.by,
                                           why=command.why))  # fmt: skip
        return f"#{obligation.number} waived by {command.by.user}; it stays in the checklist"
    digest = Sha256(sha256((root / command.evidence).read_bytes()))
    evidence = Evidence(path=command.evidence, sha256=digest, position=position, note=command.why)
    recorder.record(e.PartClosed(at=at, position=position, fingerprint=obligation.fingerprint, part=command.part,
                                 fix=command.fix, closer=f"person:{command.by.user}", evidence=(evidence,),
                                 note=command.why))  # fmt: skip
    return f"#{obligation.number} part {command.part} closed by {command.by.user}"


def _why_not(command: c.Waive | c.Resolve, obligation: Obligation, judge: Judge, root: Path) -> str:
    if isinstance(command, c.Waive):
        refused = judge.refusal("waive", obligation)
    else:
        refused = judge.refusal("refute" if command.fix == "finding-refuted" else "close", obligation)
    if refused:
        return f"{command.verb}: #{obligation.number} stays open; {refused}"
    if isinstance(command, c.Waive):
        return ""
    if not 0 <= command.part < len(obligation.parts):
        return f"resolve: obligation #{obligation.number} has no part {command.part + 1}"
    evidence = (root / command.evidence).resolve()
    if not (evidence.is_relative_to(root.resolve()) and evidence.is_file()):
        return f"resolve: the evidence {command.evidence} is not a file of the run"
    return ""


def record_for_later(command: c.AnyCommand, recorder: Recorder, judge: Judge, clock: Clock, root: Path) -> str:
    """Record a command on a run that nobody flies, for whoever resumes it; returns a sentence about it."""
    at, view = clock.now(), recorder.view
    match command:
        case c.Waive() | c.Resolve():
            return clear_by_hand(command, recorder, judge, clock, root)
        case c.Guide():
            stage = command.stage or (view.heading.position.stage if view.heading else 1)
            recorder.record(e.GuidanceGiven(at=at, stage=stage, text=command.text, by=command.by))
            return f"guidance noted for stage {stage} and later"
        case c.Approve() | c.Reject() | c.Pivot():
            return _answer_for_later(command, recorder, clock)
        case c.SignOff():
            recorder.record(e.Decided(at=at, what="signed-off", by=command.by, reason=command.reason))
            return f"signed off by {command.by.user}"
        case c.Acknowledge():
            recorder.record(e.Decided(at=at, what="acknowledged", by=command.by, reason=command.reason))
            return f"WARNs acknowledged by {command.by.user}"
        case _:
            recorder.record(e.Noticed(at=at, level="info", text=f"{command.verb} by {command.by.user}: nothing flies"))
            return f"{command.verb}: nothing is flying"


def _answer_for_later(command: c.Approve | c.Reject | c.Pivot, recorder: Recorder, clock: Clock) -> str:
    at, view = clock.now(), recorder.view
    position = view.pause.position if view.pause else view.position
    if position is None:
        raise CockpitError("the run has done no stage yet", hint="`cockpit resume RUN` starts it.")
    if isinstance(command, c.Approve):
        recorder.record(e.Decided(at=at, what="approved", position=position, by=command.by, reason=command.reason))
        return f"{position.label} approved"
    target = command.target or BY_NUMBER[position.stage].back
    why = "pivot" if isinstance(command, c.Pivot) else "rejected"
    recorder.record(e.Decided(at=at, what="rejected", position=position, by=command.by, reason=command.reason))
    fact = {"at": at, "position": position, "target": target, "why": why, "reason": command.reason, "by": command.by}
    recorder.record(e.WentBack.model_validate(fact))
    return f"{position.label} goes back to stage {target} {BY_NUMBER[target].name}."
