"""A painted line before it is painted: pieces of text, each with the name of an ink.

Belongs here: the shape and arithmetic on it. Not here: styles, widgets, what a pane says.
"""

from __future__ import annotations

from typing import NamedTuple

from rich.cells import cell_len

from panes.text import clean, crop
from themes.tokens import Ink


class Span(NamedTuple):
    """Text in one ink; already clean."""

    text: str
    ink: Ink = "text"


Line = tuple[Span, ...]


class Row(NamedTuple):
    """A line that can be pointed at; `key` "" = it cannot (a heading, a blank)."""

    key: str
    line: Line


def say(text: str, ink: Ink = "text") -> Span:
    """A span of text from outside: cleaned."""
    return Span(clean(text), ink)


def plain(line: Line) -> str:
    """The text of a line, for tests, copying and faces without colour."""
    return "".join(span.text for span in line)


def size(line: Line) -> int:
    """Width in cells."""
    return sum(cell_len(span.text) for span in line)


def cut(line: Line, width: int, more: str = "…") -> Line:
    """`line` in at most `width` cells."""
    if size(line) <= width:
        return line
    kept: list[Span] = []
    left = width
    for span in line:
        if cell_len(span.text) >= left:
            kept.append(Span(crop(span.text + " ", left, more), span.ink))
            break
        kept.append(span)
        left -= cell_len(span.text)
    return tuple(kept)


def spread(left: Line, right: Line, width: int, more: str = "…") -> Line:
    """`left` and `right` at the two edges of `width` cells; `left` gives way, `right` never does."""
    room = width - size(right) - (1 if right else 0)
    left = cut(left, max(0, room), more)
    gap = max(0, width - size(left) - size(right))
    return cut((*left, Span(" " * gap), *right), width, more) if right else left
