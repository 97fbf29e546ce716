"""Test statistics in prose and tables: p, t, effect size, intervals of differences.

Belongs here: binding a number to a frozen test. Not here: computing tests (`gates/hypothesis_tests.py`).
"""

from __future__ import annotations

import re

from gates.numbers.context import Sentence, Surroundings
from gates.numbers.reading import PrintedNumber
from gates.numbers.verdicts import Candidate, Judged, compare, mismatch, of_fact
from gates.numbers.vocabulary import narrow
from gates.registry import Registry

_P = re.compile(r"\bp(?:[- ]?values?)?\s*(?P<relation>=|≈|<|≤|>|≥|of|is|was|:|值为|值)?\s*\$?\s*\Z", re.I)
_STATISTIC = re.compile(r"(?:\bt(?:\(\d+\)|[- ]?statistic|[- ]?value)?|\bstatistic)\s*(?:=|≈|of|is|:)?\s*\Z")
_EFFECT = re.compile(
    r"(?:\bd(?:\ue002\w*\ue004)?|\beffect size|\bCohen'?s d|\bd_z|效应量)\s*(?:\(?Cohen'?s"
    r" d\)?)?\s*(?:=|≈|of|is|was|:|为)\s*\Z",
    re.I,
)
_FREEDOM = re.compile(r"\bt\($")
_INTERVAL = re.compile(
    r"(?:\bCIs?\b|\bintervals?\b|置信区间)[^.;]{0,40}?[\[(]\s*(?:[+\-−]?[\d.]+\s*(?:,|;|to|–|--)\s*)?\Z", re.I
)
_OF_DIFFERENCE = re.compile(r"\bdifferen|\bpaired|\btest\b|\beffect|\bp\s*[=<]|差", re.I)
HEADERS = {
    "p": re.compile(r"\A\W*p(?:[- ]?values?)?\W*\Z|p值", re.I),
    "statistic": re.compile(r"\A\W*(?:t|statistic|t[- ]statistic)\W*\Z", re.I),
    "effect": re.compile(r"effect|\A\W*d(?:_z)?\W*\Z|效应", re.I),
    "interval": re.compile(r"\bCI\b|interval|区间", re.I),
    "difference": re.compile(r"diff|Δ|差", re.I),
    "n": re.compile(r"\A\W*(?:n|pairs|seeds)\W*\Z", re.I),
}
_NAMES = {"interval": ("low", "high"), "n": ("n",)}


def judge_statistic(
    number: PrintedNumber, sentence: Sentence, around: Surroundings, registry: Registry
) -> Judged | None:
    """The verdict of a number that the words before it call p, t, d or a bound of an interval; None if they do not."""
    before = number.before
    if _FREEDOM.search(before) and number.is_integer:
        return _freedom(number, sentence, around, registry)
    p = _P.search(before)
    if p and number.value <= 1:
        return _p_value(number, p.group("relation") or "=", sentence, around, registry)
    if _INTERVAL.search(before):
        return _bound(number, sentence, around, registry)
    for name, pattern in (("statistic", _STATISTIC), ("effect", _EFFECT)):
        if pattern.search(before):
            candidates = _signed(number, _candidates((name,), sentence, around, registry))
            if not candidates:
                return Judged(number, "unsupported", rule=name, note="no planned test of what the sentence names")
            return compare(number, candidates) or mismatch(number, candidates)
    return None


def _bound(number: PrintedNumber, sentence: Sentence, around: Surroundings, registry: Registry) -> Judged:
    """A bound of an interval: the lower one stands right after the bracket."""
    side = "low" if re.search(r"[\[(]\s*\Z", number.before) else "high"
    of_test = _candidates((side,), sentence, around, registry) if _OF_DIFFERENCE.search(sentence.text) else []
    candidates = [*of_test, *_mean_bounds(number, sentence, around, registry, f"ci-{side}")]
    if not candidates:
        return Judged(number, "unsupported", rule="interval", note="no interval of what the sentence names")
    judged = compare(number, candidates)
    return judged or mismatch(number, of_test[:1] or candidates)


