"""Exact summaries of values per seed: decimals of 34 digits.

Belongs here: mean, spread, intervals, as functions of numbers. Not here: where the numbers come from
(`registry.py`), tests (`hypothesis_tests.py`), what a paper says of them (`gates/numbers`).
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_HALF_EVEN, Context, Decimal

from gates.hypothesis_tests import t_quantile

CONTEXT = Context(prec=34, rounding=ROUND_HALF_EVEN)


def mean(values: Sequence[Decimal]) -> Decimal:
    """Arithmetic mean. Raises ZeroDivisionError (decimal's) for no values."""
    total = Decimal(0)
    for value in values:
        total = CONTEXT.add(total, value)
    return CONTEXT.divide(total, Decimal(len(values)))


def std(values: Sequence[Decimal], ddof: int) -> Decimal | None:
    """Standard deviation with `ddof` degrees of freedom taken; None if too few values."""
    n = len(values)
    if n <= ddof or n < 2:
        return None
    middle = mean(values)
    squares = [CONTEXT.power(CONTEXT.subtract(v, middle), Decimal(2)) for v in values]
    total = Decimal(0)
    for square in squares:
        total = CONTEXT.add(total, square)
    return CONTEXT.sqrt(CONTEXT.divide(total, Decimal(n - ddof)))


def median(values: Sequence[Decimal]) -> Decimal:
    """The middle value, or the mean of the middle two."""
    ordered = sorted(values)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else mean(ordered[half - 1 : half + 1])


def summaries(values: Sequence[Decimal]) -> dict[str, Decimal]:
    """Aggregate name → value: mean, median, min, max, count, and from two values on std (ddof 1), std0 (ddof 0),
    stderr, ci (half width of the 95 % t interval), ci-low, ci-high."""
    found = {
        "mean": mean(values),
        "median": median(values),
        "min": min(values),
        "max": max(values),
        "count": Decimal(len(values)),
    }
    spread, spread0 = std(values, 1), std(values, 0)
    if spread is not None and spread0 is not None:
        error = CONTEXT.divide(spread, CONTEXT.sqrt(Decimal(len(values))))
        half = CONTEXT.multiply(error, Decimal(f"{t_quantile(0.975, len(values) - 1):.12g}"))
        found |= {
            "std": spread,
            "std0": spread0,
            "stderr": error,
            "ci": half,
            "ci-low": CONTEXT.subtract(found["mean"], half),
            "ci-high": CONTEXT.add(found["mean"], half),
        }
    return found
