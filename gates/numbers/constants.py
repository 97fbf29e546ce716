"""Numbers that the plan and the run fix: parameters, seeds, counts, levels. They acquit only beside their name.

Belongs here: what is true by design. Not here: results (`judging.py`), rules of form (`structural.py`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

from cockpit.kernel.view import RunView
from gates.numbers.context import Sentence
from gates.numbers.reading import PrintedNumber
from gates.numbers.verdicts import Judged
from gates.numbers.vocabulary import ParameterMention, Vocabulary
from gates.registry import Registry

_LINK = re.compile(r"\s*(?:,|，|、|/|and|or|to|和|与|或|至|,\s*and|,\s*or|–|--|-|\$|\\)+\s*\Z")
_NOUN = re.compile(
    r"[\s-]*(?:[A-Za-z-]+\s+){0,2}?(?P<noun>[A-Za-z]+)|\s*(?:个|条|项|种|次|组)?(?:随机)?(?P<han>种子|条件|数据集"
    r"|基线|指标|假设|消融|检验|实验|作业|重复)"
)
SEEDS = frozenset({"seed", "repeat", "repetition", "replicate", "replication", "种子", "重复"})
_SEED_ID = re.compile(
    r"\bseeds?\s*(?:[A-Za-z ]{0,12}\b(?:are|is|were|was|of|from|numbers?|number)\s*"
    r"|[:=(∈{\[]*\s*)*\Z|种子\s*(?:为|是|[:：(（])?\s*\Z",
    re.I,
)
_OTHER_SEEDS = re.compile(r"\b(?:explor\w+|reserved|later|next|other|first) |探索|保留", re.I)
_ALPHA = re.compile(
    r"(?:\balpha|α|\bsignificance(?: level)?(?: of)?|\blevel(?: of)?|显著性水平|\bp\s*(?:<|≤))"
    r"\s*(?:=|is|of|为|at|:)?\s*\Z",
    re.I,
)
_ALPHA_AFTER = re.compile(r"\s*(?:significance\s+)?level\b|\s*的?显著性", re.I)
_WALL = re.compile(r"\s*(?:s|seconds?|sec|秒)\b", re.I)


@dataclass(frozen=True, slots=True)
class Counts:
    """Numbers of things, by the words they are counted with."""

    by_noun: dict[str, frozenset[int]]


def counts_of(registry: Registry) -> Counts:
    """What can be counted in the plan and in the block that was run."""
    plan, found = registry.plan, dict[str, set[int]]()

    def add(nouns: str, *values: int) -> None:
        for noun in nouns.split() if any(values) else ():
            found.setdefault(noun, set()).update(values)

    per_condition = {len(s) for s in registry.seeds.values()}
    jobs = sum(len(s) for s in registry.seeds.values())
    add("seed repeat repetition replicate replication 种子 重复", *per_condition)
    add("run", *per_condition, jobs)
    add("job experiment 作业 实验", jobs)
    if plan is not None:
        kinds = {
            kind: sum(c.kind == kind for c in plan.conditions)
            for kind in ("main", "baseline", "ablation", "control", "efficiency")
        }
        add("condition configuration variant setting arm cell 条件", len(plan.conditions), len(registry.seeds))
        for kind, nouns in (("baseline", "baseline 基线"), ("ablation", "ablation 消融"), ("control", "control")):
            add(nouns, kinds[kind])
        add("metric measure 指标", len(plan.metrics))
        add("dataset 数据集", len(plan.datasets))
        add("test 检验", len(plan.tests))
        add("component", len(plan.components))
        add("hypothesis 假设", len(registry.hypotheses), len({t.hypothesis for t in plan.tests}))
        add("method estimator model algorithm", *_methods(registry))
    return Counts({noun: frozenset(v) for noun, v in found.items()})


def _methods(registry: Registry) -> set[int]:
    plan = registry.plan
    assert plan is not None
    return {
        len({re.split(r"[,(]", c.label)[0].strip() for c in plan.conditions}),
        sum(c.kind in ("main", "baseline") for c in plan.conditions),
    }


def judge_constant(
    number: PrintedNumber, sentence: Sentence, registry: Registry, vocabulary: Vocabulary, counts: Counts
) -> Judged | None:
    """The verdict of a number that stands where a constant's name says what it is; None if it stands nowhere such."""
    place = number.start - sentence.start
    for mention in sentence.of("condition"):
        if mention.start <= place < mention.end:
            return Judged(number, "constant", rule="condition-name", key=f"condition:{mention.ids[0]}")
    for kind in ("metric", "test"):
        if any(m.start <= place < m.end for m in sentence.mentions if m.kind == kind):
            return Judged(number, "structural", rule="name-part")
    run = run_of(number, sentence)
    return (
        _parameter(number, sentence, run, registry)
        or _seed_id(number, sentence, run, registry)
        or _level(number, registry)
        or _wall(number, registry)
        or _count(number, run, counts)
    )


def run_of(number: PrintedNumber, sentence: Sentence) -> list[PrintedNumber]:
    """The enumeration that the number is in ("20, 50 and 100"); at least itself."""
    numbers = sentence.numbers
    if number not in numbers:
        return [number]
    first = last = numbers.index(number)
    plain = number.block.plain
    while first > 0 and _LINK.fullmatch(plain[numbers[first - 1].suffix_end : numbers[first].start]):
        first -= 1
    while last + 1 < len(numbers) and _LINK.fullmatch(plain[numbers[last].suffix_end : numbers[last + 1].start]):
        last += 1
    return numbers[first : last + 1]


