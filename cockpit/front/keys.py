"""Textual bindings out of the action table.

Belongs here: the translation. Not here: the table. `check_action` stays alone: a key whose action
cannot be done must answer with the reason, and a disabled binding is silent.
"""

from __future__ import annotations

from collections.abc import Iterable

from textual.binding import Binding

from cockpit.front.actions import ACTIONS, MOVE, Action


def bindings(actions: Iterable[Action] = ACTIONS) -> list[Binding]:
    """A binding for each action that has keys; its id lets people map other keys to it."""
    return [
        Binding(
            a.keys,
            f"do('{a.id}')",
            a.label,
            id=a.id,
            show=False,
            tooltip=a.help,
        )
        for a in actions
        if a.keys
    ]


def reading_bindings() -> list[Binding]:
    """Moving and copying, for screens with one body."""
    ids = {a.id for a in MOVE if not a.id.startswith(("pane-", "next-", "last-pane"))} - {"leave"}
    return bindings(a for a in ACTIONS if a.id in ids or a.id == "copy")
