"""Accusations and what becomes of them: findings, obligations in atomic parts, verdicts.

Belongs here: the records. Not here: the rules of who may close what (`gates/closers.py`), the
ledger's arithmetic (`gates/ledger.py`), the policy (`gates/policy.py`).
"""

from __future__ import annotations

from typing import Literal

from cockpit.kernel.ids import Actor, Fingerprint, Position, Sha256
from cockpit.kernel.model import Model

Severity = Literal["critical", "major", "minor", "info"]
SEVERITIES: tuple[Severity, ...] = ("info", "minor", "major", "critical")
FixType = Literal["corrected-from-results", "claim-narrowed", "claim-withdrawn", "citation-replaced",
                  "experiment-added", "code-corrected", "finding-refuted"]  # fmt: skip
ObligationState = Literal["open", "resolved", "waived", "superseded"]
PartState = Literal["open", "provisionally-met", "closed"]
GateOutcome = Literal["BLOCK", "WARN", "NO_NEW_BLOCKER"]
AuditVerdict = Literal["PASS", "WARN", "FAIL", "NOT_APPLICABLE", "BLOCKED", "ERROR"]


class Span(Model):
    """A place in a file of the run; `line` and `column` count from 1, 0 = the whole file."""

    file: str
    line: int = 0
    column: int = 0
    end_column: int = 0
    text: str = ""

    def __str__(self) -> str:
        at = f"{self.file}:{self.line}" if self.line else self.file
        return f"{at} “{self.text}”" if self.text else at


class Finding(Model):
    """One accusation. `pattern` says what kind (`number-unsupported`), `owner` which stage mends it.

    `parts` are the atomic demands in it (at least one; default: the title). `severity` "info" has no weight.
    """

    auditor: str  # numbers, citations, lint, collapse, static, ablations, review:<reviewer>, ...
    pattern: str
    severity: Severity
    title: str
    spans: tuple[Span, ...] = ()
    owner: int
    parts: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    deterministic: bool = True  # by program; False = a model said so
    family: str = ""  # of the model that said so


class Evidence(Model):
    """What a resolution rests on; the copy is `ledger/evidence/<sha256>`."""

    path: str
    sha256: Sha256
    position: Position
    note: str = ""


class ObligationPart(Model):
    """One atomic demand of an obligation; each closes on its own."""

    text: str
    state: PartState = "open"
    fix: FixType | None = None
    closer: str = ""  # the program, reviewer or person that closed it
    evidence: tuple[Evidence, ...] = ()
    note: str = ""


class Obligation(Model):
    """A finding on the books, with its history folded in."""

    number: int  # as people say it: #4
    fingerprint: Fingerprint
    finding: Finding  # as last seen; severity only rises
    parts: tuple[ObligationPart, ...]
    state: ObligationState = "open"
    opened: Position
    last_seen: Position
    vanished: bool = False  # gone from a later report, not closed
    reopened: int = 0
    similar_to: Fingerprint | None = None  # possibly reworded
    waived_by: Actor | None = None
    waived_why: str = ""

    @property
    def is_open(self) -> bool:
        return self.state == "open"


class AuditRun(Model):
    """That an auditor ran, on which bytes, with what verdict; `reason` is a code, `inputs` path → sha256."""

    auditor: str
    version: str
    verdict: AuditVerdict
    reason: str = ""
    inputs: dict[str, str] = {}
    findings: int = 0


class GateReason(Model):
    """One reason of a policy verdict: a code, a sentence, and whether only a person can lift it."""

    code: str  # open-critical, no-score, audit-missing, review-missing, level-capped, ...
    severity: Literal["block", "warn", "pending"]
    text: str
    span: Span | None = None
    stage: int | None = None  # where it would be mended, if a stage can


class GateVerdict(Model):
    """The policy's outcome on a tree, recomputed each time. `pending` = what only a person can give."""

    outcome: GateOutcome
    reasons: tuple[GateReason, ...] = ()
    criticals: int = 0
    majors: int = 0

    @property
    def pending(self) -> tuple[GateReason, ...]:
        return tuple(r for r in self.reasons if r.severity == "pending")
