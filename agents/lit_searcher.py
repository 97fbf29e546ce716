"""The literature searcher: strategy (3), collection (4), screening (5), cards (6), synthesis (7).

Belongs here: which stage is whose work, and stages 3 and 7. Not here: collection (`collecting.py`),
screening (`screening.py`), cards (`card_making.py`).
"""

from __future__ import annotations

from typing import Any

from agents import artifacts
from agents.card_making import knowledge_extract
from agents.cards import Card, cards_block, read_cards
from agents.collecting import NO_SOURCE, literature_collect
from agents.errors import StageError
from agents.kit import Kit
from agents.literature_replies import SearchStrategy, Synthesis
from agents.loops import parallel
from agents.pages import bullets, page, section
from agents.prompting import Block, own
from agents.screening import literature_screen
from agents.soundness import checked, repeated, unknown
from cockpit.kernel.exits import Exit
from cockpit.kernel.levels import EFFORTS
from cockpit.kernel.model import JsonObject
from cockpit.kernel.papers import SourceState
from cockpit.kernel.protocols import Desk, StageReport
from cockpit.kernel.stages import LIT_A

TRIES = 2  # of a plan some of whose strategies bring nothing
TRIAL_LIMIT = 3


async def work(desk: Desk, kit: Kit) -> StageReport:
    """Do stage 3, 4, 5, 6 or 7."""
    match desk.stage.number:
        case 3:
            return await search_strategy(desk, kit)
        case 4:
            return await literature_collect(desk, kit)
        case 5:
            return await literature_screen(desk, kit)
        case 6:
            return await knowledge_extract(desk, kit)
        case 7:
            return await synthesis(desk, kit)
        case other:
            raise StageError(f"the literature searcher has no stage {other}", Exit.BUG)


async def search_strategy(desk: Desk, kit: Kit) -> StageReport:
    """Stage 3: search_plan.yaml, queries.json, sources.json."""
    limits = EFFORTS[desk.settings.effort]
    first = artifacts.fields(desk.tree, 1)
    earlier = artifacts.fields(desk.tree, 2)
    states = await kit.literature.probe(desk, " ".join(first["keywords"][:3]), path="probe")
    inputs: dict[str, Any] = {
        "candidates": limits.candidates,
        "kept": limits.kept,
        "goal": own("goal", artifacts.text(desk.tree, artifacts.GOAL)),
        "problem": own("problem", artifacts.text(desk.tree, artifacts.TREE_OF_PROBLEMS)),
        "searches": own("searches", earlier.get("searches", [])),
        "sources": own("sources", states or "no source of literature is configured or reachable"),
        "previous": _previous(desk, f"{LIT_A}/search_plan.yaml"),
    }
    barren: list[str] = []
    for turn in range(1, TRIES + 1):
        shown = own("barren", barren) if barren else None
        plan = await kit.ask(
            desk,
            "lit-searcher/strategy",
            checked(SearchStrategy, _faults),
            path=f"strategy-{turn}",
            barren=shown,
            **inputs,
        )
        barren = await _barren(desk, kit, plan, turn) if "ok" in states.values() else []
        if not barren:
            break
    queries = [
        {"id": f"q{n}", "strategy": strategy, "text": text}
        for n, (strategy, text) in enumerate(((s.id, q) for s in plan.strategies for q in s.queries), start=1)
    ]
    states = states or {NO_SOURCE: "not-asked"}
    sources = [{"source": name, "state": state, "note": NOTES[state]} for name, state in sorted(states.items())]
    desk.write(f"{LIT_A}/search_plan.yaml", artifacts.as_yaml(plan.model_dump(mode="json")))
    desk.write(f"{LIT_A}/queries.json", artifacts.as_json({"queries": queries}))
    desk.write(f"{LIT_A}/sources.json", artifacts.as_json({"sources": sources}))
    return _planned(plan, queries, states, barren)


NOTES: dict[SourceState, str] = {
    "ok": "answered with records",
    "empty": "answered, without a record",
    "limited": "asked us to slow down",
    "down": "did not answer",
    "not-asked": "not asked: this run is offline",
}


