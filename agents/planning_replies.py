"""What the experiment planner and its reviewers are asked for: a debate, a design, two verdicts.

Belongs here: reply models of stages 8 and 9. Not here: prompts, the work, checks against other artifacts.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from agents.literature_replies import WorkPlan
from agents.loops import Speech
from agents.soundness import Share, Text, Texts
from cockpit.kernel.ids import ConditionId
from cockpit.kernel.model import Model
from cockpit.kernel.plan import Component, Condition, Dataset, Hypothesis, Metric, StatTest


class Proposal(Model):
    """A hypothesis as a debater puts it."""

    statement: Text
    prediction: Text
    refuted_if: Text


class Opening(Speech):
    """Stage 8: a debater's first turn. `evidence` are keys of cards."""

    proposals: tuple[Proposal, ...] = Field(min_length=1, max_length=3)


class Objection(Model):
    """A point against what another debater said."""

    to: Text
    point: Text
    evidence: Texts = ()


class Rebuttal(Speech):
    """Stage 8: a later turn, after reading the others."""

    objections: tuple[Objection, ...] = ()
    concessions: Texts = ()


class RankedIdea(Model):
    """An idea of the debate, kept or dropped, and why."""

    rank: int = Field(ge=1)
    idea: Text
    kept: bool
    why: Text


class NeighbourClaim(Model):
    """What the nearest paper already has, and what we add."""

    key: Text
    has: Text
    adds: Text


class Outcome(Model):
    """Stage 8: what came of the debate."""

    plan: WorkPlan
    hypotheses: tuple[Hypothesis, ...] = Field(min_length=2, max_length=4)
    ideas: tuple[RankedIdea, ...] = Field(min_length=2)
    neighbours: tuple[NeighbourClaim, ...] = ()
    concessions: Texts = ()
    disputes: Texts = ()
    would_refute: Texts = Field(min_length=1)


class NeighbourVerdict(Model):
    """How one hypothesis stands to one known paper."""

    hypothesis: Text
    key: Text
    same: Text
    different: Text


class NoveltyReview(Model):
    """A reviewer's word on novelty: by the difference to named neighbours, never by their absence."""

    nonce: str
    verdict: Literal["new", "incremental", "known", "cannot-say"]
    score: Share
    summary: Text
    neighbours: tuple[NeighbourVerdict, ...] = ()
    weaknesses: Texts = ()  # each one thing to change


class Baseline(Model):
    """Something simpler or standard that the method must be compared with."""

    id: ConditionId
    label: Text
    what: Text
    why: Text
    risk_of_unfairness: str = ""


class Baselines(Model):
    """Stage 9, first step."""

    baselines: tuple[Baseline, ...] = Field(min_length=1)
    left_out: Texts = ()


class Surveyed(Model):
    """A candidate data set with what speaks for and against it."""

    name: Text
    used: bool
    why: Text


class DatasetChoice(Model):
    """Stage 9, second step."""

    datasets: tuple[Dataset, ...] = Field(min_length=1)
    survey: tuple[Surveyed, ...] = Field(min_length=1)
    leakage_risk: Text


class MetricChoice(Model):
    """Stage 9, third step. `efficiency` are counted costs (fits, steps), not seconds."""

    metrics: tuple[Metric, ...] = Field(min_length=1)
    efficiency: Texts = ()
    why: Text


class Answered(Model):
    """Which obligation (its number) a change of the plan answers."""

    obligation: int
    change: Text


class Design(Model):
    """Stage 9, last step: all that is frozen, less what the program adds (seeds, version, changes).

    In a later round `reason` and `answers` say why it differs from the last version.
    """

    plan: WorkPlan
    datasets: tuple[Dataset, ...] = Field(min_length=1)
    metrics: tuple[Metric, ...] = Field(min_length=1)
    efficiency: Texts = ()
    conditions: tuple[Condition, ...] = Field(min_length=3)
    components: tuple[Component, ...] = Field(min_length=1)
    tests: tuple[StatTest, ...] = Field(min_length=1)
    positive_control: ConditionId
    packages: tuple[str, ...] = ()
    seeds_a_condition: int = Field(ge=1, le=20)
    wall_s_a_job: float = Field(gt=0)
    reason: str = ""
    answers: tuple[Answered, ...] = ()


class DesignFault(Model):
    """One thing wrong with a plan. `fatal` = no result of it would answer the question."""

    kind: Literal[
        "confound", "leakage", "unfair-baseline", "no-test", "power", "control", "metric", "ablation", "rights", "other"
    ]
    fatal: bool
    text: Text
    quote: str = ""  # verbatim from the plan


class DesignReview(Model):
    """A reviewer's word on a plan, before anything is run."""

    nonce: str
    verdict: Literal["sound", "mend", "unsound", "cannot-say"]
    summary: Text
    faults: tuple[DesignFault, ...] = ()
