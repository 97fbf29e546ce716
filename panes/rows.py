"""A list of rows with a cursor that follows its row; one changed row repaints one line.

Belongs here: the widget behind stage list, ledger and boards. Not here: what rows say.
"""

from __future__ import annotations

from collections.abc import Sequence

from textual import events
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip

from panes.inked import Inked
from panes.line import Row, plain


class Rows(Inked, can_focus=True):
    """Rows of text. `cur` = index under the cursor; `top` = first row in sight."""

    DEFAULT_CSS = "Rows { height: 1fr; width: 1fr; }"

    class Opened(Message):
        """A row was opened (Enter or a click on the row under the cursor)."""

        def __init__(self, rows: Rows, key: str) -> None:
            super().__init__()
            self.rows, self.key = rows, key

        @property
        def control(self) -> Rows:
            return self.rows

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self.rows: list[Row] = []
        self.top, self.cur = 0, 0
        self.touched = False  # has a person moved the cursor? if not, the pane may lead it

    def show(self, rows: Sequence[Row], lead: str = "") -> None:
        """Take new rows; the cursor stays on its key, or goes to `lead` while nobody has moved it."""
        old, key, cur, top = self.rows, self.key, self.cur, self.top
        self.rows = list(rows)
        wanted = lead if lead and not self.touched else key
        self.cur = self._place_of(wanted, min(self.cur, max(0, len(rows) - 1)))
        if not self.key:  # a heading cannot be pointed at
            self.cur = next((i for i, row in enumerate(self.rows) if row.key), self.cur)
        self._scroll()
        if len(old) != len(self.rows) or self.top != top:
            self.refresh()
            return
        seen = range(self.top, min(self.top + self.size.height, len(self.rows)))
        changed = [i for i in seen if old[i] != self.rows[i] or (cur != self.cur and i in (cur, self.cur))]
        if changed:
            self.refresh(*(Region(0, i - self.top, self.size.width, 1) for i in changed))

    @property
    def key(self) -> str:
        """Key of the row under the cursor; "" when there is none."""
        return self.rows[self.cur].key if self.cur < len(self.rows) else ""

    @property
    def current(self) -> str:
        """Text of the row under the cursor."""
        return plain(self.rows[self.cur].line) if self.cur < len(self.rows) else ""

    @property
    def shown(self) -> list[str]:
        """The lines in sight, as text."""
        return [plain(row.line) for row in self.rows[self.top : self.top + self.size.height]]

    def _place_of(self, key: str, otherwise: int) -> int:
        if not key:
            return otherwise
        return next((i for i, row in enumerate(self.rows) if row.key == key), otherwise)

    def _scroll(self) -> None:
        height = max(1, self.size.height)
        self.top = max(0, min(self.top, self.cur, len(self.rows) - height))
        self.top = max(self.top, self.cur - height + 1)

    def on_resize(self) -> None:
        self._scroll()
        self.refresh()

    def move(self, by: int) -> None:
        """Move the cursor by `by` rows that can be pointed at; stops at the ends."""
        points = [i for i, row in enumerate(self.rows) if row.key]
        if not points:
            self.top = max(0, min(self.top + by, len(self.rows) - self.size.height))
            self.refresh()
            return
        self.touched = True
        at = next((n for n, i in enumerate(points) if i >= self.cur), len(points) - 1)
        self.point(points[max(0, min(len(points) - 1, at + by))])

    def point(self, index: int) -> None:
        """Put the cursor on a row and repaint what changed."""
        old, top = self.cur, self.top
        self.cur = index
        self._scroll()
        if self.top != top:
            self.refresh()
        else:
            self.refresh(*(Region(0, i - self.top, self.size.width, 1) for i in (old, index)))

    def page(self) -> int:
        """Half a screen, in rows."""
        return max(1, self.size.height // 2)

    def ends(self, last: bool) -> None:
        """To the first or the last row."""
        self.move(len(self.rows) if last else -len(self.rows))

    def find(self, needle: str, back: bool = False) -> bool:
        """To the next (or previous) row that holds `needle`, around the ends."""
        n = len(self.rows)
        step = -1 if back else 1
        for k in range(1, n + 1):
            i = (self.cur + step * k) % n
            if self.rows[i].key and needle.lower() in plain(self.rows[i].line).lower():
                self.touched = True
                self.point(i)
                return True
        return False

    def render_line(self, y: int) -> Strip:
        i = self.top + y
        line = self.rows[i].line if i < len(self.rows) else ()
        return self.strip(line, under_cursor=i == self.cur and self.has_focus and bool(self.key))

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        i = self.top + event.y
        if i < len(self.rows) and self.rows[i].key:
            again = i == self.cur
            self.touched = True
            self.point(i)
            if again or event.chain == 2:
                self.post_message(self.Opened(self, self.key))

    def on_mouse_scroll_down(self) -> None:
        self.move(3)

    def on_mouse_scroll_up(self) -> None:
        self.move(-3)
