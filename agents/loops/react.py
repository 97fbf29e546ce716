"""Think, act, look, in bounded turns: a model chooses among typed functions until it can answer.

Belongs here: the turns, what a tool is, the rules of what may stand beside it. Not here: the tools of
an agent. Tools are asked for in the reply itself, not by a provider's own calling form, so that every
model can use them. What outside text says never reaches a turn that has a writing or running tool.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Generic, Literal, TypeVar

from pydantic import BaseModel, ValidationError, create_model, model_validator

from agents.errors import UnusableReply
from agents.kit import Kit
from agents.prompting import Block, Input, foreign, own
from cockpit.kernel.model import JsonObject, Model
from cockpit.kernel.protocols import Desk

T = TypeVar("T", bound=BaseModel)
A = TypeVar("A", bound=BaseModel)
OBSERVATION_LIMIT = 8_000


@dataclass(frozen=True)
class Tool(Generic[A]):
    """A typed function. `acts`: it writes or runs. `journalled`: its effects already go through the desk."""

    name: str  # one of the roster's
    about: str
    arguments: type[A]
    run: Callable[[A], Awaitable[Any]]
    gives: Literal["own", "foreign"] = "own"
    acts: bool = False
    journalled: bool = False

    def shown(self) -> JsonObject:
        """As the model sees it."""
        return {"tool": self.name, "about": self.about, "arguments": self.arguments.model_json_schema()}


class Action(Model):
    """What the model wants done."""

    tool: str
    arguments: JsonObject = {}


@dataclass(frozen=True)
class Observation:
    """What came of an action. `ok` False: it was refused or failed, `result` says why."""

    action: Action
    result: Any
    ok: bool
    gives: Literal["own", "foreign"] = "own"

    def block(self, number: int) -> Block:
        """As the next turn sees it."""
        shown = {"tool": self.action.tool, "arguments": self.action.arguments, "ok": self.ok, "result": self.result}
        make = foreign if self.gives == "foreign" else own
        return make(f"observation-{number}", shown, limit=OBSERVATION_LIMIT)


@dataclass
class Ended(Generic[T]):
    """The answer and the way to it."""

    answer: T
    observations: list[Observation] = field(default_factory=list)


@lru_cache(maxsize=64)
def turn_of(reply: type[BaseModel]) -> type[BaseModel]:
    """The reply type of one turn: a thought, and either an action or the finished answer."""
    fields: dict[str, Any] = {
        "thought": (str, ...), "action": (Action | None, None), "finish": (reply | None, None)}  # fmt: skip
    return create_model(f"{reply.__name__}Turn", __base__=_Turn, **fields)


class _Turn(Model):
    @model_validator(mode="after")
    def _one_of_both(self) -> _Turn:
        if (getattr(self, "action", None) is None) == (getattr(self, "finish", None) is None):
            raise ValueError("give either action or finish")
        return self


async def react(desk: Desk, kit: Kit, step: str, reply: type[T], tools: Sequence[Tool[Any]], *, path: str,
                max_steps: int | None = None, **inputs: Input) -> Ended[T]:  # fmt: skip
    """Turns of `step` until the model finishes with a `reply`; at most `max_steps` (roster's by default).

    The prompt gets `tools`, `observations` (list of blocks) and `turns_left`. An unknown tool or wrong
    arguments are observations, not errors. Raises as `Kit.ask`; UnusableReply when the turns are used up;
    ValueError for a tool the roster does not grant, or outside text beside a tool that acts.
    """
    agent = step.split("/", maxsplit=1)[0]
    duty = kit.rosters.of(agent).stages[desk.stage.number]
    known = {tool.name: tool for tool in tools}
    _check_granted(known, duty.tools, inputs)
    most = max_steps or duty.max_steps
    seen: list[Observation] = []
    for number in range(1, most + 1):
        given: dict[str, Any] = {
            **inputs, "tools": own("tools", [tool.shown() for tool in tools]), "turns_left": most - number,
            "observations": [one.block(n) for n, one in enumerate(seen, start=1)]}  # fmt: skip
        turn = await kit.ask(desk, step, turn_of(reply), path=f"{path}/turn-{number}", **given)
        finish, action = getattr(turn, "finish", None), getattr(turn, "action", None)
        if isinstance(finish, reply):
            return Ended(finish, seen)
        if isinstance(action, Action):
            seen.append(await _acted(desk, known, action, f"{path}/tool-{number}"))
    raise UnusableReply(f"{step}: not finished after {most} turns", (), where=f"{desk.position}, {path}")


def _check_granted(known: Mapping[str, Tool[Any]], granted: Sequence[str], inputs: Mapping[str, Input]) -> None:
    if missing := sorted(set(known) - set(granted)):
        raise ValueError(f"the roster grants no {', '.join(missing)}")
    outside = any(tool.gives == "foreign" for tool in known.values()) or any(
        isinstance(item, Block) and item.kind == "foreign" for item in inputs.values()
    )
    if outside and (acting := sorted(name for name, tool in known.items() if tool.acts)):
        raise ValueError(f"outside text must not stand beside {', '.join(acting)}")


async def _acted(desk: Desk, known: Mapping[str, Tool[Any]], action: Action, path: str) -> Observation:
    tool = known.get(action.tool)
    if tool is None:
        return Observation(action, f"there is no tool {action.tool}; there are {', '.join(known)}", ok=False)
    try:
        arguments = tool.arguments.model_validate(action.arguments)
    except ValidationError as error:
        return Observation(action, [f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors()], ok=False)

    async def do() -> JsonObject:
        return {"result": await tool.run(arguments)}

    request = {"tool": tool.name, "arguments": arguments.model_dump(mode="json")}
    done = await (do() if tool.journalled else desk.once(path, request, do, what="tool"))
    return Observation(action, done["result"], ok=True, gives=tool.gives)
