r"""Where a place of the rendered text comes from: file, line and columns of the source.

Belongs here: reading `line_map.json`, aligning a rendered line with its source line. Not here: making
the map (`render.py`). Alignment is by content, so a rendered file that was changed by hand still maps.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from gates.latex.render import Readable

RES = re.compile(r"\\res\s*(?:\[(\d*)\])?\s*\{([^{}]*)\}")
_TOKEN = re.compile(r"\\[A-Za-z]+|[A-Za-z]+|\d+|.", re.S)


@dataclass(frozen=True, slots=True)
class Place:
    """Columns from 1, `end` exclusive. `exact`: the source has the same characters there."""

    file: str
    line: int
    column: int
    end: int
    exact: bool


@dataclass
class Origins:
    """Source places of a rendered text. Without a map everything maps to itself."""

    tree: Readable
    path: str
    lines: list[str]
    map: dict[int, tuple[str, int]] = field(default_factory=dict)
    _sources: dict[str, list[str]] = field(default_factory=dict)

    def source_line(self, line: int) -> tuple[str, int, str] | None:
        """File, line and text of the source line that a rendered line begins with."""
        origin = self.map.get(line)
        if origin is None:
            return None
        file, number = origin
        if file not in self._sources:
            try:
                self._sources[file] = self.tree.read(file).decode("utf-8", "replace").replace("\r\n", "\n").split("\n")
            except FileNotFoundError:
                self._sources[file] = []
        source = self._sources[file]
        return (file, number, source[number - 1]) if 0 < number <= len(source) else None

    def place(self, line: int, column: int, end: int) -> Place:
        """The source place of columns [column, end) of a rendered line."""
        found = self.source_line(line)
        if found is None:
            return Place(self.path, line, column, end, True)
        file, number, source = found
        rendered = self.lines[line - 1]
        if rendered == source or source.startswith(rendered[: end - 1]):
            return Place(file, number, column, end, source[column - 1 : end - 1] == rendered[column - 1 : end - 1])
        return self._aligned(rendered, found, column, end)

    def _aligned(self, rendered: str, origin: tuple[str, int, str], column: int, end: int) -> Place:
        file, number, source = origin
        tokens, source_tokens = _TOKEN.findall(rendered), _TOKEN.findall(source)
        starts, source_starts = _starts(tokens), _starts(source_tokens)
        for a, b, size in SequenceMatcher(None, tokens, source_tokens, autojunk=False).get_matching_blocks():
            if size and starts[a] <= column - 1 and end - 1 <= starts[a + size]:
                shift = source_starts[b] - starts[a]
                return Place(file, number, column + shift, end + shift, True)
        before = [
            (a, b)
            for a, b, size in SequenceMatcher(None, tokens, source_tokens, autojunk=False).get_matching_blocks()
            for a, b in [(a + size, b + size)]
            if starts[a] <= column - 1
        ]
        at = source_starts[before[-1][1]] if before else 0
        macro = RES.match(source, at)
        return Place(file, number, at + 1, macro.end() + 1 if macro else at + 1, False)

    def keys(self, line: int) -> list[tuple[int, int, str]]:
        r"""Columns [start, end) of a rendered line that a `\res` macro printed, with its key."""
        found = self.source_line(line)
        if found is None or "\\res" not in found[2]:
            return []
        rendered, source = self.lines[line - 1], found[2]
        pieces, keys, at = [], [], 0
        for macro in RES.finditer(source):
            pieces.append(source[at : macro.start()])
            keys.append(macro.group(2).strip())
            at = macro.end()
        pieces.append(source[at:])
        return _gaps(rendered, pieces, keys)


def _gaps(rendered: str, pieces: list[str], keys: list[str]) -> list[tuple[int, int, str]]:
    """The gaps that literal `pieces` leave in `rendered`, with their keys; nothing if they do not fit."""
    if not rendered.startswith(pieces[0]):
        return []
    found, at = [], len(pieces[0])
    for key, piece in zip(keys, pieces[1:], strict=True):
        stop = rendered.find(piece, at) if piece else len(rendered) if piece is pieces[-1] else -1
        if stop < 0:
            return []
        found.append((at + 1, stop + 1, key))
        at = stop + len(piece)
    return found


def _starts(tokens: list[str]) -> list[int]:
    starts = [0]
    for token in tokens:
        starts.append(starts[-1] + len(token))
    return starts


def origins(tree: Readable, path: str, text: str, line_map: str | None) -> Origins:
    """The origins of the rendered text at `path`; a missing or unreadable map maps everything to itself."""
    found: dict[int, tuple[str, int]] = {}
    if line_map:
        try:
            found = {int(e["rendered"]): (str(e["file"]), int(e["line"])) for e in json.loads(tree.read(line_map))}
        except (FileNotFoundError, ValueError, KeyError, TypeError):
            found = {}  # spans then point into the rendered text, which is always right
    return Origins(tree, path, text.split("\n"), found)
