"""What is said of one number: the verdict and what it rests on.

Belongs here: shapes and the comparison of a number with candidates. Not here: finding candidates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal

from gates.numbers.matching import Agreement, agreement, in_printed_units, like
from gates.numbers.reading import PrintedNumber
from gates.registry import Fact, Registry

Verdict = Literal[
    "exact",
    "rounding",
    "derived",
    "constant",
    "cited",
    "structural",
    "mismatch",
    "wrong-place",
    "unsupported",
    "ambiguous",
]
GOOD: frozenset[str] = frozenset({"exact", "rounding", "derived", "constant", "cited", "structural"})


@dataclass(frozen=True, slots=True)
class Candidate:
    """A value that a number may be saying. `formula` empty = the fact itself; `magnitude`: the sign is in the words."""

    key: str
    value: Decimal
    unit: str = ""
    formula: str = ""
    magnitude: bool = False
    percent_column: bool = False


@dataclass(slots=True, eq=False)
class Judged:
    """A number with its verdict. `key`: what it was bound to; `other`: what explains a wrong-place value."""

    number: PrintedNumber
    verdict: Verdict
    rule: str = ""
    key: str = ""
    value: Decimal | None = None
    formula: str = ""
    suggestion: str = ""
    other: str = ""
    note: str = ""
    pattern: str = ""  # of the finding, if not number-<verdict>
    candidates: tuple[str, ...] = ()
    strict: bool = False
    rows: tuple[int, ...] = ()  # of its table, whose value this is instead
    fact: Fact | None = field(default=None)

    @property
    def good(self) -> bool:
        return self.verdict in GOOD


def of_fact(fact: Fact, registry: Registry, *, percent_column: bool = False) -> Candidate:
    """A fact as a candidate."""
    unit = registry.units.get(fact.metric, fact.unit)
    return Candidate(fact.key, fact.value, unit, percent_column=percent_column)


def agrees(number: PrintedNumber, candidate: Candidate) -> Agreement | None:
    """Does the number say the candidate's value?"""
    value = shown(number, candidate)
    if candidate.magnitude:
        return agreement(abs(number.value), number.ulp, abs(value))
    return agreement(number.value, number.ulp, value)


def alike(
    number: PrintedNumber, fact: Fact, registry: Registry, aggregates: tuple[str, ...], *, percent_column: bool = False
) -> list[Fact]:
    """Facts of other conditions in the same metric and split that the number says: where it would be right."""
    found = []
    for scale in (1.0, 0.01):
        size, reach = abs(float(number.value)) * scale, float(number.ulp) * scale
        for other in registry.near(size - reach, size + reach):
            if other.condition == fact.condition or (other.metric, other.split) != (fact.metric, fact.split):
                continue
            said = of_fact(other, registry, percent_column=percent_column)
            if other.aggregate in aggregates and other not in found and agrees(number, said):
                found.append(other)
    return found


def shown(number: PrintedNumber, candidate: Candidate) -> Decimal:
    """The candidate's value in the units the number is printed in."""
    if candidate.formula in ("percent", "ratio", "share", "inequality"):
        return candidate.value
    return in_printed_units(number, candidate.value, candidate.unit, percent_column=candidate.percent_column)


def allowed(number: PrintedNumber) -> int:
    """How many different values a context may offer before a match means nothing (about one in a hundred by chance)."""
    return 1 if number.significant <= 1 else 2 if number.significant == 2 else 6


def compare(number: PrintedNumber, candidates: Sequence[Candidate]) -> Judged | None:
    """The verdict when one of `candidates` is said; None when none is. Many values and few digits: ambiguous."""
    for candidate in candidates:
        agreed = agrees(number, candidate)
        if agreed is None:
            continue
        if len({_meant(c) for c in candidates}) > allowed(number):
            return Judged(
                number,
                "ambiguous",
                key=candidate.key,
                candidates=tuple(c.key for c in candidates[:8]),
                note="several values may be meant here",
            )
        verdict: Verdict = "derived" if candidate.formula else agreed
        return Judged(number, verdict, key=candidate.key, value=candidate.value, formula=candidate.formula)
    return None


def _meant(candidate: Candidate) -> str:
    """What a candidate is, for counting: two conventions of a standard deviation, or a − b and b − a, are one thing."""
    key = candidate.key.replace("/std0", "/std")
    if candidate.formula == "difference":
        return " ".join(sorted(key.removeprefix("difference").strip("()").split(", ")))
    return key


def mismatch(number: PrintedNumber, candidates: Sequence[Candidate], *, note: str = "") -> Judged:
    """None of the candidates is said: a mismatch, with the right value as suggestion if only one is meant."""
    first = candidates[0]
    value = shown(number, first)
    sure = len({_meant(c) for c in candidates}) == 1
    right = like(number, abs(value) if first.magnitude else value)
    return Judged(
        number,
        "mismatch",
        key=first.key,
        value=first.value,
        formula=first.formula,
        note=note,
        suggestion=right if sure else "",
        candidates=tuple(c.key for c in candidates[:8]),
    )
