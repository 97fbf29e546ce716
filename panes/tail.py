"""A tail of lines: a ring with absolute numbers, a live part below it, search, follow.

Belongs here: the widget behind dialogue and job output. Not here: what the lines say; how entries
become lines is the subclass's `line_of`, called only for lines in sight.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Sequence
from typing import Generic, TypeVar

from textual.selection import Selection
from textual.strip import Strip

from panes.inked import Inked
from panes.line import Line, Span, plain

E = TypeVar("E")


class Tail(Inked, Generic[E], can_focus=True):
    """The last `cap` entries, and `live` lines that still change. `top` None = follow the end."""

    DEFAULT_CSS = "Tail { height: 1fr; width: 1fr; }"

    def __init__(self, id: str | None = None, cap: int = 20_000) -> None:
        super().__init__(id=id)
        self.ring: deque[E] = deque(maxlen=cap)
        self.live: list[Line] = []
        self.end = 0  # absolute number after the last entry
        self.top: int | None = None
        self.pattern: re.Pattern[str] | None = None

    def line_of(self, entry: E) -> Line:
        """How an entry is shown."""
        raise NotImplementedError

    def add(self, entries: Iterable[E]) -> None:
        """Append; the caller (the bus) is what limits how often."""
        before = self.end
        for entry in entries:
            self.ring.append(entry)
            self.end += 1
        if self.end != before:
            self._changed()

    def set_live(self, lines: Sequence[Line]) -> None:
        """Replace the lines that are still being written."""
        if list(lines) != self.live:
            self.live = list(lines)
            self._changed()

    def restart(self, entries: Iterable[E]) -> None:
        """Forget all and begin anew (after a change of width)."""
        self.ring.clear()
        self.end, self.top = 0, None
        self.add(entries)
        self.refresh()

    def _changed(self) -> None:
        if self.top is None or self.top < self.start:
            self.refresh()

    @property
    def start(self) -> int:
        """Absolute number of the oldest entry that is kept."""
        return self.end - len(self.ring)

    @property
    def _all(self) -> int:
        return self.end + len(self.live)

    @property
    def _last(self) -> int:
        return max(self.start, self._all - self.size.height)

    @property
    def below(self) -> int:
        """How many lines lie under what is in sight; 0 while following."""
        return 0 if self.top is None else max(0, self._all - self.top - self.size.height)

    def _line(self, i: int) -> Line | None:
        if i < self.start or i >= self._all:
            return None
        return self.line_of(self.ring[i - self.start]) if i < self.end else self.live[i - self.end]

    @property
    def first(self) -> int:
        """Absolute number of the first line in sight."""
        return self._last if self.top is None else max(self.top, self.start)

    @property
    def shown(self) -> list[str]:
        """The lines in sight, as text."""
        lines = (self._line(self.first + y) for y in range(self.size.height))
        return [plain(line) for line in lines if line is not None]

    @property
    def current(self) -> str:
        """What `y` copies: the lines in sight."""
        return "\n".join(self.shown)

    def render_line(self, y: int) -> Strip:
        line = self._line(self.first + y) or ()
        selection = self.text_selection
        if selection is not None and (span := selection.get_span(y)) is not None:
            line = _marked(line, *span)
        elif self.pattern:
            line = _matched(line, self.pattern)
        return self.strip(line, y=y)

    def move(self, by: int) -> None:
        """Scroll by lines; reaching the end follows again."""
        to = self.first + by
        self.top = None if to >= self._last else max(self.start, to)
        self.refresh()

    def page(self) -> int:
        """Half a screen, in lines."""
        return max(1, self.size.height // 2)

    def ends(self, last: bool) -> None:
        """To the oldest line, or to the end (and follow)."""
        self.top = None if last or len(self.ring) + len(self.live) <= self.size.height else self.start
        self.refresh()

    def follow(self) -> bool:
        """Toggle following; True = it follows now."""
        self.top = self.first if self.top is None else None
        self.refresh()
        return self.top is None

    def find(self, needle: str, back: bool = True) -> bool:
        """To the nearest line above (or below) that holds `needle`; leaves following."""
        self.pattern = re.compile(re.escape(needle), re.IGNORECASE)
        at = self._all if self.top is None else self.top
        for i in range(at - 1, self.start - 1, -1) if back else range(at + 1, self._all):
            if self.pattern.search(plain(self._line(i) or ())):
                self.top = i
                self.refresh()
                return True
        self.refresh()
        return False

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        return selection.extract("\n".join(self.shown)), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        self.refresh()

    def on_mouse_scroll_down(self) -> None:
        self.move(3)

    def on_mouse_scroll_up(self) -> None:
        self.move(-3)


def _matched(line: Line, pattern: re.Pattern[str]) -> Line:
    parts: list[Span] = []
    for span in line:
        at = 0
        for m in pattern.finditer(span.text):
            parts += [Span(span.text[at : m.start()], span.ink), Span(m[0], "match")]
            at = m.end()
        parts.append(Span(span.text[at:], span.ink))
    return tuple(parts)


def _marked(line: Line, start: int, end: int) -> Line:
    text = plain(line)
    end = len(text) if end == -1 else end
    return (Span(text[:start]), Span(text[start:end], "match"), Span(text[end:]))
