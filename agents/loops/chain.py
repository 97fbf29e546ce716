"""One step after another; each sees what the steps before it said.

Belongs here: that. Not here: choosing steps (roster files).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from agents.kit import Kit
from agents.prompting import Input, own
from cockpit.kernel.protocols import Desk


@dataclass(frozen=True)
class Step:
    """A prompt ("<agent>/<step>") and the type of its reply; later steps see it as block `<step>`, - as _."""

    prompt: str
    reply: type[BaseModel]

    @property
    def name(self) -> str:
        return self.prompt.split("/", maxsplit=1)[1]


async def chain(desk: Desk, kit: Kit, steps: Sequence[Step], *, path: str, **inputs: Input) -> dict[str, BaseModel]:
    """The replies by step name, in order. Raises as `Kit.ask`; a failed step ends the chain."""
    said: dict[str, BaseModel] = {}
    for step in steps:
        earlier: dict[str, Input] = {name.replace("-", "_"): own(name, reply) for name, reply in said.items()}
        given: dict[str, Any] = {**inputs, **earlier}
        said[step.name] = await kit.ask(desk, step.prompt, step.reply, path=f"{path}/{step.name}", **given)
    return said
