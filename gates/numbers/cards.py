"""Numbers that cards of read papers hold: what a sentence that cites them may print.

Belongs here: reading `02…/cards/<key>.md`. Not here: judging citations (`gates/citations`).
"""

from __future__ import annotations

import re
from decimal import Decimal

from cockpit.kernel.protocols import Tree
from cockpit.kernel.stages import LIT_A
from gates.cards import front_matter

_NUMBER = re.compile(r"\d+(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?")


def read_cards(tree: Tree) -> dict[str, frozenset[Decimal]]:
    """Citation key → magnitudes of the numbers in the card's front matter (`numbers`, `quotes`, `claim`).

    A card whose front matter cannot be read vouches for nothing.
    """
    found: dict[str, frozenset[Decimal]] = {}
    for path in tree.list(f"{LIT_A}/cards/"):
        if not path.endswith(".md"):
            continue
        data = front_matter(tree.read(path).decode("utf-8", "replace"))
        if data is not None:  # the contract of stage 6 reports what cannot be read
            words = [str(v) for name in ("numbers", "quotes", "claim") for v in _listed(data.get(name))]
            key = str(data.get("key") or path.rpartition("/")[2].removesuffix(".md"))
            found[key] = frozenset(Decimal(n.replace(",", "")) for w in words for n in _NUMBER.findall(w))
    return found


def _listed(value: object) -> list[object]:
    return list(value) if isinstance(value, list | tuple) else [] if value is None else [value]
