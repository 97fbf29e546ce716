"""What the log of a LaTeX run says: pages, errors, what is undefined, what sticks out.

Belongs here: reading the log. Not here: the job that wrote it (`typesetting.py`), the verdict on it (gates).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

ProblemKind = Literal["error", "undefined-reference", "undefined-citation", "duplicate-label", "overfull"]
# `./paper.tex:12: Undefined control sequence.` (-file-line-error)
ERROR = re.compile(r"^(?:\./)?(?P<file>[^\s:][^:]*\.\w+):(?P<line>\d+): (?P<message>.+)$")
BARE_ERROR = re.compile(r"^! (?P<message>.+)$")
UNDEFINED = re.compile(r"(?:LaTeX|Package natbib) Warning: (?P<what>Reference|Citation) [`'](?P<key>.+?)'.* undefined"
                       r"(?: on input line (?P<line>\d+))?")  # fmt: skip
DUPLICATE = re.compile(r"LaTeX Warning: Label [`'](?P<key>.+?)' multiply defined")
OVERFULL = re.compile(r"^Overfull \\(?P<box>[hv])box \((?P<points>[\d.]+)pt too (?:wide|high)\) ?"
                      r"(?P<where>.*?(?: lines? (?P<line>\d+).*)?)$")  # fmt: skip
WRITTEN = re.compile(r"^Output written on .+ \((?P<pages>\d+) pages?, \d+ bytes\)", re.MULTILINE)
NOTHING = re.compile(r"^No pages of output", re.MULTILINE)


@dataclass(frozen=True)
class TexProblem:
    """One thing that LaTeX complained about. `line` 0 = it did not say; `points` = how far a box sticks out."""

    kind: ProblemKind
    message: str
    file: str = ""
    line: int = 0
    points: float = 0


@dataclass(frozen=True)
class TexLog:
    """What the log of the last run says. `pages` None = no page was written."""

    pages: int | None
    problems: tuple[TexProblem, ...]

    def of(self, kind: ProblemKind) -> tuple[TexProblem, ...]:
        """Problems of one kind."""
        return tuple(problem for problem in self.problems if problem.kind == kind)


def read_log(text: str, *, main: str = "paper.tex") -> TexLog:
    """Problems and pages from a LaTeX log of one run. Each problem once."""
    problems: dict[TexProblem, None] = {}
    for line in text.splitlines():
        if (found := _problem(line, main)) is not None:
            problems[found] = None
    written = WRITTEN.search(text)
    pages = int(written["pages"]) if written and not NOTHING.search(text) else None
    return TexLog(pages, tuple(problems))


def _problem(line: str, main: str) -> TexProblem | None:
    if found := ERROR.match(line):
        return TexProblem("error", found["message"].strip(), found["file"], int(found["line"]))
    if found := BARE_ERROR.match(line):
        return TexProblem("error", found["message"].strip())
    if found := UNDEFINED.search(line):
        kind: ProblemKind = "undefined-reference" if found["what"] == "Reference" else "undefined-citation"
        return TexProblem(kind, found["key"], main, int(found["line"] or 0))
    if found := DUPLICATE.search(line):
        return TexProblem("duplicate-label", found["key"], main)
    if found := OVERFULL.match(line):
        message = f"outside the {'margin' if found['box'] == 'h' else 'page'} {found['where']}".rstrip()
        return TexProblem("overfull", message, main, int(found["line"] or 0), float(found["points"]))
    return None
