"""Names for things: small distinct string and number types, and a place in a run.

Belongs here: identifiers. Not here: what they identify.
"""

from __future__ import annotations

from functools import total_ordering
from typing import Literal, NewType

from cockpit.kernel.model import Model

RunId = NewType("RunId", str)  # folder name: 20261130-182207-ridge-small-n
Sha256 = NewType("Sha256", str)  # 64 hex digits
JobId = NewType("JobId", str)  # readable and unique: ridge-n20.seed-3.ab12cd34
ConditionId = NewType("ConditionId", str)  # of the plan: ridge-n20
Fingerprint = NewType("Fingerprint", str)  # of a finding, 16 hex digits
CallPath = NewType("CallPath", str)  # within a stage instance: draft/sections/intro/try-1
Instant = NewType("Instant", str)  # UTC, ISO 8601: 2026-11-30T18:22:07Z
Seq = NewType("Seq", int)  # of a journal record, from 1

Part = Literal["whole", "draft", "mended"]  # 17 and 19 have draft and mended, all others whole


@total_ordering
class Position(Model):
    """One stage instance of a run; going back raises the ordinal, stage 20 raises the round."""

    round: int
    stage: int
    ordinal: int = 1

    def __lt__(self, other: Position) -> bool:
        return (self.round, self.ordinal, self.stage) < (other.round, other.ordinal, other.stage)

    def __str__(self) -> str:
        return f"r{self.round}.s{self.stage:02}.o{self.ordinal}"

    @property
    def label(self) -> str:
        """As a commit subject says it: `r2 s12`."""
        return f"r{self.round} s{self.stage:02}"


class Actor(Model):
    """Who did something by hand; an attestation, not a proof."""

    user: str
    terminal: str = ""
    host: str = ""
