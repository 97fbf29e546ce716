"""Bold in tables: the best of its column, in the metric's direction, or it is a false claim.

Belongs here: judging bold cells. Not here: the numbers in them (`tabular.py`).

A column (or, with metrics in rows, a row) claims a best when some of its values are bold and some are
not. Right: each bold value is among the best of the column, of its part between rules, or of its group of
equal parameters. Values are the registry's where a cell is bound, else as printed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from gates.latex.tokens import group_end
from gates.numbers.grid import Grid, GridCell, is_value
from gates.numbers.reading import PrintedNumber, Reading
from gates.numbers.tabular import Tabular
from gates.registry import Registry

_NO_BOLD_CLAIM = ("std", "std0", "stderr", "ci", "count", "ci-low", "ci-high")
_BEFORE = re.compile(r"(\\(?:textbf|mathbf|bm|boldsymbol|pmb)\s*\{)\s*\$?\Z|(\{?\\(?:bfseries|bf)\b\s*)\$?\Z")


@dataclass(frozen=True, slots=True)
class BoldClaim:
    """One column's bold: which cells are bold wrongly and which should be instead."""

    grid: Grid
    wrong: tuple[PrintedNumber, ...]
    best: tuple[PrintedNumber, ...]
    bold: tuple[PrintedNumber, ...]
    metric: str
    direction: str
    holds: bool


@dataclass(frozen=True, slots=True)
class _Entry:
    number: PrintedNumber
    cell: GridCell
    value: Decimal
    bold: bool
    metric: str
    group: tuple[str, ...]


def bold_claims(reading: Reading, tabular: Tabular, registry: Registry) -> list[BoldClaim]:
    """The bold claims of all tables, in order."""
    heads: dict[int, list[PrintedNumber]] = {}
    for number in reading.numbers:
        if (
            number.cell is not None
            and not number.cell.header
            and number.spread_of is None
            and is_value(number.cell.text)
        ):
            heads.setdefault(id(number.cell), []).append(number)
    found: list[BoldClaim] = []
    for grid in reading.grids:
        if not any(c.block.bold for c in grid.cells):
            continue
        entries = [e for c in grid.cells if (e := _entry(c, heads.get(id(c), []), grid, tabular, registry))]
        lines: dict[tuple[int, str], list[_Entry]] = {}
        for entry in entries:
            by_column = bool(tabular.binding(entry.cell, grid).conditions) and _names_condition(entry.cell, tabular)
            lines.setdefault((entry.cell.column if by_column else -1 - entry.cell.row, entry.metric), []).append(entry)
        found.extend(c for line in lines.values() if (c := _judge(line, grid, registry)))
    return found


def _names_condition(cell: GridCell, tabular: Tabular) -> bool:
    """Are conditions in the rows (so that columns compare)?"""
    texts = [*cell.row_header, cell.group]
    return any(m.kind == "condition" for t in texts for m in tabular.vocabulary.mentions(t)) or not any(
        m.kind == "condition" for t in cell.column_header for m in tabular.vocabulary.mentions(t)
    )


def _entry(
    cell: GridCell, numbers: Sequence[PrintedNumber], grid: Grid, tabular: Tabular, registry: Registry
) -> _Entry | None:
    if cell.header or not numbers:
        return None
    bound = tabular.binding(cell, grid)
    if len(bound.metrics) != 1 or set(bound.aggregates) & set(_NO_BOLD_CLAIM):
        return None
    number = numbers[0]
    facts = tabular.candidates(number)
    value = facts[0].value if len(facts) == 1 else number.value
    parameters = tuple(
        sorted(
            f"{m.names[0]}={m.value}"
            for t in (*cell.row_header, *cell.row_values, cell.group)
            for m in tabular.vocabulary.parameter_mentions(t)
        )
    )
    return _Entry(number, cell, value, cell.block.is_bold(number.start, number.end), bound.metrics[0], parameters)


def _judge(line: list[_Entry], grid: Grid, registry: Registry) -> BoldClaim | None:
    direction = registry.directions.get(line[0].metric, "none")
    bold = [e for e in line if e.bold]
    if direction not in ("lower", "higher") or not bold or len(bold) == len(line) or len(line) < 2:
        return None
    if all(_row_is_bold(e, grid) for e in bold):
        return None  # a whole row set in bold, with its name, stresses the method and claims nothing of a cell
    parts = [[e for e in line if grid.part(e.cell.row) == grid.part(b.cell.row)] for b in bold]
    groups = [[e for e in line if e.group == b.group] for b in bold]
    wrong = tuple(
        b.number
        for b, part, group in zip(bold, parts, groups, strict=True)
        if not any(_is_best(b, pool, direction) for pool in (line, part, group) if len(pool) > 1)
    )
    best = tuple(e.number for e in line if _is_best(e, line, direction))
    return BoldClaim(grid, wrong, best, tuple(b.number for b in bold), line[0].metric, direction, not wrong)


def _is_best(entry: _Entry, pool: list[_Entry], direction: str) -> bool:
    """Best of the pool, or not to be told from the best at the printed precision."""
    values = [e.value for e in pool]
    best = min(values) if direction == "lower" else max(values)
    return entry.value == best or abs(entry.value - best) < entry.number.ulp / 2


def _row_is_bold(entry: _Entry, grid: Grid) -> bool:
    row = [c for c in grid.row(entry.cell.row) if c.text]
    return all(c.block.bold for c in row) and bool(entry.cell.row_header)


def unbolded(text: str, number: PrintedNumber) -> tuple[int, int, str] | None:
    r"""The hunk (start, end, new) that takes `\textbf{…}` from around the number; None if it is not right there."""
    before = _BEFORE.search(text[: number.offset])
    if before is None or before.group(1) is None:
        return None
    start = before.start()
    opened = text.index("{", start)
    end = group_end(text, opened)
    return start, end + 1, text[opened + 1 : end]


def emboldened(text: str, number: PrintedNumber, like: tuple[int, int, str] | None) -> tuple[int, int, str]:
    r"""The hunk that sets the number (with its spread, if `like` had one) in bold."""
    end = number.offset_end
    if like and number.spread is not None and ("\\pm" in like[2] or "±" in like[2]):
        end = number.spread.offset_end
    start = number.offset
    dollars = text[start - 1 : start] == "$" and text[end : end + 1] == "$"
    if dollars and (like is None or like[2].startswith("$")):
        return start - 1, end + 1, f"\\textbf{{{text[start - 1 : end + 1]}}}"
    command = "mathbf" if number.in_math else "textbf"
    return start, end, f"\\{command}{{{text[start:end]}}}"
