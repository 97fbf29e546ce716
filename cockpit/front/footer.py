"""The footer's line and the help text, generated from the action table.

Belongs here: the table as a person reads it. Not here: the table (`actions.py`), widgets.
"""

from __future__ import annotations

from cockpit.front.actions import ACTIONS, GROUPS, Action, label_of
from cockpit.kernel.view import RunView
from panes.line import Line, Span, size
from panes.text import wrap

# what stays when room is short; the last of these goes first, and before them what cannot be done now
KEPT = (
    "quit",
    "help",
    "approve",
    "reject",
    "pause",
    "step",
    "search",
    "guide",
    "pivot",
    "evidence",
    "diff",
    "ledger",
    "edit",
)
KEY_CELLS = 18


def footer_of(view: RunView, width: int) -> Line:
    """One line of `key label` pairs; those that cannot be done now are dim; what does not fit is left out."""
    over = view.run is not None and not view.live  # nothing can be steered any more: only what can be done is said
    shown = [action for action in ACTIONS if action.footer and not (over and action.why_not(view))]
    while shown:
        line = _line(shown, view)
        if size(line) <= width:
            return line
        shown.remove(max(shown, key=lambda action: KEPT.index(action.id) + 100 * (action.why_not(view) is not None)))
    return ()


def _line(shown: list[Action], view: RunView) -> Line:
    spans = [Span(" ")]
    for action in shown:
        off = action.why_not(view) is not None
        spans.append(Span(action.key, "dim" if off else "accent"))
        spans.append(Span(f" {label_of(action, view)}  ", "dim" if off else "text"))
    return tuple(spans)


def help_of(view: RunView, width: int) -> list[Line]:
    """Every action by group: keys, one sentence, and the reason where it cannot be done now."""
    lines: list[Line] = []
    for group, title in GROUPS.items():
        lines.append((Span(title, "strong"),))
        for action in (a for a in ACTIONS if a.group == group):
            lines += _entry(action, view, width)
        lines.append(())
    return lines


def _entry(action: Action, view: RunView, width: int) -> list[Line]:
    keys = action.keys.replace("question_mark", "?").replace("slash", "/").replace("escape", "esc").replace(",", " ")
    why = action.why_not(view)
    room = max(20, width - KEY_CELLS)
    words = wrap(action.help, room)
    lines: list[Line] = [(Span(f"  {keys or 'palette':<{KEY_CELLS - 2}}", "accent"), Span(words[0]))]
    lines += [(Span(" " * KEY_CELLS), Span(part)) for part in words[1:]]
    if why:
        lines += [(Span(" " * KEY_CELLS), Span(part, "warn")) for part in wrap(f"Not now: {why}.", room)]
    return lines
