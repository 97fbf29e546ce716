"""Judging prose: is each number what the experiments measured, where it stands?

Belongs here: the order in which a number is asked what it is, and binding in sentences. Not here:
tables (`tabular.py`), single kinds of numbers (`deltas`, `constants`, `statistics_said`, `structural`).

A value that exists elsewhere does not help: the number is first bound to keys by its sentence, row and
column, and only then compared, to the precision it was printed with.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from cockpit.kernel.view import RunView
from gates.numbers.constants import Counts, counts_of, judge_constant, judge_record
from gates.numbers.context import Sentence, Surroundings, aggregate_of, conditions_of, is_strict, nearest
from gates.numbers.conventions import hold_to_convention
from gates.numbers.deltas import operand_candidates, prose_candidates, says_delta
from gates.numbers.free import bind_free_tables
from gates.numbers.reading import PrintedNumber, Reading
from gates.numbers.statistics_said import judge_statistic
from gates.numbers.structural import is_setting, structural_rule
from gates.numbers.tabular import Tabular
from gates.numbers.verdicts import Candidate, Judged, alike, compare, mismatch, of_fact
from gates.numbers.vocabulary import Vocabulary, narrow
from gates.registry import SPREADS, Registry

_EXTREMES = re.compile(
    r"\b(?:best|worst|single|lowest|highest)\s+(?:single\s+)?seeds?\b|\brang(?:es|ed|ing)\s+(?:from|between)|\bseeds?\b.*\bvar(?:y|ies)\b",
    re.I,
)
Cards = Mapping[str, frozenset[Decimal]]  # citation key → magnitudes of the numbers on its card


@dataclass
class Judging:
    """Everything a verdict may look at."""

    reading: Reading
    registry: Registry
    cards: Cards
    view: RunView | None
    vocabulary: Vocabulary = field(init=False)
    around: Surroundings = field(init=False)
    counts: Counts = field(init=False)
    tabular: Tabular = field(init=False)
    spreads: tuple[str, ...] = field(init=False)
    done: dict[int, Judged] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.vocabulary = Vocabulary(self.registry)
        self.around = Surroundings(self.reading, self.vocabulary)
        self.counts = counts_of(self.registry)
        self.spreads = self._declared_spreads()
        self.tabular = Tabular(self.registry, self.vocabulary, self.spreads)
        for label, condition in bind_free_tables(self.reading, self.tabular, self.registry).items():
            self.vocabulary.learn(label, condition)

    def all(self) -> list[Judged]:
        """A verdict for each number, in order of place. Derived ones last, since their operands may be numbers."""
        later = []
        for number in self.reading.numbers:
            judged = self._first(number)
            if judged is None:
                later.append(number)
            else:
                self.done[id(number)] = judged
        for number in later:
            self.done[id(number)] = self._delta(number)
        found = [self.done[id(n)] for n in self.reading.numbers]
        hold_to_convention(found, self.registry, self.tabular)
        for judged in found:
            judged.strict = is_strict(judged.number)
        return found

    def _declared_spreads(self) -> tuple[str, ...]:
        """What ± means in this paper, if it says so near a ± or in a caption; else a standard deviation."""
        for block in self.reading.document.blocks:
            if "±" in block.plain or "error bar" in block.plain or block.where == "caption":
                for mention in self.vocabulary.mentions(block.plain):
                    if mention.kind == "aggregate" and set(mention.ids) & set(SPREADS):
                        return tuple(i for i in mention.ids if i in SPREADS)
        return ("std", "std0")

    # one number -------------------------------------------------------------------------------
    def _first(self, number: PrintedNumber) -> Judged | None:
        """The verdict of a number that is not derived; None for one that is."""
        rule = structural_rule(number)
        if rule is not None:
            return Judged(number, "structural", rule=rule)
        sentence = self.around.sentence(number.block, number.start)
        if number.spread_of is not None:
            return self._spread(number, number.spread_of)
        if number.grid is not None and (judged := self.tabular.judge(number, sentence)):
            return judged
        judged = self._named(number, sentence)
        if judged is not None:
            return judged
        if says_delta(number, sentence) or (number.unit == "percent" and not self._percent_metric(number, sentence)):
            return None
        return self._value(number, sentence)

    def _named(self, number: PrintedNumber, sentence: Sentence) -> Judged | None:
        """Numbers whose neighbours say what they are: statistics, constants, journal records."""
        return (
            judge_record(number, self.view)
            or judge_statistic(number, sentence, self.around, self.registry)
            or (
                None
                if number.unit in ("points", "times")
                else judge_constant(number, sentence, self.registry, self.vocabulary, self.counts)
            )
        )

    def _spread(self, number: PrintedNumber, value: PrintedNumber) -> Judged:
        """`0.41 ± 0.02`: the spread of what the value was bound to."""
        base = self.done.get(id(value))
        fact = self.registry.facts.get(base.key) if base and base.key else None
        if fact is None or fact.aggregate not in ("mean", "median"):
            cited = self._cited(number, self.around.sentence(number.block, number.start))
            return cited or Judged(number, "unsupported", note="the spread of a value that is bound to nothing")
        names = self.tabular.spreads_of(number) if number.grid is not None else self._said_spreads(number)
        facts = [self.registry.fact(fact.metric, fact.condition, fact.split, name) for name in names]
        percent = self.tabular.percent_column(number) or value.unit == "percent"
        candidates = [of_fact(f, self.registry, percent_column=percent) for f in facts if f is not None]
        if not candidates:
            return Judged(number, "unsupported", note="too few seeds for a spread")
        return (
            compare(number, candidates) or self.tabular.elsewhere(number, fact, names) or mismatch(number, candidates)
        )

    def _said_spreads(self, number: PrintedNumber) -> tuple[str, ...]:
        sentence = self.around.sentence(number.block, number.start)
        for mention in sentence.of("aggregate"):
            if set(mention.ids) & set(SPREADS):
                return tuple(i for i in mention.ids if i in SPREADS)
        return self.spreads

    # values -----------------------------------------------------------------------------------
    def _metrics(self, number: PrintedNumber, sentence: Sentence) -> list[str]:
        mention = nearest(number, sentence, "metric")
        if mention is not None:
            return list(mention.ids)
        inherited = self.around.inherited(sentence, "metric")
        if inherited:
            return list(dict.fromkeys(i for m in inherited for i in m.ids))
        return list(self.registry.metrics)

    def _percent_metric(self, number: PrintedNumber, sentence: Sentence) -> bool:
        """May a percentage be a value of the metric spoken of?"""
        for metric in self._metrics(number, sentence):
            values = [
                abs(f.value) for f in self.registry.facts.values() if f.metric == metric and f.aggregate == "mean"
            ]
            if self.registry.units.get(metric) in ("%", "percent") or (
                values and max(values) <= 1 and not self._is_error(metric)
            ):
                return True
        return False

    def _is_error(self, metric: str) -> bool:
        return any(w in metric.lower() for w in ("rmse", "mse", "mae", "loss", "divergence", "time"))

    def _aggregates(self, number: PrintedNumber, sentence: Sentence) -> list[str]:
        seeds = [
            n for n in sentence.numbers if n.start < number.start and (j := self.done.get(id(n))) and j.rule == "seed"
        ]
        if seeds:
            return [f"seed-{seeds[-1].text}"]
        if _EXTREMES.search(sentence.text):
            return ["min", "max"]
        mention = aggregate_of(number, sentence)
        return list(mention.ids) if mention is not None else ["mean"]

    def _candidates(self, number: PrintedNumber, sentence: Sentence) -> list[list[Candidate]]:
        """Candidates by binding, best first: each list is one reading of the sentence."""
        sets, strong = conditions_of(number, sentence, self.around)
        parameters = self.around.parameters_for(number, sentence)
        metrics, aggregates = self._metrics(number, sentence), self._aggregates(number, sentence)
        splits = [i for m in sentence.of("split") for i in m.ids]
        found = []
        for ids in sets[:1] if strong else sets[:4]:
            facts = [
                self.registry.fact(metric, condition, split, aggregate)
                for condition in narrow(ids, parameters, self.registry)
                for metric in metrics
                for split in (splits or [self.registry.split_of(metric)])
                for aggregate in aggregates
            ]
            candidates = [of_fact(f, self.registry) for f in facts if f is not None]
            if candidates:
                found.append(candidates)
        return found

    def _value(self, number: PrintedNumber, sentence: Sentence) -> Judged:
        readings = self._candidates(number, sentence)
        for candidates in readings:
            if judged := compare(number, candidates):
                return judged
        return self._cited(number, sentence) or self._failed(number, sentence, readings)

    def _failed(self, number: PrintedNumber, sentence: Sentence, readings: list[list[Candidate]]) -> Judged:
        if not readings or not sentence.of("condition"):
            if (judged := self._unnamed(number, sentence)) is not None:
                return judged
            if self.registry.plan is None and is_setting(number):
                return Judged(number, "structural", rule="setting")
            return Judged(number, "unsupported", note="nothing beside it names a condition of a result")
        return self._elsewhere(number, readings[0]) or mismatch(number, readings[0])

    def _unnamed(self, number: PrintedNumber, sentence: Sentence) -> Judged | None:
        """Without a plan conditions may have no names: metric and split named, the value may be any condition's."""
        metrics = [i for m in sentence.of("metric") for i in m.ids]
        splits = [i for m in sentence.of("split") for i in m.ids]
        if self.registry.plan is not None or not metrics or not splits or number.significant < 3:
            return None
        keys = itertools.product(metrics[:1], self.registry.conditions, splits, ["mean"])
        facts = [fact for m, c, s, a in keys if (fact := self.registry.fact(m, c, s, a))]
        judged = compare(number, [of_fact(f, self.registry) for f in facts])
        if judged is not None:
            judged.note = "the words do not say of which condition"
        return judged

    def _elsewhere(self, number: PrintedNumber, candidates: list[Candidate]) -> Judged | None:
        """The same metric and aggregate of another condition explains the value: right number, wrong place."""
        fact = self.registry.facts.get(candidates[0].key)
        if fact is None or number.significant < 3:
            return None
        for other in alike(number, fact, self.registry, (fact.aggregate,)):
            wrong = mismatch(number, candidates)
            wrong.verdict, wrong.other = "wrong-place", other.key
            return wrong
        return None

    def _cited(self, number: PrintedNumber, sentence: Sentence) -> Judged | None:
        for key in sentence.cites:
            if abs(number.value) in self.cards.get(key, frozenset()):
                return Judged(number, "cited", key=f"card:{key}", value=number.value)
        return None

    # derived ----------------------------------------------------------------------------------
    def _delta(self, number: PrintedNumber) -> Judged:
        sentence = self.around.sentence(number.block, number.start)
        candidates = prose_candidates(number, sentence, self.around, self.registry, self._metrics(number, sentence))
        facts = [
            self.registry.facts[j.key]
            for n in sentence.numbers
            if (j := self.done.get(id(n)))
            and j.verdict in ("exact", "rounding", "mismatch", "wrong-place")
            and j.key in self.registry.facts
        ]
        from_values = [] if candidates else operand_candidates(number, facts, self.registry)
        judged = compare(number, candidates) or compare(number, from_values) or self._cited(number, sentence)
        if judged is not None:
            return judged
        for reading in self._candidates(number, sentence):
            if judged := compare(number, reading):
                return judged
        if candidates or from_values:
            return mismatch(number, candidates or from_values)
        if self.registry.plan is None and is_setting(number):
            return Judged(number, "structural", rule="setting")
        return Judged(number, "unsupported", note="its two operands are not named beside it")
