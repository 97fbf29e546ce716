"""Paper lint: faults that papers of machines were found with, by rule.

Belongs here: the table of rules and the auditor. Not here: the rules' bodies (`lint_rules.py`), undefined
keys (`references.py`), numbers.
"""

from __future__ import annotations

from cockpit.kernel.findings import Finding, Span
from cockpit.kernel.protocols import Tree
from cockpit.kernel.stages import FINAL
from cockpit.kernel.view import RunView
from gates.artifacts import FINAL_PAPER, RENDERED, text_of
from gates.lint_rules import RULES, LintRule, Place
from gates.papertext import PaperText

OWNER = 17
HISTORY = "How this paper was made"  # the heading that the exporter writes
HISTORY_BESIDE = f"{FINAL}/supplementary/how_this_paper_was_made.tex"


def find(tree: Tree, view: RunView) -> tuple[Finding, ...]:
    """Findings on the rendered paper.

    Raises:
        ValueError: the paper cannot be read.
    """
    paper = text_of(tree, RENDERED)
    if paper.value is None:
        raise ValueError(paper.problem)
    return lint(PaperText(RENDERED, paper.value))


def history(tree: Tree) -> tuple[Finding, ...]:
    """The exported paper must say how it was made, in it or (under anonymity) beside it."""
    paper = text_of(tree, FINAL_PAPER).value
    if paper is None or HISTORY in paper or tree.exists(HISTORY_BESIDE):
        return ()
    span = Span(file=FINAL_PAPER, text="how this paper was made")
    title = "the exported paper does not say how it was made"
    return (Finding(auditor="lint", pattern="lint-no-history", severity="major", title=title, spans=(span,), owner=22),)


def lint(paper: PaperText) -> tuple[Finding, ...]:
    """Findings on one paper, in the order of the rules and then of the text."""
    return tuple(_finding(rule, place, paper) for rule in RULES for place in rule.look(paper))


def _finding(rule: LintRule, place: Place, paper: PaperText) -> Finding:
    title = rule.says if not place.what else f"{rule.says}: {place.what}"
    return Finding(auditor="lint", pattern=f"lint-{rule.id}", severity=rule.severity, title=title,
                   spans=(paper.span(place.start, place.end),), owner=OWNER)  # fmt: skip
