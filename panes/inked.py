"""Painting lines: the base of all widgets of ours, with inks as component classes; the one-line Bar.

Belongs here: from Line to Strip. Not here: what a line says.
"""

from __future__ import annotations

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from panes.line import Line, plain
from themes.tokens import INKS, Ink


class Inked(Widget):
    """A widget that paints `Line`s."""

    COMPONENT_CLASSES = {*(f"ink--{ink}" for ink in INKS), "ink--cursor"}

    def ink(self, name: Ink) -> Style:
        """What an ink adds to the widget's own style."""
        return self.get_component_rich_style(f"ink--{name}", partial=True)

    def strip(self, line: Line, *, under_cursor: bool = False, y: int | None = None) -> Strip:
        """`line` as wide as the widget; `y` (row in the content) makes it selectable by mouse."""
        base = self.rich_style
        if under_cursor:
            base += self.get_component_rich_style("ink--cursor", partial=True)
        parts = [Segment(span.text, base + _flat(self.ink(span.ink), under_cursor)) for span in line]
        strip = Strip(parts).adjust_cell_length(self.size.width, base)
        return strip if y is None else strip.apply_offsets(0, y)


def _flat(style: Style, under_cursor: bool) -> Style:
    """Under the cursor a reversed ink would turn back: only its colour and weight stay."""
    return Style(color=style.color, bold=style.bold) if under_cursor else style


class Bar(Inked):
    """One line that changes: header, footer, tab strip."""

    DEFAULT_CSS = "Bar { height: 1; width: 1fr; }"

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self.line: Line = ()

    def show(self, line: Line) -> None:
        """Paint `line`, if it differs from what stands there."""
        if line != self.line:
            self.line = line
            self.refresh(Region(0, 0, self.size.width, 1))

    def render_line(self, y: int) -> Strip:
        return self.strip(self.line if y == 0 else ())

    @property
    def shown(self) -> str:
        return plain(self.line)
