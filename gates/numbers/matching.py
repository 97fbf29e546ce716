"""Does a printed number say this value? Rounding, percent and fraction, inequalities.

Belongs here: comparing two values. Not here: which value to compare with (`binding.py`).
"""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Decimal
from typing import Literal

from gates.numbers.reading import PrintedNumber
from gates.statistics import CONTEXT

Agreement = Literal["exact", "rounding"]
_HALF = Decimal("0.5")
_FLOAT_NOISE = Decimal("1e-12")  # relative; a float's mean may lie that far from the exact one


def agreement(printed: Decimal, ulp: Decimal, value: Decimal) -> Agreement | None:
    """`printed` (last digit worth `ulp`) against `value`: equal, its rounding (half-up or half-even), or neither."""
    if printed == value:
        return "exact"
    distance = abs(CONTEXT.subtract(printed, value))
    half = ulp * _HALF
    noise = abs(value) * _FLOAT_NOISE
    if distance < half - noise:
        return "rounding"
    if distance > half + noise:
        return None
    half_up = abs(printed) > abs(value)
    even = CONTEXT.divide(printed, ulp) % 2 == 0
    return "rounding" if half_up or even or distance != half else None


def in_printed_units(number: PrintedNumber, value: Decimal, unit: str, *, percent_column: bool = False) -> Decimal:
    """`value` (of a metric in `unit`) as `number` prints it: × 100 only where the text or the column says percent."""
    says_percent = number.unit in ("percent", "points") or percent_column
    if says_percent and unit not in ("%", "percent"):
        return CONTEXT.multiply(value, Decimal(100))
    return value


def like(number: PrintedNumber, value: Decimal) -> str:
    """`value`, already in printed units, with the decimals (and thousands commas) of `number`."""
    digits = max(0, -int(number.ulp.adjusted()))
    text = f"{value.quantize(Decimal(1).scaleb(-digits), rounding=ROUND_HALF_EVEN, context=CONTEXT):f}"
    if "," in number.text and "{,}" not in number.text:
        whole, dot, rest = text.partition(".")
        text = f"{int(whole):,}{dot}{rest}"
    return text
