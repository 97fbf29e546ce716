"""Exact summaries and the frozen tests, from values per seed.

Belongs here: mean, spread, intervals, tests, as functions of numbers. Not here: where the numbers
come from (`registry.py`), what a paper says of them (`gates/numbers`). Summaries are exact decimals
(34 digits); tests use floats, whose p-values are good to about ten digits.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Context, Decimal

CONTEXT = Context(prec=34, rounding=ROUND_HALF_EVEN)
Kind = str  # paired-t, sign, welch-t, permutation
_PERMUTATIONS_EXACT = 16  # pairs up to which all sign flips are counted


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
        half = CONTEXT.multiply(error, Decimal(repr(t_quantile(0.975, len(values) - 1))))
        found |= {
            "std": spread,
            "std0": spread0,
            "stderr": error,
            "ci": half,
            "ci-low": CONTEXT.subtract(found["mean"], half),
            "ci-high": CONTEXT.add(found["mean"], half),
        }
    return found


@dataclass(frozen=True, slots=True)
class Tested:
    """A test's outcome. `effect` = Cohen's d (paired: of the differences); `interval` = 95 % of the mean difference
    left − right; `statistic` t, or the number of positive signs, or the mean difference (permutation)."""

    statistic: float
    p: float
    effect: float
    interval: tuple[float, float]
    difference: float
    n: int


def run_test(kind: Kind, left: Sequence[float], right: Sequence[float]) -> Tested | None:
    """The two-sided test `kind` of left against right; None if it cannot be computed (too few, unequal pairs).

    Paired kinds (paired-t, sign, permutation) pair by position.
    """
    if kind == "welch-t":
        return _welch(left, right)
    if len(left) != len(right) or len(left) < 2:
        return None
    differences = [a - b for a, b in zip(left, right, strict=True)]
    n = len(differences)
    middle = math.fsum(differences) / n
    spread = math.sqrt(math.fsum((d - middle) ** 2 for d in differences) / (n - 1))
    error = spread / math.sqrt(n)
    half = t_quantile(0.975, n - 1) * error
    effect = middle / spread if spread else math.copysign(math.inf, middle) if middle else 0.0
    interval = (middle - half, middle + half)
    if kind == "paired-t":
        statistic = middle / error if error else (math.copysign(math.inf, middle) if middle else 0.0)
        return Tested(statistic, t_tails(statistic, n - 1), effect, interval, middle, n)
    if kind == "sign":
        positive, used = sum(d > 0 for d in differences), sum(d != 0 for d in differences)
        return Tested(float(positive), _sign_p(positive, used), effect, interval, middle, n)
    p = _permutation_p(differences)
    return None if p is None else Tested(middle, p, effect, interval, middle, n)


def _welch(left: Sequence[float], right: Sequence[float]) -> Tested | None:
    if min(len(left), len(right)) < 2:
        return None
    means: list[float] = [math.fsum(v) / len(v) for v in (left, right)]
    variances = [math.fsum((x - m) ** 2 for x in v) / (len(v) - 1) for v, m in zip((left, right), means, strict=True)]
    shares = [variances[0] / len(left), variances[1] / len(right)]
    difference, error = means[0] - means[1], math.sqrt(sum(shares))
    pooled: float = math.sqrt(
        ((len(left) - 1) * variances[0] + (len(right) - 1) * variances[1]) / (len(left) + len(right) - 2)
    )
    if not error:
        sure = math.copysign(math.inf, difference) if difference else 0.0
        return Tested(
            sure, 0.0 if difference else 1.0, sure, (difference, difference), difference, len(left) + len(right)
        )
    freedom = sum(shares) ** 2 / (shares[0] ** 2 / (len(left) - 1) + shares[1] ** 2 / (len(right) - 1))
    half = t_quantile(0.975, freedom) * error
    return Tested(
        difference / error,
        t_tails(difference / error, freedom),
        difference / pooled,
        (difference - half, difference + half),
        difference,
        len(left) + len(right),
    )


def _sign_p(positive: int, used: int) -> float:
    if not used:
        return 1.0
    tail = min(positive, used - positive)
    return min(1.0, 2 * math.fsum(math.comb(used, k) for k in range(tail + 1)) / 2.0**used)


def _permutation_p(differences: Sequence[float]) -> float | None:
    """Two-sided p over all sign flips; None beyond sixteen pairs (would need randomness)."""
    if len(differences) > _PERMUTATIONS_EXACT:
        return None
    seen = abs(math.fsum(differences)) * (1 - 1e-12)
    count: int = sum(
        abs(math.fsum(s * d for s, d in zip(signs, differences, strict=True))) >= seen
        for signs in itertools.product((1, -1), repeat=len(differences))
    )
    return count / 2.0 ** len(differences)


def t_tails(t: float, freedom: float) -> float:
    """Probability that |T| ≥ |t| for Student's t."""
    if math.isinf(t):
        return 0.0
    return _incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t))


@functools.lru_cache(maxsize=256)
def t_quantile(probability: float, freedom: float) -> float:
    """t with P(T ≤ t) = probability (> 0.5), by bisection on `t_tails`; rounded to 12 digits."""
    wanted, low, high = 2 * (1 - probability), 0.0, 1.0
    while t_tails(high, freedom) > wanted:
        high *= 2
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if t_tails(middle, freedom) > wanted else (low, middle)
    return float(f"{(low + high) / 2:.12g}")


def _incomplete_beta(a: float, b: float, x: float) -> float:
    """Regularised incomplete beta function by its continued fraction (Lentz)."""
    if x <= 0 or x >= 1:
        return 0.0 if x <= 0 else 1.0
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x))
    if x < (a + 1) / (a + b + 2):
        return front * _fraction(a, b, x) / a
    return 1 - front * _fraction(b, a, 1 - x) / b


def _fraction(a: float, b: float, x: float) -> float:
    tiny, c = 1e-300, 1.0
    d = 1 / _away(1 - (a + b) * x / (a + 1), tiny)
    h = d
    for m in range(1, 500):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        d, c = 1 / _away(1 + even * d, tiny), _away(1 + even / c, tiny)
        h *= d * c
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        d, c = 1 / _away(1 + odd * d, tiny), _away(1 + odd / c, tiny)
        h *= d * c
        if abs(d * c - 1) < 1e-15:
            break
    return h


def _away(value: float, tiny: float) -> float:
    return value if abs(value) > tiny else tiny
