"""One paper, one convention: a standard deviation has ddof 1 or ddof 0 throughout.

Belongs here: holding a paper to the convention that most of its spreads follow. Not here: verdicts of
single numbers (`judging.py`).
"""

from __future__ import annotations

from collections.abc import Sequence

from gates.numbers.tabular import Tabular
from gates.numbers.verdicts import Judged, agrees, mismatch, of_fact
from gates.registry import Registry

_OTHER = {"std": "std0", "std0": "std"}


def hold_to_convention(judged: Sequence[Judged], registry: Registry, tabular: Tabular) -> None:
    """Turn spreads that are right only by the paper's minority convention into mismatches.

    Only numbers count that print differently by the two conventions; on a tie ddof 1 holds.
    """
    told = [(entry, said) for entry in judged if (said := _says(entry, registry))]
    votes = {name: sum(said == name for _, said in told) for name in _OTHER}
    held = "std0" if votes["std0"] > votes["std"] else "std"
    for entry, said in told:
        fact = registry.facts[entry.key]
        right = registry.fact(fact.metric, fact.condition, fact.split, held)
        if said != held and votes[held] and right is not None:
            should = [of_fact(right, registry)]
            wrong = tabular.wrong_row(entry.number, should) or mismatch(entry.number, should)
            entry.verdict, entry.key, entry.value = wrong.verdict, wrong.key, wrong.value
            entry.other, entry.rows, entry.suggestion = wrong.other, wrong.rows, wrong.suggestion
            entry.note = f"other spreads of this paper are {held}"


def _says(entry: Judged, registry: Registry) -> str | None:
    """The one convention by which the number is right; None if by both, or if it is no spread."""
    fact = registry.facts.get(entry.key)
    if fact is None or fact.aggregate not in _OTHER or entry.verdict not in ("exact", "rounding"):
        return None
    both = {name: registry.fact(fact.metric, fact.condition, fact.split, name) for name in _OTHER}
    right = [name for name, f in both.items() if f is not None and agrees(entry.number, of_fact(f, registry))]
    return right[0] if len(right) == 1 else None
