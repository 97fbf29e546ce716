"""The shape of a study's words: what `topics.py` holds.

Belongs here: the records. Not here: any study's words.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Themed:
    """A theme that papers may share: its name, the words that show it, what such papers have in common."""

    name: str
    words: tuple[str, ...]
    common: str


@dataclass(frozen=True)
class Voice:
    """What a debater stands for: an opening claim, an objection to the next speaker, a concession."""

    claim: str
    objection: str
    concession: str
    position: str


@dataclass(frozen=True)
class TopicFacts:
    """One study's words. `terms` show that a paper belongs to the topic; `wide` are queries in reserve."""

    domain: str
    topic: str
    in_scope: tuple[str, ...]
    out_of_scope: tuple[str, ...]
    outcome: str
    keywords: tuple[str, ...]
    terms: tuple[str, ...]
    against: tuple[str, ...]  # queries for work that could make the project needless
    wide: tuple[str, ...]
    themes: tuple[Themed, ...]
    gaps: tuple[tuple[str, str], ...]  # statement, what would close it
    innovator: Voice
    pragmatist: Voice
    contrarian: Voice
    dropped: tuple[tuple[str, str], ...]  # idea, why not
    dispute: str
    would_refute: str
    left_out: tuple[str, ...]
    not_used: tuple[str, str]  # a kind of data, why not
    leakage: str
    hidden_by_a_win: str
    novelty: float
