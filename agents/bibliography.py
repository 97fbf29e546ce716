"""A paper's `references.bib`: entries that a program made from stored records, picked by the keys that are cited.

Belongs here: finding entries in the bibliography of the literature phase. Not here: making entries from
records (stage 5), judging them (gates). A model never writes a field of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_ENTRY = re.compile(r"^@(\w+)\s*\{\s*([^\s,{}()]+)\s*,", re.MULTILINE)
NO_ENTRIES = ("comment", "string", "preamble")


def entries(bib: str) -> dict[str, str]:
    """Key → the whole entry, of each entry of a `.bib` text whose braces close."""
    found: dict[str, str] = {}
    for match in _ENTRY.finditer(bib):
        end = _closing(bib, bib.index("{", match.start()))
        if end is not None and match[1].lower() not in NO_ENTRIES:
            found.setdefault(match[2], bib[match.start() : end + 1] + "\n")
    return found


def chosen(bib: str, keys: Iterable[str]) -> str:
    """The entries of `bib` for `keys` that it has, sorted by key."""
    known = entries(bib)
    return "\n".join(known[key] for key in sorted(set(keys)) if key in known)


def _closing(text: str, opening: int) -> int | None:
    """Where the brace at `opening` closes, as BibTeX counts; None if it does not."""
    depth = 0
    for at in range(opening, len(text)):
        if text[at] == "{":
            depth += 1
        elif text[at] == "}":
            depth -= 1
            if depth == 0:
                return at
    return None
