"""Results that end a run honestly: every primary hypothesis refuted, or nothing left to compare.

Belongs here: these two flags. Not here: what follows from them (`routing.py`).
"""

from __future__ import annotations

from collections.abc import Iterator

from cockpit.kernel.findings import GateReason
from cockpit.kernel.protocols import Tree
from cockpit.kernel.reviews import Score
from cockpit.kernel.view import RunView
from gates.artifacts import DECISION, TESTS, current_of, hypotheses_of, json_of, plan_of
from gates.plan_check import EXPLORATION, is_frozen
from gates.routing import DEGENERATE, NEGATIVE

MIDDLE = 0.5  # of the soundness scale


def flags(tree: Tree, view: RunView, score: Score | None) -> Iterator[GateReason]:
    """At most one flag of each kind."""
    refuted = negative(tree, view)
    sound = score is not None and score.dimensions.get("soundness", 0.0) >= MIDDLE
    if refuted and sound:
        text = f"all primary hypotheses are refuted ({', '.join(refuted)}); a finding of its own"
        yield GateReason(code=NEGATIVE, severity="warn", text=text)
    if degenerate(tree, view):
        yield GateReason(code=DEGENERATE, severity="warn", text=f"{DECISION} calls the results degenerate")


def negative(tree: Tree, view: RunView) -> tuple[str, ...]:
    """The primary hypotheses, if each of them was refuted by its frozen test on confirmatory seeds; else none."""
    read, plan, current = hypotheses_of(tree).value, plan_of(tree).value, current_of(tree).value
    said = json_of(tree, TESTS).value
    verdicts = said.get("hypotheses") if isinstance(said, dict) else None
    if not read or plan is None or current is None or not isinstance(verdicts, dict):
        return ()
    primary = tuple(h.id for h in read if h.primary)
    tested = {t.hypothesis for t in plan.tests}
    confirmatory = current.block in plan.seed_blocks and current.block != EXPLORATION and is_frozen(tree, view, plan)
    all_refuted = all(verdicts.get(h) == "refuted" and h in tested for h in primary)
    return primary if primary and confirmatory and all_refuted else ()


def degenerate(tree: Tree, view: RunView) -> bool:
    """Does the decision say so, with collapse on the books?"""
    said = json_of(tree, DECISION).value
    collapsed = any(o.finding.auditor == "collapse" for o in view.ledger.open)
    return isinstance(said, dict) and said.get("degenerate") is True and collapsed
