"""Reading: every number that the paper prints, where, how precisely, in what surroundings.

Belongs here: cutting numbers out of blocks and cells. Not here: which numbers are no claims
(`structural.py`), what a number speaks of (`binding.py`). No number is lost and none read twice.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal

from gates.latex.blocks import CLOSE, SUP, Block, Document
from gates.numbers.grid import Grid, GridCell

Unit = Literal["", "percent", "points", "times", "other"]
_FULL_WIDTH = str.maketrans("０１２３４５６７８９．，％＋－", "0123456789.,%+-")
_DIGIT = r"[0-9０-９]"
NUMBER = re.compile(
    rf"(?P<sign>[+\-−－＋](?=[.．]?{_DIGIT}))?"
    rf"(?P<body>{_DIGIT}{{1,3}}(?:(?:,|，|\u2009|\{{,\}}){_DIGIT}{{3}}(?!{_DIGIT}))+(?:[.．]{_DIGIT}+)?"
    rf"|{_DIGIT}+(?:[.．]{_DIGIT}+)?|[.．]{_DIGIT}+)"
    rf"(?P<paren>\({_DIGIT}+\)(?=\W|$))?"
    rf"(?P<power>(?<=10){SUP}[+\-−]?\d+{CLOSE})?"
    rf"(?P<exp>[eE][+\-−]?{_DIGIT}+(?![A-Za-z])|\s*[×·]\s*10{SUP}[+\-−]?\d+{CLOSE})?"
)
_AFTER = re.compile(
    r"\s*(?P<percent>%|％|\bper\s?cent\b|percent\b)(?!\s*(?:points?\b|-points?\b))"
    r"|\s*(?P<points>(?:%|％|percent(?:age)?)[\s-]*points?\b|pp\b|个?百分点)"
    r"|(?P<times>\s*(?:[x×](?![A-Za-z0-9])|times\b|-?fold\b|倍))"
    r"|(?P<scale>[kKMB](?![A-Za-z])|\s*(?:million|billion|thousand)\b|万|亿)"
    r"|(?P<unit>\s?(?:ms|s|min|h|GB|MB|KB|kB|GiB|MiB|Hz|kHz|W|J|°|µs|px)(?![A-Za-z]))"
)
_SCALES = {"k": 3, "K": 3, "thousand": 3, "M": 6, "million": 6, "B": 9, "billion": 9, "万": 4, "亿": 8}
_PLUS_MINUS = re.compile(r"[±]\s*$|\+/-\s*$|\\pm\s*$")


@dataclass(slots=True, eq=False)
class PrintedNumber:
    """A number as printed. `value` and `ulp` (a unit of its last digit) are in printed units (12.3 % is 12.3).

    `start`/`end`: range in `block.plain`; `offset`/`offset_end`: range in the LaTeX text.
    `spread_of`: the number that this one is the ± or (…) of.
    """

    text: str
    value: Decimal
    ulp: Decimal
    unit: Unit
    signed: bool
    block: Block
    start: int
    end: int
    offset: int
    offset_end: int
    suffix_end: int  # in plain, after percent sign or unit
    line: int = 0
    column: int = 0
    cell: GridCell | None = None
    grid: Grid | None = None
    spread_of: PrintedNumber | None = None
    spread: PrintedNumber | None = None
    in_math: bool = False
    display: bool = False
    significant: int = 1

    @property
    def before(self) -> str:
        """Up to 60 characters before it, in its block."""
        return self.block.plain[max(0, self.start - 60) : self.start]

    @property
    def after(self) -> str:
        """Up to 60 characters after it and its unit."""
        return self.block.plain[self.suffix_end : self.suffix_end + 60]

    @property
    def is_integer(self) -> bool:
        return self.ulp >= 1


@dataclass(slots=True)
class Reading:
    """A paper's numbers in order of place, and its tables as grids."""

    document: Document
    numbers: list[PrintedNumber] = field(default_factory=list)
    grids: list[Grid] = field(default_factory=list)


def read_numbers(document: Document) -> Reading:
    """All numbers printed in `document`."""
    reading = Reading(document)
    for block in document.blocks:
        reading.numbers.extend(numbers_of(block))
    for table in document.tables:
        grid = Grid(table)
        reading.grids.append(grid)
        for cell in grid.cells:
            for number in numbers_of(cell.block):
                number.cell, number.grid = cell, grid
                reading.numbers.append(number)
    reading.numbers.sort(key=lambda n: n.offset)
    place = document.lines.place
    for number in reading.numbers:
        number.line, number.column = place(number.offset)
    return reading


