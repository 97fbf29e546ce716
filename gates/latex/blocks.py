"""What a reader sees: blocks of plain text that remember where each character stands.

Belongs here: the shapes that reading gives. Not here: making them (`reader.py`, `grid.py`).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Literal

from gates.latex.tokens import Lines

Where = Literal["text", "table", "caption", "abstract", "footnote", "title", "heading", "front", "figure", "code"]
REFERENCE, CITATION = "\ue000", "\ue001"  # stand for \ref and \cite in plain text
SUB, SUP, CLOSE = "\ue002", "\ue003", "\ue004"  # around subscripts and superscripts
APART = "\u200b"  # between digits that are two numbers
_STOP = re.compile(r"[.!?][\"'”’)\]]*(?=\s+[^a-z\s])|[。！？；][”』」）]*|\n")
_ABBREVIATED = re.compile(r"(?:\b(?:e\.g|i\.e|cf|vs|Fig|Figs|Eq|Eqs|Sec|Tab|al|resp|approx|No|etc|St|Dr)|\b[A-Z])\.$")


@dataclass(slots=True)
class Block:
    """A paragraph, cell, caption … : `plain` text; `at[i]` = offset of `plain[i]` in the LaTeX text.

    `math`: ranges of `plain` set as mathematics, with whether displayed. `bold`: bold ranges.
    `cites`: position in `plain` and keys. `headings`: titles of the sections around it, outermost first.
    """

    where: Where
    headings: tuple[str, ...] = ()
    plain: str = ""
    at: list[int] = field(default_factory=list)
    math: list[tuple[int, int, bool]] = field(default_factory=list)
    bold: list[tuple[int, int]] = field(default_factory=list)
    cites: list[tuple[int, tuple[str, ...]]] = field(default_factory=list)
    in_table: bool = False
    parts: list[str] = field(default_factory=list)
    size: int = 0
    _stops: list[int] = field(default_factory=list)

    def add(self, text: str, offset: int, *, verbatim: bool) -> None:
        """Append `text`, which stands at `offset` (each character there, if not `verbatim`)."""
        self.parts.append(text)
        self.at.extend(range(offset, offset + len(text)) if verbatim else [offset] * len(text))
        self.size += len(text)

    def seal(self) -> Block:
        """Join what was appended."""
        self.plain = "".join(self.parts)
        self.parts.clear()
        return self

    def sentence(self, position: int) -> tuple[int, int]:
        """The range of the sentence of `plain` that holds `position`."""
        stops = self.stops()
        i = bisect_right(stops, position)
        return (stops[i - 1] if i else 0), (stops[i] if i < len(stops) else len(self.plain))

    def stops(self) -> list[int]:
        """Ends of sentences."""
        if not self._stops and self.plain:
            for found in _STOP.finditer(self.plain):
                head = self.plain[max(0, found.start() - 8) : found.start() + 1]
                if not (found.group().startswith(".") and _ABBREVIATED.search(head)):
                    self._stops.append(found.end())
            self._stops.append(len(self.plain))
        return self._stops

    def is_bold(self, start: int, end: int) -> bool:
        """Does bold cover `plain[start:end]`?"""
        return any(a <= start and end <= b for a, b in self.bold)


@dataclass(slots=True)
class Cell:
    """A cell of a table: place in the grid, what it spans, its text."""

    row: int
    column: int
    block: Block
    columns: int = 1
    rows: int = 1

    @property
    def text(self) -> str:
        return self.block.plain.strip()


@dataclass(slots=True)
class Table:
    """A tabular: cells by row; `rules`: rows before which a line is drawn; `caption` of its float."""

    start: int
    headings: tuple[str, ...]
    rows: list[list[Cell]] = field(default_factory=list)
    rules: list[int] = field(default_factory=list)
    end: int = 0
    float_id: int = -1
    caption: Block | None = None
    label: str = ""


@dataclass(frozen=True, slots=True)
class Mark:
    """A label, reference, citation, environment or graphic: its name, where it stands."""

    kind: Literal["label", "ref", "cite", "environment", "graphic", "command"]
    name: str
    start: int
    end: int = 0


@dataclass(slots=True)
class Document:
    """A LaTeX text as read."""

    text: str
    lines: Lines
    blocks: list[Block] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    sections: list[tuple[int, str, int]] = field(default_factory=list)  # level, title, offset

    def of(self, kind: str) -> list[Mark]:
        """Marks of a kind, in order."""
        return [m for m in self.marks if m.kind == kind]
