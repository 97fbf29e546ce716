"""The debate of stage 8: who speaks, what may be cited, the record of who said what.

Belongs here: roles and checks of this debate. Not here: turns and who sees what (`loops/debate.py`), what
comes of it (`exp_planner.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agents.kit import Kit
from agents.loops import Debate, debate
from agents.plan_checks import hypothesis_faults
from agents.planning_replies import Opening, Outcome, Rebuttal
from agents.soundness import checked, unknown
from cockpit.kernel.levels import EFFORTS
from cockpit.kernel.model import JsonObject
from cockpit.kernel.protocols import Desk

ROLES = ("innovator", "pragmatist", "contrarian")
STEPS = ("exp-planner/opening", "exp-planner/rebuttal", "exp-planner/hypotheses")


async def hold(desk: Desk, kit: Kit, keys: Sequence[str], inputs: Mapping[str, Any]) -> Debate[Outcome]:
    """Openings in parallel, the effort's number of turns in which all see all that was said, the close.

    `keys` are the cards that may be cited; `inputs` the blocks that all turns may name.
    """

    def opening_faults(reply: Opening) -> list[str]:
        return unknown("the card", reply.evidence, keys)

    def rebuttal_faults(reply: Rebuttal) -> list[str]:
        cited = [*reply.evidence, *(key for o in reply.objections for key in o.evidence)]
        return unknown("the card", cited, keys) + unknown("the debater", [o.to for o in reply.objections], ROLES)

    def outcome_faults(reply: Outcome) -> list[str]:
        return hypothesis_faults(reply.hypotheses) + unknown("the card", [n.key for n in reply.neighbours], keys)

    replies = (
        checked(Opening, opening_faults),
        checked(Rebuttal, rebuttal_faults),
        checked(Outcome, outcome_faults),
    )
    turns = EFFORTS[desk.settings.effort].debate_turns
    return await debate(desk, kit, STEPS, replies, roles=ROLES, turns=turns, **inputs)


def debate_rows(held: Debate[Outcome]) -> list[JsonObject]:
    """The debate as rows {role, turn, claim, evidence, …}: openings are turn 0, the close comes last."""
    outcome = held.synthesis
    closed = outcome.model_dump(mode="json", include={"concessions", "disputes", "would_refute"})
    last = {key: held.rows[-1][key] for key in ("role", "turn")}
    claim = "; ".join(h.statement for h in outcome.hypotheses)
    return [*held.rows[:-1], {**last, "claim": claim, "evidence": [n.key for n in outcome.neighbours], **closed}]
