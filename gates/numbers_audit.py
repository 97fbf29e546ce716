"""The numbers program as one auditor among the others.

Belongs here: the calls into `gates/numbers`, and what comes of them. Not here: numbers.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from cockpit.kernel.findings import Finding
from cockpit.kernel.protocols import Tree
from cockpit.kernel.view import RunView
from gates.artifacts import RENDERED, text_of
from gates.numbers.check import check_paper
from gates.numbers.closing import mended
from gates.numbers.report import NumbersReport

Fate = Literal["mended", "withdrawn", "still"]
ELSEWHERE = frozenset({"result-without-job"})  # `receipts.py` says it, with the job


@dataclass(frozen=True)
class Report:
    """Findings, and files to write (path → text)."""

    findings: tuple[Finding, ...]
    files: dict[str, str] = field(default_factory=dict)


def check(tree: Tree, view: RunView) -> Report:
    """Findings on the present paper, and the files of 07."""
    report = check_paper(tree, view)
    findings = tuple(f for f in report.findings if f.pattern not in ELSEWHERE)
    return Report(findings, dict(report.files))


class Fates:
    """What became of numbers findings in the present paper; the paper is read once."""

    def __init__(self, tree: Tree, view: RunView) -> None:
        self._tree, self._view = tree, view
        self._report: NumbersReport | None = None

    def of(self, finding: Finding) -> Fate:
        """mended, withdrawn (value and every similar sentence are gone), or still there."""
        text = text_of(self._tree, RENDERED).value
        if text is None:
            return "still"
        if self._report is None:
            self._report = check_paper(self._tree, self._view)
        return mended(self._report, finding, text)
