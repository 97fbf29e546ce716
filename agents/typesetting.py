"""TeX: the job that makes a PDF from a rendered paper, and how it went.

Belongs here: the job's specification, the probe for TeX's programs. Not here: running jobs (sandbox), the
text (`assembly.py`), the order in which TeX and BibTeX run (`typeset.sh`, inside the job), the log (`tex_log.py`).

Compiled TeX is code that a model wrote: no shell escape, no files outside the job's folder. The same files give
the same PDF, byte for byte, whenever and wherever, unless they ask for the date.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from agents.latex_text import cited
from agents.tex_log import TexLog, read_log
from cockpit.kernel.ids import JobId, Sha256
from cockpit.kernel.model import JsonObject, sha256
from cockpit.kernel.protocols import Desk
from cockpit.kernel.results import JobLimits, JobSpec

State = Literal["made", "failed", "no-tex", "no-sandbox"]
Engine = Literal["pdflatex", "xelatex"]
PAPER, BIB, NOTES, LOG, PDF, PROGRAM = (
    "paper.tex",
    "references.bib",
    "paper.aux",
    "paper.log",
    "paper.pdf",
    "typeset.sh",
)
LIMITS = JobLimits(wall_s=120, memory_mb=1024, processes=64, disk_mb=256, output_mb=16)
WITHOUT_PDF = {"pdflatex": "-draftmode", "xelatex": "-no-pdf"}
# else pdfTeX writes when, where and with what it was made: two runs of the same words would differ
FIRST = {"pdflatex": r"\pdfinfoomitdate=1 \pdftrailerid{}\pdfsuppressptexinfo=-1 ", "xelatex": ""}
NOT_THERE = 127
_STYLE, _DATA = re.compile(r"\\bibliographystyle\{([^{}]*)\}"), re.compile(r"\\bibliography\{([^{}]*)\}")
EPOCH = 946_684_800  # 1 January 2000: a paper shows no date, and equal papers must be equal PDFs


@dataclass(frozen=True)
class Typeset:
    """How typesetting went. `overfull`: points too wide and where; `undefined`: keys that print as `?`."""

    state: State
    pdf: bytes | None = None
    pages: int = 0
    error: str = ""
    overfull: tuple[tuple[float, str], ...] = ()
    undefined: tuple[str, ...] = ()

    def fields(self) -> JsonObject:
        """For the stage's report."""
        return {"state": self.state, "pages": self.pages, "error": self.error,
                "overfull": [{"points": points, "where": where} for points, where in self.overfull],
                "undefined": list(self.undefined)}  # fmt: skip


def engine_of(language: str) -> Engine:
    """The TeX that a paper in this language needs."""
    return "xelatex" if language == "zh" else "pdflatex"


def programs(language: str) -> tuple[str, ...]:
    """What must be on the PATH to typeset a paper in this language."""
    return (engine_of(language), "bibtex")


def missing(language: str) -> str:
    """The first program that this machine lacks for papers in this language; empty when it has all."""
    return next((name for name in programs(language) if shutil.which(name) is None), "")


def typesetting_job(job: JobId, files: Mapping[str, Sha256], *, epoch: int, engine: Engine = "pdflatex") -> JobSpec:
    """The job that makes `paper.pdf` (and `paper.log`) from blobs; `typeset.sh` must be among them.

    `epoch`: seconds since 1970, the date for a paper that asks for it.
    """
    return JobSpec(
        id=job,
        kind="tex",
        needs="tex",
        command=("sh", PROGRAM, engine, WITHOUT_PDF[engine], "-interaction=batchmode", "-halt-on-error",
                 "-file-line-error", "-no-shell-escape", "-jobname=paper", f"{FIRST[engine]}\\input{{{PAPER}}}"),
        files=dict(files),
        outputs=(PDF, LOG),
        limits=LIMITS,
        environment={"SOURCE_DATE_EPOCH": str(epoch), "FORCE_SOURCE_DATE": "1", "openin_any": "p", "openout_any": "p",
                     "TEXMFHOME": "/nonexistent", "TEXMFVAR": "/tmp/texmf-var",
                     # else the log breaks lines at 79 and keys cannot be read
                     "max_print_line": "2000", "error_line": "254", "half_error_line": "238"},
    )  # fmt: skip


