"""The nine roster files: who does which stage, in which loop, with which tools, checked by what.

Belongs here: their shape, reading and checking them, guards on parsed replies. Not here: prompts,
running a loop (`loops/`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, get_args

import yaml
from pydantic import BaseModel, Field

from cockpit.kernel.model import Model
from cockpit.kernel.stages import AgentId

FOLDER = Path(__file__).parent / "roster"
Loop = Literal["chain", "react", "parallel", "debate", "code"]
Rule = Literal["non_empty", "unit_interval", "at_least", "between", "each_has", "one_of"]
ToolName = Literal[
    "semantic_scholar_search", "arxiv_search", "openalex_search", "literature_search", "get_paper_details",
    "get_citations", "read_pdf", "read_file", "list_dir", "write_file", "python_exec", "shell_exec", "gpu_status",
    "create_figure", "create_table", "compile_latex", "bibtex_format", "human_feedback", "finish",
]  # fmt: skip


class Guard(Model):
    """A check in code on a parsed reply. `path` is a field (dots for nesting); `step` the step it belongs to."""

    path: str
    rule: Rule
    step: str = ""  # empty = the stage's last step
    minimum: float | None = None
    maximum: float | None = None
    fields: tuple[str, ...] = ()
    values: tuple[str, ...] = ()


class Duty(Model):
    """What an agent does in one stage. `steps` are prompt files; `reply` names the type of the last step's reply."""

    loop: Loop
    steps: tuple[str, ...] = ()
    reply: str = ""
    temperature: float | None = None  # None = the agent's
    tools: tuple[ToolName, ...] = ()
    max_steps: int = Field(default=12, ge=1, le=50)
    roles: tuple[str, ...] = ()  # of a debate


class Roster(Model):
    """One agent."""

    id: AgentId
    model: str  # a role, resolved in cockpit.yml
    about: str
    temperature: float = Field(ge=0, le=2)
    stages: dict[int, Duty]
    guards: dict[int, tuple[Guard, ...]] = {}


@dataclass(frozen=True)
class Rosters:
    """All agents of the product."""

    agents: Mapping[str, Roster]

    def of(self, agent: str) -> Roster:
        """The roster of an agent id.

        Raises:
            KeyError: no such agent.
        """
        return self.agents[agent]

    def temperature(self, agent: str, stage: int) -> float:
        """Sampling temperature of `agent` in `stage`."""
        roster = self.of(agent)
        duty = roster.stages.get(stage)
        return roster.temperature if duty is None or duty.temperature is None else duty.temperature

    def guards(self, step: str, stage: int) -> tuple[Guard, ...]:
        """Guards of a step ("<agent>/<step>") when it is done in `stage`."""
        agent, name = step.split("/", maxsplit=1)
        roster = self.agents.get(agent)
        if roster is None:
            return ()
        duty = roster.stages.get(stage)
        last = duty.steps[-1] if duty and duty.steps else ""
        return tuple(guard for guard in roster.guards.get(stage, ()) if (guard.step or last) == name)


@lru_cache(maxsize=1)
def load(folder: Path = FOLDER) -> Rosters:
    """The roster files of `folder`.

    Raises:
        pydantic.ValidationError: a file does not have the shape of `Roster`.
        ValueError: an agent is missing, a file is named for another, or a guard belongs to no step.
    """
    agents: dict[str, Roster] = {}
    for path in sorted(folder.glob("*.yml")):
        roster = Roster.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
        if path.stem != roster.id:
            raise ValueError(f"{path.name} describes {roster.id}")
        _check_guards(roster)
        agents[roster.id] = roster
    if missing := sorted(set(get_args(AgentId)) - set(agents)):
        raise ValueError(f"no roster file for {', '.join(missing)}")
    return Rosters(agents)


def _check_guards(roster: Roster) -> None:
    for number, guards in roster.guards.items():
        duty = roster.stages.get(number)
        for guard in guards:
            if duty is None or not duty.steps or (guard.step and guard.step not in duty.steps):
                raise ValueError(f"{roster.id}.yml: the guard of {guard.path} at {number} belongs to no step")


def violations(value: BaseModel, guards: tuple[Guard, ...]) -> list[str]:
    """Sentences about what `value` lacks by `guards`; empty = it may be used."""
    data = value.model_dump(mode="json")
    return [sentence for guard in guards for sentence in _violations(data, guard)]


def _violations(data: Any, guard: Guard) -> Iterator[str]:
    found = _at(data, guard.path.split("."))
    match guard.rule:
        case "non_empty":
            if found in (None, "", [], {}):
                yield f"{guard.path} must not be empty"
        case "unit_interval":
            yield from _between(guard.path, found, 0, 1)
        case "between":
            yield from _between(guard.path, found, guard.minimum, guard.maximum)
        case "at_least":
            count = len(found) if isinstance(found, list | dict | str) else found
            if not isinstance(count, int | float) or count < (guard.minimum or 0):
                yield f"{guard.path} must hold at least {guard.minimum or 0:g}"
        case "each_has":
            yield from _each(guard, found)
        case "one_of":
            if found not in guard.values:
                yield f"{guard.path} must be one of {', '.join(guard.values)}"


def _between(path: str, value: Any, low: float | None, high: float | None) -> Iterator[str]:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    inside = number and (low is None or value >= low) and (high is None or value <= high)  # NaN is outside
    if not inside:
        yield f"{path} must be a number from {low} to {high}, not {value!r}"


def _each(guard: Guard, items: Any) -> Iterator[str]:
    if not isinstance(items, list) or not items:
        yield f"{guard.path} must be a list that is not empty"
        return
    for n, item in enumerate(items):
        for name in guard.fields:
            if not isinstance(item, dict) or item.get(name) in (None, "", [], {}):
                yield f"{guard.path}[{n}].{name} is missing or empty"


def _at(data: Any, names: list[str]) -> Any:
    for name in names:
        if not isinstance(data, dict):
            return None
        data = data.get(name)
    return data
