"""Keys: what each asks of the engine, what each dialog wants first, and the reason when it cannot be."""

from __future__ import annotations

from pathlib import Path

import pytest
from screen import NOW, Open, demo

from cockpit.kernel import commands as c
from cockpit.kernel import events as e
from cockpit.kernel.ids import Position
from cockpit.kernel.view import RunView

PLAN = "03_experiment_plan/artifacts/exp_plan.yaml"


def paused_at(stage: int, round: int = 2) -> RunView:
    where = Position(round=round, stage=stage)
    events = [e.StageEntered(at=NOW, position=where, because="first", inputs={}, input_hash=""),
              e.StageDone(at=NOW, position=where, input_hash="", outputs={PLAN: "0"},
                          summary="plan v2 with 4 ablations"),
              e.PauseReached(at=NOW, position=where, why="a gate of co-pilot mode", decision=True)]  # fmt: skip
    return demo.view_of(events, demo.view_of(demo.story("first")))


async def test_space_pauses_and_continues(cockpit: Open) -> None:
    async with cockpit() as it:
        await it.press("space")
        assert it.posted == [c.Quiesce(by=demo.ME)]
        await it.hear(e.ControlChanged(at=NOW, control="quiescing"))
        assert "⏸ PAUSING · 1 in flight" in it.lines[0]
        await it.hear(e.ControlChanged(at=NOW, control="paused"))
        assert "⏸ PAUSED · safe to quit" in it.lines[0]
        assert "space continue" in it.lines[-1]
        await it.press("space")
        assert it.posted[-1] == c.Continue(by=demo.ME)


async def test_hold_and_step(cockpit: Open) -> None:
    async with cockpit() as it:
        await it.press("H", "s")
        assert it.posted == [c.Hold(by=demo.ME), c.Step(by=demo.ME)]


async def test_what_cannot_be_done_answers_with_the_reason(cockpit: Open) -> None:
    async with cockpit() as it:
        await it.press("A")
        assert it.posted == []
        assert "approve: nothing waits for a decision" in it.text


async def test_pivot_wants_a_stage_and_a_reason(cockpit: Open) -> None:
    async with cockpit() as it:
        await it.press("P")
        assert "Pivot: go back with another direction" in it.text
        await it.press("enter", "enter")
        assert "Please say why." in it.text
        await it.type("no effect at all")
        await it.press("enter")
        assert it.posted == [c.Pivot(by=demo.ME, target=8, reason="no effect at all")]


async def test_pivot_refuses_a_stage_that_is_none_or_is_still_to_come(cockpit: Open) -> None:
    async with cockpit() as it:
        await it.press("P", "backspace")
        await it.type("22")
        await it.press("tab")
        await it.type("x")
        await it.press("enter")
        assert "Stage 22 comes after the present one (12)." in it.text
        assert it.posted == []
        await it.press("escape")
        assert "Pivot: go back" not in it.text


async def test_a_pivot_may_name_its_stage(cockpit: Open) -> None:
    async with cockpit() as it:
        await it.press("P", "backspace")
        await it.type("hypothesis_gen")
        await it.press("enter")
        await it.type("why")
        await it.press("enter")
        assert it.posted == [c.Pivot(by=demo.ME, target=8, reason="why")]


async def test_approve_shows_what_was_made_first(cockpit: Open) -> None:
    async with cockpit(view=paused_at(8)) as it:
        assert "⏸ PAUSED · decide: A or X" in it.lines[0]
        await it.press("A")
        for words in ("Approve stage 8", "stage 08 hypothesis_gen", "waits because: a gate of co-pilot mode",
                      "plan v2 with 4 ablations", "exp_plan.yaml", "Gate: BLOCK, score 0.35", "Open obligations: 2",
                      "● #4 number not in results"):  # fmt: skip
            assert words in it.text
        await it.type("good")
        await it.press("enter")
        assert it.posted == [c.Approve(by=demo.ME, reason="good")]


async def test_reject_at_a_gate_is_typed_out(cockpit: Open) -> None:
    async with cockpit(view=paused_at(9)) as it:
        await it.press("X")
        await it.type("too few seeds")
        await it.press("enter", "enter")
        await it.type("reject")
        await it.press("enter")
        assert "Type exactly: reject 9" in it.text
        assert it.posted == []
        await it.type(" 9")
        await it.press("enter")
        assert it.posted == [c.Reject(by=demo.ME, reason="too few seeds")]


async def test_reject_elsewhere_needs_a_reason_only(cockpit: Open) -> None:
    async with cockpit(view=paused_at(8)) as it:
        await it.press("X", "enter", "enter")
        assert "Please say why." in it.text
        await it.type("dull")
        await it.press("enter")
        await it.type("7")
        await it.press("enter")
        assert it.posted == [c.Reject(by=demo.ME, reason="dull", target=7)]


async def test_guide(cockpit: Open) -> None:
    async with cockpit() as it:
        await it.press("i")
        await it.type("keep q for later")
        await it.press("enter", "enter")
        assert it.posted == [c.Guide(by=demo.ME, stage=0, text="keep q for later")]


async def test_quit_asks_while_something_runs(cockpit: Open) -> None:
    async with cockpit() as it:
        await it.press("q")
        assert "d detach" in it.text
        await it.press("escape")
        assert it.app.is_running
        await it.press("q", "d")
        assert it.app.return_value == "detach"


