"""People at a run: pauses, steps, rejections, edits by hand, commands as files, a full disk."""

from __future__ import annotations

import asyncio
import os
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from cockpit.commission import load
from cockpit.inspection import faults
from cockpit.journal.history import History
from cockpit.journal.places import RunFolder
from cockpit.journal.segments import read_journal
from cockpit.kernel import commands as c
from cockpit.kernel import events as e
from cockpit.kernel.hints import Hint
from cockpit.kernel.ids import Actor, Seq
from cockpit.kernel.protocols import Desk, StageReport
from cockpit.kernel.view import RunView
from cockpit.launch import Flight
from cockpit.steer import deliver
from tests.engine.scripted import ScriptedWorkers, flight, new_run

ME = Actor(user="ada", terminal="pts/1", host="here")


class Watching:
    """A face that lets a test wait for a state of the run."""

    def __init__(self) -> None:
        self.view = RunView()
        self._changed = threading.Condition()

    def facts(self, view: RunView, events: Sequence[tuple[Seq, e.AnyEvent]]) -> None:
        with self._changed:
            self.view = view
            self._changed.notify_all()

    def hint(self, hint: Hint) -> None:
        del hint

    def wait(self, holds: Callable[[RunView], bool]) -> RunView:
        with self._changed:
            assert self._changed.wait_for(lambda: holds(self.view), 30), self.view.control
            return self.view


def paused_at(stage: int) -> Callable[[RunView], bool]:
    return lambda view: view.pause is not None and view.pause.position.stage == stage


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[tuple[RunFolder, Flight, Watching]]:
    folder, face = new_run(tmp_path, mode="gate-only", auto=False), Watching()
    flying = flight(folder, face=face, present=True).start()
    yield folder, flying, face
    flying.stop("test over")
    flying.join(20)


def test_it_pauses_at_its_gates_and_goes_on_when_approved(watched: tuple[RunFolder, Flight, Watching]) -> None:
    folder, flying, face = watched
    face.wait(paused_at(5))
    flying.post(c.Approve(by=ME, reason="enough papers"))
    face.wait(paused_at(9))
    said = [r.event for r in read_journal(folder.cockpit) if isinstance(r.event, e.Decided)]
    assert [(d.what, d.by.user, d.reason) for d in said] == [("approved", "ada", "enough papers")]


def test_a_rejection_goes_back_with_its_reason(watched: tuple[RunFolder, Flight, Watching]) -> None:
    folder, flying, face = watched
    face.wait(paused_at(5))
    flying.post(c.Reject(by=ME, reason="too narrow"))
    view = face.wait(lambda v: v.pause is not None and v.pause.position.ordinal == 2)
    assert view.ways_back[-1].reason == "too narrow"
    subjects = History(folder.root).git("log", "--format=%s").splitlines()
    assert "r1 s05 back to literature_collect: rejected, too narrow" in subjects


def test_a_command_from_another_terminal_acts_within_a_second(watched: tuple[RunFolder, Flight, Watching]) -> None:
    folder, _flying, face = watched
    face.wait(paused_at(5))
    start = time.monotonic()
    assert "handed to the cockpit" in deliver(folder, c.Guide(by=ME, text="medians too"))
    view = face.wait(lambda v: bool(v.guidance))
    assert time.monotonic() - start < 1.5
    assert (view.guidance[0].text, view.guidance[0].stage) == ("medians too", 6)


def test_clearing_by_file_needs_the_token(watched: tuple[RunFolder, Flight, Watching]) -> None:
    folder, _flying, face = watched
    face.wait(paused_at(5))
    (folder.control / "x.json").write_text(c.Approve(by=ME, token="guessed").model_dump_json())
    view = face.wait(lambda v: bool(v.decisions))
    assert view.decisions[-1].what == "requested"
    assert view.pause is not None


