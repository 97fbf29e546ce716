"""Which wrong numbers are one mistake: cells of two rows that changed places.

Belongs here: grouping accusations. Not here: verdicts, wording (`findings.py`).
"""

from __future__ import annotations

from collections.abc import Sequence

from gates.numbers.verdicts import Judged


def grouped(bad: Sequence[Judged]) -> list[list[Judged]]:
    """The bad numbers in order, those of one mistake together: a value with its spread when both are in the wrong
    place, two cells of a column that hold each other's values, and all such cells of the same two rows.
    """
    pairs = _pairs(bad)
    groups: dict[object, list[Judged]] = {}
    for entry in bad:
        value = entry.number.spread_of
        base = next((e for e in bad if e.number is value), entry) if entry.verdict == "wrong-place" else entry
        key = pairs.get(id(base)) or ((id(base.number.cell),) if base is not entry else None)
        if key is None:
            key = (id(entry.number.cell),) if _moved(entry) else (id(entry.number), "alone")
        groups.setdefault(key, []).append(entry)
    return list(groups.values())


def _moved(entry: Judged) -> bool:
    """Is it a value in the wrong place whose spread may have moved with it?"""
    return entry.verdict == "wrong-place" and entry.number.cell is not None and entry.number.spread is not None


def _pairs(bad: Sequence[Judged]) -> dict[int, tuple[object, ...]]:
    """For each entry whose partner is known: a key that both share (table and the two rows)."""
    found: dict[int, tuple[object, ...]] = {}
    wrong = [e for e in bad if e.rows and e.number.cell is not None]
    for n, one in enumerate(wrong):
        for other in wrong[n + 1 :]:
            if id(one) in found or id(other) in found or not _each_others(one, other):
                continue
            assert one.number.cell is not None and other.number.cell is not None
            rows = sorted((one.number.cell.row, other.number.cell.row))
            found[id(one)] = found[id(other)] = (id(one.number.grid), *rows)
    return found


def _each_others(one: Judged, other: Judged) -> bool:
    a, b = one.number.cell, other.number.cell
    if a is None or b is None or one.number.grid is not other.number.grid or a.column != b.column:
        return False
    return b.row in one.rows and a.row in other.rows
