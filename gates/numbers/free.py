"""Tables that do not name their conditions: bound to those that explain most of their cells.

Belongs here: the choice, and the names that it teaches ("Fixed Weighting" is run_1). Not here: cells
whose row or column names a condition (`tabular.py`).

A table, else each row label, else each column label is one group; a group is bound when one condition
explains at least two of its cells and more than half of them. Cells that only another condition
explains are then in the wrong place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from gates.numbers.grid import Grid, GridCell, is_value
from gates.numbers.reading import PrintedNumber, Reading
from gates.numbers.tabular import Tabular
from gates.numbers.verdicts import agrees, of_fact
from gates.registry import Registry


@dataclass(frozen=True, slots=True)
class _Free:
    cell: GridCell
    explains: frozenset[str]  # conditions


def bind_free_tables(reading: Reading, tabular: Tabular, registry: Registry) -> dict[str, str]:
    """Bind the cells of free tables; returns the labels that were learnt (label → condition)."""
    first: dict[int, PrintedNumber] = {}
    for number in reading.numbers:
        if number.cell is not None and number.spread_of is None:
            first.setdefault(id(number.cell), number)
    learnt: dict[str, str] = {}
    for grid in reading.grids:
        free = [f for c in grid.cells if id(c) in first and (f := _free(c, first[id(c)], grid, tabular, registry))]
        if len(free) < 2 or not any(f.explains for f in free):
            continue
        label, bound = _best_partition(free, tabular, planless=registry.plan is None)
        for f in free:
            name = label(f.cell)
            if (condition := bound.get(name)) is not None:
                tabular.assign(f.cell, grid, condition)
                if name:
                    learnt.setdefault(name, condition)
    return learnt


def _free(cell: GridCell, number: PrintedNumber, grid: Grid, tabular: Tabular, registry: Registry) -> _Free | None:
    """The cell, if it is a value of a known metric and nothing names its condition."""
    if cell.header or not is_value(cell.text):
        return None
    bound = tabular.binding(cell, grid)
    if bound.conditions or not bound.metrics:
        return None
    explains = set()
    for condition in registry.conditions:
        facts = tabular.facts(bound, (condition,))
        if any(agrees(number, of_fact(f, registry, percent_column=bound.percent)) for f in facts):
            explains.add(condition)
    return _Free(cell, frozenset(explains))


def _best_partition(
    free: list[_Free], tabular: Tabular, *, planless: bool
) -> tuple[Callable[[GridCell], str], dict[str, str]]:
    """The coarsest way to group the cells that explains the most of them, and the condition of each group.

    With a plan every condition has a name, so that rows with other names stay unbound.
    """

    def whole(_: GridCell) -> str:
        return ""

    def by_row(cell: GridCell) -> str:
        return tabular.unnamed(cell.row_header) or tabular.unnamed((cell.group,))

    def by_column(cell: GridCell) -> str:
        return tabular.unnamed(cell.column_header)

    named = any(by_row(f.cell) or by_column(f.cell) for f in free)
    allowed = [whole, by_row, by_column] if planless else [] if named else [whole]
    ways = [(way, *_bound(free, way)) for way in allowed] or [(whole, {}, 0)]
    way, bound, _ = max(ways, key=lambda w: w[2])
    return way, bound


def _bound(free: list[_Free], label: Callable[[GridCell], str]) -> tuple[dict[str, str], int]:
    groups: dict[str, list[_Free]] = {}
    for f in free:
        groups.setdefault(label(f.cell), []).append(f)
    bound: dict[str, str] = {}
    explained = 0
    for name, group in groups.items():
        counts = Counter(c for f in group for c in sorted(f.explains))
        if not counts:
            continue
        condition, count = max(counts.items(), key=lambda item: (item[1], item[0]))
        if count >= 2 and count * 2 > len(group):
            bound[name] = condition
            explained += count
    return bound, explained
