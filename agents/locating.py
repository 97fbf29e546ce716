"""Finding a quoted passage in a text again, though spaces and line breaks differ.

Belongs here: places by program. Not here: judging what is said there.
"""

from __future__ import annotations

import bisect
import re
from dataclasses import dataclass

from cockpit.kernel.findings import Span

_SPACE = re.compile(r"\s+")
SHORTEST = 8  # characters; a shorter quote is found anywhere and shows nothing


@dataclass(frozen=True, slots=True)
class Place:
    """Offsets of a passage, with its line and columns, counted from 1; `end_column` on the line of `start`."""

    start: int
    end: int
    line: int
    column: int
    end_column: int


def locate(quote: str, text: str, *, shortest: int = SHORTEST) -> Place | None:
    """Where `quote` stands in `text`: the first place, white space apart. None = it is not there, or too short."""
    words = [re.escape(word) for word in _SPACE.split(quote.strip().strip('“”"')) if word]
    if sum(map(len, words)) < shortest:
        return None
    found = re.search(r"\s+".join(words), text)
    return place(text, found.start(), found.end()) if found else None


def count(passage: str, text: str) -> int:
    """How often `passage` stands in `text`, white space apart."""
    words = [re.escape(word) for word in _SPACE.split(passage.strip()) if word]
    return len(re.findall(r"\s+".join(words), text)) if words else 0


def place(text: str, start: int, end: int) -> Place:
    """The place of `text[start:end]`."""
    starts = line_starts(text)
    line = bisect.bisect_right(starts, start)
    first = starts[line - 1]
    stop = starts[line] - 1 if line < len(starts) else len(text)
    return Place(start, end, line, start - first + 1, min(end, stop) - first + 1)


def line_starts(text: str) -> list[int]:
    """Offsets at which lines begin."""
    return [0, *(m.end() for m in re.finditer("\n", text))]


def span(quote: str, text: str, file: str) -> Span | None:
    """`quote` as a span of `file`, whose content is `text`; None if it is not there."""
    at = locate(quote, text)
    if at is None:
        return None
    return Span(file=file, line=at.line, column=at.column, end_column=at.end_column, text=text[at.start : at.end])
