"""The engine's story: 23 stages, two rounds, one commit a stage part, nothing asked twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from cockpit.journal.canonical_tree import tree_hash
from cockpit.journal.history import History
from cockpit.journal.segments import read_journal
from cockpit.journal.trees import WorkTree
from cockpit.kernel import events as e
from cockpit.kernel.findings import GateVerdict
from cockpit.kernel.fold import fold_all
from cockpit.kernel.protocols import Route
from cockpit.kernel.reviews import Score
from cockpit.kernel.view import RunView
from tests.engine.scripted import ScriptedJudge, ScriptedWorkers, flight, new_run


def test_two_rounds_are_flown_to_the_end(tmp_path: Path) -> None:
    folder = new_run(tmp_path)
    workers = ScriptedWorkers()
    flying = flight(folder, workers).start()
    flying.join(60)
    assert flying.error is None
    assert flying.exit_code == 0
    view = flying.view
    assert view.finished is not None
    assert view.finished.outcome == "accepted"
    assert [r.entry for r in view.rounds] == [9, None]
    assert len(workers.asked) == len(set(workers.asked))
    history = History(folder.root)
    subjects = history.git("log", "--format=%s", "--reverse").splitlines()
    assert subjects[0] == "run created: A scripted idea"
    assert subjects[1] == "r1 s01 topic_init: 3 answers"
    assert "r1 back to experiment_design: score 0.35, 0 critical open" in subjects
    assert "r1 s17 paper_draft: 3 answers (draft)" in subjects
    assert set(history.tags()) == {"round-1", "round-2", "final"}
    assert history.dirty() == []
    positions = history.trailer_values("Position")
    assert len(positions) == len(set(positions))
    assert history.git("fsck", "--strict") == ""


class TurningJudge(ScriptedJudge):
    """Round 1 ends in a structural pivot."""

    def route(self, view: RunView, verdict: GateVerdict, score: Score | None) -> Route:
        if view.round == 1:
            return Route(entry=8, why="structural pivot: nothing changed", stale=True, pivot=True)
        return super().route(view, verdict, score)


def test_a_structural_pivot_counts_as_a_pivot(tmp_path: Path) -> None:
    folder = new_run(tmp_path)
    flying = flight(folder, judge=TurningJudge()).start()
    flying.join(60)
    view = flying.view
    assert (view.pivots, [(w.why, w.target, w.position.round) for w in view.ways_back]) == (1, [("pivot", 8, 1)])
    history = History(folder.root)
    assert set(history.tags()) == {"round-1", "pivot-1", "round-2", "final"}
    assert history.git("rev-parse", "pivot-1^{commit}") == history.git("rev-parse", "round-1^{commit}")


def test_the_view_is_a_fold_of_the_journal(tmp_path: Path) -> None:
    folder = new_run(tmp_path)
    flying = flight(folder).start()
    flying.join(60)
    records = read_journal(folder.cockpit)
    assert fold_all((r.seq, r.event) for r in records) == flying.view
    again = flight(folder).start()
    again.join(60)
    assert again.exit_code == 0
    assert [r.seq for r in read_journal(folder.cockpit)] == [r.seq for r in records]


def test_jobs_are_planned_before_they_start_and_told_once(tmp_path: Path) -> None:
    folder = new_run(tmp_path, until_stage=12)
    flight(folder).start().join(60)
    events = [r.event for r in read_journal(folder.cockpit)]
    (planned,) = [event for event in events if isinstance(event, e.JobsPlanned)]
    assert planned.total == 4
    assert events.index(planned) < min(n for n, event in enumerate(events) if isinstance(event, e.JobStarted))
    assert fold_all(enumerate(events)).stages[12].jobs_planned == 4


def test_a_stage_with_unchanged_inputs_is_reused_without_a_call(tmp_path: Path) -> None:
    folder = new_run(tmp_path)
    workers = ScriptedWorkers()
    flying = flight(folder, workers).start()
    flying.join(60)
    reused = [r.event.position for r in read_journal(folder.cockpit) if isinstance(r.event, e.StageReused)]
    for position in reused:
        assert not any(line.startswith(f"{position} ") for line in workers.asked)


def test_until_ends_with_that_stage(tmp_path: Path) -> None:
    folder = new_run(tmp_path, until_stage=5)
    flying = flight(folder).start()
    flying.join(60)
    assert flying.exit_code == 0
    assert flying.view.finished is not None
    assert flying.view.finished.outcome == "until"
    assert flying.view.position is not None
    assert flying.view.position.stage == 5


STOPS = ("r1.s02.o1 whole/question-1", "r1.s12.o1 whole/question-2", "r1.s17.o1 mended/question-0", "r1.s20.o1 brief",
         "r2.s10.o1 whole/question-0")  # fmt: skip


@pytest.mark.parametrize("stop_at", STOPS)
def test_a_stopped_run_goes_on_to_the_same_tree(tmp_path: Path, stop_at: str) -> None:
    whole = new_run(tmp_path / "whole")
    flight(whole).start().join(60)
    folder = new_run(tmp_path / "cut")
    first = Stopper(stop_at)
    first.flying = flight(folder, first)
    first.flying.start().join(60)
    assert first.flying.exit_code == 130
    second = ScriptedWorkers()
    flying = flight(folder, second).start()
    flying.join(60)
    assert flying.error is None
    assert flying.exit_code == 0
    twice = set(first.asked) & set(second.asked)
    assert twice <= {stop_at}
    assert tree_hash(WorkTree(folder.root)) == tree_hash(WorkTree(whole.root))


class Stopper(ScriptedWorkers):
    """Stops its flight when one question is put."""

    flying: object = None

    def __init__(self, stop_at: str) -> None:
        super().__init__()
        self._stop_at = stop_at

    def _log(self, line: str) -> None:
        super()._log(line)
        if line == self._stop_at:
            self.flying.stop("test")  # type: ignore[attr-defined]  # set right after construction
