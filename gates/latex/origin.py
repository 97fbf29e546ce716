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
    _aligned: dict[int, list[tuple[int, int, int]]] = field(default_factory=dict)

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
        for start, stop, shift in self._alignment(line, found[2]):
            if start <= column - 1 and end - 1 <= stop:
                return Place(found[0], found[1], column + shift, end + shift, True)
        before = [s for s in self._alignment(line, found[2]) if s[1] <= column - 1]
        at = before[-1][1] + before[-1][2] if before else 0
        macro = RES.match(found[2], at)
        return Place(found[0], found[1], at + 1, macro.end() + 1 if macro else at + 1, False)

    def _alignment(self, line: int, source: str) -> list[tuple[int, int, int]]:
        """Stretches [start, stop) of a rendered line that the source line has too, with the shift of their columns."""
        known = self._aligned.get(line)
        if known is None:
            rendered = self.lines[line - 1]
            if source.startswith(rendered):
                known = [(0, len(rendered), 0)]
            else:
                known = self._around_macros(line, source) or _common(rendered, source)
            self._aligned[line] = known
        return known

    def _around_macros(self, line: int, source: str) -> list[tuple[int, int, int]]:
        """The stretches between `\\res` macros, when these are all that the lines differ in."""
        keys = self.keys(line)
        macros = list(RES.finditer(source))
        if not keys or len(keys) != len(macros):
            return []
        found, at, shift = [], 0, 0
        for (start, end, _), macro in zip(keys, macros, strict=True):
            found.append((at, start - 1, shift))
            at, shift = end - 1, macro.end() - (end - 1)
        return [*found, (at, len(self.lines[line - 1]), shift)]

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


def _common(rendered: str, source: str) -> list[tuple[int, int, int]]:
    """What two lines have in common, by words, in order."""
    tokens, source_tokens = _TOKEN.findall(rendered), _TOKEN.findall(source)
    starts, source_starts = _starts(tokens), _starts(source_tokens)
    blocks = SequenceMatcher(None, tokens, source_tokens, autojunk=False).get_matching_blocks()
    return [(starts[a], starts[a + size], source_starts[b] - starts[a]) for a, b, size in blocks if size]


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