def _parameter(
    number: PrintedNumber, sentence: Sentence, run: list[PrintedNumber], registry: Registry
) -> Judged | None:
    mention = _mention_of(run, sentence)
    if mention is None or registry.plan is None or number.unit in ("points", "times"):
        return None
    planned = {
        Decimal(str(c.parameters[n]))
        for c in registry.plan.conditions
        for n in mention.names
        if isinstance(c.parameters.get(n), int | float) and not isinstance(c.parameters.get(n), bool)
    }
    name = mention.names[0]
    values = {number.value} | ({number.value / 100} if number.unit == "percent" else set())
    if values & planned:
        return Judged(number, "constant", rule="parameter", key=f"parameter:{name}", value=number.value)
    if mention.value != number.value and not number.is_integer:
        return None
    return Judged(number, "unsupported", rule="parameter", note=f"the plan has no {name} = {number.text}")


def _mention_of(run: list[PrintedNumber], sentence: Sentence) -> ParameterMention | None:
    start, end = run[0].start - sentence.start, run[-1].end - sentence.start
    return next((m for m in sentence.parameters if m.start < end and m.end > start), None)


def _seed_id(number: PrintedNumber, sentence: Sentence, run: list[PrintedNumber], registry: Registry) -> Judged | None:
    if not number.is_integer or not _SEED_ID.search(run[0].before):
        return None
    seeds = {s for group in registry.seeds.values() for s in group}
    if registry.plan is not None and _OTHER_SEEDS.search(sentence.text):
        seeds |= {s for block in registry.plan.seed_blocks.values() for s in block}
    if int(number.value) not in seeds:
        return Judged(number, "unsupported", rule="seed", note=f"no job ran with seed {number.text}")
    if any(n is not number and n.value == number.value for n in run[: run.index(number)]):
        return Judged(number, "unsupported", rule="seed", note=f"seed {number.text} is listed twice")
    return Judged(number, "constant", rule="seed", key=f"seed:{number.text}", value=number.value)


def _level(number: PrintedNumber, registry: Registry) -> Judged | None:
    if registry.plan is None or not (_ALPHA.search(number.before) or _ALPHA_AFTER.match(number.after)):
        return None
    levels = {Decimal(str(t.alpha)) for t in registry.plan.tests}
    if number.value in levels or (number.unit == "percent" and number.value / 100 in levels):
        return Judged(number, "constant", rule="alpha", key="plan:alpha", value=number.value)
    return None


def _wall(number: PrintedNumber, registry: Registry) -> Judged | None:
    if registry.plan is None or not re.search(
        r"\bwall\b|\bbudget\b|\btime limit\b|\bper job\b", number.before + number.after, re.I
    ):
        return None
    if (
        _WALL.match(number.block.plain[number.end : number.end + 10])
        and Decimal(str(registry.plan.wall_s_a_job)) == number.value
    ):
        return Judged(number, "constant", rule="wall", key="plan:wall_s_a_job", value=number.value)
    return None


def _count(number: PrintedNumber, run: list[PrintedNumber], counts: Counts) -> Judged | None:
    if not number.is_integer or number.unit or number.signed:
        return None
    noun = counted_noun(number.block.plain[run[-1].end : run[-1].end + 50], counts)
    if noun is None:
        return None
    if int(number.value) in counts.by_noun[noun]:
        return Judged(number, "constant", rule="count", key=f"count:{noun}", value=number.value)
    said = ", ".join(str(v) for v in sorted(counts.by_noun[noun])) or "none"
    pattern = "claim-seeds" if noun in SEEDS else ""
    return Judged(
        number,
        "unsupported",
        rule="count",
        pattern=pattern,
        note=f"the run has {said} ({noun}), the paper says {number.text}",
    )


def counted_noun(after: str, counts: Counts) -> str | None:
    """The countable noun that `after` begins with (at most two words before it); None if there is none."""
    found = re.match(
        r"\s*(?:个|条|项|种|次|组)?(?:随机)?(种子|条件|数据集|基线|指标|假设|消融|检验|实验|作业|重复)", after
    )
    if found:
        return found.group(1) if found.group(1) in counts.by_noun else None
    words = re.match(r"[\s~-]*((?:[A-Za-z]+[\s-]+){0,2}[A-Za-z]+)", after)
    for word in re.split(r"[\s-]+", words.group(1).lower()) if words else ():
        noun = {"hypotheses": "hypothesis", "data": "dataset"}.get(
            word, word.removesuffix("s") if not word.endswith("ss") else word
        )
        if noun in counts.by_noun:
            return noun
        if word in ("of", "and", "in", "for", "the", "with", "per", "than", "to", "at", "on", "is", "are"):
            return None
    return None


def judge_record(number: PrintedNumber, view: RunView | None) -> Judged | None:
    """In the section on how the paper was made: rounds, scores, counts that the journal knows."""
    if view is None or not any(re.search(r"how this paper was made", h, re.I) for h in number.block.headings):
        return None
    values = {
        Decimal(view.round),
        Decimal(view.pivots),
        Decimal(view.refines),
        Decimal(len(view.ledger.obligations)),
        Decimal(len(view.receipts)),
        Decimal(view.plan_version),
        Decimal(len(view.rounds)),
        Decimal(len(view.reviews)),
        Decimal(view.spending.calls),
    }
    scores = [r.score for r in view.rounds] + [view.score.value if view.score else None]
    values |= {Decimal(str(s)) for s in scores if s is not None}
    values |= {Decimal(str(r.review.acceptance_probability)) for r in view.reviews}
    if any(abs(v - number.value) <= number.ulp / 2 for v in values):
        return Judged(number, "constant", rule="journal", key="journal", value=number.value)
    return None
