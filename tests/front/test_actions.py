"""The action table: no key twice, no key that multiplexers take, a reason for everything that cannot be done."""

from __future__ import annotations

import demo_engine as demo
import pytest

from cockpit.front import looking
from cockpit.front.actions import ACTIONS, BY_ID, STEER, label_of
from cockpit.front.footer import footer_of, help_of
from cockpit.kernel import events as e
from cockpit.kernel.ids import Position
from cockpit.kernel.view import RunView
from panes.line import plain, size

NOW = "2026-11-30T18:16:07Z"
WORKING = demo.view_of(demo.story())
PAUSED = demo.view_of([e.ControlChanged(at=NOW, control="paused")], WORKING)
DECIDING = demo.view_of(
    [e.PauseReached(at=NOW, position=Position(round=2, stage=9), why="gate", decision=True)], WORKING
)
STOPPED = demo.view_of([e.EngineStopped(at=NOW, why="killed")], WORKING)
OVER = demo.view_of([e.RunFinished(at=NOW, outcome="accepted", exit_code=0, cost_usd=1, reason="")], WORKING)


def test_no_key_is_bound_twice_and_none_that_people_s_multiplexers_take() -> None:
    keys = [key for action in ACTIONS for key in action.keys.split(",") if key]

    assert len(keys) == len(set(keys))
    assert not {"ctrl+a", "ctrl+b", "ctrl+q", "ctrl+s", "ctrl+j"} & set(keys)
    assert len(BY_ID) == len(ACTIONS)


def test_every_action_has_a_sentence_and_something_that_does_it() -> None:
    assert all(action.help.endswith(".") and action.label for action in ACTIONS)
    done = {*looking.DOING, *(a.id for a in STEER), "quit"}
    moved = {"down", "up", "first", "last", "half-down", "half-up", "pane-1", "pane-2", "pane-3", "pane-4"}
    assert {a.id for a in ACTIONS} == done | moved


@pytest.mark.parametrize(
    ("view", "can"),
    [
        (WORKING, {"pause", "hold", "step", "pivot", "guide"}),
        (PAUSED, {"pause", "step", "pivot", "guide", "edit"}),
        (DECIDING, {"approve", "reject", "pivot", "guide", "edit"}),
        (STOPPED, {"edit"}),
        (OVER, {"edit"}),
        (RunView(), set()),
    ],
    ids=["working", "paused", "deciding", "stopped", "over", "empty"],
)
def test_what_can_be_done_when(view: RunView, can: set[str]) -> None:
    assert {a.id for a in STEER if a.why_not(view) is None} == can
    assert all(len(why) > 10 for a in STEER if (why := a.why_not(view)))


def test_space_says_what_it_would_do() -> None:
    assert label_of(BY_ID["pause"], WORKING) == "pause"
    assert label_of(BY_ID["pause"], PAUSED) == "continue"


def test_the_footer_fits_and_keeps_quit_and_help_longest() -> None:
    for width in (30, 60, 80, 100, 120, 200):
        text = plain(footer_of(DECIDING, width))
        assert size(footer_of(DECIDING, width)) <= width
        assert "q quit" in text
    assert "A approve" in plain(footer_of(DECIDING, 60))
    assert plain(footer_of(WORKING, 120)).startswith(" space pause  s step  P pivot  A approve  X reject  i guide")


def test_help_lists_every_action_with_its_reason() -> None:
    text = "\n".join(plain(line) for line in help_of(WORKING, 80))

    assert all(action.help.split()[0] in text for action in ACTIONS)
    assert "Not now: nothing waits for a decision." in text
