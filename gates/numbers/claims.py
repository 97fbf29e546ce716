"""Claims in words: lower, higher, better, outperforms, halves, over three seeds.

Belongs here: sentences that compare two conditions, and counts of seeds in words. Not here: the
numbers in them (`judging.py`), bold (`bold.py`).

A sentence is a claim when it names two conditions, one of them as reference ("than OLS"), and a
direction word between them. What is hedged (hypotheses, expectations) claims nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from gates.latex.blocks import Block
from gates.numbers.context import Sentence, Surroundings
from gates.numbers.vocabulary import Mention, ParameterMention, narrow
from gates.registry import Fact, Registry

ClaimVerdict = Literal["holds", "fails", "unsupported"]
ClaimKind = Literal["bold", "direction", "delta", "significance", "universal", "seeds", "repeat"]
_DOWN = r"lower|smaller|less|fewer|below|reduc\w+|decreas\w+|shorter|narrower|cheaper|lowers?|lowered"
_UP = r"higher|larger|greater|more|above|increas\w+|rais\w+|wider|longer"
_BETTER = r"better|outperform\w*|beat|beats|beating|improv\w+|surpass\w*|superior|wins? (?:over|against)|优于|胜过|好于"
_WORSE = r"worse|underperform\w*|inferior|trails?|loses? to|劣于|差于|degrad\w+"
_WORDS = re.compile(
    rf"\b(?:(?P<down>{_DOWN})|(?P<up>{_UP})|(?P<better>{_BETTER})|(?P<worse>{_WORSE}))\b"
    r"|(?P<down_zh>低于|小于|更低|更小)|(?P<up_zh>高于|大于|更高|更大)|(?P<better_zh>优于|胜过|好于|更好)|(?P<worse_zh>劣于"
    r"|差于|更差)",
    re.I,
)
_NOT = re.compile(
    r"\b(?:not|no|never|neither|nor|fails? to|cannot|without being|n't|rather than|instead of"
    r"|little|hardly)\b|不|未|没有",
    re.I,
)
_RELATION = re.compile(
    r"\b(?:than|over|versus|vs\.?|against|compared (?:to|with)|relative to|outperform\w*|beats?"
    r"|surpass\w*|underperform\w*|trails)\b"
    r"|低于|高于|优于|劣于|胜过|好于|差于|小于|大于|比",
    re.I,
)
_NUMERALS = {
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "twelve": 12,
    "twenty": 20,
    "一": 1,
    "两": 2,
    "二": 2,
    "三": 3,
    "四": 4,
    "五": 5,
    "六": 6,
    "七": 7,
    "八": 8,
    "九": 9,
    "十": 10,
}
_SEEDS = re.compile(
    r"\b(?P<n>one|two|three|four|five|six|seven|eight|nine|ten|twelve"
    r"|twenty)\s+(?:[a-z-]+\s+){0,2}?seeds?\b"
    r"|(?P<han>[一两二三四五六七八九十])个?(?:随机)?种子",
    re.I,
)
_WORDED = re.compile(
    r"\b(?P<half>halv(?:es|ed|ing)|cuts? .{0,30}in half|half (?:the|of))\b|\b(?P<double>doubl(?:es|ed|ing)|twice)\b",
    re.I,
)


@dataclass(frozen=True, slots=True)
class WordedClaim:
    """A claim in words with its verdict; `start`, `end` are its place in `block.plain`."""

    block: Block
    start: int
    end: int
    text: str
    kind: ClaimKind
    verdict: ClaimVerdict
    cells: tuple[str, ...]
    note: str = ""


def worded_claims(sentences: list[Sentence], around: Surroundings, registry: Registry) -> list[WordedClaim]:
    """All worded claims of the sentences, in order."""
    found: list[WordedClaim] = []
    for sentence in sentences:
        found.extend(_seeds(sentence, registry))
        if sentence.hedged:
            continue
        if (claim := _direction(sentence, around, registry)) is not None:
            found.append(claim)
        found.extend(_worded_delta(sentence, around, registry))
    return found


def _seeds(sentence: Sentence, registry: Registry) -> list[WordedClaim]:
    run = {len(s) for s in registry.seeds.values()}
    found = []
    for said in _SEEDS.finditer(sentence.text):
        count = _NUMERALS[(said.group("n") or said.group("han")).lower()]
        holds = count in run
        found.append(
            _claim(
                sentence,
                said,
                "seeds",
                "holds" if holds else "fails" if run else "unsupported",
                note="" if holds else f"the run has {', '.join(map(str, sorted(run))) or 'no'} seeds a condition",
            )
        )
    return found


def _claim(
    sentence: Sentence,
    word: re.Match[str],
    kind: ClaimKind,
    verdict: ClaimVerdict,
    *,
    cells: tuple[str, ...] = (),
    note: str = "",
) -> WordedClaim:
    start, end = sentence.start + word.start(), sentence.start + word.end()
    return WordedClaim(sentence.block, start, end, sentence.text.strip(), kind, verdict, cells, note)


def _direction(sentence: Sentence, around: Surroundings, registry: Registry) -> WordedClaim | None:
    """The claim of a sentence "A is lower than B": A the last subject before the word, B the reference after it."""
    for word in _WORDS.finditer(sentence.text):
        relation = _RELATION.search(sentence.text, word.start())
        if (
            relation is None
            or relation.start() - word.end() > 60
            or ";" in sentence.text[word.end() : relation.start()]
        ):
            continue
        pair = _operands(sentence, word, relation)
        if pair is None:
            continue
        clause = sentence.text[max(0, word.start() - 40) : relation.start()]
        if _NOT.search(clause):
            return None
        return _verdict(sentence, word, pair, around, registry)
    return None


def _operands(sentence: Sentence, word: re.Match[str], relation: re.Match[str]) -> tuple[Mention, Mention] | None:
    mentions = sentence.of("condition")
    subjects = [m for m in mentions if m.end <= word.start() and not sentence.is_reference(m)]
    references = [m for m in mentions if m.start >= relation.end() and m.start - relation.end() <= 30]
    if not references:
        return None
    if not subjects:  # "Compared with OLS, …" has its reference first
        subjects = [m for m in mentions if word.end() <= m.start and m.end <= relation.start()]
    if not subjects or subjects[-1].ids == references[0].ids:
        return None
    coordinated = len(subjects) > 1 and re.search(r"\b(?:and|or|nor|,)\s*\Z", sentence.text[: subjects[-1].start])
    return None if coordinated else (subjects[-1], references[0])


def _verdict(
    sentence: Sentence, word: re.Match[str], pair: tuple[Mention, Mention], around: Surroundings, registry: Registry
) -> WordedClaim | None:
    metric = _metric(sentence, word, around, registry)
    if metric is None:
        return None
    wanted = _wanted(word, registry.directions.get(metric, "none"))
    if wanted is None:
        return None
    parameters = around.parameters(sentence, word.start())
    compared = _facts(pair, parameters, metric, registry)
    if not compared:
        return _claim(sentence, word, "direction", "unsupported")
    holds = [(a.value < b.value) == (wanted == "lower") and a.value != b.value for a, b in compared]
    cells = tuple(k for a, b in compared for k in (a.key, b.key))
    if any(holds) and not all(holds):
        return _claim(
            sentence,
            word,
            "direction",
            "unsupported",
            cells=cells,
            note="true of some of the conditions meant",
        )
    a, b = compared[0]
    return _claim(
        sentence,
        word,
        "direction",
        "holds" if all(holds) else "fails",
        cells=cells,
        note="" if all(holds) else f"{a.key} is {a.value:.6g}, {b.key} is {b.value:.6g}",
    )


def _metric(sentence: Sentence, word: re.Match[str], around: Surroundings, registry: Registry) -> str | None:
    """The one metric that the direction word is about: named in the sentence or before, else the only one there is."""
    named = sentence.of("metric")
    if named:
        near = min(named, key=lambda m: (abs(m.start - word.end()), m.start))
        return near.ids[0] if len(near.ids) == 1 else None
    if word.group("better") or word.group("worse") or word.group("better_zh") or word.group("worse_zh"):
        inherited = [m for m in around.inherited(sentence, "metric") if len(m.ids) == 1]
        return inherited[-1].ids[0] if inherited else registry.metrics[0] if registry.metrics else None
    return None


def _wanted(word: re.Match[str], direction: str) -> Literal["lower", "higher"] | None:
    if word.group("down") or word.group("down_zh"):
        return "lower"
    if word.group("up") or word.group("up_zh"):
        return "higher"
    if direction not in ("lower", "higher"):
        return None
    good = bool(word.group("better") or word.group("better_zh"))
    return "lower" if (direction == "lower") == good else "higher"


def _facts(
    pair: tuple[Mention, Mention], parameters: Sequence[ParameterMention], metric: str, registry: Registry
) -> list[tuple[Fact, Fact]]:
    split = registry.split_of(metric)
    left, right = (narrow(m.ids, parameters, registry) for m in pair)
    found = []
    for a in left:
        for b in right:
            if len(left) * len(right) > 1 and _differ(a, b, registry):
                continue
            one, other = registry.fact(metric, a, split, "mean"), registry.fact(metric, b, split, "mean")
            if one and other and a != b:
                found.append((one, other))
    return found


def _differ(a: str, b: str, registry: Registry) -> bool:
    """Do two conditions differ in a parameter that both have?"""
    left, right = registry.condition(a), registry.condition(b)
    if left is None or right is None:
        return False
    return any(left.parameters[k] != right.parameters[k] for k in left.parameters if k in right.parameters)


def _worded_delta(sentence: Sentence, around: Surroundings, registry: Registry) -> list[WordedClaim]:
    """ "halves the error of B", "twice that of B": within a tenth of the factor."""
    found = []
    for word in _WORDED.finditer(sentence.text):
        mentions = sentence.of("condition")
        before, after = [m for m in mentions if m.end <= word.start()], [m for m in mentions if m.start >= word.end()]
        metrics = sentence.of("metric")
        if not before or not after or len(metrics) != 1 or len(metrics[0].ids) != 1:
            continue
        compared = _facts(
            (before[-1], after[0]), list(around.parameters(sentence, word.start())), metrics[0].ids[0], registry
        )
        if len(compared) != 1 or compared[0][1].value == 0:
            continue
        a, b = compared[0]
        factor = Decimal("0.5") if word.group("half") else Decimal(2)
        holds = abs(a.value / b.value / factor - 1) <= Decimal("0.1")
        found.append(
            _claim(
                sentence,
                word,
                "delta",
                "holds" if holds else "fails",
                cells=(a.key, b.key),
                note="" if holds else f"the ratio is {a.value / b.value:.3f}",
            )
        )
    return found
