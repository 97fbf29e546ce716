"""Statistics against tabulated values and against their own definitions."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gates import hypothesis_tests as s

# two-sided 5 % and 1 % points of Student's t, as in any printed table
T_TABLE = [(1, 12.706, 63.657), (2, 4.303, 9.925), (4, 2.776, 4.604), (10, 2.228, 3.169), (30, 2.042, 2.750)]


@pytest.mark.parametrize(("freedom", "five", "one"), T_TABLE)
def test_t_quantiles_are_those_of_the_tables(freedom: int, five: float, one: float) -> None:
    assert s.t_quantile(0.975, freedom) == pytest.approx(five, abs=6e-4)
    assert s.t_quantile(0.995, freedom) == pytest.approx(one, abs=6e-4)


def test_closed_forms_of_the_t_distribution() -> None:
    for t in (-3.0, -0.2, 0.0, 0.7, 5.0):
        assert s.t_cdf(t, 1) == pytest.approx(0.5 + math.atan(t) / math.pi, abs=1e-12)
        assert s.t_cdf(t, 2) == pytest.approx(0.5 + t / (2 * math.sqrt(2 + t * t)), abs=1e-12)


def test_paired_t_by_hand() -> None:
    tested = s.paired_t([1.0, 2.0, 4.0], [2.0, 4.0, 5.0])  # differences -1, -2, -1
    assert tested.n == 3 and tested.difference == pytest.approx(-4 / 3)
    assert tested.statistic == pytest.approx(-4.0)
    assert tested.p == pytest.approx(0.05719, abs=1e-5)
    assert tested.effect == pytest.approx(-4 / math.sqrt(3))
    assert tested.interval == pytest.approx((-4 / 3 - 4.30265 / 3, -4 / 3 + 4.30265 / 3), abs=1e-5)


def test_welch_by_hand() -> None:
    tested = s.welch_t([1.0, 2.0, 3.0], [4.0, 6.0, 8.0, 10.0])
    assert tested.statistic == pytest.approx(-5 / math.sqrt(1 / 3 + 20 / 12))
    assert 0.01 < tested.p < 0.05


def test_sign_and_permutation_count_exactly() -> None:
    left, right = [1.0, 1.0, 1.0, 1.0, 1.0], [2.0, 3.0, 4.0, 5.0, 6.0]
    assert s.sign_test(left, right).p == pytest.approx(2 / 32)
    assert s.permutation(left, right).p == pytest.approx(2 / 32)
    assert s.permutation([0.0] * 20, [float(i) for i in range(20)]).p < 0.001


def test_differences_without_spread_find_nothing() -> None:
    for test in s.TESTS.values():
        tested = test([1.0, 1.0, 1.0], [2.0, 2.0, 2.0], 0.05)
        assert tested.p > 0.05
    assert s.paired_t([1.0, 2.0], [1.0, 2.0]).statistic is None


def test_too_few_is_said() -> None:
    with pytest.raises(s.TooFew):
        s.paired_t([1.0], [2.0])
    with pytest.raises(s.TooFew):
        s.welch_t([1.0, 2.0], [2.0])
    with pytest.raises(ValueError):
        s.paired_t([1.0, 2.0], [2.0])


def test_holm() -> None:
    assert s.holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert s.holm([]) == []


FLOATS = st.floats(-100, 100).map(lambda x: round(x, 3))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(FLOATS, FLOATS), min_size=2, max_size=9))
def test_swapping_sides_mirrors_the_test(pairs: list[tuple[float, float]]) -> None:
    left, right = [a for a, _ in pairs], [b for _, b in pairs]
    one, other = s.paired_t(left, right), s.paired_t(right, left)
    assert one.p == pytest.approx(other.p) and one.difference == pytest.approx(-other.difference)
    assert one.interval[0] == pytest.approx(-other.interval[1])
    assert 0 <= one.p <= 1 and one.interval[0] <= one.difference <= one.interval[1]
    if one.statistic is not None:  # the interval leaves zero out exactly when p is below alpha
        assert (one.p < 0.05) == (one.interval[0] > 0 or one.interval[1] < 0)
