"""TeX: the job that makes a PDF from a rendered paper, and what its log says.

Belongs here: the job's specification, the probe for latexmk, reading the log. Not here: running
jobs (sandbox), the text (`assembly.py`). The same text at the same time gives the same bytes.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from cockpit.kernel.ids import JobId
from cockpit.kernel.model import JsonObject, sha256
from cockpit.kernel.protocols import Desk
from cockpit.kernel.results import JobLimits, JobSpec

State = Literal["made", "failed", "no-tex", "no-sandbox"]
OUTPUTS = ("paper.pdf", "paper.log")
LIMITS = JobLimits(wall_s=120, memory_mb=1024, processes=64, disk_mb=256, output_mb=16)
_PAGES = re.compile(r"Output written on .*?\((\d+) pages?", re.DOTALL)
_ERROR = re.compile(r"^(?:! .*|[^\s:]+:\d+: .*)$", re.MULTILINE)
_OVERFULL = re.compile(r"^Overfull \\hbox \(([\d.]+)pt too wide\) (.*)$", re.MULTILINE)
_UNDEFINED = re.compile(r"(?:Citation|Reference) [`']([^']+)'.*?undefined", re.DOTALL)


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


def specification(desk: Desk, rendered: str, bib: str, figures: Mapping[str, bytes]) -> JobSpec:
    """The job: latexmk on `paper.tex` without shell escape. `figures`: path beside the paper → content."""
    engine = "-xelatex" if "ctexart" in rendered[:200] else "-pdf"
    files = {"paper.tex": rendered.encode(), "references.bib": bib.encode(), **figures}
    digest = sha256("\0".join(f"{path} {sha256(data)}" for path, data in sorted(files.items())))
    part = "" if desk.part == "whole" else f".{desk.part}"
    return JobSpec(
        id=JobId(f"paper.{desk.position}{part}.{digest[:8]}"),
        kind="tex",
        needs="tex",
        command=("latexmk", "-norc", engine, "-interaction=nonstopmode", "-halt-on-error", "-file-line-error",
                 "-no-shell-escape", "-usepretex=\\pdftrailerid{}\\pdfsuppressptexinfo=-1\\relax", "paper.tex"),
        files={path: desk.put_blob(data) for path, data in sorted(files.items())},
        outputs=OUTPUTS,
        limits=LIMITS,
        environment={"SOURCE_DATE_EPOCH": str(_epoch(desk.at)), "FORCE_SOURCE_DATE": "1", "openin_any": "p",
                     "openout_any": "p", "max_print_line": "1000", "TEXMFHOME": "/nonexistent",
                     "TEXMFVAR": "/tmp/texmf-var"},
    )  # fmt: skip


def _epoch(at: str) -> int:
    return int(datetime.fromisoformat(at.replace("Z", "+00:00")).timestamp())


async def available(desk: Desk) -> bool:
    """Are latexmk and the engine that the paper's language needs here? Asked once a stage part, and journalled."""
    programs = ["latexmk", "xelatex" if desk.settings.language == "zh" else "pdflatex"]

    async def look() -> JsonObject:
        return {name: shutil.which(name) is not None for name in programs}

    found = await desk.once(f"typesetting/{desk.part}", {"look-for": programs}, look, what="host")
    return all(found[name] for name in programs)


async def typeset(desk: Desk, rendered: str, bib: str, figures: Mapping[str, bytes]) -> Typeset:
    """The PDF of a rendered paper, if there is TeX here. Never raises for what TeX says."""
    if not await available(desk):
        return Typeset("no-tex", error="TeX is not installed here")
    spec = specification(desk, rendered, bib, figures)
    result = (await desk.run_jobs([spec]))[0]
    log = _output(desk, spec, "paper.log") or "\n".join(result.tail).encode()
    said = log.decode("utf-8", "replace")
    if result.receipt.reason in ("could-not-start", "sandbox-dead", "cancelled", "killed"):
        return Typeset("no-sandbox", error=f"the typesetting job could not run: {result.receipt.reason}")
    pdf = _output(desk, spec, "paper.pdf") if result.ok else None
    pages = _PAGES.findall(said)
    overfull = tuple((float(points), where) for points, where in _OVERFULL.findall(said))
    if pdf is None:
        return Typeset(
            "failed", error=first_error(said) or f"latexmk ended: {result.receipt.reason}", overfull=overfull
        )
    undefined = tuple(dict.fromkeys(_UNDEFINED.findall(_last_run(said))))
    return Typeset("made", pdf, int(pages[-1]) if pages else 0, "", overfull, undefined)


def first_error(log: str) -> str:
    """The first error line of a TeX log; empty if there is none."""
    found = _ERROR.search(log)
    return found[0][:300] if found else ""


def _last_run(log: str) -> str:
    return log.rsplit("This is pdfTeX", 1)[-1]


def _output(desk: Desk, spec: JobSpec, path: str) -> bytes | None:
    try:
        return desk.job_output(spec, path)
    except FileNotFoundError:
        return None
