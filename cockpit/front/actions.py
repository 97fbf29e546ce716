"""The action table: every key, its label, its help sentence, and why it cannot be done just now.

Belongs here: what a person can do from the cockpit. Footer, help, palette and docs are generated
from it; a key that is not here does not exist. Not here: doing it (`app.py`), engine rules.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from cockpit.kernel.view import RunView

WhyNot = Callable[[RunView], str | None]
Group = Literal["steer", "look", "move", "face"]


@dataclass(frozen=True)
class Action:
    """`keys` as Textual names them, comma separated ("" = palette only); `key` as a person reads it."""

    id: str
    keys: str
    key: str
    label: str
    help: str
    group: Group
    why_not: WhyNot = lambda view: None
    footer: bool = False


def _over(view: RunView) -> str | None:
    """Why nothing can be asked of an engine."""
    if view.control == "finished":
        return "the run is over"
    if view.run is None:
        return "the run is still being set up"
    if view.control == "stopped":
        return "no cockpit works on this run now; `cockpit resume` takes it up again"
    return "the run is stopping" if view.control == "aborting" else None


def _waits_for_decision(view: RunView) -> str | None:
    if why := _over(view):
        return why
    if view.control == "paused" and view.pause is not None and view.pause.decision:
        return "the run waits for a decision: A approves, X rejects"
    return None


def _no_hold(view: RunView) -> str | None:
    if why := _over(view):
        return why
    if view.control in ("holding", "paused"):
        return "nothing runs now; space continues"
    return None


def _no_decision(view: RunView) -> str | None:
    if why := _over(view):
        return why
    if view.pause is None or not view.pause.decision:
        return "nothing waits for a decision"
    return None


def _no_pivot(view: RunView) -> str | None:
    if why := _over(view):
        return why
    if view.position is None or view.position.stage < 2:
        return "there is nothing yet to turn away from"
    return None


def _no_edit(view: RunView) -> str | None:
    if view.run is None:
        return "there is no run folder yet"
    if view.live and view.control != "paused":
        return "the run is at work; pause it first (space), then edit"
    return None


def _no_diff(view: RunView) -> str | None:
    return None if view.rounds else "no round is over yet, so there is nothing to compare"


def _no_evidence(view: RunView) -> str | None:
    if any(record.run.auditor == "numbers" for record in view.audits):
        return None
    return "no number of a paper has been traced yet; that is done after the draft (17)"


STEER = (
    Action("pause", "space", "space", "pause", "Start nothing new and let work in flight finish; again: go on.",
           "steer", _waits_for_decision, footer=True),
    Action("hold", "H", "H", "hold", "Freeze jobs and cancel calls at once; space continues.", "steer", _no_hold),
    Action("step", "s", "s", "step", "Do one stage, then pause.", "steer", _waits_for_decision, footer=True),
    Action("pivot", "P", "P", "pivot", "Go back to an earlier stage with another direction, and say why.", "steer",
           _no_pivot, footer=True),
    Action("approve", "A", "A", "approve", "Answer the pause with yes, after a look at what the stage made.", "steer",
           _no_decision, footer=True),
    Action("reject", "X", "X", "reject", "Answer the pause with no and a reason; work goes back.", "steer",
           _no_decision, footer=True),
    Action("guide", "i", "i", "guide", "Give advice that the following stages must honour.", "steer", _over,
           footer=True),
    Action("edit", "e", "e", "edit", "Open an artifact of the present stage in $EDITOR.", "steer", _no_edit,
           footer=True),
)  # fmt: skip
LOOK = (
    Action("diff", "d", "d", "diff", "What the last two rounds differ in, word by word.", "look", _no_diff,
           footer=True),
    Action("evidence", "v", "v", "evidence", "Every number of the paper, with key, result files and jobs behind it.",
           "look", _no_evidence, footer=True),
    Action("ledger", "L", "L", "ledger", "All obligations, with parts and history.", "look", footer=True),
    Action("open", "enter", "enter", "open", "Open what is under the cursor.", "look"),
    Action("search", "slash", "/", "search", "Search in the focused pane.", "look", footer=True),
    Action("next", "n", "n", "next match", "To the next match.", "look"),
    Action("previous", "N", "N", "previous match", "To the match before.", "look"),
    Action("follow", "f", "f", "follow", "Follow the end of the dialogue or the output, or stop following.", "look"),
    Action("times", "t", "t", "times", "Show or hide when each line of output came.", "look"),
    Action("zoom", "z", "z", "zoom", "Give the focused pane the whole screen, or give it back.", "look"),
    Action("copy", "y", "y", "copy", "Copy what the focused pane shows (a list: the line under the cursor).", "look"),
)  # fmt: skip
MOVE = (
    Action("pane-1", "1", "1", "stages", "To the stages.", "move"),
    Action("pane-2", "2", "2", "dialogue", "To the dialogue.", "move"),
    Action("pane-3", "3", "3", "ledger pane", "To the ledger pane.", "move"),
    Action("pane-4", "4", "4", "sandbox", "To the sandbox.", "move"),
    Action("next-pane", "tab", "tab", "next pane", "To the next pane.", "move"),
    Action("last-pane", "shift+tab", "shift+tab", "pane before", "To the pane before.", "move"),
    Action("down", "j,down", "j", "down", "One line down.", "move"),
    Action("up", "k,up", "k", "up", "One line up.", "move"),
    Action("first", "g,home", "g", "top", "To the top.", "move"),
    Action("last", "G,end", "G", "bottom", "To the bottom, and follow.", "move"),
    Action("half-down", "ctrl+d,pagedown", "ctrl+d", "half page down", "Half a page down.", "move"),
    Action("half-up", "ctrl+u,pageup", "ctrl+u", "half page up", "Half a page up.", "move"),
    Action("leave", "escape", "esc", "leave", "Leave search or zoom; never stops the run.", "move"),
)  # fmt: skip
FACE = (
    Action("theme", "", "", "theme", "Change to the next colours: dark, light, ansi, contrast, mono.", "face"),
    Action("help", "question_mark,f1", "?", "help", "All keys, and what cannot be done just now, with the reason.",
           "face", footer=True),
    Action("palette", "ctrl+p", "ctrl+p", "palette", "Find an action by its name.", "face"),
    Action("suspend", "ctrl+z", "ctrl+z", "to the shell", "Back to the shell for a while; the run goes on; fg returns.",
           "face"),
    Action("quit", "q", "q", "quit", "Leave: detach, pause and quit, or abort (asked only if something runs).", "face",
           footer=True),
    Action("interrupt", "ctrl+c", "ctrl+c", "copy or quit", "Copy the selected text; without a selection, as q.",
           "face"),
)  # fmt: skip
ACTIONS: tuple[Action, ...] = (*STEER, *LOOK, *MOVE, *FACE)
BY_ID = {action.id: action for action in ACTIONS}
GROUPS: dict[Group, str] = {"steer": "Steering the run", "look": "Looking", "move": "Moving", "face": "The cockpit"}


def label_of(action: Action, view: RunView) -> str:
    """The label as it reads now: the pause key says what it would do."""
    if action.id == "pause" and view.control in ("paused", "quiescing", "holding"):
        return "continue"
    return action.label
