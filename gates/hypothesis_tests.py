"""Tests and intervals in plain Python: t distribution, paired t, sign, permutation, Welch, Holm.

Belongs here: numbers in, numbers out; stage 14 (`agents/frozen_tests.py`) and the registry compute with it. Not
here: which hypothesis a test is for, exact summaries (`statistics.py`). p-values are good to about ten digits. Source:
the continued fraction of the incomplete beta function is DLMF 8.17.22, evaluated by Lentz's method.
"""

from __future__ import annotations

import functools
import itertools
import math
import random
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass

EXACT_FLIPS = 14  # up to so many pairs all sign changes are counted
DRAWS = 20_000
TINY = 1e-300


@dataclass(frozen=True)
class Tested:
    """One test: `difference` is mean(left) - mean(right), `interval` holds it at 1 - alpha.

    `statistic` and `effect` are None where they are not defined (differences without any spread).
    """

    n: int
    difference: float
    statistic: float | None
    p: float
    effect: float | None
    interval: tuple[float, float]


class TooFew(ValueError):
    """Fewer than two observations: nothing can be tested."""


def paired_t(left: Sequence[float], right: Sequence[float], alpha: float = 0.05) -> Tested:
    """Two-sided paired t-test; effect is the mean difference in its own standard deviations (d_z).

    Raises:
        TooFew: fewer than two pairs.
        ValueError: the sequences differ in length.
    """
    differences = _paired(left, right)
    n, mean, spread = len(differences), _mean(differences), statistics.stdev(differences)
    if spread == 0.0:
        return _without_spread(n, mean)
    error = spread / math.sqrt(n)
    t = mean / error
    reach = t_quantile(1 - alpha / 2, n - 1) * error
    return Tested(n, mean, t, two_sided(t, n - 1), mean / spread, (mean - reach, mean + reach))


def sign_test(left: Sequence[float], right: Sequence[float], alpha: float = 0.05) -> Tested:
    """Exact two-sided sign test; the statistic counts positive differences, ties are left out.

    The interval is the paired t interval of the mean difference. Raises as `paired_t`.
    """
    about = paired_t(left, right, alpha)
    signs = [d > 0 for d in _paired(left, right) if d != 0]
    n, positive = len(signs), sum(signs)
    fewer = min(positive, n - positive)
    p = min(1.0, 2 * sum(math.comb(n, k) for k in range(fewer + 1)) / 2**n) if n else 1.0
    return Tested(about.n, about.difference, float(positive), p, about.effect, about.interval)


def permutation(left: Sequence[float], right: Sequence[float], alpha: float = 0.05) -> Tested:
    """Two-sided sign-flip test of paired differences: exact for few pairs, else by fixed draws.

    The statistic is the mean difference; the interval is the paired t interval. Raises as `paired_t`.
    """
    about = paired_t(left, right, alpha)
    differences = _paired(left, right)
    bound = abs(math.fsum(differences)) - 1e-12
    if len(differences) <= EXACT_FLIPS:
        flips = list(itertools.product((1, -1), repeat=len(differences)))
        extreme = sum(abs(math.fsum(s * d for s, d in zip(f, differences, strict=True))) >= bound for f in flips)
        p = extreme / len(flips)
    else:
        rng = random.Random(len(differences))  # fixed: the same data give the same p
        extreme = sum(abs(math.fsum(d * rng.choice((1, -1)) for d in differences)) >= bound for _ in range(DRAWS))
        p = (extreme + 1) / (DRAWS + 1)
    return Tested(about.n, about.difference, about.difference, p, about.effect, about.interval)


