"""Stage 16: the outline, whose claims carry the numbers or the cards they rest on.

Belongs here: what an outline may name, and checking that it names nothing else. Not here: writing the
sections (`drafting.py`), tables and figures themselves (`drawing.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from agents import artifacts
from agents.coding import layout
from agents.coding.refining import quotes_numbers
from agents.kit import Kit
from agents.prompting import foreign, own
from agents.soundness import checked, repeated, unknown
from cockpit.kernel.model import JsonObject, pretty
from cockpit.kernel.plan import ExperimentPlan, Outline, TablePlan
from cockpit.kernel.protocols import Desk, StageReport, Tree
from cockpit.kernel.stages import ANA_A, LIT_A, WRITE_A
from gates.cards import front_matter
from gates.registry import Registry, build

OUTLINE, SYNTHESIS = f"{WRITE_A}/outline.json", f"{LIT_A}/synthesis.md"
SECTIONS = ("abstract", "introduction", "related_work", "method", "experiments", "limitations", "conclusion")
AGGREGATES = ("mean", "std", "median", "min", "max")
CARDS_SHOWN = 60


@dataclass(frozen=True)
class Offer:
    """What a paper may rest on: registry keys, cards, tables and figures by code."""

    keys: tuple[str, ...]
    cards: tuple[JsonObject, ...]
    tables: tuple[str, ...]
    figures: tuple[str, ...]


async def work(desk: Desk, kit: Kit) -> StageReport:
    """Stage 16: outline.json."""
    plan, tree = layout.read_plan(desk.tree), desk.tree
    registry, _ = build(tree, desk.view)
    offer = _offer(tree, registry)
    outline = await kit.ask(
        desk, "paper-writer/outline", checked(Outline, lambda reply: outline_faults(reply, plan, offer)),
        path="outline", **_blocks(desk, plan, registry, offer),
    )  # fmt: skip
    desk.write(OUTLINE, pretty(outline))
    credited = [c.name for c in outline.components]
    bare = [c.name for c in outline.components if not c.ablation]
    carried = sum(bool(c.keys) for c in outline.claims)
    return StageReport(
        summary=f"{len(outline.claims)} claims, {carried} of them on measured numbers; {len(outline.tables)} tables",
        body=f"“{outline.title}”. Credited components: {', '.join(credited) or 'none'}.",
        fields={
            "title": outline.title,
            "claims": [c.id for c in outline.claims],
            "sections": [s.id for s in outline.sections],
            "tables": [t.id for t in outline.tables],
            "figures": list(outline.figures),
            "components": credited,
            "without_ablation": bare,
        },
    )


def outline_faults(outline: Outline, plan: ExperimentPlan, offer: Offer) -> list[str]:
    """What an outline names that is not there, or lacks."""
    said: list[str] = []
    cards = [str(card["key"]) for card in offer.cards]
    for claim in outline.claims:
        if not claim.keys and not claim.cards:
            said.append(f"claim {claim.id} carries neither numbers (keys) nor cards")
        if quotes_numbers(claim.text, plan):
            said.append(f"claim {claim.id}: leave numbers to its keys")
        said += unknown(f"claim {claim.id}: the key", claim.keys, offer.keys)
        said += unknown(f"claim {claim.id}: the card", claim.cards, cards)
    sections = [s.id for s in outline.sections]
    said += [f"the section “{name}” is missing" for name in SECTIONS if name not in sections]
    said += repeated("the section", sections) + repeated("the claim", (c.id for c in outline.claims))
    said += repeated("the table", (t.id for t in outline.tables))
    for section in outline.sections:
        said += unknown(f"section {section.id}: the claim", section.claims, [c.id for c in outline.claims])
    for table in outline.tables:
        said += _table_faults(table, plan, offer)
    said += unknown("the figure", outline.figures, offer.figures)
    said += unknown("the component", (c.name for c in outline.components), [c.name for c in plan.components])
    return said


def _table_faults(table: TablePlan, plan: ExperimentPlan, offer: Offer) -> list[str]:
    said = unknown(f"table {table.id}: the condition", table.rows, [c.id for c in plan.conditions])
    columns = [f"{m.name}/{m.split}/{aggregate}" for m in plan.metrics for aggregate in AGGREGATES]
    said += unknown(f"table {table.id}: the column", table.columns, columns)
    if not table.hand_typed and table.id not in offer.tables:
        said.append(f"table {table.id} was not made by code; it can only be typed by hand")
    return said


def _blocks(desk: Desk, plan: ExperimentPlan, registry: Registry, offer: Offer) -> dict[str, Any]:
    tree = desk.tree
    values = {key: float(registry.facts[key].value) for key in offer.keys}
    shown: dict[str, Any] = {
        "goal": own("goal", artifacts.text(tree, artifacts.GOAL)),
        "synthesis": own("synthesis", artifacts.text(tree, SYNTHESIS)),
        "cards": foreign("cards", list(offer.cards[:CARDS_SHOWN])),
        "plan": own("plan", plan),
        "hypotheses": own("hypotheses", list(artifacts.hypotheses(tree))),
        "tests": own("tests", artifacts.text(tree, f"{ANA_A}/statistical_tests.json")),
        "analysis": own("analysis", artifacts.text(tree, f"{ANA_A}/analysis.md")),
        "decision": own("decision", artifacts.text(tree, f"{ANA_A}/decision.json")),
        "results": own("results", values),
        "drawn": own("drawn", {"tables": offer.tables, "figures": offer.figures}),
    }
    if (previous := artifacts.before(desk, OUTLINE)) is not None:
        shown["previous"] = own("previous", previous)
    return shown


def _offer(tree: Tree, registry: Registry) -> Offer:
    keys = [k for k, f in registry.facts.items() if f.metric != "test" and f.aggregate in AGGREGATES]
    return Offer(
        tuple(sorted(keys)),
        tuple(_cards(tree)),
        _stems(tree, f"{ANA_A}/tables/"),
        _stems(tree, f"{ANA_A}/figures/"),
    )


def _stems(tree: Tree, folder: str) -> tuple[str, ...]:
    paths: Sequence[str] = tree.list(folder)
    return tuple(p.removeprefix(folder).removesuffix(".tex") for p in paths if p.endswith(".tex"))


def _cards(tree: Tree) -> list[JsonObject]:
    """Key, title, year and claim of each card, by key."""
    found: list[JsonObject] = []
    for path in tree.list(f"{LIT_A}/cards/"):
        head = front_matter(tree.read(path).decode("utf-8", "replace")) or {}
        key = path.rsplit("/", 1)[-1].removesuffix(".md")
        found.append({"key": key, **{name: head.get(name, "") for name in ("title", "year", "claim")}})
    return found