def test_a_hand_in_the_folder_is_committed_as_that_persons(watched: tuple[RunFolder, Flight, Watching]) -> None:
    folder, flying, face = watched
    face.wait(paused_at(5))
    goal = folder.root / "01_idea_analysis/artifacts/goal.md"
    goal.write_text("a better goal\n")
    flying.post(c.Approve(by=ME))
    face.wait(paused_at(9))
    log = History(folder.root).git("log", "--format=%an|%s").splitlines()
    assert [line for line in log if "edited" in line] == ["a person|a person edited 01_idea_analysis/artifacts/goal.md"]
    assert goal.read_text() == "a better goal\n"


def test_step_does_one_stage(tmp_path: Path) -> None:
    folder, face = new_run(tmp_path, mode="full-auto", auto=False), Watching()
    workers = Gate(3)
    flying = flight(folder, workers, face=face, present=True).start()
    assert workers.reached.wait(30)
    flying.post(c.Quiesce(by=ME, why="look"))
    face.wait(lambda v: v.control in ("quiescing", "paused"))
    workers.go.set()
    face.wait(lambda v: v.control == "paused")
    flying.post(c.Step(by=ME))
    view = face.wait(lambda v: v.control == "paused" and v.position is not None and v.stages[3].status == "done")
    assert view.position is not None
    assert view.position.stage == 3
    flying.stop("test over")
    flying.join(20)
    assert flying.exit_code == 130


def test_a_rejection_is_heard_by_the_stages_that_it_sends_back(tmp_path: Path) -> None:
    folder, face = new_run(tmp_path, mode="gate-only", auto=False), Watching()
    workers = Listening()
    flying = flight(folder, workers, face=face, present=True).start()
    face.wait(paused_at(5))
    flying.post(c.Reject(by=ME, reason="too narrow"))
    face.wait(lambda v: v.pause is not None and v.pause.position.ordinal == 2)
    flying.post(c.Approve(by=ME))
    face.wait(paused_at(9))
    assert [heard for heard in workers.heard if heard[1]] == [
        (4, ("Stage 5 was rejected: too narrow",)),
        (5, ("Stage 5 was rejected: too narrow",)),
    ]
    flying.stop("test over")
    flying.join(20)


class Listening(ScriptedWorkers):
    """Notes what advice each stage gets."""

    def __init__(self) -> None:
        super().__init__()
        self.heard: list[tuple[int, tuple[str, ...]]] = []

    async def work(self, desk: Desk) -> StageReport:
        self.heard.append((desk.stage.number, tuple(g.text for g in desk.guidance)))
        return await super().work(desk)


def test_a_step_asked_for_while_a_stage_is_being_committed_does_the_next_one(tmp_path: Path) -> None:
    folder, face = new_run(tmp_path, mode="full-auto", auto=False), AtTheEndOf(3)
    flying = flight(folder, face=face, present=True)
    face.post = flying.post
    flying.start()
    view = face.wait(lambda v: v.control == "paused" and bool(v.stages.get(4)) and v.stages[4].status == "done")
    assert 5 not in view.stages
    flying.stop("test over")
    flying.join(20)


class AtTheEndOf(Watching):
    """Pauses and steps at the very moment a stage is recorded as done, before its commit."""

    def __init__(self, stage: int) -> None:
        super().__init__()
        self._stage = stage
        self.post: Callable[[c.AnyCommand], None] = lambda command: None

    def facts(self, view: RunView, events: Sequence[tuple[Seq, e.AnyEvent]]) -> None:
        super().facts(view, events)
        if any(isinstance(event, e.StageDone) and event.position.stage == self._stage for _, event in events):
            self.post(c.Quiesce(by=ME))
            self.post(c.Step(by=ME))


