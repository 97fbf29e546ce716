"""Is a finding of the numbers program mended in the present paper?

Belongs here: the test of the closer's table for number-* and claim-* of this program. Not here: who may
close (`gates/closers.py`).
"""

from __future__ import annotations

import re
from typing import Literal

from cockpit.kernel.findings import Finding, Span
from gates.numbers.report import NumberRow, NumbersReport
from gates.numbers.verdicts import GOOD

Mended = Literal["mended", "withdrawn", "still"]
_SIMILAR = 0.6
_TOKEN = re.compile(r"\\?[A-Za-z]+|\d+(?:\.\d+)?|[\u4e00-\u9fff]")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


def mended(report: NumbersReport, finding: Finding, text: str) -> Mended:
    """What became of `finding` in the paper `text`, which `report` judges.

    mended: the number at its place now has a good verdict, or the claim holds. withdrawn: the value and
    every similar sentence are gone. Anything else is still.
    """
    if any(_same(finding, other) for other in report.findings):
        return "still"
    if not finding.pattern.startswith("number-"):
        return "mended" if _standing(finding, text) else "withdrawn"
    fates = [_fate(report, span, value) for span, value in zip(finding.spans, accused(finding), strict=True)]
    if "still" in fates:
        return "still"
    return "withdrawn" if fates and "mended" not in fates else "mended"


def accused(finding: Finding) -> list[str]:
    """The number as printed, for each span: what its evidence begins with, else what the span's text has."""
    said = [e.partition(":")[0].strip() for e in finding.evidence]
    if len(said) == len(finding.spans):
        return said
    return [(_NUMBER.findall(s.text) or [""])[0] for s in finding.spans]


def _same(finding: Finding, other: Finding) -> bool:
    """Is `other` the same accusation, or the same value accused otherwise in similar words?"""
    kinds = {finding.pattern, other.pattern}
    if len(kinds) > 1 and not all(k.startswith("number-") for k in kinds):
        return False
    if not finding.spans or not other.spans:
        return finding.pattern == other.pattern and finding.title == other.title
    if not finding.pattern.startswith("number-"):
        return any(a.file == b.file and overlap(a.text, b.text) >= _SIMILAR for a in finding.spans for b in other.spans)
    values = set(accused(finding))
    return any(
        v in values and overlap(a.text, b.text) >= _SIMILAR
        for a in finding.spans
        for b, v in zip(other.spans, accused(other), strict=True)
    )


def _fate(report: NumbersReport, span: Span, value: str) -> Mended:
    here = [n for n in report.numbers if n.source_file == span.file and overlap(span.text, n.quote) >= _SIMILAR]
    bad = [
        n
        for n in report.numbers
        if n.text == value and n.verdict not in GOOD and overlap(span.text, n.quote) >= _SIMILAR / 2
    ]
    if bad or any(n.verdict not in GOOD for n in here if n.text == value):
        return "still"
    return "mended" if any(_good_in_place(n, value, span) for n in here) else "withdrawn"


def _good_in_place(number: NumberRow, value: str, span: Span) -> bool:
    """Is this the accused number, now good, or a good one in its place that was not beside it before?"""
    if number.verdict not in GOOD:
        return False
    if "&" in span.text:
        return number.quote.count("&") == span.text.count("&")
    return number.text == value or number.text not in _NUMBER.findall(span.text)


def _standing(finding: Finding, text: str) -> bool:
    body = " ".join(text.split())
    return (
        any(span.text and " ".join(span.text.split()) in body for span in finding.spans)
        or finding.pattern == "claim-bold"
    )


def overlap(part: str, whole: str) -> float:
    """Share of the words of `part` that `whole` has, in [0, 1]; numbers aside."""
    mine, theirs = _words(part), _words(whole)
    if not mine:
        return 1.0 if " ".join(part.split()) in " ".join(whole.split()) else 0.0
    return len(mine & theirs) / len(mine)


def _words(text: str) -> set[str]:
    return {t for t in _TOKEN.findall(text.lower()) if not t[0].isdigit() and not t.startswith("\\")}
