"""`analysis.md`: the program's numbers with what the debate made of them.

Belongs here: the page. Not here: numbers (`frozen_tests.py`), words (models).
"""

from __future__ import annotations

from collections.abc import Sequence

from agents.drawing import digits
from agents.frozen_tests import TestReport, TestRow
from agents.result_replies import Analysis
from agents.results import Measured
from cockpit.kernel.plan import ExperimentPlan, Hypothesis, Metric


def analysis_page(plan: ExperimentPlan, hypotheses: Sequence[Hypothesis], tests: TestReport, found: Measured,
                  analysis: Analysis) -> str:  # fmt: skip
    """The whole page. Every digit in it comes from the results or the plan."""
    readings = {r.hypothesis: r.reading for r in analysis.readings}
    lines = ["# Analysis", "", analysis.summary, ""]
    lines += [f"Plan version {plan.version}; results of block {tests.block or 'none'}."]
    lines += ["", "## Hypotheses", ""]
    for h in hypotheses:
        lines += [f"### {h.id}: {tests.hypotheses[h.id]}", "", h.statement, ""]
        lines += [f"- {_sentence(row)}" for row in tests.tests if row.hypothesis == h.id]
        lines += [f"- Refuted if: {h.refuted_if}.", "", readings.get(h.id, ""), ""]
    lines += ["## Measured", "", *_table(plan, found), ""]
    for title, texts in (
        ("Components", analysis.components),
        ("Granted in the debate", analysis.concessions),
        ("Still in dispute", analysis.disputes),
        ("What would overturn this", analysis.would_refute),
        ("What these results cannot show", analysis.limitations),
    ):
        if texts:
            lines += [f"## {title}", "", *(f"- {text}" for text in texts), ""]
    return "\n".join(lines)


def _sentence(row: TestRow) -> str:
    name = f"{row.id} ({row.kind}, {row.metric} on {row.split}, {row.left} against {row.right}, n = {row.n})"
    if row.difference is None or row.interval is None or row.p is None:
        return f"{name}: {row.note}."
    places = digits([row.difference])
    low, high = (f"{end:.{places}f}" for end in row.interval)
    told = f"{name}: difference {row.difference:.{places}f}, {100 * (1 - row.alpha):g} % interval {low} to {high}"
    told += f", p = {row.p:.2g}"
    if row.p_holm is not None:
        told += f" (Holm over all tests {row.p_holm:.2g})"
    if row.effect_size is not None:
        told += f", effect size {row.effect_size:.2f}"
    return f"{told}; {row.verdict}."


def _table(plan: ExperimentPlan, found: Measured) -> list[str]:
    """Means and standard deviations over seeds."""
    lines = [f"| condition | {' | '.join(m.name for m in plan.metrics)} |", "|---|" + "---|" * len(plan.metrics)]
    places = {m.name: digits([v for c in plan.conditions if (v := found.mean(m.name, c.id, m.split)) is not None])
              for m in plan.metrics}  # fmt: skip
    lines += [f"| {c.label} | {' | '.join(_cell(found, m, c.id, places[m.name]) for m in plan.metrics)} |"
              for c in plan.conditions]  # fmt: skip
    return lines


def _cell(found: Measured, metric: Metric, condition: str, places: int) -> str:
    mean, spread = (f(metric.name, condition, metric.split) for f in (found.mean, found.spread))
    if mean is None:
        return "–"
    return f"{mean:.{places}f}" if spread is None else f"{mean:.{places}f} ± {spread:.{places}f}"
