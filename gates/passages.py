"""Is there a passage behind each citation: a quotation of the cited paper, located in its stored text?

Belongs here: cited keys against cards and stored texts. Not here: whether the passage supports the sentence
(a verification review), keys without a record (`references.py`).
"""

from __future__ import annotations

from cockpit.kernel.findings import Finding, Span
from cockpit.kernel.protocols import Tree
from cockpit.kernel.view import RunView
from gates.artifacts import CARDS, RENDERED, papers_of, text_of
from gates.cards import front_matter
from gates.fingerprints import normal_text
from gates.papertext import PaperText

OWNER = 17


def find(tree: Tree, view: RunView) -> tuple[Finding, ...]:
    """One finding a cited record that nothing was quoted from, at its first use.

    Raises:
        ValueError: the paper or the stored records cannot be read.
    """
    paper, papers = text_of(tree, RENDERED), papers_of(tree)
    if paper.value is None or papers.value is None:
        raise ValueError(paper.problem or papers.problem)
    stored = {p.key: p.abstract for p in papers.value}
    text = PaperText(RENDERED, paper.value)
    first: dict[str, Span] = {}
    for key, start, end in text.citations():
        if key in stored:
            first.setdefault(key, text.span(start, end, key))
    return tuple(_finding(key, span, why) for key, span in first.items() if (why := lack(tree, key, stored[key])))


def lack(tree: Tree, key: str, stored: str) -> str:
    """Why no passage of `key` is known; empty = at least one quotation stands in its stored text."""
    card = text_of(tree, f"{CARDS}{key}.md")
    if card.value is None:
        return "it has no card"
    front = front_matter(card.value)
    quotes = front.get("quotes") if front else None
    if not isinstance(quotes, list) or not quotes:
        return "its card quotes nothing"
    body = normal_text(stored)
    located = [q for q in quotes if isinstance(q, str) and q.strip() and normal_text(q) in body]
    return "" if located else "no quotation of its card is in the stored text"


def _finding(key: str, span: Span, why: str) -> Finding:
    return Finding(
        auditor="passages",
        pattern="passage-missing",
        severity="minor",
        title=f"{key} is cited without a passage: {why}",
        spans=(span,),
        owner=OWNER,
        parts=(f"show the passage of {key} that supports the sentence, or do not cite it",),
    )
