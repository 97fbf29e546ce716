"""What models answer in stages 10, 11 and 13.

Belongs here: the shapes of replies; their texts are what a model reads as the schema. Not here: prompts,
checks that need the plan (beside the stage).
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from cockpit.kernel.model import Model


class PlannedFile(Model):
    """One file to write."""

    path: str = Field(description="under scripts/, e.g. scripts/run.py")
    purpose: str = Field(description="what belongs in it, in one sentence")
    functions: tuple[str, ...] = Field(default=(), description="signatures with a few words each")


class CodeDesign(Model):
    """How the experiment's code is laid out before it is written."""

    files: tuple[PlannedFile, ...] = Field(min_length=1)
    shared: str = Field(description="what all conditions share, so that they differ only in their parameters")
    checks: tuple[str, ...] = Field(description="what scripts/check.py asserts about the code's own functions")
    risks: tuple[str, ...] = Field(default=(), description="what may go wrong in a run, and how it would show")


class DesignReview(Model):
    """A second look at a design before code is written."""

    problems: tuple[str, ...] = Field(description="what would make results wrong or not comparable; empty if nothing")
    advice: tuple[str, ...] = ()


class Order(Model):
    """In which order conditions run, and why."""

    order: tuple[str, ...] = Field(description="ids of all conditions, each once; what tells most comes first")
    reasons: str
    risks: tuple[str, ...] = Field(default=(), description="what may not finish in the time or memory given")


class Refinement(Model):
    """What is to be done after the results were read."""

    action: Literal["converged", "change"]
    observations: tuple[str, ...] = Field(description="what stands out in the results, without digits")
    concerns: tuple[str, ...] = Field(default=(), description="what a sceptic would ask about them")
    change: str = Field(default="", description="only with action change: what is wrong in the code, and its remedy")
