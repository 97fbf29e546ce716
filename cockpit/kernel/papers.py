"""Bibliographic records, as literature sources and libraries give them.

Belongs here: the record and its outcomes. Not here: fetching (agents/literature), judging (gates/citations).
"""

from __future__ import annotations

from typing import Literal

from cockpit.kernel.model import Model

LIBRARY = "library"  # the person's own records among the sources: they vouch for nothing
SourceState = Literal["ok", "empty", "limited", "down", "not-asked"]
CitationVerdict = Literal["verified", "drift", "not-found", "wrong-identifier", "retracted", "pending"]


class PaperRecord(Model):
    """One paper, merged over sources. `provenance`: field → source that gave it. Empty = not seen."""

    key: str  # citation key: zou2007degrees
    title: str
    authors: tuple[str, ...] = ()
    year: int | None = None
    abstract: str = ""
    arxiv_id: str = ""
    doi: str = ""
    venue: str = ""
    url: str = ""
    sources: tuple[str, ...] = ()
    provenance: dict[str, str] = {}


class ShortlistEntry(Model):
    """`shortlist.jsonl`: a screened paper with both scores in [0,1] and why."""

    key: str
    relevance: float
    quality: float
    kept: bool
    reason: str


class CitationLookup(Model):
    """What the sources said about one reference, recorded by agents/literature; judged by gates/citations.

    `found` is what sources other than the person's library have.
    """

    key: str
    outcomes: dict[str, SourceState] = {}
    found: PaperRecord | None = None
    in_library: bool = False
    retracted: bool = False
