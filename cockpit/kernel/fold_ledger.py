"""What ledger events mean for the obligations.

Belongs here: the fold of obligations. Not here: who may close what (`gates/closers.py`).
"""

from __future__ import annotations

from typing import assert_never

from cockpit.kernel import events as e
from cockpit.kernel.findings import SEVERITIES, Obligation, ObligationPart
from cockpit.kernel.view import LedgerView


def fold_ledger(ledger: LedgerView, event: e.LedgerEvent) -> LedgerView:
    """The ledger after `event`. An event about an unknown obligation changes nothing."""
    if isinstance(event, e.ObligationOpened):
        return LedgerView({**ledger.obligations, event.obligation.fingerprint: event.obligation})
    known = ledger.obligations.get(event.fingerprint)
    if known is None:
        return ledger
    return LedgerView({**ledger.obligations, event.fingerprint: _changed(known, event)})


def _changed(o: Obligation, event: e.LedgerEvent) -> Obligation:
    match event:
        case e.ObligationOpened():
            return event.obligation
        case e.ObligationSeen():
            worst = max(o.finding.severity, event.severity, key=SEVERITIES.index)
            finding = o.finding.model_copy(update={"severity": worst, "spans": event.spans or o.finding.spans})
            return o.model_copy(update={"finding": finding, "last_seen": event.position, "vanished": False})
        case e.ObligationDisappeared():
            return o.model_copy(update={"vanished": True})
        case e.ObligationReappeared():
            return o.model_copy(update={"vanished": False, "last_seen": event.position})
        case e.PartProvisionallyMet():
            met = o.parts[event.part].model_copy(update={"state": "provisionally-met", "closer": event.closer})
            return _with_part(o, event.part, met)
        case e.PartClosed():
            closed = ObligationPart(text=o.parts[event.part].text, state="closed", fix=event.fix, closer=event.closer,
                                    evidence=event.evidence, note=event.note)  # fmt: skip
            return _with_part(o, event.part, closed)
        case e.ObligationWaived():
            return o.model_copy(update={"state": "waived", "waived_by": event.by, "waived_why": event.why})
        case e.ObligationSuperseded():
            return o.model_copy(update={"state": "superseded"})
        case e.ObligationReopened():
            parts = tuple(ObligationPart(text=p.text) for p in o.parts)
            return o.model_copy(update={"state": "open", "parts": parts, "reopened": o.reopened + 1, "vanished": False})
        case _:
            assert_never(event)


def _with_part(o: Obligation, index: int, part: ObligationPart) -> Obligation:
    parts = tuple(part if i == index else p for i, p in enumerate(o.parts))
    done = all(p.state == "closed" for p in parts)
    return o.model_copy(update={"parts": parts, "state": "resolved" if done else o.state})
