r"""Reading: LaTeX text → blocks of plain text, tables, marks. One pass, never an exception.

Belongs here: walking tokens, groups and environments. Not here: what commands mean (`words.py`),
tables as grids (`grid.py`), numbers (`gates/numbers`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from gates.latex import words
from gates.latex.blocks import APART, CITATION, CLOSE, SUB, SUP, Block, Cell, Document, Mark, Table, Where
from gates.latex.tokens import TOKEN, Lines, argument, bracket_end, group_end, option, skip_space

_CITE = re.compile(r"[A-Za-z]*cite[a-zA-Z]*\*?\Z")
_COORDINATES = re.compile(r"\(\s*-?[\d.]+[^()]{0,40}\)|-?\d[\d.]*(?:pt|cm|mm|em|ex|in)?")
_TRAILING_OPTION = frozenset({"makebox", "framebox", "raisebox", "parbox", "rule"})
Closer = Callable[[], None]
Handler = Callable[["Reader", str, int, int], int]  # reader, name, where the command starts, ends → where to go on


@dataclass(slots=True)
class Frame:
    """An open group or environment and what to do when it closes."""

    environment: str = ""
    start: int = 0
    closers: list[Closer] = field(default_factory=list)


class Reader:
    """The walk over one text. `commands` handle what opens groups, blocks and tables (`commands.py`)."""

    def __init__(self, text: str, commands: Mapping[str, Handler]) -> None:
        self.text = text
        self.commands = commands
        self.document = Document(text, Lines(text))
        self.headings: tuple[tuple[int, str], ...] = ()
        self.frames: list[Frame] = [Frame()]
        self.open: list[Block] = []
        self.tables: list[tuple[Table, int]] = []  # open tables with their frame depth
        self.cells: list[Block] = []  # the present cell of each open table
        self.math: list[int] = []  # starts of open mathematics in the current block
        self.floats: list[int] = []
        self.float_count = 0
        self.picture = 0
        self.base: Where = "text"
        self.captions: list[tuple[int, int, Block]] = []  # float, offset, block
        self.labels: list[tuple[int, str]] = []  # float, label
        self.offset = 0  # where the environment that is closing ends
        self.spans: dict[int, tuple[int, int]] = {}  # id of an open cell's block → columns, rows
        self.begin("text")

    # blocks ---------------------------------------------------------------------------------
    def begin(self, where: Where) -> Block:
        """Open a block inside the present one."""
        block = Block(where, tuple(t for _, t in self.headings), in_table=bool(self.tables))
        self.open.append(block)
        return block

    def end(self) -> Block:
        """Close the present block."""
        block = self.open.pop().seal()
        if block.plain.strip() and block.where != "table":
            self.document.blocks.append(block)
        return block

    def close(self, block: Block) -> None:
        """Close `block` and whatever is still open inside it; nothing if it is closed already."""
        while any(b is block for b in self.open):
            self.end()

    def paragraph(self) -> None:
        """A blank line, or a float's edge: the next text is another block."""
        if len(self.open) == 1:
            self.end()
            self.begin(self.base)
            self.math.clear()
        else:
            self.put("\n", 0)

    def put(self, text: str, offset: int, *, verbatim: bool = False) -> None:
        self.open[-1].add(text, offset, verbatim=verbatim)

    # walking --------------------------------------------------------------------------------
    def preamble(self, end: int) -> None:
        """Of what stands before the document only the title is printed."""
        found = re.search(r"(?m)^[^%\n]*?\\title\s*(?=[\[{])", self.text[:end])
        if found:
            self.walk(found.start(), stop=self._title_end(found.end()))

    def _title_end(self, at: int) -> int:
        given = option(self.text, at)
        at = skip_space(self.text, given[1] if given else at)
        return group_end(self.text, at) + 1

    def walk(self, at: int, stop: int = -1) -> None:
        """Read from `at` to `stop` or the end of the document."""
        text, stop = self.text, len(self.text) if stop < 0 else stop
        handlers = {
            "text": self.on_text,
            "command": self.on_command,
            "open": self.on_open,
            "close": self.on_close,
            "math": self.on_math,
            "cell": self.on_cell,
            "script": self.on_script,
            "par": self.on_par,
            "line": self.on_line,
            "tie": self.on_line,
            "comment": self.on_comment,
        }
        match = TOKEN.match
        while 0 <= at < stop:
            found = match(text, at)
            if found is None or found.lastgroup is None:
                at += 1
                continue
            at = handlers[found.lastgroup](found)
        if at < 0 or stop == len(text):
            self.finish()

    def finish(self) -> None:
        """Close what is still open."""
        while self.tables:
            self.end_table(len(self.text))
        while self.open:
            self.end()
        for table in self.document.tables:
            table.end = table.end or len(self.text)
            table.caption = self._caption_of(table)
            table.label = next((name for number, name in self.labels if number == table.float_id >= 0), "")
            table.rows = [row for row in table.rows if row]

    def _caption_of(self, table: Table) -> Block | None:
        """The caption nearest to the table in its float."""
        near = [(abs(at - table.start), block) for number, at, block in self.captions if number == table.float_id >= 0]
        return min(near, key=lambda found: found[0])[1] if near else None

    def on_text(self, found: re.Match[str]) -> int:
        if self.picture and not self._inside_braces():
            return found.end()
        if self.picture:
            shown = _COORDINATES.sub("", found.group()) if found.group().lstrip().startswith("(") else found.group()
            self.put(shown, found.start(), verbatim=len(shown) == len(found.group()))
        else:
            self.put(found.group(), found.start(), verbatim=True)
        return found.end()

    def _inside_braces(self) -> bool:
        return not self.frames[-1].environment

    def on_line(self, found: re.Match[str]) -> int:
        self.put(" ", found.start())
        return found.end()

    def on_comment(self, found: re.Match[str]) -> int:
        self._apart(found.start())
        return found.end()

    def _apart(self, offset: int) -> None:
        """Keep digits apart that only a comment or a group's edge separates: they are two numbers to us."""
        block = self.open[-1]
        if block.parts and block.parts[-1][-1:].isdigit():
            self.put(APART, offset)

    def on_par(self, found: re.Match[str]) -> int:
        self.paragraph()
        return found.end()

    def on_script(self, found: re.Match[str]) -> int:
        if not self.math:
            self.put(found.group(), found.start())
            return found.end()
        self.put(SUB if found.group() == "_" else SUP, found.start())
        at = skip_space(self.text, found.end())
        if self.text[at : at + 1] == "{":
            self.frames.append(Frame(start=at, closers=[lambda: self.put(CLOSE, at)]))
            return at + 1
        token = TOKEN.match(self.text, at)
        if token and token.lastgroup == "command":
            at = self.on_command(token)
        elif at < len(self.text) and self.text[at] not in "}$&":
            self.put(self.text[at], at, verbatim=True)
            at += 1
        self.put(CLOSE, found.start())
        return at

    def on_open(self, found: re.Match[str]) -> int:
        if found.start() and self.text[found.start() - 1] == "}":
            self._apart(found.start())
        self.frames.append(Frame(start=found.start()))
        return found.end()

    def on_close(self, found: re.Match[str]) -> int:
        if len(self.frames) > 1 and not self.frames[-1].environment:
            for closer in reversed(self.frames.pop().closers):
                closer()
        return found.end()

    def on_math(self, found: re.Match[str]) -> int:
        if self.math:
            self.math_off(found.group() == "$$")
        else:
            self.math.append(self.open[-1].size)
        return found.end()

    def math_off(self, display: bool) -> None:
        block = self.open[-1]
        start = self.math.pop()
        if start <= block.size:
            block.math.append((start, block.size, display))

    def on_cell(self, found: re.Match[str]) -> int:
        if self.tables and self.tables[-1][1] == len(self.frames):
            self.next_cell()
        else:
            self.put(" ", found.start())
        return found.end()

    # commands -------------------------------------------------------------------------------
    def on_command(self, found: re.Match[str]) -> int:
        name, at = found.group()[1:], found.end()
        bare = name.rstrip("*") if len(name) > 1 else name
        handler = self.commands.get(bare)
        if handler is not None:
            return handler(self, bare, found.start(), at)
        if bare in words.PRINTS:
            self.put(words.PRINTS[bare], found.start())
            return self._swallow(bare, at)
        if bare in words.SKIPS:
            return self.skip(bare, at, words.SKIPS[bare])
        if _CITE.match(bare):
            return self.citation(found.start(), at)
        if self.math and bare not in words.QUIET_IN_MATH and bare.isalpha():
            self.put(words.UNITS.get(bare, f"{bare} "), found.start())
            return at
        if not self.math and bare.isalpha() and self.text[at : at + 1] == "[":
            given = option(self.text, at)
            at = given[1] if given else at
        return self._swallow(bare, at)

    def _swallow(self, name: str, at: int) -> int:
        while name.isalpha() and self.text[at : at + 1] in (" ", "\t"):
            at += 1
        return at

    def skip(self, name: str, at: int, count: int) -> int:
        """Step over options and `count` mandatory arguments."""
        at = self.options(at)
        for _ in range(count):
            given = argument(self.text, at)
            if given is None:
                return at
            at = self.options(given[2]) if name in _TRAILING_OPTION else given[2]
        if name in ("hline", "midrule", "toprule", "bottomrule", "cmidrule", "cline"):
            self.rule(name)
        return at

    def options(self, at: int) -> int:
        while True:
            here = skip_space(self.text, at)
            mark = self.text[here : here + 1]
            if mark == "[" and (end := bracket_end(self.text, here)) > 0:
                at = end + 1
            elif mark == "(" and (close := self.text.find(")", here)) > 0 and close - here < 40:
                at = close + 1
            else:
                return at

    def group(self, at: int, where: Where | None, then: Callable[[Block], None] | None = None) -> int:
        """Read the group at `at`, as a block of its own if `where` is given; `then` gets that block."""
        given = option(self.text, at)
        at = skip_space(self.text, given[1] if given else at)
        if self.text[at : at + 1] != "{":
            return at
        if where is None:
            self.frames.append(Frame(start=at))
            return at + 1
        outside, self.math = self.math, []
        block = self.begin(where)

        def close() -> None:
            self.close(block)
            self.math = outside
            if then is not None:
                then(block)

        self.frames.append(Frame(start=at, closers=[close]))
        return at + 1

    def citation(self, start: int, at: int) -> int:
        at = self.options(at)
        given = argument(self.text, at)
        if given is None:
            return at
        keys = tuple(k.strip() for k in given[0].split(",") if k.strip())
        self.open[-1].cites.append((self.open[-1].size, keys))
        self.document.marks.extend(Mark("cite", k, start, given[2]) for k in keys)
        self.put(CITATION, start)
        return given[2]

    # tables ---------------------------------------------------------------------------------
    def begin_table(self, start: int) -> None:
        """A tabular opens."""
        table = Table(start, tuple(t for _, t in self.headings), float_id=self.floats[-1] if self.floats else -1)
        self.tables.append((table, len(self.frames)))
        self.document.tables.append(table)
        table.rows.append([])
        self.cells.append(self.begin("table"))

    def next_cell(self) -> None:
        """`&`: close the cell, open the next."""
        table, _ = self.tables[-1]
        block = self.cells[-1]
        self.close(block)
        row = table.rows[-1]
        column = row[-1].column + row[-1].columns if row else 0
        columns, rows = self.spans.pop(id(block), (1, 1))
        row.append(Cell(len(table.rows) - 1, column, block, columns, rows))
        self.cells[-1] = self.begin("table")

    def next_row(self) -> None:
        r"""`\\`: close the row."""
        self.next_cell()
        self.tables[-1][0].rows.append([])

    def rule(self, name: str) -> None:
        """A line across the table, before the row that comes."""
        if self.tables and name not in ("cmidrule", "cline"):
            self.tables[-1][0].rules.append(len(self.tables[-1][0].rows) - 1)

    def end_table(self, offset: int) -> None:
        """The tabular closes; a last row without content is dropped."""
        self.next_cell()
        self.close(self.cells.pop())
        table, _ = self.tables.pop()
        table.end = offset
        if table.rows and all(not c.text for c in table.rows[-1]):
            table.rows.pop()
