"""What the rehearsal paper-writer answers at stage 16.

Belongs here: the outline, from results, tests and cards of the prompt. Not here: sections (`paper_writer.py`).
"""

from __future__ import annotations

from typing import Any

from agents.rehearsal.answers import answers
from agents.rehearsal.reading import Prompt, Rehearsal
from agents.rehearsal.result_words import Results, component_said, control_said, of_outline, tested
from cockpit.kernel.model import pretty
from cockpit.kernel.plan import Claim, Metric, Outline, SectionPlan, TablePlan

CARDS = 3


@answers("paper-writer/outline")
def outline(prompt: Prompt, how: Rehearsal) -> str:
    """Hypotheses, components, control and cost as claims on keys; what is known as claims on cards."""
    r = of_outline(prompt)
    drawn = prompt.json("drawn")
    measured = [*_hypotheses(r), *_components(r), *_control(r), *_cost(r)]
    known = _known(prompt.json("cards"), how)
    made = Outline(
        title=how.study.title,
        claims=(*measured, *known),
        sections=_sections(r, how, [c.id for c in measured], [c.id for c in known]),
        tables=_tables(r, drawn["tables"]),
        figures=tuple(f for f in drawn["figures"] if f == f"{r.outcome.name}-dots"),
        components=r.plan.components,
    )
    return pretty(made)


def _key(metric: str, condition: str, split: str) -> str:
    return f"{metric}/{condition}/{split}/mean"


def _hypotheses(r: Results) -> list[Claim]:
    found = []
    for h in r.hypotheses:
        row = r.tests.of(h.id)
        asked = h.prediction
        sides = [c for c in (asked.left, asked.right) if (asked.metric, c) in r.means]
        if row is not None and len(sides) == 2:
            text = f"{h.id} is {r.tests.hypotheses[h.id]}: {tested(row, r)}."
            keys = tuple(_key(asked.metric, c, asked.split) for c in sides)
            found.append(Claim(id=f"C-{h.id}", text=text, keys=keys))
    return found


def _components(r: Results) -> list[Claim]:
    """One claim a component that has an ablation with results."""
    main, outcome = r.main, r.outcome
    if main is None or not r.ran(main.id):
        return []
    return [
        Claim(
            id=f"C-{c.ablation}",
            text=component_said(c, r),
            keys=(_key(outcome.name, main.id, outcome.split), _key(outcome.name, str(c.ablation), outcome.split)),
        )
        for c in r.plan.components
        if r.ran(c.ablation)
    ]


def _control(r: Results) -> list[Claim]:
    control = r.plan.condition(r.plan.positive_control)
    if control is None or control.compares_to is None or not (r.ran(control.id) and r.ran(control.compares_to)):
        return []
    keys = tuple(_key(r.outcome.name, c, r.outcome.split) for c in (control.id, control.compares_to))
    return [Claim(id="C-control", text=control_said(r), keys=keys)]


def _cost(r: Results) -> list[Claim]:
    main = r.main
    cost: Metric | None = next((m for m in r.plan.metrics if m.name in r.plan.efficiency), None)
    if main is None or cost is None or (cost.name, main.id) not in r.means:
        return []
    text = f"What {main.label} costs is counted in {cost.name}, beside that of its baselines."
    return [Claim(id="C-cost", text=text, keys=(_key(cost.name, main.id, cost.split),))]


def _known(cards: list[dict[str, Any]], how: Rehearsal) -> list[Claim]:
    """What the stored papers are cited for."""
    keys = [str(card["key"]) for card in cards]
    if not keys:
        return []
    text = f"Earlier work treats the ingredients of {how.study.method}."
    return [Claim(id="C-known", text=text, cards=tuple(keys[: 4 * CARDS]))]


def _sections(r: Results, how: Rehearsal, measured: list[str], known: list[str]) -> tuple[SectionPlan, ...]:
    method = how.study.method
    points: list[tuple[str, str, list[str], list[str]]] = [
        ("abstract", "Abstract", ["the question", f"{method} on {how.study.setting}", "what came out"], measured[:2]),
        ("introduction", "Introduction", ["why the question matters", *how.study.sub_questions[:2]], known),
        ("related_work", "Related work", ["nearest papers", "what they leave open"], known),
        ("method", "Method", [f"how {method} works", "data, conditions, measures and tests"], []),
        ("experiments", "Experiments", ["main comparison", "frozen tests", "ablations", "control", "cost"], measured),
        ("limitations", "Limitations", list(how.study.limits), []),
        ("conclusion", "Conclusion", ["the answer", "what is still open"], measured[:2]),
    ]
    return tuple(SectionPlan(id=i, title=t, points=tuple(p), claims=tuple(c)) for i, t, p, c in points)


def _tables(r: Results, drawn: list[str]) -> tuple[TablePlan, ...]:
    """The main table as code drew it; the ablations typed by hand."""
    ran = [c for c in r.plan.conditions if r.ran(c.id)]
    columns = tuple(f"{m.name}/{m.split}/mean" for m in r.plan.metrics)
    first = [c.id for c in ran if c.kind in ("main", "baseline", "efficiency")]
    parts = [c.id for c in ran if c.kind == "main"][:1] + [c.id for c in ran if c.kind in ("ablation", "control")]
    found = []
    if "main" in drawn:
        found.append(TablePlan(id="main", caption="The method and its baselines",
                               rows=tuple(first), columns=columns))  # fmt: skip
    if len(parts) > 1:
        found.append(TablePlan(id="ablations", caption="The method, with one part taken away in turn, and the control",
                               rows=tuple(parts), columns=columns, hand_typed=True))  # fmt: skip
    return tuple(found)