def numbers_of(block: Block) -> list[PrintedNumber]:
    """The numbers of one block, in order; ± and (…) spreads tied to their values."""
    found: list[PrintedNumber] = []
    plain, at = block.plain, 0
    while match := NUMBER.search(plain, at):
        at = match.end()
        number = _number(block, match)
        _mathematics(number)
        if found and _PLUS_MINUS.search(plain, found[-1].suffix_end, number.start):
            _tie(found[-1], number)
        found.append(number)
        if match.group("paren"):
            found.append(_parenthesised(number, match))
    return found


def _tie(value: PrintedNumber, spread: PrintedNumber) -> None:
    spread.spread_of, value.spread = value, spread
    if spread.unit == "percent" and not value.unit:
        value.unit = "percent"  # "91.4 ± 0.3 %"


def _number(block: Block, match: re.Match[str]) -> PrintedNumber:
    plain = block.plain
    digits = re.sub(r"[,\u2009{}]", "", match.group("body").translate(_FULL_WIDTH))
    sign, start = match.group("sign") or "", match.start()
    if sign and not _is_sign(plain, start):
        sign, start = "", start + 1
    shift = _exponent(match.group("exp"))
    if match.group("power") and digits == "10":  # a bare power of ten
        digits, shift = "1", _exponent(match.group("power"))
    end = next((match.end(g) for g in ("exp", "power") if match.group(g)), match.end("body"))
    unit, suffix, scale = _unit(plain, start, match.end() if match.group("paren") else end)
    value = Decimal(digits).scaleb(shift + scale)
    return PrintedNumber(
        text=plain[start:end],
        value=-value if sign in ("-", "−", "－") else value,
        ulp=Decimal(1).scaleb(-len(digits.partition(".")[2]) + shift + scale),
        unit=unit,
        signed=bool(sign),
        block=block,
        start=start,
        end=end,
        offset=block.at[start],
        offset_end=block.at[end - 1] + 1,
        suffix_end=suffix,
        significant=len(digits.replace(".", "").lstrip("0")) or 1,
    )


def _unit(plain: str, start: int, end: int) -> tuple[Unit, int, int]:
    """The unit of the number at [start, end), where it ends, and by which power of ten it scales ("10k")."""
    if plain[:start].rstrip().endswith("百分之"):
        return "percent", end, 0
    after = _AFTER.match(plain, end)
    if after is None:
        return "", end, 0
    if after.group("scale"):
        return "", after.end(), _SCALES[after.group("scale").strip()]
    names: tuple[Unit, ...] = ("percent", "points", "times")
    return next((name for name in names if after.group(name)), "other"), after.end(), 0


def _exponent(text: str | None) -> int:
    if not text:
        return 0
    tail = text.rpartition(SUP)[2].rstrip(CLOSE) if SUP in text else text[1:]
    return int(tail.translate(_FULL_WIDTH).replace("−", "-"))


def _is_sign(plain: str, at: int) -> bool:
    """Is the + or - at `at` a sign, rather than a hyphen, a range or an operator?"""
    before = plain[:at].rstrip(" ")[-1:] if plain[at - 1 : at] == " " and at else plain[at - 1 : at] if at else ""
    spaced = at > 0 and plain[at - 1] == " "
    if plain[at - 1 : at] in ("-", "–"):
        return False
    if spaced:
        return True
    return not (before.isalnum() or before in (")", "]", CLOSE, "_", "%", "."))


def _parenthesised(number: PrintedNumber, match: re.Match[str]) -> PrintedNumber:
    """`1.23(4)`: the 4 is a spread in units of the last digit."""
    block = number.block
    start, end = match.start("paren") + 1, match.end("paren") - 1
    text = block.plain[start:end]
    spread = PrintedNumber(
        text,
        Decimal(text.translate(_FULL_WIDTH)) * number.ulp,
        number.ulp,
        number.unit,
        False,
        block,
        start,
        end,
        block.at[start],
        block.at[end - 1] + 1,
        match.end("paren"),
        significant=len(text.lstrip("0")) or 1,
    )
    spread.in_math, spread.display = number.in_math, number.display
    _tie(number, spread)
    return spread


def _mathematics(number: PrintedNumber) -> None:
    for start, end, display in number.block.math:
        if start <= number.start < end:
            number.in_math, number.display = True, display
            return
