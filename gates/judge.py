"""The gates, as the engine calls them: a thin front over pure modules.

Belongs here: `Gates`. Not here: any rule.
"""

from __future__ import annotations

from collections.abc import Sequence

from cockpit.kernel.events import LedgerEvent
from cockpit.kernel.findings import Finding, GateVerdict, Obligation
from cockpit.kernel.ids import Instant, Part, Position
from cockpit.kernel.protocols import Audited, Route, Tree
from cockpit.kernel.reviews import Review, Score, Verification
from cockpit.kernel.view import RunView
from gates import closers, contracts, ledger, policy, routing, scoring, settle
from gates.artifacts import FINAL_PAPER
from gates.auditors import EXPORT_STAGES, FINAL_PROGRAMS, audit_final, due, record_final


class Gates:
    """Implements the kernel's `Judge`. No state, no clock, no randomness, no writing."""

    def unmet(self, stage: int, tree: Tree, view: RunView) -> tuple[str, ...]:
        """Sentences about what the stage's contract still lacks; empty = done."""
        return contracts.unmet(stage, tree, view)

    def audit(self, stage: int, part: Part, tree: Tree, view: RunView) -> Audited:
        """Run the program auditors that belong at the end of this stage part."""
        said = [(auditor, auditor.run(tree, view)) for auditor in due(stage, part)]
        runs = [auditor.record(audit, tree) for auditor, audit in said]
        found = [finding for _, audit in said for finding in audit.findings]
        for program in FINAL_PROGRAMS if stage in EXPORT_STAGES and tree.exists(FINAL_PAPER) else ():
            exported = audit_final(program, tree, view)
            runs.append(record_final(program, exported, tree))
            found += exported.findings
        files = (
            {path: text for _, audit in said for path, text in audit.files.items()}
            if stage not in EXPORT_STAGES
            else {}
        )
        return Audited(findings=tuple(found), runs=tuple(runs), files=files)

    def intake(self, view: RunView, position: Position, at: Instant, findings: Sequence[Finding],
               auditors: Sequence[str]) -> tuple[LedgerEvent, ...]:  # fmt: skip
        """Ledger events for a report; `auditors` are those whose silence means that a finding has vanished.

        An auditor that could not judge here (as the journal says) is not silent but mute: nothing vanishes by it.
        """
        mute = {r.run.auditor for r in view.audits if r.position == position and r.run.verdict in ("ERROR", "BLOCKED")}
        return ledger.intake(view.ledger, position, at, findings, [a for a in auditors if a not in mute])

    def settle(self, view: RunView, position: Position, at: Instant, tree: Tree,
               verifications: Sequence[Verification] = ()) -> tuple[LedgerEvent, ...]:  # fmt: skip
        """Ledger events by those who may close."""
        return settle.settle(view, position, at, tree, verifications)

    def refusal(self, verb: str, obligation: Obligation) -> str:
        """Why a person may not `close`, `refute` or `waive` this by hand, as a sentence; empty = they may."""
        if verb not in closers.VERBS:
            return f"there is no verb {verb}"
        return closers.refusal("person", verb, obligation.finding)

    def score(self, view: RunView, reviews: Sequence[Review]) -> Score:
        """The score of these reviews."""
        return scoring.score(view, reviews)

    def decide(self, tree: Tree, view: RunView, score: Score | None) -> GateVerdict:
        """The policy on these bytes and this ledger."""
        return policy.decide(tree, view, score)

    def route(self, view: RunView, verdict: GateVerdict, score: Score | None) -> Route:
        """Where the rounds go."""
        return routing.route(view, verdict, score)
