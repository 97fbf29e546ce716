"""A card: what one paper says, with quotations that a program found in its stored text.

Belongs here: the card, its file form, reading all of them, locating quotations and numbers. Not here:
asking a model for cards (`card_making.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import yaml
from pydantic import ValidationError

from agents.artifacts import CARDS
from agents.errors import StageError
from agents.pages import line
from agents.prompting import Block, cut, foreign
from cockpit.kernel.exits import Exit
from cockpit.kernel.model import Model
from cockpit.kernel.protocols import Tree
from gates.cards import front_matter

NOTES_IN_ALL = 40_000  # characters of notes over all cards of a prompt
WHOLE = 120_000
LOOKALIKE = {
    "“": '"',
    "”": '"',
    "„": '"',
    "‘": "'",
    "’": "'",
    "–": "-",
    "—": "-",
    "−": "-",
    "‐": "-",
    "‑": "-",
    "\u00a0": " ",
}


class Card(Model):
    """The front matter of `cards/<key>.md`, and the text below it."""

    key: str
    title: str
    year: int | None = None
    claim: str = ""  # empty: no text of the paper is stored
    quotes: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    notes: str = ""


def card_path(key: str) -> str:
    """Where a paper's card stands."""
    return f"{CARDS}{key}.md"


def card_file(card: Card) -> str:
    """The card as a file: YAML front matter, then the notes."""
    head = yaml.safe_dump(
        card.model_dump(mode="json", exclude={"notes"}), sort_keys=False, allow_unicode=True, width=110
    )
    return f"---\n{head}---\n{card.notes.strip()}\n"


def card_of(content: str, path: str) -> Card:
    """The card in a file. Raises StageError: no front matter, or not a card's."""
    parts = re.match(r"---\n(.*?)^---\n(.*)\Z", content, re.DOTALL | re.MULTILINE)
    try:
        head = front_matter(content)
        if parts is None or head is None:
            raise ValueError("no front matter")
        return Card.model_validate({**head, "notes": parts[2].strip()})
    except (ValueError, TypeError, yaml.YAMLError, ValidationError) as broken:
        raise StageError(f"{path} is no card: {broken}", Exit.BLOCKED) from broken


def read_cards(tree: Tree) -> tuple[Card, ...]:
    """All cards of the run, by key. Raises StageError: one is damaged."""
    paths = [path for path in tree.list(CARDS) if path.endswith(".md")]
    return tuple(card_of(tree.read(path).decode("utf-8", "replace"), path) for path in paths)


def cards_block(name: str, cards: Sequence[Card], *, notes: bool = True) -> Block:
    """`cards` as a foreign JSON list of {key, title, year, claim, quotes, notes}: they carry words of papers."""
    room = NOTES_IN_ALL // max(1, len(cards))
    shown = []
    for card in cards:
        about = {"key": card.key, "title": card.title, "year": card.year, "claim": card.claim}
        shown.append({**about, "quotes": list(card.quotes), "notes": cut(card.notes, room)} if notes else about)
    return foreign(name, shown, limit=WHOLE)


def locate(quote: str, text: str) -> str | None:
    """The passage of `text` that `quote` repeats word for word, as it stands there; None if there is none.

    White space, kinds of quotation marks and dashes do not matter; letters and digits do.
    """
    words = _plain(quote).split()
    if not words:
        return None
    pattern = re.compile(r"\s+".join(re.escape(word) for word in words))
    found = pattern.search(_plain(text))
    return line(text[found.start() : found.end()]) if found else None


def stated(numbers: Iterable[str], text: str) -> tuple[str, ...]:
    """Those of `numbers` that stand in `text` as printed, not as a part of a longer number."""
    plain = _plain(text)
    shown = [number.strip() for number in numbers]
    return tuple(
        dict.fromkeys(n for n in shown if n and re.search(rf"(?<![\d.,]){re.escape(_plain(n))}(?![\d]|[.,]\d)", plain))
    )


def _plain(text: str) -> str:
    """`text` with look-alikes made one, sign by sign: positions stay."""
    return "".join(LOOKALIKE.get(sign, sign) for sign in text)
