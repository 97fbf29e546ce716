"""What the literature searcher is asked for: strategies, scores, cards, clusters, gaps.

Belongs here: reply models of stages 3 to 7. Not here: prompts, the work.
"""

from __future__ import annotations

from pydantic import Field

from agents.soundness import Share, Text, Texts
from cockpit.kernel.model import Model


class WorkPlan(Model):
    """A stage's own plan, for its `work_plan.md`."""

    goal: Text
    method: Text
    risks: Texts = Field(min_length=1)


class Strategy(Model):
    """A way to look for papers, with its queries."""

    id: Text
    name: Text
    why: Text
    queries: Texts = Field(min_length=1)


class SearchStrategy(Model):
    """Stage 3: at least two ways to look, and what is to be kept out."""

    strategies: tuple[Strategy, ...] = Field(min_length=2)
    include: Texts = Field(min_length=1)
    exclude: Texts = ()
    year_from: int | None = None


class Collecting(Model):
    """Stage 4: the plan of the collection, and queries for when the first ones bring too little."""

    plan: WorkPlan
    expansions: Texts = Field(default=(), max_length=8)


class Scored(Model):
    """One paper screened by its abstract."""

    key: Text
    relevance: Share
    quality: Share
    reason: Text


class Screening(Model):
    """Stage 5: a batch of papers, each scored."""

    papers: tuple[Scored, ...]


class CardDraft(Model):
    """Stage 6: what one abstract says. `quotes` are verbatim, `numbers` as printed there."""

    key: Text
    claim: Text
    method: Text
    finding: Text
    limits: str = ""
    relation: Text  # to our question
    quotes: Texts = Field(min_length=1, max_length=3)
    numbers: tuple[str, ...] = ()


class Cards(Model):
    """Stage 6: a batch of cards."""

    cards: tuple[CardDraft, ...]


class Cluster(Model):
    """Papers that belong together, and where they agree and differ."""

    id: Text
    name: Text
    theme: Text
    cards: Texts = Field(min_length=1)
    agreement: Text
    difference: str = ""


class Gap(Model):
    """Something the cards leave open, tied to the cards that show it."""

    id: Text
    statement: Text
    why_open: Text
    cards: Texts = Field(min_length=1)
    test: Text  # what would close it


class Synthesis(Model):
    """Stage 7: what the cards say together, and what they leave open."""

    clusters: tuple[Cluster, ...] = Field(min_length=2)
    gaps: tuple[Gap, ...] = Field(min_length=2)
    contradictions: Texts = ()
