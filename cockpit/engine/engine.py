"""What comes next: the loop over stages, ways back, rounds, pauses, the end.

Belongs here: decisions about order, each read off the view, so that a resumed run decides the same.
Not here: a stage's inside (`part.py`), commands (`controls.py`), recovery (`recovery.py`).
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cockpit.engine import ballast, outputs
from cockpit.engine.part import House, StagePart, enter, reusable, reuse
from cockpit.engine.people import People
from cockpit.engine.recorder import unfinished
from cockpit.journal.history import GitFailed
from cockpit.kernel import commands as c
from cockpit.kernel import events as e
from cockpit.kernel.exits import EXIT_OF, CockpitError, Exit, Outcome
from cockpit.kernel.ids import Instant, Part, Position
from cockpit.kernel.levels import PAUSES, PIVOTS_A_RUN, REFINES_A_LINE
from cockpit.kernel.protocols import Route, Tree
from cockpit.kernel.stages import STAGES, Stage, stage
from cockpit.kernel.view import Heading, RunView

LAST = STAGES[-1].number


@dataclass(frozen=True, slots=True)
class Ending:
    """How the engine came to rest."""

    code: int
    why: str
    finished: bool


class Engine:
    """Flies one run. All methods run on the engine's loop; `post` may be called from any thread."""

    def __init__(self, house: House, people: People, recovered: Sequence[str] = (),
                 resumed: bool = False, changes: Mapping[str, str] | None = None) -> None:  # fmt: skip
        self._house, self._people = house, people
        self._recovered, self._resumed, self._changes = tuple(recovered), resumed, dict(changes or {})
        self._working: asyncio.Task[None] | None = None
        self._stop_why = ""

    @property
    def view(self) -> RunView:
        return self._house.room.recorder.view

    def stop(self, why: str) -> None:
        """Stop soon: cancel what runs, leave a resumable run. Safe to repeat."""
        self._stop_why = self._stop_why or why
        if self._working is not None:
            self._working.cancel()

    async def fly(self) -> Ending:
        """Run until the run ends, waits for nobody, or is told to stop."""
        self._record(e.EngineStarted(at=self._now(), pid=os.getpid(), host=socket.gethostname(), resumed=self._resumed,
                                     recovered=self._recovered, changes=self._changes))  # fmt: skip
        self._working = asyncio.create_task(self._course(), name="course")
        self._people.begin(self.stop)
        try:
            await self._working
        except asyncio.CancelledError:
            if not self._stop_why:
                raise
            self._record(e.EngineStopped(at=self._now(), why=self._stop_why))
            return Ending(Exit.INTERRUPTED, self._stop_why, finished=False)
        except (OSError, GitFailed) as error:
            return self._no_ground(error)
        finally:
            await self._people.end()
        end = self.view.finished
        return Ending(end.exit_code if end else Exit.BUG, end.reason if end else "", finished=end is not None)

    def _no_ground(self, error: OSError | GitFailed) -> Ending:
        """The disk or git refused: nothing failed in the research, so nothing is recorded but that we stopped."""
        disk = ballast.is_full(error, self._house.room.folder)
        why = "the disk is full" if disk else f"cannot write the run: {error}"
        ballast.release(self._house.room.folder)
        with contextlib.suppress(OSError):
            self._record(e.EngineStopped(at=self._now(), why=why))
        return Ending(Exit.SPENT if disk else Exit.RUN_FOLDER, why, finished=False)

    async def _course(self) -> None:
        ballast.take(self._house.room.folder)
        await self._unfinished()
        while self.view.finished is None:
            await self._people.doors.clear()
            if self._end_due() is not None and await self._settled():
                await self._end()
            elif await self._settled():
                await self._next()

    async def _next(self) -> None:
        heading = self.view.heading
        assert heading is not None  # RunCreated is the first record and sets it
        await self._people.notice_edits(self._house)
        try:
            await self._stage(heading)
        except GitFailed:
            raise
        except CockpitError as error:
            await self._failed(heading.position, error)
        self._people.doors.stage_over()

    async def _stage(self, heading: Heading) -> None:
        of = stage(heading.position.stage)
        outputs.bring_back(self._house.history, self.view, of.number, self._house.tree)
        source = reusable(self._house, of, heading)
        if source is not None:
            await reuse(self._house, of, heading, source)
            return
        entered = enter(self._house, of, heading)
        await self._parts(of, entered, ())

    async def _parts(self, of: Stage, entered: e.StageEntered, done: tuple[Part, ...]) -> None:
        for part in of.parts:
            if part not in done:
                await StagePart(self._house, of, part, entered, self._base(of)).run()

    def _base(self, of: Stage) -> Tree | None:
        """Stages after the rounds read the round that is exported, from its tag."""
        last = self.view.rounds[-1] if self.view.rounds else None
        if of.number <= 20 or last is None or last.export_round in (None, last.round):
            return None
        return self._house.history.tree(f"round-{last.export_round}")

    async def _unfinished(self) -> None:
        """Go on with a stage that a crash cut off; its journalled replies serve again."""
        position = unfinished(self.view)
        entered = self._house.room.recorder.entered
        if position is None or entered is None:
            return
        of = stage(position.stage)
        instance = self.view.instances[str(position)]
        outputs.bring_back(self._house.history, self.view, of.number, self._house.tree)
        try:
            await self._parts(of, entered, instance.parts)
        except GitFailed:
            raise
        except CockpitError as error:
            await self._failed(position, error)
        self._people.doors.stage_over()

    async def _failed(self, position: Position, error: CockpitError) -> None:
        of = stage(position.stage)
        self._house.room.recorder.end_part()
        self._record(e.StageFailed(at=self._now(), position=position, code=of.code, message=error.what,
                                   exit_code=error.code))  # fmt: skip
        outcome: Outcome = "partial" if error.code == Exit.SPENT else "failed"
        if self._people.present and error.code != Exit.SPENT:
            await self._house.keeper.commit()
            self._pause(position, f"{of.code}: {error.what}", decision=False)
            await self._people.go_on()
            return
        await self._finish(outcome, str(error), code=error.code)

    async def _settled(self) -> bool:
        """Deal with what is due between the last stage and the next; False = look again."""
        position = self.view.position
        heading = self.view.heading
        if position is None or heading is None or heading.entry or not self._just_done(position):
            return True
        pivot = self._people.doors.take_pivot()
        if pivot is not None:
            return await self._go_back(position, pivot.target, "pivot", pivot.reason, pivot)
        if await self._decide_back(position) or await self._rerun_stale(position):
            return False
        if self._pause_due(position) and not await self._approved(position):
            return False
        if position.stage == 20 and not any(r.round == position.round for r in self.view.rounds):
            await self._close_round(position)
            return False
        return True

    def _just_done(self, position: Position) -> bool:
        instance = self.view.instances.get(str(position))
        return instance is not None and instance.status in ("done", "reused")

    async def _decide_back(self, position: Position) -> bool:
        """15's proposal to refine or pivot, within the counters."""
        instance = self.view.instances[str(position)]
        if position.stage != 15 or instance.go_back is None:
            return False
        why = "refine" if instance.go_back == 13 else "pivot"
        spent = self.view.refines >= REFINES_A_LINE if why == "refine" else self.view.pivots >= PIVOTS_A_RUN
        if spent:
            return False
        await self._go_back(position, instance.go_back, why, instance.go_back_why, None)
        return True

    async def _rerun_stale(self, position: Position) -> bool:
        """A person changed what a finished stage had read: rerun from it at once, or say so where one can decide."""
        stale = sorted(n for n, s in self.view.stages.items() if s.stale and n <= position.stage)
        if not stale:
            return False
        reason = f"stage {stale[0]} {stage(stale[0]).name} had read what a person changed since"
        if not self._people.present:
            await self._go_back(position, stale[0], "stale", reason, None)
            return True
        note = f"{reason}; `cockpit reject RUN --to {stale[0]} --why …` runs it again"
        if ("warning", note) not in self.view.notices:
            self._record(e.Noticed(at=self._now(), level="warning", text=note))
        return False

    async def _go_back(self, position: Position, target: int, why: str, reason: str, command: c.Command | None) -> bool:
        if why == "pivot":
            self._tag_pivot()
        by = command.by if command else None
        fact = {"at": self._now(), "position": position, "target": target, "why": why, "reason": reason, "by": by}
        self._record(e.WentBack.model_validate(fact))
        self._house.keeper.clear(self._house.tree, target)
        await self._house.keeper.commit()
        return False

    def _pause_due(self, position: Position) -> bool:
        settings = self._house.room.settings
        at = set(settings.custom_pauses) if settings.mode == "custom" else PAUSES[settings.mode]
        decided = any(d.position == position for d in self.view.decisions)
        return position.stage in at and not decided

    async def _approved(self, position: Position) -> bool:
        """A pause: wait for a person, or with `--auto` note it as pending and go on. False = look again."""
        if not self._people.present:
            note = f"{position.label} would have paused here for a person; went on"
            if ("info", note) not in self.view.notices:
                self._record(e.Noticed(at=self._now(), level="info", text=note))
            return True
        self._pause(position, f"{self._house.room.settings.mode} pauses after stage {position.stage}", decision=True)
        answer = await self._people.doors.decision()
        match answer:
            case c.Reject():
                self._decided("rejected", position, answer, answer.reason)
                target = answer.target or stage(position.stage).back
                return await self._go_back(position, target, "rejected", answer.reason, answer)
            case c.Pivot():
                self._decided("rejected", position, answer, answer.reason)
                return await self._go_back(position, answer.target, "pivot", answer.reason, answer)
            case _:
                self._decided("approved", position, answer, getattr(answer, "reason", ""))
        await self._people.doors.go_on(answer.by, step=isinstance(answer, c.Step))
        return False

    def _pause(self, position: Position, why: str, *, decision: bool) -> None:
        self._record(e.PauseReached(at=self._now(), position=position, why=why, decision=decision))

    def _decided(self, what: str, position: Position, command: c.Command, reason: str) -> None:
        fact = {"at": self._now(), "what": what, "position": position, "by": command.by, "reason": reason}
        self._record(e.Decided.model_validate(fact))

    async def _close_round(self, position: Position) -> None:
        """The pause after 20 is over: the verdict is computed once more, the round is tagged, work is routed."""
        judge = self._house.judge
        verdict = judge.decide(self._house.tree, self.view, self.view.score)
        route = judge.route(self.view, verdict, self.view.score)
        self._house.history.tag(f"round-{position.round}")
        if route.pivot:
            self._tag_pivot()
        score = self.view.score
        self._record(e.RoundClosed(
            at=self._now(), round=position.round, score=score.value if score else None, criticals=verdict.criticals,
            dimensions={str(k): v for k, v in score.dimensions.items()} if score else {}, entry=route.entry,
            why=route.why, stale=route.stale, pivot=route.pivot, outcome=route.outcome, export_round=route.export_round,
        ))  # fmt: skip
        if route.entry is not None:
            self._house.keeper.clear(self._house.tree, route.entry)
        await self._house.keeper.commit()

    def _tag_pivot(self) -> None:
        """The commit so far keeps a name, before work leaves it."""
        self._house.history.tag(f"pivot-{self.view.pivots + 1}")

    def _end_due(self) -> Route | None:
        heading, until = self.view.heading, self._house.room.settings.until_stage
        if heading is None:
            return None
        if until is not None and heading.position.stage > until and not heading.entry:
            return Route(entry=None, outcome="until", why=f"stage {until} {stage(until).name} is done, as asked")
        if heading.position.stage > LAST:
            last = self.view.rounds[-1]
            return Route(entry=None, outcome=last.outcome, why=last.why)
        return None

    async def _end(self) -> None:
        due = self._end_due()
        assert due is not None
        outcome = self._final_word(due)
        await self._finish(outcome, due.why)
        if outcome not in ("blocked", "failed", "until"):
            self._house.history.tag("final")

    def _final_word(self, due: Route) -> Outcome:
        if due.outcome == "until":
            return "until"
        status = (
            self._house.tree.read("final/STATUS").decode().strip() if self._house.tree.exists("final/STATUS") else ""
        )
        outcome: Outcome = "blocked"
        for known in EXIT_OF:
            if known == status:
                outcome = known
        return outcome

    async def _finish(self, outcome: Outcome, reason: str, *, code: int | None = None) -> None:
        folder = self._house.room.folder.root.name
        hints = {"partial": f"cockpit resume {folder} --budget +5", "failed": f"cockpit resume {folder}",
                 "blocked": f"cockpit gate {folder}", "pending": f"cockpit gate {folder} --ack"}  # fmt: skip
        self._record(e.RunFinished(
            at=self._now(), outcome=outcome, exit_code=int(EXIT_OF[outcome] if code is None else code),
            cost_usd=self.view.spending.usd, reason=reason, next=hints.get(outcome, f"cockpit log {folder}"),
        ))  # fmt: skip
        await self._house.keeper.commit()

    def _record(self, event: e.AnyEvent) -> None:
        self._house.room.recorder.record(event)

    def _now(self) -> Instant:
        return self._house.room.clock.now()