async def test_quit_and_pause_waits_for_what_is_in_flight(cockpit: Open) -> None:
    async with cockpit() as it:
        await it.press("q", "p")
        assert it.posted[0].verb == "pause"
        await it.hear(e.ControlChanged(at=NOW, control="quiescing"))
        assert it.app.return_value is None
        job = it.app.view.jobs_running[0]
        ended = demo.job(demo.Clock(), job.position, job.condition, job.seed or 0)[1]
        await it.hear(ended, e.ControlChanged(at=NOW, control="paused"))
        assert it.app.return_value == "stop"


async def test_quit_and_abort_by_cursor(cockpit: Open) -> None:
    async with cockpit() as it:
        await it.press("ctrl+c")
        await it.press("j", "j", "enter")
        assert it.app.return_value == "abort"


@pytest.mark.parametrize(
    ("event", "leave"),
    [
        (e.RunFinished(at=NOW, outcome="accepted", exit_code=0, cost_usd=1, reason="0.6"), "finished"),
        (e.EngineStopped(at=NOW, why="x"), "stop"),
    ],
)
async def test_quit_at_once_when_nothing_runs(cockpit: Open, event: e.AnyEvent, leave: str) -> None:
    async with cockpit(view=demo.view_of([event], demo.view_of(demo.story("first")))) as it:
        await it.press("q")
        assert it.app.return_value == leave


async def test_help_and_palette_come_from_the_table(cockpit: Open) -> None:
    async with cockpit() as it:
        await it.press("question_mark")
        assert "Steering the run" in it.text
        assert "Not now: nothing waits for a decision." in it.text
        await it.press("G")
        assert "Back to the shell for a while" in it.text
        await it.press("escape", "ctrl+p")
        await it.type("hold")
        await it.pilot.pause(0.3)
        assert "hold (H)" in it.text
        await it.press("enter")
        await it.pilot.pause()
        assert it.posted == [c.Hold(by=demo.ME)]


async def test_the_cursor_follows_the_run_until_a_person_moves_it(cockpit: Open) -> None:
    async with cockpit() as it:
        rows = it.app.stages.rows
        assert rows.key == "stage:12"
        await it.hear(*demo.stage(demo.Clock(3600), 13, 2, "x", round=2))
        assert rows.key == "stage:13"
        await it.press("k")
        assert rows.key == "stage:12"
        await it.hear(*demo.stage(demo.Clock(3700), 14, 2, "x", round=2))
        assert rows.key == "stage:12"
        await it.press("g")
        assert rows.key.startswith("phase:01")
        await it.press("G")
        assert rows.key == "stage:23"


async def test_enter_opens_an_obligation_and_a_stage(cockpit: Open) -> None:
    async with cockpit() as it:
        await it.press("3", "j", "enter")
        for words in ("obligation #6", "no ablation of λ", "1. open", "an ablation of the penalty",
                      "its row in Table 2",                      "stage 09 mends it", "opened r1 s18"):  # fmt: skip
            assert words in it.text
        await it.press("escape", "1", "enter")
        for words in ("stage 12", "▶ running", "2+1", "Reads", "schedule.json"):
            assert words in it.text
        await it.press("escape", "L")
        assert "● #4   critical" in it.text
        await it.press("enter")
        assert "number-unsupported" in it.text


async def test_search_goes_up_in_a_log_and_n_goes_on(cockpit: Open) -> None:
    from cockpit.kernel.hints import LogLines

    async with cockpit() as it:
        lines = tuple(f"line {n} {'needle' if n % 40 == 0 else ''}" for n in range(200))
        await it.hear(hints=[LogLines(it.app.view.jobs_running[0].job, lines)])
        await it.press("4", "slash")
        await it.type("needle")
        await it.press("enter")
        assert "line 160 needle" in it.text
        await it.press("n")
        assert "line 120 needle" in it.text
        await it.press("N")
        assert "line 160 needle" in it.text
        assert "below" in it.text
        await it.hear(hints=[LogLines(it.app.view.jobs_running[0].job, ("newest",))])
        assert "newest" not in it.text
        await it.press("escape")
        assert "newest" in it.text


async def test_zoom_and_leave(cockpit: Open) -> None:
    async with cockpit() as it:
        await it.press("3", "z")
        assert "2 dialogue ─" not in it.text
        await it.press("escape")
        assert "2 dialogue ─" in it.text


async def test_copy_sends_what_is_shown(cockpit: Open) -> None:
    async with cockpit() as it:
        await it.press("3", "y")
        assert it.app.clipboard == "● #4 number not in results"


async def test_edit_opens_what_was_made_and_nothing_measured(
    cockpit: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EDITOR", "true")
    async with cockpit(view=paused_at(9), folder=lambda: tmp_path) as it:
        await it.press("e")
        assert "Edit which artifact?" in it.text
        assert "exp_plan.yaml" in it.text
        assert "raw_results" not in it.text


async def test_the_end_and_trouble_are_announced(cockpit: Open) -> None:
    async with cockpit() as it:
        await it.hear(e.Noticed(at=NOW, level="error", text="disk is full"))
        assert "disk is full" in it.text
        await it.hear(e.RunFinished(at=NOW, outcome="accepted", exit_code=0, cost_usd=1, reason="score 0.61"))
        assert "accepted: score 0.61" in it.text
        assert "✓ accepted" in it.lines[0]
