r"""Rendering: every `\input`, `\include` and own macro expanded, numbers filled in, with a line map.

Belongs here: what turns `paper.tex` into `paper_rendered.tex`. Not here: reading it (`reader.py`),
values (the caller's `resolve`). Comments are cut (their `%` stays where it joins lines).
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from cockpit.kernel.findings import Finding, Span
from cockpit.kernel.model import pretty
from gates.latex.macros import DEFINERS, Macro, definition, use
from gates.latex.tokens import Lines, argument, option

Resolve = Callable[[str, int | None], str | None]  # key, digits (None = as measured) → printed value; None = unknown
UNKNOWN = "??"
_INPUT_DEPTH, _MACRO_DEPTH = 20, 60
_STOPS = re.compile(r"\\([A-Za-z]+)\*?|\\.|%[^\n]*\n?", re.S)
_VERBATIM = re.compile(r"\s*\{(verbatim\*?|lstlisting|minted|Verbatim|filecontents\*?|comment)\}")


class Readable(Protocol):
    """The part of a `Tree` that rendering needs."""

    def read(self, path: str) -> bytes: ...


@dataclass(frozen=True, slots=True)
class LineOrigin:
    """Line `rendered` of the rendered text begins with what stands in `file` at `line`."""

    rendered: int
    file: str
    line: int


@dataclass(frozen=True)
class Rendered:
    """The rendered text, where each line came from, and what could not be resolved."""

    text: str
    line_map: tuple[LineOrigin, ...]
    findings: tuple[Finding, ...] = ()

    def line_map_json(self) -> str:
        """The content of `line_map.json`."""
        return pretty([{"rendered": o.rendered, "file": o.file, "line": o.line} for o in self.line_map])


def render(tree: Readable, path: str, resolve: Resolve) -> Rendered:
    r"""`path` with all inputs (relative to its folder) and macros expanded; `\res[digits]{key}` by `resolve`.

    An unknown key or a missing input prints `??` and gives a finding.

    Raises:
        FileNotFoundError: `path` itself is missing.
    """
    work = _Rendering(tree, posixpath.dirname(path), resolve)
    work.file(path, tree.read(path).decode("utf-8", "replace"), 0)
    return Rendered("".join(work.out), work.origins(), tuple(work.findings))


@dataclass(frozen=True, slots=True)
class _Use:
    """Where a macro is used, in a source file."""

    file: str
    line: int
    column: int


@dataclass
class _Rendering:
    tree: Readable
    folder: str
    resolve: Resolve
    macros: dict[str, Macro] = field(default_factory=dict)
    out: list[str] = field(default_factory=list)
    marks: list[tuple[int, str, int]] = field(default_factory=list)  # offset in the output, file, line
    findings: list[Finding] = field(default_factory=list)
    size: int = 0

    def file(self, path: str, text: str, depth: int) -> None:
        """Expand the text of a file."""
        text = text.replace("\r\n", "\n")
        lines = Lines(text)
        at = 0
        while found := _STOPS.search(text, at):
            self._copy(text, at, found.start(), path, lines)
            at = self._stop(text, found, path, lines, depth)
        self._copy(text, at, len(text), path, lines)

    def _stop(self, text: str, found: re.Match[str], path: str, lines: Lines, depth: int) -> int:
        """Handle the command or comment at `found`; the offset to go on from."""
        name, line = found.group(1), lines.place(found.start())[0]
        if found.group().startswith("%"):
            return self._comment(text, found, path, line)
        if name == "begin" and (verbatim := _VERBATIM.match(text, found.end())):
            end = text.find(f"\\end{{{verbatim.group(1)}}}", verbatim.end())
            end = len(text) if end < 0 else end
            self._copy(text, found.start(), end, path, lines)
            return end
        if name in ("input", "include") and (given := argument(text, found.end())):
            self._input(given[0].strip(), path, line, depth)
            return given[2]
        if name in DEFINERS and (defined := definition(text, name, found.end())):
            macro, end = defined
            if macro.simple and macro.name != "res" and (name != "renewcommand" or macro.name in self.macros):
                self.macros[macro.name] = macro
                return end
            self._copy(text, found.start(), end, path, lines)
            return end
        if name == "res" or name in self.macros:
            expansion, end = self._expand(text, name, found.end(), _Use(path, *lines.place(found.start())), 0)
            self._put(expansion, path, line)
            return end
        self._put(found.group(), path, line)
        return found.end()

    def _comment(self, text: str, found: re.Match[str], path: str, line: int) -> int:
        start = text.rfind("\n", 0, found.start()) + 1
        if text[start : found.start()].strip():
            self._put("%\n" if found.group().endswith("\n") else "%", path, line)
        return found.end()

    def _input(self, name: str, path: str, line: int, depth: int) -> None:
        target = posixpath.normpath(posixpath.join(self.folder, name))
        for candidate in (target, f"{target}.tex"):
            try:
                content = self.tree.read(candidate).decode("utf-8", "replace")
            except (FileNotFoundError, IsADirectoryError):
                continue
            if depth >= _INPUT_DEPTH:
                break
            self.file(candidate, content, depth + 1)
            return
        self._put(UNKNOWN, path, line)
        self.findings.append(
            Finding(
                auditor="lint",
                pattern="lint-missing-input",
                severity="critical",
                owner=17,
                title=f"input {name} is missing or includes itself",
                spans=(Span(file=path, line=line, text=name),),
            )
        )

    def _expand(self, text: str, name: str, at: int, place: _Use, depth: int) -> tuple[str, int]:
        """The full expansion of macro `name` used right before `at`, and the offset after its arguments."""
        if name == "res":
            return self._resolved(text, at, place)
        body, end = use(text, self.macros[name], at)
        if depth >= _MACRO_DEPTH:
            return body, end
        pieces, here = [], 0
        while found := _STOPS.search(body, here):
            pieces.append(body[here : found.start()])
            here, inner = found.end(), found.group(1)
            if inner == "res" or inner in self.macros:
                expansion, here = self._expand(body, inner, here, place, depth + 1)
                pieces.append(expansion)
            else:
                pieces.append(found.group())
        pieces.append(body[here:])
        return "".join(pieces), end

    def _resolved(self, text: str, at: int, place: _Use) -> tuple[str, int]:
        chosen = option(text, at)
        digits = int(chosen[0]) if chosen and chosen[0].strip().isdigit() else None
        given = argument(text, chosen[1] if chosen else at)
        key, end = (given[0].strip(), given[2]) if given else ("", at)
        value = self.resolve(key, digits)
        if value is None:
            self.findings.append(
                Finding(
                    auditor="numbers",
                    pattern="number-unsupported",
                    severity="critical",
                    owner=17,
                    title=f"no result has the key {key}",
                    spans=(Span(file=place.file, line=place.line, column=place.column, text=f"\\res{{{key}}}"),),
                )
            )
        return (UNKNOWN if value is None else value), end

    def _copy(self, text: str, start: int, end: int, path: str, lines: Lines) -> None:
        """Put a stretch of a file, one mark a line."""
        at = start
        while at < end:
            stop = text.find("\n", at, end)
            stop = end if stop < 0 else stop + 1
            self._put(text[at:stop], path, lines.place(at)[0])
            at = stop

    def _put(self, text: str, path: str, line: int) -> None:
        if text:
            self.marks.append((self.size, path, line))
            self.out.append(text)
            self.size += len(text)

    def origins(self) -> tuple[LineOrigin, ...]:
        """Where each rendered line begins."""
        found: list[LineOrigin] = []
        mark, offset = 0, 0
        for number, line in enumerate("".join(self.out).split("\n"), start=1):
            while mark + 1 < len(self.marks) and self.marks[mark + 1][0] <= offset:
                mark += 1
            if line and self.marks:
                found.append(LineOrigin(number, self.marks[mark][1], self.marks[mark][2]))
            offset += len(line) + 1
        return tuple(found)
