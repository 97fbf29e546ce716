"""Stage 6: one card a kept paper; quotations and numbers are looked up in the stored text by program.

Belongs here: batches, what is kept of a reply, what is dropped and said. Not here: the card's form.
"""

from __future__ import annotations

from collections.abc import Sequence

from agents import artifacts
from agents.cards import Card, card_file, card_path, locate, read_cards, stated
from agents.kit import Kit
from agents.literature_replies import CardDraft, Cards
from agents.loops import parallel
from agents.paper_blocks import papers_block
from agents.prompting import Block, own
from agents.soundness import checked, repeated, unknown
from cockpit.kernel.model import JsonObject
from cockpit.kernel.papers import PaperRecord
from cockpit.kernel.protocols import Desk, StageReport

BATCH = 6
NO_TEXT = "No abstract is stored, so nothing is said here about what the paper shows."


async def knowledge_extract(desk: Desk, kit: Kit) -> StageReport:
    """Stage 6: cards/<key>.md, one a kept paper."""
    by_key = {p.key: p for p in artifacts.records(desk.tree)}
    kept = [by_key[e.key] for e in artifacts.shortlist(desk.tree) if e.kept and e.key in by_key]
    standing = _standing(desk, kept)
    unread = [p for p in kept if p.key not in standing]
    told = [p for p in unread if p.abstract.strip()]
    goal = own("goal", artifacts.text(desk.tree, artifacts.GOAL))
    batches = [told[at : at + BATCH] for at in range(0, len(told), BATCH)]
    asked = {f"batch {n}": _read(desk, kit, batch, goal, n) for n, batch in enumerate(batches, start=1)}
    drafts = {d.key: d for batch in (await parallel(asked)).values() for d in batch}
    dropped: list[JsonObject] = []
    for paper in unread:
        card = _card(paper, drafts[paper.key], dropped) if paper.key in drafts else _silent(paper)
        desk.write(card_path(paper.key), card_file(card))
    keys = {p.key for p in kept}
    for old in read_cards(desk.tree):
        if old.key not in keys:
            desk.remove(card_path(old.key))
    return _extracted(read_cards(desk.tree), [p for p in kept if not p.abstract.strip()], dropped, len(standing))


def _standing(desk: Desk, kept: Sequence[PaperRecord]) -> set[str]:
    """Papers whose cards may stay as they are: when revising, unless a person or an obligation speaks to this stage."""
    if not desk.revising or desk.guidance or desk.obligations:
        return set()
    titles = {p.key: p.title for p in kept}
    return {card.key for card in read_cards(desk.tree) if titles.get(card.key) == card.title}


async def _read(desk: Desk, kit: Kit, batch: Sequence[PaperRecord], goal: Block, number: int) -> tuple[CardDraft, ...]:
    keys = [p.key for p in batch]

    def faults(reply: Cards) -> list[str]:
        named = [c.key for c in reply.cards]
        left = [f"the paper “{key}” has no card" for key in keys if key not in named]
        return unknown("the paper", named, keys) + repeated("the paper", named) + left

    reply = await kit.ask(
        desk, "lit-searcher/card", checked(Cards, faults), path=f"cards/{number}",
        goal=goal, count=len(batch), papers=papers_block("papers", batch),
    )  # fmt: skip
    return reply.cards


def _card(paper: PaperRecord, draft: CardDraft, dropped: list[JsonObject]) -> Card:
    """The card of `draft`, with the quotations and numbers that the stored text really holds."""
    text = f"{paper.title}\n{paper.abstract}"
    found = [(quote, locate(quote, paper.abstract)) for quote in draft.quotes]
    lost = [quote for quote, passage in found if passage is None]
    numbers = stated(draft.numbers, text)
    invented = [n for n in draft.numbers if n.strip() and n.strip() not in numbers]
    if lost or invented:
        dropped.append({"key": paper.key, "quotes": lost, "numbers": invented})
    notes = [
        f"**Method.** {draft.method}",
        f"**Finding.** {draft.finding}",
        f"**Limits.** {draft.limits}" if draft.limits.strip() else "",
        f"**Relation to our goal.** {draft.relation}",
        f"{len(lost)} quotation(s) dropped: not found word for word in the stored text." if lost else "",
        f"{len(invented)} number(s) dropped: not in the stored text." if invented else "",
    ]
    return Card(
        key=paper.key,
        title=paper.title,
        year=paper.year,
        claim=draft.claim,
        quotes=tuple(dict.fromkeys(passage for _, passage in found if passage is not None)),
        numbers=numbers,
        notes="\n\n".join(n for n in notes if n),
    )


def _silent(paper: PaperRecord) -> Card:
    return Card(key=paper.key, title=paper.title, year=paper.year, notes=NO_TEXT)


def _extracted(cards: Sequence[Card], silent: Sequence[PaperRecord], dropped: list[JsonObject],
               standing: int) -> StageReport:  # fmt: skip
    quotes = sum(len(c.quotes) for c in cards)
    lost = sum(len(d["quotes"]) for d in dropped)
    invented = sum(len(d["numbers"]) for d in dropped)
    unquoted = [c.key for c in cards if c.claim and not c.quotes]
    told = [
        f"{quotes} quotations located in the stored texts.",
        f"{lost} quotations were dropped: not found word for word." if lost else "",
        f"{invented} numbers were dropped: not in the text." if invented else "",
        f"{len(unquoted)} cards are left without a quotation: {', '.join(unquoted)}." if unquoted else "",
        f"{len(silent)} papers have no stored text; their cards claim nothing." if silent else "",
        f"{standing} cards stand as they were." if standing else "",
    ]
    return StageReport(
        summary=f"{len(cards)} cards, {quotes} quotations located" + (f", {lost} dropped" if lost else ""),
        body=" ".join(t for t in told if t),
        fields={
            "cards": len(cards),
            "quotes": quotes,
            "dropped": dropped,
            "without_text": sorted(p.key for p in silent),
            "without_quote": unquoted,
        },
    )
