"""The debate of stage 8: three roles open in parallel, then answer one another, turn by turn.

Belongs here: roles, turns, the record of who said what. Not here: what comes of it (`exp_planner.py`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agents.kit import Kit
from agents.planning_replies import Opening, Outcome, Rebuttal
from agents.prompting import own
from agents.soundness import checked, unknown
from cockpit.kernel.levels import EFFORTS
from cockpit.kernel.model import JsonObject
from cockpit.kernel.protocols import Desk

ROLES = ("innovator", "pragmatist", "contrarian")


@dataclass(frozen=True)
class Debate:
    """What was said: openings by role, then each turn's rebuttals by role."""

    openings: Mapping[str, Opening]
    turns: tuple[Mapping[str, Rebuttal], ...] = ()


async def hold(desk: Desk, kit: Kit, keys: Sequence[str], inputs: Mapping[str, Any]) -> Debate:
    """Openings in parallel, then the effort's number of turns in which all see all that was said.

    `keys` are the cards that may be cited; `inputs` the blocks of the opening.
    """
    opened = await asyncio.gather(*(_open(desk, kit, role, keys, inputs) for role in ROLES))
    debate = Debate(dict(zip(ROLES, opened, strict=True)))
    for number in range(1, EFFORTS[desk.settings.effort].debate_turns + 1):
        asked = [_answer(desk, kit, role, number, debate, keys=keys, inputs=inputs) for role in ROLES]
        answers = await asyncio.gather(*asked)
        debate = Debate(debate.openings, (*debate.turns, dict(zip(ROLES, answers, strict=True))))
    return debate


def debate_rows(debate: Debate, outcome: Outcome | None = None) -> list[JsonObject]:
    """The debate as rows {role, turn, claim, evidence, …}: openings are turn 0, the close comes last."""
    rows = [{"role": role, "turn": 0, **opening.model_dump(mode="json")} for role, opening in debate.openings.items()]
    for number, answers in enumerate(debate.turns, start=1):
        rows += [{"role": role, "turn": number, **answer.model_dump(mode="json")} for role, answer in answers.items()]
    if outcome is not None:
        closed = outcome.model_dump(mode="json", include={"concessions", "disputes", "would_refute"})
        claim = "; ".join(h.statement for h in outcome.hypotheses)
        evidence = [n.key for n in outcome.neighbours]
        rows.append(
            {"role": "synthesis", "turn": len(debate.turns) + 1, "claim": claim, "evidence": evidence, **closed}
        )
    return rows


async def _open(desk: Desk, kit: Kit, role: str, keys: Sequence[str], inputs: Mapping[str, Any]) -> Opening:
    def faults(reply: Opening) -> list[str]:
        return unknown("the card", reply.evidence, keys)

    return await kit.ask(
        desk, "exp-planner/opening", checked(Opening, faults), path=f"opening/{role}", turn="debate", speaker=role,
        speaker_role=role, **inputs,
    )  # fmt: skip


async def _answer(desk: Desk, kit: Kit, role: str, number: int, debate: Debate, *, keys: Sequence[str],
                  inputs: Mapping[str, Any]) -> Rebuttal:  # fmt: skip
    others = [other for other in ROLES if other != role]

    def faults(reply: Rebuttal) -> list[str]:
        cited = [*reply.evidence, *(key for o in reply.objections for key in o.evidence)]
        return unknown("the card", cited, keys) + unknown("the debater", [o.to for o in reply.objections], others)

    return await kit.ask(
        desk, "exp-planner/rebuttal", checked(Rebuttal, faults), path=f"turn-{number}/{role}", turn="debate",
        speaker=role, speaker_role=role, turn_number=number, goal=inputs["goal"], cards=inputs["cards"],
        debate=own("debate", debate_rows(debate)),
    )  # fmt: skip
