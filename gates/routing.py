"""Where the rounds go after stage 20: on, back to which stage, or out with which outcome.

Belongs here: entry stages, stall, the best round, the ends. Not here: whether the paper may pass
(`policy.py`). Only direction; nothing here clears anything.
"""

from __future__ import annotations

from dataclasses import dataclass

from cockpit.kernel.findings import GateVerdict, Obligation
from cockpit.kernel.levels import EFFORTS, PIVOTS_A_RUN
from cockpit.kernel.protocols import Route
from cockpit.kernel.reviews import DIMENSIONS, Dimension, Score
from cockpit.kernel.view import RunView

ENTRY: dict[Dimension, int] = {"novelty": 2, "significance": 3, "soundness": 9, "clarity": 17}
LAST_ENTRY = 17
PIVOT_ENTRY = 8
STALE_PIVOT, STALE_PERSON = 2, 4
NEGATIVE, DEGENERATE = "negative-result", "degenerate"  # codes of reasons that the policy finds in the tree


@dataclass(frozen=True)
class RoundResult:
    """What a round left: for choosing the best one."""

    round: int
    criticals: int
    score: float | None


def route(view: RunView, verdict: GateVerdict, score: Score | None) -> Route:
    """The next step. Pure in view (before this round's `RoundClosed`), verdict and score."""
    stale = is_stale(view)
    codes = {reason.code for reason in verdict.reasons}
    passed = verdict.outcome != "BLOCK" and score is not None and score.value is not None
    if passed and NEGATIVE in codes:
        why = "every primary hypothesis was refuted by its frozen test on confirmatory seeds; an honest result"
        return Route(entry=None, outcome=_ended(verdict, NEGATIVE), export_round=view.round, why=why, stale=stale)
    if passed and score is not None and score.value is not None and score.value >= threshold(view):
        why = f"score {score.value:.2f} reaches {threshold(view):.2f} and nothing blocks"
        return Route(entry=None, outcome=_ended(verdict, "accepted"), export_round=view.round, why=why, stale=stale)
    if DEGENERATE in codes:
        return _out(view, verdict, score, stale, "the results stay degenerate", outcome=DEGENERATE)
    in_a_row = stale_in_a_row(view) + 1 if stale else 0
    if in_a_row >= STALE_PERSON:
        return _out(view, verdict, score, stale, f"{in_a_row} iterations in a row changed nothing", outcome="pending")
    if view.round >= max_rounds(view):
        return _out(view, verdict, score, stale, f"all {max_rounds(view)} rounds are used")
    if in_a_row >= STALE_PIVOT and view.pivots < PIVOTS_A_RUN:
        why = f"structural pivot: {in_a_row} iterations in a row changed nothing"
        return Route(entry=PIVOT_ENTRY, why=why, stale=stale, pivot=True)
    return _onward(view, verdict, score, stale)


def threshold(view: RunView) -> float:
    """The score that is asked for."""
    return view.run.settings.threshold if view.run else 1.0


def max_rounds(view: RunView) -> int:
    """How many rounds this run may have."""
    if view.run is None:
        return 1
    settings = view.run.settings
    return settings.rounds if settings.rounds is not None else EFFORTS[settings.effort].rounds


def _onward(view: RunView, verdict: GateVerdict, score: Score | None, stale: bool) -> Route:
    wanted: list[tuple[int, str]] = []
    owner = earliest_owner(view)
    if owner is not None:
        wanted.append(
            (min(owner.finding.owner, LAST_ENTRY), f"#{owner.number} {owner.finding.title} (critical) is open")
        )
    wanted += [(min(r.stage, LAST_ENTRY), r.text) for r in verdict.reasons if r.severity == "block" and r.stage]
    low = lowest(view, score)
    if low is not None and (score is None or score.value is None or score.value < threshold(view)):
        dimension, stage = low
        wanted.append((stage, f"{dimension} is the lowest dimension and the score is below {threshold(view):.2f}"))
    if not wanted:
        return _out(view, verdict, score, stale, "blocked by what no stage can mend")
    entry, why = min(wanted, key=lambda w: w[0])
    return Route(entry=entry, why=why, stale=stale)


def earliest_owner(view: RunView) -> Obligation | None:
    """The open critical whose owner stage comes first."""
    criticals = [o for o in view.ledger.open if o.finding.severity == "critical"]
    return min(criticals, key=lambda o: (o.finding.owner, o.number), default=None)


def lowest(view: RunView, score: Score | None) -> tuple[Dimension, int] | None:
    """The weakest dimension and its entry stage; ties in the order soundness, significance, novelty, clarity.

    A round that was entered there and closed nothing is not repeated: the next lowest is taken.
    """
    known = [d for d in DIMENSIONS if score is not None and d in score.dimensions]
    if score is None or not known:
        return None
    order = sorted(known, key=lambda d: (score.dimensions[d], DIMENSIONS.index(d)))
    last = view.rounds[-1].entry if view.rounds else None
    if last is not None and not closed_in(view, view.round):
        order = [d for d in order if ENTRY[d] != last] or order
    return order[0], ENTRY[order[0]]


def closed_in(view: RunView, number: int) -> bool:
    """Was any part of an obligation closed in this round?"""
    return any(e.position.round == number for o in view.ledger.obligations.values() for p in o.parts
               if p.state == "closed" for e in p.evidence)  # fmt: skip


def is_stale(view: RunView) -> bool:
    """No new accusation (reworded ones are not new), nothing closed or provisionally met, and a major is open."""
    number = view.round
    all_ = view.ledger.obligations.values()
    fresh = any(o.opened.round == number and o.similar_to is None for o in all_)
    met = any(p.state == "provisionally-met" and o.last_seen.round == number for o in all_ for p in o.parts)
    heavy = any(o.finding.severity in ("major", "critical") for o in view.ledger.open)
    return heavy and not fresh and not met and not closed_in(view, number)


def stale_in_a_row(view: RunView) -> int:
    """How many rounds before this one were stale without a break."""
    count = 0
    for closed in reversed(view.rounds):
        if not closed.stale:
            break
        count += 1
    return count


def best_round(view: RunView, verdict: GateVerdict, score: Score | None) -> RoundResult:
    """By fewest open criticals, then highest score, then latest."""
    results = [RoundResult(r.round, r.criticals, r.score) for r in view.rounds]
    results.append(RoundResult(view.round, verdict.criticals, score.value if score else None))
    return min(results, key=lambda r: (r.criticals, -(r.score if r.score is not None else -1.0), -r.round))


def _out(view: RunView, verdict: GateVerdict, score: Score | None, stale: bool, why: str, *,
         outcome: str = "") -> Route:  # fmt: skip
    best = best_round(view, verdict, score)
    blocked = best.criticals > 0 or best.score is None or (best.round == view.round and verdict.outcome == "BLOCK")
    word = outcome or ("blocked" if blocked else "best-effort")
    shown = "no score" if best.score is None else f"score {best.score:.2f}"
    why = f"{why}; round {best.round} is the best ({best.criticals} open criticals, {shown})"
    return Route(entry=None, outcome=word, export_round=best.round, why=why, stale=stale)


def _ended(verdict: GateVerdict, word: str) -> str:
    """What only a person can give is pending, not missing."""
    return "pending" if verdict.pending else word
