"""What a paper is made of: outline, plan, results, tests, cards, records, figures and tables, read from the tree.

Belongs here: reading these into one frozen value, and the forms in which prompts show them. Not here:
writing sections (`drafting.py`), putting them together (`assembly.py`).
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from agents.errors import StageError
from cockpit.kernel.exits import Exit
from cockpit.kernel.model import JsonObject
from cockpit.kernel.papers import PaperRecord
from cockpit.kernel.plan import ExperimentPlan, Hypothesis, Outline, TablePlan
from cockpit.kernel.protocols import Tree
from cockpit.kernel.results import CurrentResults
from cockpit.kernel.stages import ANA_A, BY_NUMBER, LIT_A, WRITE_A
from cockpit.kernel.view import RunView
from gates import artifacts
from gates.cards import front_matter
from gates.registry import Registry, build

SECTIONS, FIGURES = f"{WRITE_A}/sections/", f"{WRITE_A}/figures/"
PAPER_TEX, RENDERED, LINE_MAP = f"{WRITE_A}/paper.tex", f"{WRITE_A}/paper_rendered.tex", f"{WRITE_A}/line_map.json"
REFERENCES, PDF = f"{WRITE_A}/references.bib", f"{WRITE_A}/paper.pdf"
CITED_LEAST = 8
FIGURE_SUFFIXES = (".tex", ".pdf", ".png")
UNPUBLISHABLE = {
    "no-metrics": "the experiments ended without a single usable measurement",
    "dependency-missing": "a package that the experiments need could not be had",
    "dataset-unavailable": "the data that the question needs could not be had",
    "design-too-large": "the design needs more time or memory than there was",
}


@dataclass(frozen=True)
class Value:
    """One aggregate that may be printed. `printed` is it to the precision that its metric is shown with."""

    key: str
    condition: str
    metric: str
    split: str
    aggregate: str
    value: float
    n: int
    digits: int
    printed: str


@dataclass(frozen=True)
class Card:
    """What the literature phase keeps of one paper."""

    key: str
    title: str
    year: int | None
    claim: str
    quoted: bool  # is there a passage of it, located by program?


@dataclass(frozen=True)
class Float:
    """A table or figure on offer. `place` is the line that puts it into a section."""

    kind: str
    id: str
    label: str
    caption: str
    made: str  # "by code" or "by hand"
    content: str  # LaTeX inside the float; empty for a table that the writer types

    @property
    def file(self) -> str:
        return f"{SECTIONS}{self.kind}_{self.id}.tex"

    @property
    def place(self) -> str:
        return f"\\input{{sections/{self.kind}_{self.id}}}"


@dataclass(frozen=True)
class Material:
    """All that writing may rest on. `values` is empty when nothing was measured; `unpublishable` then says why."""

    outline: Outline
    plan: ExperimentPlan
    hypotheses: tuple[Hypothesis, ...]
    current: CurrentResults | None
    values: tuple[Value, ...]
    tests: JsonObject
    cards: tuple[Card, ...]
    records: Mapping[str, PaperRecord]
    floats: tuple[Float, ...]
    unpublishable: str = ""

    @property
    def seeds(self) -> tuple[int, ...]:
        """The seeds that carry the claims."""
        return tuple(sorted({r.seed for r in self.current.results})) if self.current else ()


def gather(tree: Tree, view: RunView) -> Material:
    """Read everything.

    Raises:
        StageError: outline or plan cannot be read.
    """
    outline, plan = artifacts.outline_of(tree), artifacts.plan_of(tree)
    if outline.value is None or plan.value is None:
        raise StageError(outline.problem or plan.problem, Exit.BLOCKED)
    current = artifacts.current_of(tree).value
    values = values_of(build(tree, view)[0])
    tests = artifacts.json_of(tree, artifacts.TESTS).value
    return Material(
        outline=outline.value,
        plan=plan.value,
        hypotheses=artifacts.hypotheses_of(tree).value or (),
        current=current,
        values=values,
        tests=tests if isinstance(tests, dict) else {},
        cards=cards_of(tree),
        records={r.key: r for r in artifacts.papers_of(tree).value or ()},
        floats=floats_of(tree, outline.value) if values else (),  # nothing measured, nothing to show
        unpublishable=unpublishable(tree),
    )


def unpublishable(tree: Tree) -> str:
    """The kind of failure that keeps this run's experiments from carrying a paper, as 10–13 reported it; or empty."""
    for number in (13, 12, 11, 10):
        report = artifacts.report_of(tree, BY_NUMBER[number].report).value or {}
        if kind := str(report.get("unpublishable") or ""):
            return kind
    return ""


def values_of(registry: Registry) -> tuple[Value, ...]:
    """Mean (and, from three seeds on, standard deviation) of each metric of each condition, in the plan's order."""
    digits = _digits(registry)
    found = []
    for condition in registry.conditions:
        for metric in registry.metrics:
            split = registry.split_of(metric)
            n = len(registry.seeds.get(condition, ()))
            for aggregate in ("mean", "std") if n >= 3 else ("mean",):  # a spread of two values says nothing
                fact = registry.fact(metric, condition, split, aggregate)
                if fact is not None:
                    places = digits[metric]
                    printed = registry.resolve(fact.key, places) or ""
                    found.append(
                        Value(fact.key, condition, metric, split, aggregate, float(fact.value), n, places, printed)
                    )
    return tuple(found)


