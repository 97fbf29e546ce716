"""Facts of judgement: audits, reviews, obligations, the gate.

Belongs here: accusations and what became of them. Not here: the rules (gates).
"""

from __future__ import annotations

from typing import Literal

from cockpit.kernel.event_base import Event
from cockpit.kernel.findings import AuditRun, Evidence, FixType, GateVerdict, Obligation, Severity, Span
from cockpit.kernel.ids import Actor, Fingerprint, Part, Position
from cockpit.kernel.reviews import Review, Score, Verification


class AuditRan(Event):
    """An auditor ran on bytes of the tree."""

    kind: Literal["audit-ran"] = "audit-ran"
    position: Position
    part: Part = "whole"
    run: AuditRun


class ReviewReceived(Event):
    """A review arrived in a fresh thread."""

    kind: Literal["review-received"] = "review-received"
    position: Position
    review: Review


class VerificationReceived(Event):
    """A verifier answered on one atomic part."""

    kind: Literal["verification-received"] = "verification-received"
    position: Position
    verification: Verification


class ObligationOpened(Event):
    """A finding went on the books."""

    kind: Literal["obligation-opened"] = "obligation-opened"
    position: Position
    obligation: Obligation


class ObligationSeen(Event):
    """An open one was reported again (perhaps worse, perhaps elsewhere)."""

    kind: Literal["obligation-seen"] = "obligation-seen"
    position: Position
    fingerprint: Fingerprint
    severity: Severity
    spans: tuple[Span, ...] = ()


class ObligationDisappeared(Event):
    """A later report lacks it. It stays open."""

    kind: Literal["obligation-disappeared"] = "obligation-disappeared"
    position: Position
    fingerprint: Fingerprint


class ObligationReappeared(Event):
    """A vanished one was reported again."""

    kind: Literal["obligation-reappeared"] = "obligation-reappeared"
    position: Position
    fingerprint: Fingerprint


class PartProvisionallyMet(Event):
    """A provisional verification says a part is met. It closes nothing."""

    kind: Literal["part-provisionally-met"] = "part-provisionally-met"
    position: Position
    fingerprint: Fingerprint
    part: int
    closer: str
    note: str = ""


class PartClosed(Event):
    """An atomic part was closed by one who may. When all are, the obligation is resolved."""

    kind: Literal["part-closed"] = "part-closed"
    position: Position
    fingerprint: Fingerprint
    part: int
    fix: FixType
    closer: str
    evidence: tuple[Evidence, ...]
    note: str = ""


class ObligationWaived(Event):
    """A named person lives with it. Not a resolution; stands in the checklist."""

    kind: Literal["obligation-waived"] = "obligation-waived"
    position: Position
    fingerprint: Fingerprint
    by: Actor
    why: str


class ObligationSuperseded(Event):
    """Its span and key belong to a line of work that was left, by a checker."""

    kind: Literal["obligation-superseded"] = "obligation-superseded"
    position: Position
    fingerprint: Fingerprint
    why: str


class ObligationReopened(Event):
    """A resolved, waived or superseded one is back, or got worse."""

    kind: Literal["obligation-reopened"] = "obligation-reopened"
    position: Position
    fingerprint: Fingerprint
    why: str


class GateJudged(Event):
    """The policy was computed on a tree."""

    kind: Literal["gate-judged"] = "gate-judged"
    position: Position
    verdict: GateVerdict
    score: Score
