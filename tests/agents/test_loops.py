"""Loops over asks: bounds, order, what each ask sees, and the same again on resume."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from memory_desk import AT, MemoryDesk, TestClock

from agents import rosters
from agents.calls import CallRequest, Served
from agents.errors import StageError, UnusableReply
from agents.kit import Kit
from agents.literature.shelves import Literature
from agents.loops import Speech, Step, Tool, chain, debate, parallel, react
from agents.prompting import Prompts, foreign, own
from agents.rehearsal.reading import Prompt, read
from cockpit.kernel.events import CallReplied, TurnSpoken
from cockpit.kernel.ids import Seq, Sha256
from cockpit.kernel.model import Model
from cockpit.kernel.protocols import Desk
from cockpit.kernel.reviews import Family
from cockpit.kernel.settings import Settings

SHOW = "{% if {0} is defined and {0} %}{{ {0} }}{% endif %}\n"
NAMES = ("goal", "one", "tools", "debate", "speaker_role", "turn_number", "turns_left")
TEMPLATE = "".join(SHOW.replace("{0}", name) for name in NAMES)
TEMPLATE += "{% if observations is defined %}{% for o in observations %}{{ o }}\n{% endfor %}{% endif %}"


class Brain:
    """A door that answers by a function of the prompt it reads."""

    def __init__(self, answer: Any) -> None:
        self.answer, self.asked = answer, []

    async def ask(self, desk: Desk, request: CallRequest) -> Served:
        self.asked.append(request.path)
        await asyncio.sleep(0)
        text = json.dumps(self.answer(read(request.messages)))
        event = CallReplied(
            at=AT, position=desk.position, path=request.path, attempt=1, role=request.role, purpose=request.purpose,
            prompt_sha256=Sha256("0" * 64), body=Sha256("0" * 64), asked_model="m", reported_model="m",
            family=Family(families=("x",), grade="declared"), response_id="", tokens_in=1, tokens_out=1,
            usage_source="provider", cost_usd=0, finish="stop", took_s=0,
        )  # fmt: skip
        return Served(event, Seq(1), text)

    def warm(self) -> None:
        """Nothing is slow."""

    async def close(self) -> None:
        """Nothing is open."""


@pytest.fixture
def prompts(tmp_path: Path) -> Prompts:
    for step in ("exp-planner/one", "exp-planner/two", "exp-planner/open", "exp-planner/rebut", "exp-planner/close",
                 "exp-executor/act", "idea-analyst/look"):  # fmt: skip
        path = tmp_path / f"{step}.md.j2"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"# Task {step}: t\n{TEMPLATE}")
    return Prompts(tmp_path)


def kit(brain: Brain, prompts: Prompts) -> Kit:
    return Kit(brain, Literature(), Settings(), rosters.load(), TestClock(), prompts)


class Said(Model):
    claim: str


async def test_a_chain_hands_on_what_was_said(prompts: Prompts) -> None:
    brain = Brain(lambda p: {"claim": f"{p.step} after {p.blocks.get('one', 'nothing')}"})
    steps = [Step("exp-planner/one", Said), Step("exp-planner/two", Said)]
    said = await chain(MemoryDesk(Settings()), kit(brain, prompts), steps, path="c", goal="g")
    assert list(said) == ["one", "two"]
    assert "exp-planner/one after nothing" in str(said["two"])
    assert brain.asked == ["c/one/try-1", "c/two/try-1"]


async def test_parallel_keeps_the_order_and_the_first_failure_ends_all() -> None:
    order = []

    async def work(name: str, turns: int) -> str:
        for _ in range(turns):
            await asyncio.sleep(0)
        order.append(name)
        return name

    assert list((await parallel({"a": work("a", 9), "b": work("b", 1)})).items()) == [("a", "a"), ("b", "b")]
    assert order == ["b", "a"]
    gone = asyncio.Event()

    async def forever() -> str:
        try:
            await asyncio.Event().wait()
        finally:
            gone.set()
        return ""

    async def fails() -> str:
        await asyncio.sleep(0)
        raise StageError("no")

    with pytest.raises(StageError, match="no"):
        await parallel({"a": forever(), "b": fails()})
    assert gone.is_set()


class Query(Model):
    words: str


class Neighbours(Model):
    near: tuple[str, ...]


def searcher(calls: list[str]) -> Tool[Query]:
    async def run(query: Query) -> list[str]:
        calls.append(query.words)
        return [f"paper on {query.words}"]

    return Tool("literature_search", "finds papers", Query, run, gives="foreign")


def looks(prompt: Prompt) -> dict[str, Any]:
    seen = [json.loads(text) for name, text in prompt.blocks.items() if name.startswith("observation-")]
    match len(seen):
        case 0:
            return {"thought": "search", "action": {"tool": "literature_search", "arguments": {"words": "ridge"}}}
        case 1:
            return {"thought": "a slip", "action": {"tool": "google", "arguments": {}}}
        case 2:
            return {"thought": "another", "action": {"tool": "literature_search", "arguments": {"word": 1}}}
        case _:
            return {"thought": "done", "finish": {"near": [seen[0]["result"][0], str(seen[1]["ok"])]}}


async def test_react_acts_looks_and_ends(prompts: Prompts) -> None:
    calls: list[str] = []
    desk = MemoryDesk(Settings(), stage_number=2)
    for _ in range(2):  # the second time from the journal
        ended = await react(
            desk, kit(Brain(looks), prompts), "idea-analyst/look", Neighbours, [searcher(calls)], path="r"
        )
        assert ended.answer.near == ("paper on ridge", "False")
        assert [one.ok for one in ended.observations] == [True, False, False]
    assert calls == ["ridge"]


async def test_react_is_bounded(prompts: Prompts) -> None:
    brain = Brain(lambda _: {"thought": "more", "action": {"tool": "literature_search", "arguments": {"words": "x"}}})
    with pytest.raises(UnusableReply, match="3 turns"):
        await react(MemoryDesk(Settings(), stage_number=2), kit(brain, prompts), "idea-analyst/look", Neighbours,
                    [searcher([])], path="r", max_steps=3)  # fmt: skip
    assert len(brain.asked) == 3


async def test_neither_or_both_is_asked_for_again(prompts: Prompts) -> None:
    both = {"thought": "x", "action": {"tool": "literature_search"}, "finish": {"near": []}}
    brain = Brain(lambda p: {"thought": "x", "finish": {"near": []}} if p.tries > 1 else both)
    desk = MemoryDesk(Settings(), stage_number=2)
    ended = await react(desk, kit(brain, prompts), "idea-analyst/look", Neighbours, [searcher([])], path="r")
    assert ended.answer.near == () and len(brain.asked) == 2


async def test_outside_text_never_stands_beside_a_tool_that_acts(prompts: Prompts) -> None:
    async def run(_query: Query) -> str:
        return "ran"

    shell = Tool("shell_exec", "runs", Query, run, acts=True)
    desk = MemoryDesk(Settings(), stage_number=13)
    brain = Brain(lambda _: {"thought": "x", "finish": {"near": []}})
    with pytest.raises(ValueError, match="beside shell_exec"):
        await react(
            desk, kit(brain, prompts), "exp-executor/act", Neighbours, [shell], path="r", goal=foreign("goal", "x")
        )
    with pytest.raises(ValueError, match="grants no literature_search"):
        await react(desk, kit(brain, prompts), "exp-executor/act", Neighbours, [searcher([])], path="r")
    await react(desk, kit(brain, prompts), "exp-executor/act", Neighbours, [shell], path="r", goal=own("goal", "x"))


class Close(Model):
    agreed: str


async def test_a_debate(prompts: Prompts) -> None:
    def answer(prompt: Prompt) -> dict[str, Any]:
        heard = len(prompt.json("debate")) if "debate" in prompt.blocks else 0
        return {"agreed": str(heard)} if prompt.step.endswith("close") else {"claim": f"heard {heard}"}

    desk = MemoryDesk(Settings(), stage_number=8)
    steps = ("exp-planner/open", "exp-planner/rebut", "exp-planner/close")
    held = await debate(desk, kit(Brain(answer), prompts), steps, (Speech, Speech, Close), roles=("a", "b"), turns=2,
                        goal=own("goal", "x"))  # fmt: skip
    assert [(row["role"], row["turn"], row.get("claim")) for row in held.rows] == [
        ("a", 0, "heard 0"), ("b", 0, "heard 0"), ("a", 1, "heard 2"), ("b", 1, "heard 2"),
        ("a", 2, "heard 4"), ("b", 2, "heard 4"), ("synthesis", 3, None)]  # fmt: skip
    assert held.synthesis.agreed == "6"
    assert sum(isinstance(event, TurnSpoken) for event in desk.store.events) == 6
