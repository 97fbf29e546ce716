"""Roles that open apart, then answer one another, then one synthesis.

Belongs here: turns and who sees what. Not here: roles and replies of a stage. Openings are blind;
each later turn sees all that was said before it, its own turn's speeches excepted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import BaseModel

from agents.kit import Kit
from agents.loops.parallel import parallel
from agents.prompting import Input, own
from cockpit.kernel.model import JsonObject, Model
from cockpit.kernel.protocols import Desk

O = TypeVar("O", bound="Speech")  # noqa: E741 - an opening
R = TypeVar("R", bound="Speech")
S = TypeVar("S", bound=BaseModel)


class Speech(Model):
    """What a role says in a turn; stages add fields. `evidence`: ids of cards, numbers, papers."""

    claim: str
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True)
class Debate(Generic[S]):
    """`rows`: {role, turn, …speech}; openings are turn 0, the synthesis comes last as role "synthesis"."""

    rows: tuple[JsonObject, ...]
    synthesis: S


async def debate(desk: Desk, kit: Kit, steps: tuple[str, str, str], replies: tuple[type[O], type[R], type[S]], *,
                 roles: Sequence[str], turns: int, path: str = "debate", **inputs: Input) -> Debate[S]:  # fmt: skip
    """Openings of all roles in parallel, `turns` rounds of rebuttals, one synthesis.

    `steps` are the prompts of opening, rebuttal and synthesis, `replies` their types. Prompts get
    `speaker_role`, `turn_number`, and (after the openings) `debate`, the rows so far. Speeches become
    turns of the dialogue. Raises as `Kit.ask`.
    """
    opening, rebuttal, synthesis = steps
    rows: list[JsonObject] = []

    async def speak(role: str, turn: int, said: Sequence[JsonObject]) -> Speech:
        heard: dict[str, Input] = {"debate": own("debate", list(said))} if turn else {}
        given: dict[str, Any] = {**inputs, **heard, "speaker_role": role, "turn_number": turn}
        where = f"{path}/{f'turn-{turn}' if turn else 'opening'}/{role}"
        step, reply = (rebuttal, replies[1]) if turn else (opening, replies[0])
        return await kit.ask(desk, step, reply, path=where, role=role, turn="debate", speaker=role, **given)

    for turn in range(turns + 1):
        said = tuple(rows)
        speeches = await parallel({role: speak(role, turn, said) for role in roles})
        rows += [{"role": role, "turn": turn, **one.model_dump(mode="json")} for role, one in speeches.items()]
    given: dict[str, Any] = {**inputs, "debate": own("debate", rows)}
    closed = await kit.ask(desk, synthesis, replies[2], path=f"{path}/synthesis", **given)
    rows.append({"role": "synthesis", "turn": turns + 1, **closed.model_dump(mode="json")})
    return Debate(tuple(rows), closed)
