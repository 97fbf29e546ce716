"""What models answer in stages 14 and 15.

Belongs here: the shapes of replies; their texts are what a model reads as the schema. Not here: prompts,
checks that need the results (`result_analyzer.py`).
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from agents.loops.debate import Speech
from cockpit.kernel.model import Model
from cockpit.kernel.plan import HypothesisVerdict

Share = Annotated[float, Field(ge=0, le=1)]


class Opening(Speech):
    """A role's first reading of the results."""

    claim: str = Field(description="what the results show, from this role's side, in two or three sentences")
    evidence: tuple[str, ...] = Field(description="ids of tests, hypotheses, conditions or metrics it rests on")
    would_change_my_mind: str = Field(description="the observation that would make this role give its claim up")


class Objection(Model):
    """A point against one other role."""

    to: str = Field(description="the role that is answered")
    point: str


class Rebuttal(Speech):
    """A role's answer to the others."""

    claim: str = Field(description="the role's position now")
    evidence: tuple[str, ...] = Field(description="ids of tests, hypotheses, conditions or metrics it rests on")
    objections: tuple[Objection, ...] = ()
    concessions: tuple[str, ...] = ()


class Reading(Model):
    """What the frozen test means for one hypothesis."""

    hypothesis: str
    verdict: HypothesisVerdict
    reading: str = Field(description="what that says and what it does not, in words, without digits")


class Analysis(Model):
    """The debate, closed: what stands, what was granted, what stays open."""

    summary: str = Field(description="what the experiment found, in three or four sentences, without digits")
    readings: tuple[Reading, ...] = Field(description="one for each hypothesis")
    components: tuple[str, ...] = Field(default=(), description="what each ablation says about its component")
    concessions: tuple[str, ...] = ()
    disputes: tuple[str, ...] = Field(default=(), description="what the roles still disagree on")
    would_refute: tuple[str, ...] = Field(description="observations that would overturn the main finding")
    limitations: tuple[str, ...] = Field(description="what these results cannot show")
    disagreement: Share = Field(description="how far the roles are apart at the end, 0 = of one mind")


class Decision(Model):
    """Where the research goes from here."""

    decision: Literal["proceed", "refine", "pivot"]
    reason: str = Field(description="in two or three sentences, without digits")
    evidence: tuple[str, ...] = Field(min_length=1, description="ids of tests, hypotheses or findings it rests on")
    degenerate: bool = Field(default=False, description="the results cannot carry any claim, and no repair is left")
    uncertainty: Share = Field(description="how unsure this decision is")