def inputs(rendered: str, bib: str, figures: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files of the job. `figures`: path beside the paper → content."""
    return {PAPER: rendered.encode(), BIB: bib.encode(), NOTES: notes(rendered).encode(), PROGRAM: program(), **figures}


def notes(rendered: str) -> str:
    """What TeX would note about citations, so that BibTeX can go first. TeX writes its own notes over it."""
    style, data = _STYLE.search(rendered), _DATA.search(rendered)
    if style is None or data is None:
        return "\\relax\n"
    lines = [
        *(f"\\citation{{{key}}}" for key in cited(rendered)),
        f"\\bibstyle{{{style[1]}}}",
        f"\\bibdata{{{data[1]}}}",
    ]
    return "\\relax\n" + "".join(f"{line}\n" for line in lines)


@cache
def program() -> bytes:
    """The script that runs TeX and BibTeX inside the job."""
    return Path(__file__).with_name(PROGRAM).read_bytes()


def specification(desk: Desk, rendered: str, bib: str, figures: Mapping[str, bytes]) -> JobSpec:
    """The job for this stage part."""
    files = inputs(rendered, bib, figures)
    digest = sha256("\0".join(f"{path} {sha256(data)}" for path, data in sorted(files.items())))
    part = "" if desk.part == "whole" else f".{desk.part}"
    blobs = {path: desk.put_blob(data) for path, data in sorted(files.items())}
    engine: Engine = "xelatex" if "ctexart" in rendered[:200] else "pdflatex"
    return typesetting_job(JobId(f"paper.{desk.position}{part}.{digest[:8]}"), blobs, epoch=EPOCH, engine=engine)


async def available(desk: Desk) -> bool:
    """Is the TeX that the paper's language needs here? Asked once a stage part, and journalled."""
    wanted = list(programs(desk.settings.language))

    async def look() -> JsonObject:
        return {name: shutil.which(name) is not None for name in wanted}

    found = await desk.once(f"typesetting/{desk.part}", {"look-for": wanted}, look, what="host")
    return all(found[name] for name in wanted)


async def typeset(desk: Desk, rendered: str, bib: str, figures: Mapping[str, bytes]) -> Typeset:
    """The PDF of a rendered paper, if there is TeX here. Never raises for what TeX says."""
    if not await available(desk):
        return Typeset("no-tex", error="TeX is not installed here")
    spec = specification(desk, rendered, bib, figures)
    result = (await desk.run_jobs([spec]))[0]
    reason = result.receipt.reason
    if reason in ("could-not-start", "sandbox-dead", "cancelled", "killed"):
        return Typeset("no-sandbox", error=f"the typesetting job could not run: {reason}")
    if result.receipt.exit_code == NOT_THERE:
        return Typeset("no-tex", error=f"TeX is not installed where jobs run ({' '.join(result.tail)[-100:]})")
    said = _output(desk, spec, LOG) or b""
    log = read_log(said.decode("utf-8", "replace"))
    overfull = tuple((problem.points, problem.message) for problem in log.of("overfull"))
    pdf = _output(desk, spec, PDF) if result.ok else None
    if pdf is None:
        last = result.tail[-1] if result.tail else reason
        return Typeset("failed", error=first_error(log) or f"typesetting ended: {last}", overfull=overfull)
    undefined = [p.message for kind in ("undefined-citation", "undefined-reference") for p in log.of(kind)]
    return Typeset("made", pdf, log.pages or 0, "", overfull, tuple(dict.fromkeys(undefined)))


def first_error(log: TexLog) -> str:
    """`paper.tex:12: Undefined control sequence.`; empty if there is no error."""
    for problem in log.of("error"):
        return f"{problem.file}:{problem.line}: {problem.message}"[:300] if problem.file else problem.message[:300]
    return ""


def _output(desk: Desk, spec: JobSpec, path: str) -> bytes | None:
    try:
        return desk.job_output(spec, path)
    except FileNotFoundError:
        return None
