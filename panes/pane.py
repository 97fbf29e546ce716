"""The frame around a pane: border, title, the widget that has the focus in it.

Belongs here: what all panes share. Not here: what any of them shows.
"""

from __future__ import annotations

from typing import Any

from rich.text import Text
from textual.containers import Vertical
from textual.message import Message

from cockpit.kernel.ids import Instant
from cockpit.kernel.view import RunView
from panes.rows import Rows
from panes.signs import UNICODE, Signs
from panes.tail import Tail
from panes.text import clean


class Pane(Vertical):
    """A framed part of the cockpit. `show(view, now)` draws; `body` takes keys."""

    class Resized(Message):
        """The pane has another size; what it shows must be laid out again."""

        def __init__(self, pane: Pane) -> None:
            super().__init__()
            self.pane = pane

    def __init__(self, id: str, number: int, signs: Signs = UNICODE) -> None:
        super().__init__(id=id)
        self.number, self.signs = number, signs
        self._title, self._note = "", ""

    @property
    def body(self) -> Rows | Tail[Any]:
        """The widget that is focused and moved."""
        raise NotImplementedError

    def show(self, view: RunView, now: Instant | None) -> None:
        """Draw the run as it stands; `now` measures what is still running."""
        raise NotImplementedError

    def entitle(self, title: str, note: str = "") -> None:
        """Set the words in the frame, if they differ; both are plain text."""
        if title != self._title:
            self._title = title
            self.border_title = Text(clean(f"{self.number} {title}"))
        if note != self._note:
            self._note = note
            self.border_subtitle = Text(clean(note)) if note else None

    def on_resize(self) -> None:
        self.post_message(self.Resized(self))

    @property
    def room(self) -> int:
        """Cells inside the frame."""
        return max(1, self.content_size.width)
