"""A screen of rows over the panes; Enter opens one.

Belongs here: the shape. Not here: what rows say.
"""

from __future__ import annotations

from collections.abc import Callable

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.screen import ModalScreen, Screen

from cockpit.front.keys import reading_bindings
from cockpit.front.moving import move
from cockpit.front.terminal import copy
from cockpit.kernel.view import RunView
from panes.line import Row
from panes.rows import Rows
from panes.text import clean


class Listing(ModalScreen[None]):
    """`rows(view, width)` is asked again whenever the run goes on; `opened(key, view)` is the screen behind a row."""

    BINDINGS = [*reading_bindings(), Binding("escape,q", "leave", "leave"), Binding("enter", "open", "open")]

    def __init__(self, title: str, rows: Callable[[RunView, int], list[Row]],
                 opened: Callable[[str, RunView], Screen[None] | None], view: RunView) -> None:  # fmt: skip
        super().__init__()
        self._title, self._rows, self._opened, self._view = title, rows, opened, view

    def compose(self) -> ComposeResult:
        self.rows = Rows()
        with Vertical(id="box", classes="-tall") as box:
            box.border_title = Text(clean(self._title))
            box.border_subtitle = Text("enter opens, esc leaves")
            yield self.rows

    def on_mount(self) -> None:
        self.rows.focus()

    def on_resize(self) -> None:
        self.call_after_refresh(self.show, self._view)

    def show(self, view: RunView) -> None:
        """Draw the rows as they are now."""
        self._view = view
        self.rows.show(self._rows(view, max(20, self.rows.size.width)))

    def action_do(self, action: str) -> None:
        if not move(self.rows, action) and action == "copy":
            copy(self.app, self.rows.current)

    def action_open(self) -> None:
        if self.rows.key and (screen := self._opened(self.rows.key, self._view)) is not None:
            self.app.push_screen(screen)

    def on_rows_opened(self, message: Rows.Opened) -> None:
        message.stop()
        self.action_open()

    def action_leave(self) -> None:
        self.dismiss(None)
