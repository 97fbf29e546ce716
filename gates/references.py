"""References without a stored record: works offline, by program alone.

Belongs here: the keys a paper cites and the entries it lists, against the records the run has stored. Not
here: whether a record is a real paper (`citations.py`).
"""

from __future__ import annotations

import re

from cockpit.kernel.findings import Finding, Span
from cockpit.kernel.protocols import Tree
from cockpit.kernel.view import RunView
from gates.artifacts import BIB, LINE_MAP, PAPER_BIB, PAPERS, RENDERED, papers_of, text_of
from gates.latex.origin import Origins, origins
from gates.papertext import PaperText

_ENTRY = re.compile(r"@(?!comment\b|string\b|preamble\b)[A-Za-z]+\s*[{(]\s*([^\s,{}()]+)\s*,", re.IGNORECASE)
OWNER = 17


def find(tree: Tree, view: RunView) -> tuple[Finding, ...]:
    """One finding a key that has no record, with every use of it, where it was written, and its entry.

    Raises:
        ValueError: neither records nor a bibliography can be read, or the paper cannot.
    """
    paper = text_of(tree, RENDERED)
    if paper.value is None:
        raise ValueError(paper.problem)
    known = stored_keys(tree)
    uses: dict[str, list[Span]] = {}
    text, source = PaperText(RENDERED, paper.value), origins(tree, RENDERED, paper.value, LINE_MAP)
    for key, start, end in text.citations():
        if key not in known:
            uses.setdefault(key, []).append(_written(text.span(start, end, key), source))
    for key, span in entries(tree, PAPER_BIB).items():
        if key not in known:
            uses.setdefault(key, []).append(span)
    return tuple(_finding(key, spans) for key, spans in uses.items())


def stored_keys(tree: Tree) -> frozenset[str]:
    """Keys of the stored records; without them those of the bibliography that a program made of them.

    Raises:
        ValueError: neither can be read.
    """
    papers = papers_of(tree)
    if papers.value is not None:
        return frozenset(p.key for p in papers.value)
    made = text_of(tree, BIB)
    if made.value is None or tree.exists(PAPERS):
        raise ValueError(papers.problem)
    return frozenset(entries(tree, BIB))


def entries(tree: Tree, path: str) -> dict[str, Span]:
    """Key → place of each entry of a .bib file; an unreadable one has none."""
    bib = text_of(tree, path)
    if bib.value is None:
        return {}
    text = PaperText(path, bib.value)
    return {m[1]: text.span(m.start(1), m.end(1), m[1]) for m in _ENTRY.finditer(bib.value)}


def _written(span: Span, source: Origins) -> Span:
    """The place in the writer's own file, if the same characters stand there."""
    place = source.place(span.line, span.column, span.column + len(span.text)) if span.line else None
    if place is None or not place.exact:
        return span
    return span.model_copy(update={"file": place.file, "line": place.line, "column": place.column,
                                   "end_column": place.end})  # fmt: skip


def _finding(key: str, spans: list[Span]) -> Finding:
    return Finding(
        auditor="references",
        pattern="reference-without-record",
        severity="critical",
        title=f"reference {key} comes from no stored record",
        spans=tuple(spans),
        owner=OWNER,
        parts=(f"cite a stored record in place of {key}, or take out every use and the entry",),
        evidence=(f"{PAPERS} has no record with key {key}",),
    )
