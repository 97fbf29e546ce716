"""Moving and searching in a list or a tail: the same keys wherever there is one.

Belongs here: from an action's id to the widget's own verbs. Not here: which widget has the focus.
"""

from __future__ import annotations

from typing import Any

from panes.rows import Rows
from panes.tail import Tail


def move(body: Rows | Tail[Any], action: str) -> bool:
    """Do a movement; False when `action` is none."""
    match action:
        case "down":
            body.move(1)
        case "up":
            body.move(-1)
        case "first":
            body.ends(last=False)
        case "last":
            body.ends(last=True)
        case "half-down":
            body.move(body.page())
        case "half-up":
            body.move(-body.page())
        case _:
            return False
    return True


def find(body: Rows | Tail[Any], needle: str, *, back: bool = False) -> bool:
    """To a match: in a tail the first search and `n` go up (towards older lines), in a list down."""
    if isinstance(body, Tail):
        return body.find(needle, back=not back)
    return body.find(needle, back=back)
