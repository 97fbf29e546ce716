"""Derived numbers: differences, relative changes, ratios, whose two operands are named.

Belongs here: telling that a number is derived, and from what. Not here: direction words as claims
(`claims.py`), plain values (`judging.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal
from itertools import permutations

from gates.numbers.context import Sentence, Surroundings, aggregate_of, names_something
from gates.numbers.reading import PrintedNumber
from gates.numbers.verdicts import Candidate
from gates.numbers.vocabulary import narrow
from gates.registry import Fact, Registry, derive

_COMPARATIVES = (
    r"lower|higher|better|worse|less|more|smaller|larger|greater|fewer|faster|slower|below|above"
    r"|narrower|wider|cheaper|shorter|longer"
    r"|reduction|improvement|increase|decrease|gain|drop|difference|gap|advantage|relative|decline"
    r"|change|rise|speed-?up"
)
_AFTER = re.compile(
    rf"\s*(?:\(?\s*)?(?:(?:percent|relative|absolute|error|points?|in|the|a)\s+"
    rf"|RMSE\s+)*(?:{_COMPARATIVES})\b|\s*的?(?:降低|提高|提升|减少|下降|增加|改进|改善|差距)",
    re.I,
)
_BEFORE = re.compile(
    r"(?:\bby|\b(?:reduction|improvement|increase|decrease|gain|drop|gap|difference|advantage"
    r"|ratio|factor|margin|change|decline|rise|speed-?up)s?"
    r"(?:\s+(?:in|on|of|over)\s+(?:the\s+)?[\w\s-]{1,40}?)?\s+(?:of|is|was|=|:)"
    r"|\bdifferences?\s*[:=(]|(?:降低|提高|提升|减少|下降|增加|改进|改善|高出|低|高|相差|差距)(?:了|为|约|达)*)"
    r"\s*(?:about|roughly|approximately|around|nearly|almost|only|just|up to|at (?:most|least)|an?"
    r" (?:average|mean)(?: of)?|a|an|some|[~∼≈$])*\s*\Z",
    re.I,
)
_DELTA_HEADER = re.compile(
    r"Δ|Delta|\bdiff|change|improvement|\bgain|reduction|relative|\bratio|speed-?up|\bvs\b|\bversus\b|差|提升|降低|变化",
    re.I,
)
_NOUN = re.compile(r"\b(?:differences?|gaps?|ratios?|margins?)\b|差距|差值|比值", re.I)
_RATIO = re.compile(r"\b(?:ratio|factor|times|speed-?up)\b|倍", re.I)


def says_delta(number: PrintedNumber, sentence: Sentence) -> bool:
    """Do the words beside the number say that it compares two things? (A metric may be called "gap": that does not.)"""
    if number.unit in ("points", "times"):
        return True
    metrics = [(m.start + sentence.start, m.end + sentence.start) for m in sentence.of("metric")]
    before, after = _BEFORE.search(number.before), _AFTER.match(number.after)
    said_before = before and before.start() + number.start - len(number.before)
    said_after = after and after.end() - 1 + number.suffix_end
    told = [at for at in (said_before, said_after, _noun_before(number, sentence)) if at is not None]
    return any(not any(s <= at < e for s, e in metrics) for at in told)


def _noun_before(number: PrintedNumber, sentence: Sentence) -> int | None:
    """Where "the gap between A and B … is" begins, when no other number stands between it and this one."""
    nouns = [
        m.start() + sentence.start for m in _NOUN.finditer(sentence.text) if m.end() <= number.start - sentence.start
    ]
    if not nouns:
        return None
    between = [n for n in sentence.numbers if nouns[-1] < n.start < number.start and not names_something(n, sentence)]
    return None if between else nouns[-1]


def is_delta_header(text: str) -> bool:
    """Is a table head one of differences or ratios?"""
    return bool(_DELTA_HEADER.search(text))


def pairs_of(
    number: PrintedNumber, sentence: Sentence, around: Surroundings, registry: Registry
) -> list[tuple[str, str]]:
    """Pairs (what is compared, to what) of conditions that the sentence names, likeliest first."""
    parameters = around.parameters_for(number, sentence)
    mentions = sentence.of("condition")
    sets = [narrow(m.ids, parameters, registry) for m in mentions]
    references = [s for m, s in zip(mentions, sets, strict=True) if sentence.is_reference(m)]
    subjects = [s for m, s in zip(mentions, sets, strict=True) if not sentence.is_reference(m)]
    if not mentions:
        subjects = [narrow(m.ids, parameters, registry) for m in around.inherited(sentence, "condition")]
    ordered = [(a, b) for b in references for a in subjects] or list(
        permutations(dict.fromkeys([*subjects, *references]), 2)
    )
    return _alike(ordered, registry)


def _alike(sets: Iterable[tuple[tuple[str, ...], tuple[str, ...]]], registry: Registry) -> list[tuple[str, str]]:
    """Pairs of ids out of pairs of sets; of sets with several, those with equal parameters."""
    found: dict[tuple[str, str], None] = {}
    for left, right in sets:
        several = [(a, b) for a in left for b in right if a != b]
        same = [(a, b) for a, b in several if _parameters(a, registry) == _parameters(b, registry)]
        near = [(a, b) for a, b in several if _shared(a, b, registry)]
        for pair in (same or near or several) if len(left) * len(right) > 1 else several:
            found.setdefault(pair)
    return list(found)


def _parameters(id: str, registry: Registry) -> dict[str, object]:
    condition = registry.condition(id)
    return dict(condition.parameters) if condition else {}


def _shared(a: str, b: str, registry: Registry) -> bool:
    """Do the parameters that both have agree?"""
    left, right = _parameters(a, registry), _parameters(b, registry)
    return all(left[k] == right[k] for k in left if k in right) and bool(set(left) & set(right))


def derived(
    number: PrintedNumber, a: Fact, b: Fact, registry: Registry, *, both_bases: bool, ratio: bool = False
) -> list[Candidate]:
    """What the number may say of a against b, by its unit: percent, points, times, or a plain difference."""
    unit = registry.units.get(a.metric, a.unit)
    found: list[Candidate] = []

    def add(formula: str, x: Fact, y: Fact) -> None:
        value = derive(formula, x.value, y.value)
        if value is not None:
            named = f"{formula}({x.key}, {y.key})"
            found.append(Candidate(named, value, unit, formula, magnitude=True))

    if number.unit == "percent":
        add("percent", a, b)
        if both_bases:
            add("percent", b, a)
        if unit in ("%", "percent") or (
            _is_fraction(a) and _is_fraction(b) and re.search("accura|coverage|rate|覆盖|准确", a.metric)
        ):
            add("difference", a, b)
    elif number.unit == "times" or ratio:
        add("ratio", a, b)
        add("ratio", b, a)
    else:
        add("difference", a, b)
    return found


def _is_fraction(fact: Fact) -> bool:
    return Decimal(0) <= fact.value <= 1


def prose_candidates(
    number: PrintedNumber, sentence: Sentence, around: Surroundings, registry: Registry, metrics: list[str]
) -> list[Candidate]:
    """Candidates for a derived number in prose; empty when the sentence does not name both operands."""
    aggregate = aggregate_of(number, sentence)
    names = ("median",) if aggregate and aggregate.ids == ("median",) else ("mean",)
    ratio = bool(_RATIO.search(number.before) or _RATIO.search(number.after[:20]))
    known = any(sentence.is_reference(m) for m in sentence.of("condition"))
    found: list[Candidate] = []
    for left, right in pairs_of(number, sentence, around, registry):
        for metric in metrics:
            split = registry.split_of(metric)
            for name in names:
                a, b = registry.fact(metric, left, split, name), registry.fact(metric, right, split, name)
                if a and b:
                    found.extend(derived(number, a, b, registry, both_bases=not known, ratio=ratio))
    return list({c.key: c for c in found}.values())


def operand_candidates(number: PrintedNumber, facts: list[Fact], registry: Registry) -> list[Candidate]:
    """Candidates when the operands are two values printed in the same sentence ("from 0.471 to 0.413, 12.3%")."""
    found: list[Candidate] = []
    unique = list({f.key: f for f in facts}.values())
    for a, b in permutations(unique, 2):
        if a.metric == b.metric and a.aggregate == b.aggregate and len(unique) <= 3:
            found.extend(derived(number, b, a, registry, both_bases=False))
    return found
