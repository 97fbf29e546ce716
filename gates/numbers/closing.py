"""Is a finding of the numbers program mended in the present paper?

Belongs here: the test of the closer's table for number-*, claim-bold, claim-direction, claim-delta,
claim-seeds, result-without-job. Not here: who may close (`gates/closers.py`).
"""

from __future__ import annotations

import re
from typing import Literal

from cockpit.kernel.findings import Finding, Span
from gates.numbers.report import NumberRow, NumbersReport
from gates.numbers.verdicts import GOOD

Mended = Literal["mended", "withdrawn", "still"]
_SIMILAR = 0.6
_TOKEN = re.compile(r"[A-Za-z]+|\d+(?:\.\d+)?|[\u4e00-\u9fff]")


def mended(report: NumbersReport, finding: Finding, text: str) -> Mended:
    """mended, withdrawn or still (see `check.still_wrong`)."""
    if any(_same(finding, other) for other in report.findings):
        return "still"
    if not finding.pattern.startswith("number-"):
        return "mended"  # the same claim is no longer accused: it holds now, or is gone
    fates = [_fate(report, finding, span, text) for span in finding.spans]
    if not fates or "still" in fates:
        return "still" if fates else "mended"
    return "mended" if "mended" in fates else "withdrawn"


def _same(finding: Finding, other: Finding) -> bool:
    """Is `other` the same accusation: the same kind, in the same file, of a similar place?"""
    kinds = {finding.pattern, other.pattern}
    if len(kinds) > 1 and not all(k.startswith("number-") for k in kinds):
        return False
    if not finding.spans or not other.spans:
        return finding.title == other.title
    return any(
        a.file == b.file and (similar(a.text, b.text) >= _SIMILAR) and _values(a) & _values(b) == _values(a)
        for a in finding.spans
        for b in other.spans
    )


def _values(span: Span) -> set[str]:
    """The accused number of a span's text: what stands between ⟦ and ⟧, else all numbers in it."""
    marked = re.findall(r"⟦(.*?)⟧", span.text)
    return set(marked or re.findall(r"\d+(?:\.\d+)?", span.text))


def _fate(report: NumbersReport, finding: Finding, span: Span, text: str) -> Mended:
    here = [n for n in report.numbers if n.source_file == span.file and similar(n.context, span.text) >= _SIMILAR]
    accused = _values(span)
    same_value = [n for n in here if n.text in accused]
    if any(n.verdict not in GOOD for n in same_value):
        return "still"
    if same_value or _replaced(here, span):
        return "mended"
    return "withdrawn" if not _elsewhere(report, accused, span) else "still"


def _replaced(here: list[NumberRow], span: Span) -> bool:
    """Does a good number now stand in the same words (another value in place of the accused one)?"""
    return bool(here) and all(n.verdict in GOOD for n in here)


def _elsewhere(report: NumbersReport, accused: set[str], span: Span) -> bool:
    """Does the accused value still stand somewhere with a bad verdict in similar words?"""
    return any(
        n.text in accused and n.verdict not in GOOD and similar(n.context, span.text) >= _SIMILAR / 2
        for n in report.numbers
    )


def similar(a: str, b: str) -> float:
    """Share of common words of two texts in [0, 1]; marks and numbers aside."""
    left, right = ({t for t in _TOKEN.findall(x.lower()) if not t[0].isdigit()} for x in (a, b))
    if not left and not right:
        return 1.0 if a.strip() == b.strip() else 0.0
    return len(left & right) / max(len(left | right), 1)
