"""Typesetting the present paper and saying how it went: the PDF, or why there is none.

Belongs here: from a rendered paper in the desk's tree to its PDF, findings and audit. Not here: the TeX
job itself (`typesetting.py`).
"""

from __future__ import annotations

from dataclasses import dataclass

from agents import assembly
from agents.manuscript import FIGURES, PDF, REFERENCES, RENDERED
from agents.typesetting import Typeset, typeset
from cockpit.kernel.findings import AuditRun, AuditVerdict, Finding, Span
from cockpit.kernel.ids import Sha256
from cockpit.kernel.model import sha256
from cockpit.kernel.protocols import Desk

AUDITOR = "compile"
_VERDICTS: dict[str, tuple[AuditVerdict, str]] = {
    "made": ("PASS", ""),
    "failed": ("FAIL", "tex-error"),
    "no-tex": ("BLOCKED", "no-tex"),
    "no-sandbox": ("ERROR", "no-sandbox"),
}


@dataclass(frozen=True)
class Published:
    """How the paper was typeset, as a sentence, findings and an audit."""

    typeset: Typeset
    sentence: str
    findings: tuple[Finding, ...]
    audits: tuple[AuditRun, ...]


async def publish(desk: Desk, *, at: str = RENDERED, bib: str = REFERENCES, figures: str = FIGURES,
                  pdf: str = PDF, owner: int = 17) -> Published:  # fmt: skip
    """Typeset the text at `at` and write the PDF; a stale PDF is taken away when there is no new one."""
    root = figures[: -len("figures/")]
    files = {path.removeprefix(root): desk.tree.read(path) for path in desk.tree.list(figures) if _needed(path)}
    text, references = assembly.read(desk.tree, at), assembly.read(desk.tree, bib)
    made = await typeset(desk, text, references, files)
    if made.pdf is not None:
        desk.write(pdf, made.pdf)
    elif desk.tree.exists(pdf):
        desk.remove(pdf)
    verdict, reason = _VERDICTS[made.state]
    findings = _findings(made, at, owner)
    run = AuditRun(auditor=AUDITOR, version="1", verdict=verdict, reason=reason, findings=len(findings),
                   inputs={at: Sha256(sha256(text)), bib: Sha256(sha256(references))})  # fmt: skip
    return Published(made, _sentence(made), findings, (run,))


def _needed(path: str) -> bool:
    return not path.endswith((".json", ".tex"))  # drawings in LaTeX are part of the rendered text


def _sentence(made: Typeset) -> str:
    if made.state == "made":
        return f"PDF of {made.pages} page{'' if made.pages == 1 else 's'}"
    return f"no PDF ({made.error})"


def _findings(made: Typeset, at: str, owner: int) -> tuple[Finding, ...]:
    if made.state != "failed":
        return ()
    title = f"the paper does not compile: {made.error}"
    return (Finding(auditor=AUDITOR, pattern="compile-failed", severity="major", title=title, owner=owner,
                    spans=(Span(file=at, text=made.error[:120]),)),)  # fmt: skip
