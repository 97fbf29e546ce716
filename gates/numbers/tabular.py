"""Judging tables: a cell is bound by its row and column, whichever of them names condition and metric.

Belongs here: candidates for cells, values that belong to another row. Not here: prose (`judging.py`),
the layout (`grid.py`), bold (`bold.py`).
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from gates.numbers.context import Sentence
from gates.numbers.deltas import derived, is_delta_header
from gates.numbers.grid import Grid, GridCell, is_value
from gates.numbers.reading import PrintedNumber
from gates.numbers.statistics_said import header_kind, table_candidates
from gates.numbers.verdicts import Candidate, Judged, agrees, alike, compare, mismatch, of_fact
from gates.numbers.vocabulary import MentionKind, ParameterMention, Vocabulary, narrow
from gates.registry import SPREADS, Fact, Registry

_SEEDS_HEADER = re.compile(r"\A\W*(?:#\s*|no\. of |number of )?(?:seeds|runs|repeats)\W*\Z|种子数", re.I)
_SEED_HEADER = re.compile(r"\bseed\s*[:=]?\s*(\d+)", re.I)
_PERCENT_HEADER = re.compile(r"[(\[]\s*(?:in\s+)?%\s*[)\]]|\bpercent\b|,\s*%\s*\Z|％")


@dataclass(frozen=True, slots=True)
class Binding:
    """What a cell speaks of: conditions × metrics × splits × aggregates."""

    conditions: tuple[str, ...]
    metrics: tuple[str, ...]
    splits: tuple[str, ...]
    aggregates: tuple[str, ...]
    percent: bool = False


@dataclass
class Tabular:
    """Binding of cells."""

    registry: Registry
    vocabulary: Vocabulary
    spreads: tuple[str, ...]
    _bound: dict[int, Binding] = field(default_factory=dict)

    def judge(self, number: PrintedNumber, sentence: Sentence) -> Judged | None:
        """The verdict of a number in a table; None when the cell is words (then its sentence is judged)."""
        cell, grid = number.cell, number.grid
        assert cell is not None and grid is not None
        if cell.header or not is_value(cell.text):
            return None
        special = self._special(number, cell, grid)
        if special is not None:
            return special
        candidates = self.candidates(number)
        if candidates:
            return compare(number, candidates) or self.wrong_row(number, candidates) or mismatch(number, candidates)
        return None

    # binding ----------------------------------------------------------------------------------
    def binding(self, cell: GridCell, grid: Grid) -> Binding:
        """What the cell's row and column (then the caption) name."""
        known = self._bound.get(id(cell))
        if known is None:
            known = self._bound[id(cell)] = self._bind(cell, grid)
        return known

    def _bind(self, cell: GridCell, grid: Grid) -> Binding:
        row, column = [*cell.row_header, *([cell.group] if cell.group else [])], list(cell.column_header)
        conditions = (
            self._ids("condition", row) or self._ids("condition", column) or self._ids("condition", [grid.caption])
        )
        conditions = narrow(conditions, self._parameters(cell, grid), self.registry)
        metrics = (
            self._ids("metric", column)
            or self._like(column)
            or self._ids("metric", row)
            or self._like(row)
            or self._ids("metric", [grid.caption])
        )
        if not metrics and conditions:
            metrics = self.registry.metrics[:1]
        named = self._ids("split", [*column, *row]) or self._ids("split", [grid.caption])
        splits = named or tuple(dict.fromkeys(self.registry.split_of(m) for m in metrics))
        aggregates = self._aggregates(cell)
        percent = any(_PERCENT_HEADER.search(t) for t in (*column, *row))
        return Binding(conditions, metrics, splits, aggregates, percent)

    def _ids(self, kind: MentionKind, texts: Iterable[str]) -> tuple[str, ...]:
        """Ids that the innermost text with a mention names; the longest mention of a text wins."""
        for text in reversed(list(texts)):
            found = [m for m in self.vocabulary.mentions(text) if m.kind == kind]
            if found:
                return (
                    max(found, key=lambda m: (m.end - m.start, -m.start)).ids if kind == "condition" else found[0].ids
                )
        return ()

    def _like(self, texts: Iterable[str]) -> tuple[str, ...]:
        return next((found for t in reversed(list(texts)) if (found := self.vocabulary.metric_like(t))), ())

    def unnamed(self, texts: Iterable[str]) -> str:
        """What is left of headers that name no metric, split or aggregate: a label of something unknown."""
        return " ".join(t for t in texts if t and not self.vocabulary.is_name(t) and not self.vocabulary.metric_like(t))

    def assign(self, cell: GridCell, grid: Grid, condition: str) -> None:
        """Bind a cell to a condition that its table does not name."""
        self._bound[id(cell)] = replace(self.binding(cell, grid), conditions=(condition,))

    def facts(self, bound: Binding, conditions: tuple[str, ...]) -> list[Fact]:
        """The facts that a binding allows for `conditions`."""
        keys = itertools.product(bound.metrics, conditions, bound.splits, bound.aggregates)
        return [fact for m, c, s, a in keys if (fact := self.registry.fact(m, c, s, a))]

    def _parameters(self, cell: GridCell, grid: Grid) -> list[ParameterMention]:
        texts = (*cell.row_values, *cell.row_header, cell.group, *cell.column_header)
        inner = [m for t in texts for m in self.vocabulary.parameter_mentions(t)]
        return inner or self.vocabulary.parameter_mentions(grid.caption)

    def _aggregates(self, cell: GridCell) -> tuple[str, ...]:
        for text in (*reversed(cell.column_header), *reversed(cell.row_header)):
            if seed := _SEED_HEADER.search(text):
                return (f"seed-{seed.group(1)}",)
            found = [m.ids for m in self.vocabulary.mentions(text) if m.kind == "aggregate"]
            if found:
                return found[0]
        return ("mean",)

    def candidates(self, number: PrintedNumber) -> list[Candidate]:
        """The values that the cell's binding allows."""
        assert number.cell is not None and number.grid is not None
        bound = self.binding(number.cell, number.grid)
        facts = self.facts(bound, bound.conditions)
        return [of_fact(f, self.registry, percent_column=bound.percent) for f in facts]

    def percent_column(self, number: PrintedNumber) -> bool:
        """Does the number's row or column say percent?"""
        return number.cell is not None and number.grid is not None and self.binding(number.cell, number.grid).percent

    def spreads_of(self, number: PrintedNumber) -> tuple[str, ...]:
        """What ± means in this cell: as its column or caption says, else as the paper does."""
        assert number.cell is not None and number.grid is not None
        for text in (*reversed(number.cell.column_header), *reversed(number.cell.row_header), number.grid.caption):
            for mention in self.vocabulary.mentions(text):
                if mention.kind == "aggregate" and set(mention.ids) & set(SPREADS):
                    return tuple(i for i in mention.ids if i in SPREADS)
        return self.spreads

    # special columns --------------------------------------------------------------------------
    def _special(self, number: PrintedNumber, cell: GridCell, grid: Grid) -> Judged | None:
        """Columns of seeds, parameters, tests and differences."""
        heads = [*cell.column_header]
        tests = self._ids("test", [*cell.row_header, cell.group]) or self._ids("test", heads)
        kind = next((k for t in (*reversed(heads), *reversed(cell.row_header)) if (k := header_kind(t))), None)
        if tests and kind and (candidates := table_candidates(list(tests), kind, self.registry)):
            return compare(number, candidates) or mismatch(number, candidates)
        if any(_SEEDS_HEADER.search(t) for t in heads):
            return self._seed_count(number, cell, grid)
        if (judged := self._parameter(number, cell, grid)) is not None:
            return judged
        if any(is_delta_header(t) for t in heads):
            return self._delta(number, cell, grid)
        return None

    def _seed_count(self, number: PrintedNumber, cell: GridCell, grid: Grid) -> Judged:
        ids = self.binding(cell, grid).conditions or self.registry.conditions
        run = {len(self.registry.seeds.get(i, ())) for i in ids}
        if number.is_integer and int(number.value) in run:
            return Judged(number, "constant", rule="count", key="count:seed", value=number.value)
        return Judged(
            number,
            "unsupported",
            rule="count",
            pattern="claim-seeds",
            note=f"the run has {', '.join(map(str, sorted(run)))} seeds, the table says {number.text}",
        )

    def _parameter(self, number: PrintedNumber, cell: GridCell, grid: Grid) -> Judged | None:
        """A column headed by a parameter's name holds that parameter."""
        if self._ids("metric", cell.column_header) or not cell.column_header or self.registry.plan is None:
            return None
        said = [
            m
            for m in self.vocabulary.parameter_mentions(f"{cell.column_header[-1]} = {number.text}")
            if m.value == number.value
        ]
        if not said or re.search(r"\d", cell.column_header[-1]):
            return None
        conditions = self._ids("condition", [*cell.row_header, cell.group])
        planned = [c for c in self.registry.plan.conditions if not conditions or c.id in conditions]
        if narrow(tuple(c.id for c in planned), said, self.registry) and any(
            self._has(c.parameters, said[0]) for c in planned
        ):
            return Judged(number, "constant", rule="parameter", key=f"parameter:{said[0].names[0]}", value=number.value)
        return Judged(
            number, "unsupported", rule="parameter", note=f"the plan has no {said[0].names[0]} = {number.text} here"
        )

    @staticmethod
    def _has(parameters: dict[str, str | int | float | bool], said: ParameterMention) -> bool:
        return any(
            str(parameters.get(n)) in (str(said.value), f"{float(said.value)}")
            or parameters.get(n) == float(said.value)
            for n in said.names
        )

    def _delta(self, number: PrintedNumber, cell: GridCell, grid: Grid) -> Judged | None:
        """A difference: the row's condition against what head, caption or plan name."""
        bound = self.binding(cell, grid)
        others = self._ids("condition", cell.column_header) or self._ids("condition", [grid.caption])
        candidates: list[Candidate] = []
        for left in bound.conditions:
            planned = self.registry.condition(left)
            against = narrow(others, self._parameters(cell, grid), self.registry) or (
                (planned.compares_to,) if planned and planned.compares_to else ()
            )
            for other in against:
                for metric in bound.metrics:
                    split = self.registry.split_of(metric)
                    a, b = (
                        self.registry.fact(metric, left, split, "mean"),
                        self.registry.fact(metric, str(other), split, "mean"),
                    )
                    if a and b and a.key != b.key:
                        as_percent = bound.percent or number.unit == "percent"
                        candidates.extend(self._delta_values(number, a, b, as_percent))
        if not candidates:
            return Judged(number, "unsupported", note="its row and column do not name two conditions")
        return compare(number, candidates) or mismatch(number, candidates)

    def _delta_values(self, number: PrintedNumber, a: Fact, b: Fact, as_percent: bool) -> list[Candidate]:
        found = derived(number, a, b, self.registry, both_bases=False)
        if as_percent and number.unit != "percent":
            unit, number.unit = number.unit, "percent"
            found = derived(number, a, b, self.registry, both_bases=False)
            number.unit = unit
        return found

    # wrong rows -------------------------------------------------------------------------------
    def wrong_row(self, number: PrintedNumber, candidates: list[Candidate]) -> Judged | None:
        """Other rows (else columns) of the number's table explain its value."""
        cell, grid = number.cell, number.grid
        if cell is None or grid is None:
            return None
        column = [c for c in grid.column(cell.column) if c is not cell]
        row = [c for c in grid.row(cell.row) if c is not cell and not c.header]
        owners = [
            (c, f) for c in (*column, *row) if is_value(c.text) and (f := self._owner(number, c, grid, candidates))
        ]
        if not owners:
            return None
        wrong = mismatch(number, candidates)
        wrong.verdict, wrong.other = "wrong-place", owners[0][1].key
        wrong.rows = tuple(c.row for c, _ in owners if c.column == cell.column)
        return wrong

    def _owner(self, number: PrintedNumber, other: GridCell, grid: Grid, candidates: list[Candidate]) -> Fact | None:
        """The fact of another cell that the number says."""
        bound = self.binding(other, grid)
        for fact in self.facts(bound, bound.conditions):
            if any(fact.key == c.key for c in candidates):
                continue
            if agrees(number, of_fact(fact, self.registry, percent_column=bound.percent)):
                return fact
        return None

    def elsewhere(self, number: PrintedNumber, fact: Fact, names: tuple[str, ...]) -> Judged | None:
        """A spread that belongs to another condition (its value moved with it)."""
        own = [f for n in names if (f := self.registry.fact(fact.metric, fact.condition, fact.split, n))]
        if number.significant < 2 or not own:
            return None
        percent = self.percent_column(number)
        for other in alike(number, fact, self.registry, names, percent_column=percent):
            wrong = mismatch(number, [of_fact(f, self.registry, percent_column=percent) for f in own])
            wrong.verdict, wrong.other = "wrong-place", other.key
            return wrong
        return None