def welch_t(left: Sequence[float], right: Sequence[float], alpha: float = 0.05) -> Tested:
    """Two-sided Welch t-test; effect is the difference in pooled standard deviations. n = both together.

    Raises:
        TooFew: fewer than two observations on a side.
    """
    if min(len(left), len(right)) < 2:
        raise TooFew("Welch's test needs two observations a side")
    mean = _mean(left) - _mean(right)
    n = len(left) + len(right)
    one, other = statistics.variance(left) / len(left), statistics.variance(right) / len(right)
    if one + other == 0.0:
        return _without_spread(n, mean)
    error = math.sqrt(one + other)
    freedom = (one + other) ** 2 / (one**2 / (len(left) - 1) + other**2 / (len(right) - 1))
    reach = t_quantile(1 - alpha / 2, freedom) * error
    pooled = math.sqrt((statistics.variance(left) + statistics.variance(right)) / 2)
    return Tested(n, mean, mean / error, two_sided(mean / error, freedom), mean / pooled, (mean - reach, mean + reach))


TESTS: dict[str, Callable[[Sequence[float], Sequence[float], float], Tested]] = {
    "paired-t": paired_t,
    "sign": sign_test,
    "permutation": permutation,
    "welch-t": welch_t,
}


def holm(ps: Sequence[float]) -> list[float]:
    """Holm's adjustment of p-values, in the given order."""
    order = sorted(range(len(ps)), key=lambda i: (ps[i], i))
    adjusted, highest = [0.0] * len(ps), 0.0
    for rank, i in enumerate(order):
        highest = max(highest, min(1.0, (len(ps) - rank) * ps[i]))
        adjusted[i] = highest
    return adjusted


def mean_interval(values: Sequence[float], alpha: float = 0.05) -> tuple[float, float]:
    """t interval of a mean. Raises TooFew below two values."""
    if len(values) < 2:
        raise TooFew("an interval needs two values")
    mean, error = _mean(values), statistics.stdev(values) / math.sqrt(len(values))
    reach = t_quantile(1 - alpha / 2, len(values) - 1) * error
    return mean - reach, mean + reach


def two_sided(t: float, freedom: float) -> float:
    """Two-sided p-value of `t`."""
    return incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t))


def t_cdf(t: float, freedom: float) -> float:
    """Probability that a t variable is at most `t`."""
    tail = two_sided(t, freedom) / 2
    return 1 - tail if t > 0 else tail


@functools.lru_cache(maxsize=256)
def t_quantile(p: float, freedom: float) -> float:
    """The value that a t variable is below with probability `p`, 0 < p < 1, by bisection to 1e-12."""
    if not 0 < p < 1:
        raise ValueError(f"{p} is no probability inside (0, 1)")
    if p < 0.5:
        return -t_quantile(1 - p, freedom)
    low, high = 0.0, 1.0
    while t_cdf(high, freedom) < p:
        high *= 2
    while high - low > 1e-12 * max(1.0, high):
        middle = (low + high) / 2
        low, high = (middle, high) if t_cdf(middle, freedom) < p else (low, middle)
    return (low + high) / 2


def incomplete_beta(a: float, b: float, x: float) -> float:
    """The regularised incomplete beta function I_x(a, b), to about 1e-14."""
    if x <= 0.0:
        return 0.0
    if x >= 1.0:
        return 1.0
    if x > (a + 1) / (a + b + 2):  # the fraction converges fast on the other side
        return 1.0 - incomplete_beta(b, a, 1.0 - x)
    front = math.exp(
        a * math.log(x) + b * math.log1p(-x) + math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) - math.log(a)
    )
    return front * _fraction(a, b, x)


def _fraction(a: float, b: float, x: float) -> float:
    value, c, d = 1.0, 1.0, 0.0
    for step in range(400):
        m = step // 2
        if step == 0:
            term = 1.0
        elif step % 2 == 0:
            term = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        else:
            term = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        d = 1.0 / ((1.0 + term * d) or TINY)
        c = (1.0 + term / c) or TINY
        value *= c * d
        if step and abs(c * d - 1.0) < 1e-15:
            break
    return value - 1.0


def _paired(left: Sequence[float], right: Sequence[float]) -> list[float]:
    if len(left) < 2:
        raise TooFew("a paired test needs two pairs")
    return [a - b for a, b in zip(left, right, strict=True)]


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _without_spread(n: int, mean: float) -> Tested:
    """Differences that are all alike: no test is possible, so nothing is found."""
    return Tested(n, mean, None, 1.0, None, (mean, mean))
