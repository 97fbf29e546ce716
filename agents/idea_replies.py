"""What the idea analyst is asked for: the topic of an idea file, searches, the problem taken apart.

Belongs here: reply models of stages 1 and 2. Not here: prompts, the work (`idea_analyst.py`).
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from agents.soundness import Share, Text, Texts
from cockpit.kernel.model import Model

Kind = Literal["empirical", "theory", "survey"]
Domain = Literal["machine-learning", "language", "vision", "reinforcement-learning", "statistics", "biology",
                 "physics", "quantum", "systems", "generic"]  # fmt: skip


class Concern(Model):
    """How an ethical or legal question stands; `ask-a-person` means no agent may settle it."""

    level: Literal["none", "noted", "ask-a-person"]
    note: Text


class Topic(Model):
    """Stage 1: what the idea is about and what would count as an answer."""

    title: Text
    topic: Text
    question: Text
    in_scope: Texts = Field(min_length=1)
    out_of_scope: Texts = ()
    constraints: Texts = Field(min_length=1)
    outcome: Text  # measurable: measure, comparison, direction
    measures: Texts = Field(min_length=1)
    domain: Domain
    kind: Kind
    keywords: Texts = Field(min_length=2)
    open_points: Texts = ()  # what the idea leaves open, and how it was read
    ethics: Concern
    dual_use: Concern
    data_rights: Concern


class Wanted(Model):
    """A search to make, and what it should bring."""

    text: Text
    why: Text


class SearchIdeas(Model):
    """Stage 2: searches for the nearest work, before anything is judged."""

    queries: tuple[Wanted, ...] = Field(min_length=2, max_length=8)


class Neighbour(Model):
    """A found paper that is near: what it already has, and what it leaves."""

    key: Text
    overlap: Text
    delta: Text


class SubQuestion(Model):
    """A part of the question that can be answered by itself; `rank` 1 comes first."""

    id: Text
    rank: int = Field(ge=1)
    question: Text
    why: Text
    answered_when: Text


class Feasibility(Model):
    """Can it be done with what there is?"""

    verdict: Literal["feasible", "risky", "infeasible"]
    route: Text  # the technical way
    needs: Texts = ()
    risks: Texts = Field(min_length=1)
    advice: Texts = ()


class Decomposition(Model):
    """Stage 2: sub-questions, nearest work, novelty tied to it, feasibility."""

    sub_questions: tuple[SubQuestion, ...] = Field(min_length=3)
    neighbours: tuple[Neighbour, ...]
    novelty_score: Share
    novelty_why: Text
    feasibility: Feasibility
    search_again: Texts = Field(default=(), max_length=4)