class Gate(ScriptedWorkers):
    """Waits before one stage until the test says go."""

    def __init__(self, stage: int) -> None:
        super().__init__()
        self._stage, self.reached, self.go = stage, threading.Event(), threading.Event()

    async def work(self, desk: Desk) -> StageReport:
        if desk.stage.number == self._stage:
            self.reached.set()
            assert await asyncio.to_thread(self.go.wait, 30)
        return await super().work(desk)


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting a tmpfs needs root")
def test_a_full_disk_stops_the_run_and_loses_nothing(tmp_path: Path) -> None:
    place = tmp_path / "small"
    place.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(place)], check=True)
    try:
        folder = new_run(place)
        flying = flight(folder).start()
        flying.join(60)
        assert flying.error is None
        assert flying.exit_code == 5
        assert flying.ending is not None
        assert flying.ending.why == "the disk is full"
        subprocess.run(["mount", "-o", "remount,size=64m", str(place)], check=True)
        again = flight(folder).start()
        again.join(60)
        assert (again.error, again.exit_code) == (None, 0)
        assert History(folder.root).dirty() == []
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


def test_a_stage_that_had_read_what_was_changed_by_hand_runs_again(tmp_path: Path) -> None:
    folder = new_run(tmp_path, until_stage=6)
    hand = Hand(5, folder.root / "01_idea_analysis/artifacts/goal.md")
    flying = flight(folder, hand).start()
    flying.join(60)
    assert (flying.error, flying.exit_code) == (None, 0)
    assert [(w.target, w.why) for w in flying.view.ways_back] == [(2, "stale")]
    assert "by hand" in hand.goal.read_text()
    assert not any(s.stale for s in flying.view.stages.values())


class Hand(ScriptedWorkers):
    """A person changes a file while one stage works."""

    def __init__(self, stage: int, goal: Path) -> None:
        super().__init__()
        self._stage, self.goal = stage, goal

    async def work(self, desk: Desk) -> StageReport:
        if desk.stage.number == self._stage and desk.position.ordinal == 1:
            self.goal.write_text("by hand\n")
        return await super().work(desk)


def test_a_resume_can_change_budget_and_models(tmp_path: Path) -> None:
    folder = new_run(tmp_path, mode="gate-only", auto=False)
    face = Watching()
    flying = flight(folder, face=face, present=True).start()
    face.wait(paused_at(5))
    flying.stop("out of money")
    flying.join(20)
    rooms = flying._rooms  # the same scripted rooms
    again = Flight(folder, rooms, face, present=True, changes={"budget_usd": "7.5", "models.executor": "m/x"}).start()
    view = face.wait(lambda v: v.run is not None and v.run.settings.budget_usd == 7.5)
    again.stop("test over")
    again.join(20)
    assert view.run is not None
    assert view.run.settings.models["executor"].model == "m/x"
    started = [r.event for r in read_journal(folder.cockpit) if isinstance(r.event, e.EngineStarted)]
    assert started[-1].changes == {"budget_usd": "7.5", "models.executor": "m/x"}


def stopped_with_an_obligation(runs: Path) -> RunFolder:
    folder = new_run(runs, until_stage=18)
    flight(folder).start().join(30)
    return folder


def test_a_person_may_not_close_what_programs_and_reviewers_close(tmp_path: Path) -> None:
    folder = stopped_with_an_obligation(tmp_path)
    said = deliver(
        folder, c.Resolve(by=ME, obligation="#1", fix="experiment-added", evidence="idea.md", why="it is in")
    )
    assert "#1 stays open" in said
    view = load(folder)
    assert view.notices[-1] == ("warning", said)
    assert [o.number for o in view.ledger.open] == [1]


def test_a_person_refutes_with_evidence_that_is_kept(tmp_path: Path) -> None:
    folder = stopped_with_an_obligation(tmp_path)
    outside = c.Resolve(by=ME, obligation="1", fix="finding-refuted", evidence="../outside.txt", why="see there")
    (tmp_path / "outside.txt").write_text("not of this run")
    assert "is not a file of the run" in deliver(folder, outside)

    assert "closed by ada" in deliver(folder, outside.model_copy(update={"evidence": "idea.md"}))
    assert load(folder).ledger.open == ()
    kept = list((folder.root / "ledger/evidence").iterdir())
    assert [path.read_bytes() for path in kept] == [(folder.root / "idea.md").read_bytes()]
    assert faults(folder) == []
