"""What a report of findings does to the ledger.

Belongs here: opened, seen, vanished, back again, worse, reopened; numbers, parts, links between
reworded accusations. Not here: closing (`settle.py`, by the table of `closers.py`), the file (`projection.py`).

Anyone may accuse, so nothing here refuses a finding; and a finding that is gone from a later report
stays open, because silence is not a repair.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cockpit.kernel.events import (
    LedgerEvent,
    ObligationDisappeared,
    ObligationOpened,
    ObligationReappeared,
    ObligationReopened,
    ObligationSeen,
)
from cockpit.kernel.findings import SEVERITIES, Finding, Obligation, ObligationPart, Severity
from cockpit.kernel.ids import Fingerprint, Instant, Position
from cockpit.kernel.view import LedgerView
from gates.fingerprints import fingerprint, similar


def intake(ledger: LedgerView, position: Position, at: Instant, findings: Sequence[Finding],
           auditors: Sequence[str]) -> tuple[LedgerEvent, ...]:  # fmt: skip
    """Ledger events for one report, in the order of the findings; then what these `auditors` no longer see."""
    reported = _merged(findings)
    events: list[LedgerEvent] = []
    known = dict(ledger.obligations)
    number = max((o.number for o in known.values()), default=0)
    for print_, finding in reported.items():
        old = known.get(print_)
        if old is not None:
            events += _again(old, finding, position, at)
            continue
        number += 1
        fresh = _opened(number, print_, finding, position, tuple(known.values()))
        known[print_] = fresh
        events.append(ObligationOpened(at=at, position=position, obligation=fresh))
    events += _vanished(ledger, position, at, reported, auditors)
    return tuple(events)


def allowed(finding: Finding) -> Finding:
    """The finding as it may enter: what only a model said is major at most, and there is at least one part."""
    severity: Severity = finding.severity
    if not finding.deterministic and severity == "critical":
        severity = "major"
    parts = tuple(dict.fromkeys(p.strip() for p in finding.parts if p.strip())) or (finding.title,)
    return finding.model_copy(update={"severity": severity, "parts": parts})


def worse(one: Severity, other: Severity) -> bool:
    """Is `one` graver than `other`?"""
    return SEVERITIES.index(one) > SEVERITIES.index(other)


def _merged(findings: Sequence[Finding]) -> dict[Fingerprint, Finding]:
    """One finding a fingerprint: the gravest severity, all places, all demands."""
    merged: dict[Fingerprint, Finding] = {}
    for finding in map(allowed, findings):
        print_ = fingerprint(finding)
        first = merged.get(print_)
        merged[print_] = finding if first is None else first.model_copy(update={
            "severity": max(first.severity, finding.severity, key=SEVERITIES.index),
            "spans": tuple(dict.fromkeys((*first.spans, *finding.spans))),
            "parts": tuple(dict.fromkeys((*first.parts, *finding.parts))),
            "evidence": tuple(dict.fromkeys((*first.evidence, *finding.evidence))),
        })  # fmt: skip
    return merged


def _opened(number: int, print_: Fingerprint, finding: Finding, position: Position,
            known: tuple[Obligation, ...]) -> Obligation:  # fmt: skip
    twin = next((o for o in known if similar(o.finding, finding)), None)
    return Obligation(
        number=number,
        fingerprint=print_,
        finding=finding,
        parts=tuple(ObligationPart(text=text) for text in finding.parts),
        opened=position,
        last_seen=position,
        similar_to=twin.fingerprint if twin else None,
    )


def _again(old: Obligation, finding: Finding, position: Position, at: Instant) -> Iterator[LedgerEvent]:
    print_ = old.fingerprint
    if old.is_open and old.vanished:
        yield ObligationReappeared(at=at, position=position, fingerprint=print_)
    escalated = worse(finding.severity, old.finding.severity)
    if old.state in ("resolved", "superseded"):
        yield ObligationReopened(
            at=at, position=position, fingerprint=print_, why=f"reported again after it was {old.state}"
        )
    elif old.state == "waived" and escalated:
        why = f"worse than what was waived: {old.finding.severity} then, {finding.severity} now"
        yield ObligationReopened(at=at, position=position, fingerprint=print_, why=why)
    yield ObligationSeen(at=at, position=position, fingerprint=print_, severity=finding.severity, spans=finding.spans)


def _vanished(ledger: LedgerView, position: Position, at: Instant, reported: dict[Fingerprint, Finding],
              auditors: Sequence[str]) -> Iterator[LedgerEvent]:  # fmt: skip
    for o in ledger.open:
        if o.finding.auditor in auditors and o.fingerprint not in reported and not o.vanished:
            yield ObligationDisappeared(at=at, position=position, fingerprint=o.fingerprint)
