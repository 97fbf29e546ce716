"""A clean paper is clean; each planted fault is one finding, and the program mends what results can mend."""

from __future__ import annotations

from numbers_fixture import rendered_study

from gates.numbers.check import check_paper


def test_a_clean_paper_has_no_finding() -> None:
    tree, view = rendered_study()
    report = check_paper(tree, view)
    assert report.findings == ()
    assert report.outcome == "NO_NEW_BLOCKER"
    assert report.patch.hunks == ()