def _signed(number: PrintedNumber, candidates: list[Candidate]) -> list[Candidate]:
    """Statistics may be printed the other way round (right − left): compare without sign unless one is printed."""
    return [
        Candidate(c.key, c.value, c.unit, c.formula, magnitude=not number.signed or c.value > 0) for c in candidates
    ]


def _tests(sentence: Sentence, around: Surroundings, registry: Registry) -> list[str]:
    """Ids of the planned tests that the sentence (else the paragraph) is about."""
    if registry.plan is None:
        return []
    where: Sentence | None = sentence
    while where is not None:
        named = [i for m in where.of("test") for i in m.ids]
        if named:
            return named
        sets = [set(narrow(m.ids, where.parameters, registry)) for m in where.of("condition")]
        about = [
            t.id
            for t in registry.plan.tests
            if any(t.comparison.left in s for s in sets) and any(t.comparison.right in s for s in sets)
        ]
        if about:
            return about
        where = around.before(where)
    tests = [t.id for t in registry.plan.tests]
    return tests if len(tests) == 1 else []


def _candidates(
    names: tuple[str, ...], sentence: Sentence, around: Surroundings, registry: Registry
) -> list[Candidate]:
    facts = [registry.facts.get(f"test/{test}/{name}") for test in _tests(sentence, around, registry) for name in names]
    return [of_fact(f, registry) for f in facts if f is not None]


def _mean_bounds(
    number: PrintedNumber, sentence: Sentence, around: Surroundings, registry: Registry, name: str
) -> list[Candidate]:
    """Bounds of the interval of a condition's mean."""
    mentions = [m for m in sentence.of("condition") if m.end <= number.start - sentence.start] or sentence.of(
        "condition"
    )
    mentions = mentions[-1:] or around.inherited(sentence, "condition")[-1:]
    parameters = around.parameters_for(number, sentence)
    metrics = (
        [i for m in sentence.of("metric") for i in m.ids]
        or [i for m in around.inherited(sentence, "metric") for i in m.ids]
        or list(registry.metrics[:1])
    )
    facts = [
        registry.fact(metric, condition, registry.split_of(metric), name)
        for m in mentions
        for condition in narrow(m.ids, parameters, registry)
        for metric in dict.fromkeys(metrics)
    ]
    return [of_fact(f, registry) for f in facts if f is not None]


def _freedom(number: PrintedNumber, sentence: Sentence, around: Surroundings, registry: Registry) -> Judged:
    sizes = {int(c.value) - 1 for c in _candidates(("n",), sentence, around, registry)}
    if int(number.value) in sizes:
        return Judged(number, "constant", rule="degrees-of-freedom", key="test:n", value=number.value)
    return Judged(number, "unsupported", rule="degrees-of-freedom", note="no planned test has these degrees of freedom")


def _p_value(
    number: PrintedNumber, relation: str, sentence: Sentence, around: Surroundings, registry: Registry
) -> Judged | None:
    candidates = _candidates(("p",), sentence, around, registry)
    if relation in ("<", "≤", ">", "≥"):
        holds = [c for c in candidates if (c.value < number.value if relation in "<≤" else c.value > number.value)]
        if holds:
            return Judged(
                number, "derived", rule="inequality", key=holds[0].key, value=holds[0].value, formula="inequality"
            )
        alphas = {float(t.alpha) for t in registry.plan.tests} if registry.plan else set()
        if not candidates and float(number.value) in alphas:
            return Judged(number, "constant", rule="alpha", key="plan:alpha", value=number.value)
    if not candidates:
        return Judged(number, "unsupported", rule="p", note="no planned test of what the sentence names")
    return compare(number, candidates) or mismatch(number, candidates)


def header_kind(text: str) -> str | None:
    """Which statistic a table head names: p, statistic, effect, interval, difference, n; None if none."""
    return next((kind for kind, pattern in HEADERS.items() if pattern.search(text)), None)


def table_candidates(test_ids: list[str], kind: str, registry: Registry) -> list[Candidate]:
    """Candidates for a cell in a row of tests."""
    facts = [registry.facts.get(f"test/{test}/{name}") for test in test_ids for name in _NAMES.get(kind, (kind,))]
    return [of_fact(f, registry) for f in facts if f is not None]
