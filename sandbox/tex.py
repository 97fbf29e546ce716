"""A paper as a job: how LaTeX is run in the sandbox, and what its log says.

Belongs here: the specification of a compilation, the log. Not here: the paper (agents), the verdict on
it (gates/lint). Compiled TeX is code that a model wrote: no shell escape, no files outside the folder.

The same files and the same `epoch` give the same PDF, byte for byte.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal

from cockpit.kernel.ids import JobId, Sha256
from cockpit.kernel.results import JobLimits, JobSpec

LIMITS = JobLimits(wall_s=120, memory_mb=1024, processes=32, disk_mb=128, output_mb=4)
NO_TRAILER_ID = r"\pdftrailerid{}"  # else it is made from the folder's name
ProblemKind = Literal["error", "undefined-reference", "undefined-citation", "duplicate-label", "overfull"]
# `./paper.tex:12: Undefined control sequence.` (-file-line-error)
ERROR = re.compile(r"^(?:\./)?(?P<file>[^\s:][^:]*\.\w+):(?P<line>\d+): (?P<message>.+)$")
BARE_ERROR = re.compile(r"^! (?P<message>.+)$")
UNDEFINED = re.compile(r"(?:LaTeX|Package natbib) Warning: (?P<what>Reference|Citation) [`'](?P<key>.+?)'.* undefined"
                       r"(?: on input line (?P<line>\d+))?")  # fmt: skip
DUPLICATE = re.compile(r"LaTeX Warning: Label [`'](?P<key>.+?)' multiply defined")
OVERFULL = re.compile(r"^Overfull \\(?P<box>[hv])box \((?P<points>[\d.]+)pt too (?:wide|high)\)"
                      r"(?:.*? lines? (?P<line>\d+))?")  # fmt: skip
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


def tex_available() -> bool:
    """Is there a LaTeX on this machine that a paper could be compiled with?"""
    return all(shutil.which(program) for program in ("latexmk", "pdflatex", "bibtex"))


def compile_job(job: JobId, files: Mapping[str, Sha256], *, epoch: int, main: str = "paper.tex") -> JobSpec:
    """The job that makes `paper.pdf` (and its `.log`, `.bbl`, `.blg`) from blobs.

    `epoch`: seconds since 1970 that stand in the PDF as its date; give the stage's time, not the clock's.
    Raises ValueError when `main` is not among the files, or would be read as an option.
    """
    if main not in files or main.startswith("-") or PurePosixPath(main).suffix != ".tex":
        raise ValueError(f"no {main} to compile")
    stem = PurePosixPath(main).stem
    command = ("latexmk", "-norc", "-pdf", "-interaction=nonstopmode", "-file-line-error", "-halt-on-error",
               "-no-shell-escape", f"-usepretex={NO_TRAILER_ID}", main)  # fmt: skip
    environment = {
        "SOURCE_DATE_EPOCH": str(epoch),
        "FORCE_SOURCE_DATE": "1",  # \today too
        "openin_any": "p",
        "openout_any": "p",
        "TEXMFHOME": "/nonexistent",
        "TEXMFVAR": "/tmp/texmf-var",
        "max_print_line": "2000",  # else the log breaks lines at 79 and keys cannot be read
        "error_line": "254",
        "half_error_line": "238",
    }
    outputs = tuple(f"{stem}.{kind}" for kind in ("pdf", "log", "bbl", "blg"))
    return JobSpec(id=job, kind="tex", command=command, files=dict(files), outputs=outputs, limits=LIMITS,
                   needs="tex", environment=environment)  # fmt: skip


def read_log(text: str, *, main: str = "paper.tex") -> TexLog:
    """Problems and pages from a LaTeX log (of one run; latexmk's log is the last run's). Each problem once."""
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
        message = f"{found['points']} pt outside the {'margin' if found['box'] == 'h' else 'page'}"
        return TexProblem("overfull", message, main, int(found["line"] or 0), float(found["points"]))
    return None