def _planned(plan: SearchStrategy, queries: list[JsonObject], states: dict[str, SourceState],
             barren: list[str]) -> StageReport:  # fmt: skip
    up = sum(state == "ok" for state in states.values())
    said = [f"{name}: {state}." for name, state in sorted(states.items())]
    if barren:
        said.append(f"{len(barren)} queries brought nothing in a trial: {'; '.join(barren)}.")
    return StageReport(
        summary=f"{len(plan.strategies)} strategies, {len(queries)} queries; {up} of {len(states)} sources answer",
        body=" ".join([*(f"{s.name}: {s.why}" for s in plan.strategies), *said]),
        fields={
            "strategies": [s.model_dump(mode="json") for s in plan.strategies],
            "sources": states,
            "barren_queries": barren,
        },
    )


def _faults(plan: SearchStrategy) -> list[str]:
    queries = [q.casefold() for s in plan.strategies for q in s.queries]
    return repeated("the query", queries) + repeated("the strategy", [s.id for s in plan.strategies])


async def _barren(desk: Desk, kit: Kit, plan: SearchStrategy, turn: int) -> list[str]:
    """First queries of strategies that bring nothing from any source."""
    firsts = [s.queries[0] for s in plan.strategies]
    asked = {
        f"trial-{turn}/{n}": kit.literature.search(desk, query, limit=TRIAL_LIMIT, path=f"trial-{turn}/{n}")
        for n, query in enumerate(firsts, start=1)
    }
    answers = (await parallel(asked)).values()
    return [query for query, found in zip(firsts, answers, strict=True) if not found.records]


async def synthesis(desk: Desk, kit: Kit) -> StageReport:
    """Stage 7: synthesis.md."""
    cards = read_cards(desk.tree)
    if not cards:
        return _nothing_read(desk)
    keys = [c.key for c in cards]

    def faults(reply: Synthesis) -> list[str]:
        said = [s for c in reply.clusters for s in unknown("the card", c.cards, keys)]
        said += [s for g in reply.gaps for s in unknown("the card", g.cards, keys)]
        return list(dict.fromkeys(said)) + repeated("the gap", [g.id for g in reply.gaps])

    reply = await kit.ask(
        desk, "lit-searcher/synthesis", checked(Synthesis, faults), path="synthesis",
        goal=own("goal", artifacts.text(desk.tree, artifacts.GOAL)), cards=cards_block("cards", cards),
        previous=_previous(desk, artifacts.SYNTHESIS),
    )  # fmt: skip
    placed = {key for cluster in reply.clusters for key in cluster.cards}
    apart = [key for key in keys if key not in placed]
    desk.write(artifacts.SYNTHESIS, synthesis_page(reply, cards, apart))
    gaps = "; ".join(g.statement.rstrip(".") for g in reply.gaps)
    return StageReport(
        summary=f"{len(reply.clusters)} clusters of {len(cards)} cards, {len(reply.gaps)} gaps",
        body=f"Open: {gaps}." + (f" {len(apart)} cards stand in no cluster." if apart else ""),
        fields={**reply.model_dump(mode="json"), "cards": len(cards), "unplaced": apart},
    )


def synthesis_page(reply: Synthesis, cards: tuple[Card, ...], apart: list[str]) -> str:
    """synthesis.md: clusters, gaps and contradictions, each with the keys it rests on."""
    titles = {c.key: c.title for c in cards}
    clusters = [
        section(
            f"{c.id}: {c.name}", c.theme, f"**Agreed.** {c.agreement}",
            f"**Differs.** {c.difference}" if c.difference else "",
            bullets(f"[{key}] {titles[key]}" for key in c.cards),
        )
        for c in reply.clusters
    ]  # fmt: skip
    gaps = bullets(
        f"**{g.id}** {g.statement} Why open: {g.why_open} Would be closed by: {g.test} [{', '.join(g.cards)}]"
        for g in reply.gaps
    )
    return page(
        "What the literature knows, and what it leaves open", *clusters, section("Gaps", gaps),
        section("Contradictions", bullets(reply.contradictions)),
        section("In no cluster", bullets(f"[{key}] {titles[key]}" for key in apart)),
    )  # fmt: skip


def _nothing_read(desk: Desk) -> StageReport:
    said = "No paper was read, so nothing can be said about what is known. No source of literature gave a record."
    desk.write(artifacts.SYNTHESIS, page("What the literature knows, and what it leaves open", said))
    return StageReport(
        summary="no card to put together: the literature is unseen",
        body=said,
        fields={"clusters": [], "gaps": [], "contradictions": [], "cards": 0, "unplaced": []},
        uncertainty=1.0,
    )


def _previous(desk: Desk, path: str) -> Block | None:
    content = artifacts.before(desk, path)
    return None if content is None else own("previous", content)
