"""The numbers program as one auditor among the others.

Belongs here: the calls into `gates/numbers`, what they read, and what comes of them. Not here: numbers.

A stage asks about the same bytes several times (audit, settling, policy), and reading a paper is the dearest
thing the gates do; so the last report is remembered with everything it rests on.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from cockpit.kernel.findings import Finding
from cockpit.kernel.protocols import Tree
from cockpit.kernel.stages import WRITE_A
from cockpit.kernel.view import RunView
from gates.artifacts import CARDS, CURRENT, HYPOTHESES, LINE_MAP, PLAN, RENDERED, current_of, text_of
from gates.numbers.check import check_paper
from gates.numbers.closing import mended
from gates.numbers.report import NumbersReport
from gates.overlay import FinalTree

Fate = Literal["mended", "withdrawn", "still"]
ELSEWHERE = frozenset({"result-without-job"})  # `receipts.py` says it, with the job


@dataclass(frozen=True)
class Report:
    """Findings, and files to write (path → text)."""

    findings: tuple[Finding, ...]
    files: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class _Remembered:
    """A report, and what it rests on: run and jobs of the view, and the hashes of all files read."""

    run: object
    jobs: object
    files: tuple[tuple[str, str], ...]
    said: NumbersReport
    report: Report


_last: dict[str, _Remembered] = {}


def inputs(tree: Tree) -> tuple[str, ...]:
    """All that the program looks at; paths that may be missing included."""
    current = current_of(tree).value
    results = [r.file for r in current.results] if current else []
    sources = [path for path in tree.list(f"{WRITE_A}/") if path.endswith(".tex")]
    return (RENDERED, CURRENT, PLAN, HYPOTHESES, LINE_MAP, *sources, *tree.list(CARDS), *results)


def check(tree: Tree, view: RunView) -> Report:
    """Findings on the present paper, and the files of 07."""
    return _judged(tree, view).report


class Fates:
    """What became of numbers findings in the present paper; the paper is read once."""

    def __init__(self, tree: Tree, view: RunView) -> None:
        self._tree, self._view = tree, view

    def of(self, finding: Finding) -> Fate:
        """mended, withdrawn (value and every similar sentence are gone), or still there."""
        text = text_of(self._tree, RENDERED).value
        return "still" if text is None else mended(_judged(self._tree, self._view).said, finding, text)


def _judged(tree: Tree, view: RunView) -> _Remembered:
    """The report on these bytes; made anew unless nothing it rests on has changed.

    Only the section on how a paper was made speaks of the journal, and only an export has it; for the paper
    itself the program gets run and jobs, and no more.
    """
    if isinstance(tree, FinalTree):
        return _made(tree, view, ())
    files = tuple((path, str(tree.sha(path))) for path in sorted(set(inputs(tree))) if tree.exists(path))
    known = _last.get("paper")
    if known is not None and known.run is view.run and known.jobs is view.jobs and known.files == files:
        return known
    _last["paper"] = fresh = _made(tree, RunView(run=view.run, jobs=view.jobs), files)
    return fresh


def _made(tree: Tree, view: RunView, files: tuple[tuple[str, str], ...]) -> _Remembered:
    said = check_paper(tree, view)
    findings = tuple(f for f in said.findings if f.pattern not in ELSEWHERE)
    return _Remembered(view.run, view.jobs, files, said, Report(findings, dict(said.files)))
