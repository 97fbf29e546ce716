"""The policy: BLOCK, WARN or NO_NEW_BLOCKER on these bytes and this ledger. There is no pass.

Belongs here: the order of reasons, what each assurance requires, the outcome. Not here: how a requirement
is checked (`requirements.py`), where a block leads (`routing.py`).

Recomputed each time from what is on disk; a stored verdict is display only. The outcome means the same at
every level; assurance decides only what is required.
"""

from __future__ import annotations

from collections.abc import Iterator

from cockpit.kernel.findings import GateOutcome, GateReason, GateVerdict
from cockpit.kernel.levels import Assurance, at_least
from cockpit.kernel.protocols import Tree
from cockpit.kernel.reviews import Score
from cockpit.kernel.view import RunView
from gates import requirements as r

FLOORS: dict[Assurance, tuple[str, ...]] = {
    "draft": ("contracts", "numbers", "collapse", "static", "ledger", "receipts", "plan", "references", "ablations",
              "reviews"),
    "polished": ("citations-verified", "passages", "compile", "lint-clean", "related-work"),
    "conference-ready": ("independent-reviews", "experiment-audit", "claim-audit", "figures", "anonymity",
                         "warns-acknowledged"),
    "submission": ("kill-argument", "acceptance-contract", "counter-evidence", "reproduction", "sign-off"),
}  # fmt: skip


def required_at(level: Assurance) -> tuple[str, ...]:
    """What a level asks for, in the table's order."""
    return tuple(name for floor, names in FLOORS.items() if at_least(level, floor) for name in names)


def decide(tree: Tree, view: RunView, score: Score | None) -> GateVerdict:
    """The verdict. Anything that cannot be read, found or parsed blocks; nothing passes by being absent."""
    reasons = tuple(_reasons(tree, view, score))
    return GateVerdict(
        outcome=outcome_of(reasons), reasons=reasons, criticals=view.ledger.criticals, majors=view.ledger.majors
    )


def outcome_of(reasons: tuple[GateReason, ...]) -> GateOutcome:
    """A block blocks; a warning warns; what only a person can give stands beside the outcome."""
    if any(reason.severity == "block" for reason in reasons):
        return "BLOCK"
    return "WARN" if any(reason.severity == "warn" for reason in reasons) else "NO_NEW_BLOCKER"


def _reasons(tree: Tree, view: RunView, score: Score | None) -> Iterator[GateReason]:
    if view.run is None:
        yield GateReason(code="no-run", severity="block", text="there is no run to judge")
        return
    level = view.run.settings.assurance
    for name in required_at(level):
        yield from r.check(name, tree, view)
    yield from r.capped(view)
    if score is None or score.value is None:
        note = f": {score.note}" if score is not None and score.note else ""
        yield GateReason(code="no-score", severity="block", text=f"there is no score{note}")
    yield from r.open_criticals(view)
    yield from r.open_others(view)
    yield from r.soft(tree, view, score)
