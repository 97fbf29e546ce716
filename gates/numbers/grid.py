"""Tables as grids: each cell with its row and column headers, groups and rules.

Belongs here: what stands at the head of a cell. Not here: parsing (`gates/latex`), meaning (`binding.py`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from gates.latex.blocks import Block, Cell, Table

_VALUE = re.compile(r"[\s\d.,±+\-−–()%×·$~<>=≈↑↓*\ue002-\ue004e/]*\d[\s\d.,±+\-−–()%×·$~<>=≈↑↓*\ue002-\ue004exkM/]*\Z")


@dataclass(slots=True, eq=False)
class GridCell:
    """A cell in the grid. `row_header` = words to its left, `row_values` = values to its left as "head = value",
    `column_header` = texts above it, outermost first."""

    row: int
    column: int
    block: Block
    columns: int
    row_header: tuple[str, ...] = ()
    row_values: tuple[str, ...] = ()
    column_header: tuple[str, ...] = ()
    group: str = ""  # of a heading row above it, inside the body
    header: bool = False

    @property
    def text(self) -> str:
        return self.block.plain.strip()


@dataclass(slots=True, eq=False)
class Grid:
    """A table laid out. `first_body`: index of the first row that is not a header."""

    table: Table
    cells: list[GridCell] = field(default_factory=list)
    by_place: dict[tuple[int, int], GridCell] = field(default_factory=dict)
    first_body: int = 0
    width: int = 0

    def __post_init__(self) -> None:
        self._lay_out()
        self.first_body = self._header_rows()
        self._name()

    @property
    def caption(self) -> str:
        return self.table.caption.plain if self.table.caption else ""

    def row(self, row: int) -> list[GridCell]:
        """The cells that begin in a row, left to right."""
        return [c for c in self.cells if c.row == row]

    def column(self, column: int) -> list[GridCell]:
        """The body cells of a column, from the top."""
        return [c for c in self.cells if c.column == column and not c.header and c.columns == 1]

    def part(self, row: int) -> int:
        """Which part between rules a row is in."""
        return sum(1 for rule in self.table.rules if rule <= row)

    def _lay_out(self) -> None:
        for cells in self.table.rows:
            for cell in cells:
                self._place(cell)
        self.width = max((c + 1 for _, c in self.by_place), default=0)

    def _place(self, cell: Cell) -> None:
        above = self.by_place.get((cell.row, cell.column))
        if above is not None and not cell.text:
            return  # covered by a multirow from above
        placed = GridCell(cell.row, cell.column, cell.block, cell.columns)
        self.cells.append(placed)
        for row in range(cell.row, cell.row + max(cell.rows, 1)):
            for column in range(cell.column, cell.column + max(cell.columns, 1)):
                if (row, column) not in self.by_place or row == cell.row:
                    self.by_place[row, column] = placed

    def _header_rows(self) -> int:
        rows = range(len(self.table.rows))
        first_values = next((r for r in rows if any(_VALUE.match(c.text) for c in self.row(r)[1:])), len(rows))
        ruled = [r for r in self.table.rules if 0 < r <= max(first_values, 1)]
        numeric_head = [r for r in self.table.rules if r > 0]
        if ruled:
            return max(ruled) if max(ruled) > 0 else first_values
        if numeric_head and numeric_head[0] < len(self.table.rows) and self._looks_like_head(numeric_head[0]):
            return numeric_head[0]
        return 0 if first_values == 0 else min(first_values, 1) if rows else 0

    def _looks_like_head(self, end: int) -> bool:
        """May rows before `end` be headers although they hold numbers (n = 20, 50, 100)? Short, and whole numbers."""
        texts = [c.text for r in range(end) for c in self.row(r)[1:] if c.text]
        return end <= 3 and all(len(t) <= 24 and "±" not in t and not re.search(r"\.\d", t) for t in texts)

    def _name(self) -> None:
        group = ""
        for row in range(len(self.table.rows)):
            cells = self.row(row)
            filled = [c for c in cells if c.text]
            if row < self.first_body:
                for cell in cells:
                    cell.header = True
                continue
            if len(filled) == 1 and self._is_group(filled[0], cells):
                group, filled[0].header = filled[0].text, True
                continue
            self._name_row(row, cells, group)

    def _is_group(self, cell: GridCell, cells: list[GridCell]) -> bool:
        alone = cell.columns > 1 or len(cells) == 1 or all(not c.text for c in cells if c is not cell)
        return alone and cell.column == 0 and self.width > 1 and not _VALUE.match(cell.text) and bool(cell.text)

    def _name_row(self, row: int, cells: list[GridCell], group: str) -> None:
        left: list[str] = []
        values: list[str] = []
        for column in range(self.width):
            cell = self.by_place.get((row, column))
            if cell is None:
                continue
            if cell.row == row and cell.column == column and cell in cells:
                cell.group, cell.row_header, cell.row_values = group, tuple(left), tuple(values)
                cell.column_header = self.above(column)
            if cell.column == column and cell.text:
                if _VALUE.match(cell.text):
                    values.append(f"{' '.join(self.above(column))} = {cell.text}")
                else:
                    left.append(cell.text)

    def above(self, column: int) -> tuple[str, ...]:
        """Texts of the header cells over a column, from the top, each once."""
        found: list[str] = []
        for row in range(self.first_body):
            cell = self.by_place.get((row, column))
            if cell is not None and cell.text and (not found or found[-1] != cell.text):
                found.append(cell.text)
        return tuple(found)


def is_value(text: str) -> bool:
    """Is a cell's text a value (a number, with spread and unit), rather than words?"""
    return bool(_VALUE.match(text))
