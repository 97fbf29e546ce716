"""Stored papers as foreign blocks of prompts.

Belongs here: which fields of a record a model is shown, and how much of an abstract. Not here:
fences (`prompting.py`), looking for orders in such text (`foreign_text.py`).
"""

from __future__ import annotations

from collections.abc import Iterable

from agents.prompting import Block, cut, foreign
from cockpit.kernel.model import JsonObject
from cockpit.kernel.papers import PaperRecord

ABSTRACT_LIMIT = 3_000  # characters
WHOLE = 120_000  # a block of many papers; its makers keep it below


def papers_block(name: str, papers: Iterable[PaperRecord]) -> Block:
    """`papers` as a JSON list of {key, title, year, venue, abstract}, one paper a line, order kept."""
    return foreign(name, [described(paper) for paper in papers], limit=WHOLE)


def described(paper: PaperRecord) -> JsonObject:
    """What a model sees of a paper."""
    return {
        "key": paper.key,
        "title": paper.title,
        "year": paper.year,
        "venue": paper.venue,
        "abstract": cut(paper.abstract, ABSTRACT_LIMIT),
    }
