"""What a reviewer is given, what it answers, and the receipt that makes the answer count.

Belongs here: the two request types (which have no field for the executor's words, by design), the
review, the verification, the receipt. Not here: prompts, checks of a receipt (gates/independence).
"""

from __future__ import annotations

from typing import Literal

from cockpit.kernel.findings import Span
from cockpit.kernel.ids import CallPath, Fingerprint, Instant, Position, Seq, Sha256
from cockpit.kernel.model import Model

FamilyGrade = Literal["proved", "reported", "attested", "declared", "rehearsal", "unknown"]
Dimension = Literal["novelty", "soundness", "significance", "clarity"]
DIMENSIONS: tuple[Dimension, ...] = ("soundness", "significance", "novelty", "clarity")  # ties in this order
ReviewPurpose = Literal["advice", "confirmation", "verification", "novelty", "design", "claims"]
Independence = Literal["independent", "provisional", "unknown"]


class Family(Model):
    """Who made a model: a set of families (two names in one = both), how well that is known, why."""

    families: tuple[str, ...]
    grade: FamilyGrade
    why: str = ""


class ReviewRequest(Model):
    """All a reviewer of a paper may see."""

    purpose: ReviewPurpose
    role: str
    idea: str
    paper: str  # paper_rendered.tex
    paper_path: str
    venue: str
    criteria: str
    comparable: tuple[str, ...] = ()
    nonce: str


class VerificationRequest(Model):
    """All a verifier of one atomic part may see."""

    obligation: Fingerprint
    part: int
    demand: str
    span: Span | None
    paper: str
    paper_path: str
    evidence: tuple[str, ...] = ()
    nonce: str


class ReviewReceipt(Model):
    """Proof of an answer: single use, bound to a position and to the bytes that were read."""

    run: str
    position: Position
    call: CallPath
    nonce: str
    prompt_sha256: Sha256
    reply_sha256: Sha256
    artifacts: dict[str, Sha256]
    provider: str
    asked_model: str
    reported_model: str
    family: Family
    author_family: Family
    independence: Independence
    response_id: str
    replied_at: Instant
    seq: Seq


class Weakness(Model):
    """One point of a review, in atomic demands, with the place it speaks of or the thing it misses."""

    id: str
    dimension: Dimension
    severity: Literal["major", "minor"]
    text: str
    quote: str = ""  # verbatim, located by program
    missing: str = ""  # what should be there and is not: "ablation of <component>"
    parts: tuple[str, ...] = ()


class Review(Model):
    """One reviewer's answer. `form` is the venue's own scale, `dimensions` the same in [0,1]."""

    reviewer: str
    purpose: ReviewPurpose
    summary: str
    strengths: tuple[str, ...] = ()
    weaknesses: tuple[Weakness, ...] = ()
    questions: tuple[str, ...] = ()
    form: dict[str, float] = {}
    dimensions: dict[Dimension, float] = {}
    acceptance_probability: float
    receipt: ReviewReceipt


class Verification(Model):
    """One verifier's answer on one atomic part."""

    obligation: Fingerprint
    part: int
    met: Literal["met", "not-met", "refuted"]
    why: str
    quote: str = ""
    receipt: ReviewReceipt


class Score(Model):
    """Acceptance probability for the target venue, with what it was computed from."""

    value: float | None
    calibrated: bool = False
    by_reviewer: dict[str, float] = {}
    dimensions: dict[Dimension, float] = {}
    note: str = ""