def _digits(registry: Registry) -> dict[str, int]:
    """Decimals a metric is shown with: three significant digits of its smallest mean, the same in all rows."""
    found: dict[str, int] = {}
    for metric in registry.metrics:
        split = registry.split_of(metric)
        means = [f.value for c in registry.conditions if (f := registry.fact(metric, c, split, "mean")) is not None]
        low = min((abs(float(m)) for m in means if m), default=math.inf)
        whole = all(m == m.to_integral_value() for m in means)
        found[metric] = 0 if whole or low >= 1000 else _significant(low)
    return found


def _significant(low: float) -> int:
    return 3 if math.isinf(low) else min(6, max(1, 2 - math.floor(math.log10(low))))


def cards_of(tree: Tree) -> tuple[Card, ...]:
    """The cards, by key."""
    found = []
    for path in tree.list(f"{LIT_A}/cards/"):
        head = front_matter(tree.read(path).decode("utf-8", "replace")) or {}
        year = head.get("year")
        found.append(
            Card(
                key=str(head.get("key") or path.rsplit("/", 1)[-1].removesuffix(".md")),
                title=str(head.get("title") or ""),
                year=year if isinstance(year, int) else None,
                claim=str(head.get("claim") or ""),
                quoted=bool(head.get("quotes")),
            )
        )
    return tuple(found)


def floats_of(tree: Tree, outline: Outline) -> tuple[Float, ...]:
    """Tables and figures of the outline that can be had: made by code in the analysis, or to be typed by hand."""
    found = [f for table in outline.tables if (f := _table(tree, table)) is not None]
    found += [f for figure in outline.figures if (f := _figure(tree, figure)) is not None]
    return tuple(found)


def _table(tree: Tree, table: TablePlan) -> Float | None:
    label = f"tab:{table.id}"
    if table.hand_typed:
        return Float("table", table.id, label, table.caption, "by hand", "")
    text = artifacts.text_of(tree, f"{ANA_A}/tables/{table.id}.tex").value
    return Float("table", table.id, label, table.caption, "by code", text) if text else None


def _figure(tree: Tree, id: str) -> Float | None:
    for suffix in FIGURE_SUFFIXES:
        if tree.exists(f"{ANA_A}/figures/{id}{suffix}"):
            about = artifacts.json_of(tree, f"{ANA_A}/figures/{id}.json").value
            caption = str(about.get("caption") or "") if isinstance(about, dict) else ""
            inside = f"\\input{{figures/{id}}}" if suffix == ".tex" else (
                f"\\includegraphics[width=0.8\\linewidth]{{figures/{id}{suffix}}}")  # fmt: skip
            return Float(
                "figure", id, f"fig:{id}", caption or f"{id.replace('-', ' ').capitalize()}.", "by code", inside
            )
    return None


# --- forms for prompts ---------------------------------------------------------------------------------------------


def results_shown(material: Material) -> JsonObject:
    """The results as a prompt shows them: what was measured, to which precision, under which key."""
    labels: dict[str, str] = {c.id: c.label for c in material.plan.conditions}
    return {
        "seeds": {"count": len(material.seeds), "values": list(material.seeds)},
        "metrics": [m.model_dump(mode="json", include={"name", "direction", "unit", "split"})
                    for m in material.plan.metrics],
        "values": [{"key": v.key, "label": labels.get(v.condition, v.condition), "condition": v.condition,
                    "metric": v.metric, "split": v.split, "aggregate": v.aggregate, "value": v.value, "n": v.n,
                    "digits": v.digits, "printed": v.printed} for v in material.values],
    }  # fmt: skip


def cards_shown(material: Material) -> list[JsonObject]:
    """The cards whose paper has a stored record and a quoted passage: only these should be cited.

    Where fewer than `CITED_LEAST` have a passage, the others with a record are shown too.
    """
    recorded = [c for c in material.cards if c.key in material.records]
    quoted = [c for c in recorded if c.quoted]
    shown = quoted if len(quoted) >= CITED_LEAST else recorded
    return [{"key": c.key, "title": c.title, "year": c.year, "claim": c.claim,
             "authors": list(material.records[c.key].authors[:3])}
            for c in shown]  # fmt: skip


def floats_shown(material: Material) -> list[JsonObject]:
    """Tables and figures by the line that places them and the label that refers to them."""
    return [{"kind": f.kind, "id": f.id, "place": f.place, "refer": f"\\ref{{{f.label}}}", "caption": f.caption,
             "made": f.made} for f in material.floats]  # fmt: skip


def section_shown(material: Material, id: str) -> JsonObject:
    """A section's plan with its claims spelled out."""
    plan = next(s for s in material.outline.sections if s.id == id)
    claims = [c.model_dump(mode="json") for c in material.outline.claims if c.id in plan.claims]
    return {"id": plan.id, "title": plan.title, "points": list(plan.points), "claims": claims}


def json_text(value: Any) -> str:
    """`value` as JSON on short lines, for blocks that hold long lists."""
    if isinstance(value, list):
        return "[\n" + ",\n".join(json.dumps(item, ensure_ascii=False) for item in value) + "\n]"
    return json.dumps(value, ensure_ascii=False, indent=1)


def number_forms(values: Iterable[Value]) -> frozenset[str]:
    """Every decimal that is a right rounding of a measured value (0 to 6 places), also as a percentage."""
    forms: set[str] = set()
    for v in values:
        for places in range(7):
            forms.update((f"{abs(v.value):.{places}f}", f"{abs(v.value) * 100:.{places}f}"))
    return frozenset(forms)
