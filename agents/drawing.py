"""Figures and tables by code: a dot-and-interval picture and booktabs tabulars, from current results.

Belongs here: LaTeX that a program draws, and the data beside it. Not here: which figures a paper uses
(`outline.py`), prose. Numbers in tables are `\\res` macros, so that they stay bound to their keys; a
picture needs no package and no colour.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from agents.latex_text import measure
from agents.results import Measured
from cockpit.kernel.ids import ConditionId
from cockpit.kernel.model import JsonObject
from cockpit.kernel.plan import Condition, ExperimentPlan, Metric
from gates.hypothesis_tests import mean_interval

WIDTH, ROW, LABELS = 60.0, 6.0, 46.0  # millimetres: plot, line of a condition, its name
TICKS = 5
ESCAPES = {"\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{",
           "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}  # fmt: skip


def escape(text: str) -> str:
    """`text` for LaTeX."""
    return "".join(ESCAPES.get(sign, sign) for sign in text)


@dataclass(frozen=True)
class Point:
    """One condition in a figure: mean, and the 95 % t interval over seeds (equal to it below two seeds)."""

    condition: Condition
    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Figure:
    """A figure: LaTeX of the picture (without float and caption), the data it shows with words for a caption."""

    id: str
    tex: str
    data: JsonObject


def dots(plan: ExperimentPlan, metric: Metric, conditions: Sequence[Condition], found: Measured) -> Figure | None:
    """Mean and interval of `metric` for each condition that has results; None when none has."""
    points = [p for c in conditions if (p := _point(metric, c, found)) is not None]
    if not points:
        return None
    ticks = axis(min(p.low for p in points), max(p.high for p in points))
    words = axis_words(metric)
    seeds = max(len(found.values(metric.name, p.condition.id, metric.split)) for p in points)
    caption = f"{measure(metric.name)} of each condition on the {metric.split} split: mean over seeds (dot)"
    caption += " with its t interval"
    caption += " (line)." if ticks[0] == 0 else " (line). The axis does not start at zero."
    data: JsonObject = {
        "id": f"{metric.name}-dots",
        "caption": caption,
        "metric": metric.name,
        "split": metric.split,
        "unit": metric.unit,
        "block": found.block,
        "axis": {"label": words, "ticks": list(ticks), "starts_at_zero": ticks[0] == 0},
        "interval": "95 % t interval of the mean over seeds",
        "seeds": seeds,
        "points": [_point_data(metric, p) for p in points],
    }
    return Figure(f"{metric.name}-dots", _picture(points, ticks, words), data)


def _point_data(metric: Metric, point: Point) -> JsonObject:
    """A plotted point under its registry key, so that a program can compare it with the results."""
    return {
        "condition": point.condition.id,
        "label": point.condition.label,
        "key": f"{metric.name}/{point.condition.id}/{metric.split}/mean",
        "value": point.value,
        "low": point.low,
        "high": point.high,
    }


def axis_words(metric: Metric) -> str:
    """How a metric is named on an axis: with unit, split and direction."""
    unit = f" [{metric.unit}]" if metric.unit else ""
    better = {"lower": ", lower is better", "higher": ", higher is better", "none": ""}[metric.direction]
    return f"{measure(metric.name)}{unit} ({metric.split}{better})"


def axis(low: float, high: float) -> tuple[float, ...]:
    """A few round ticks that hold `low` and `high`; zero is one of them when the data come near it."""
    if low > 0 and low < 0.5 * high:
        low = 0.0
    span = (high - low) or abs(high) or 1.0
    raw = span / (TICKS - 1)
    base = 10 ** math.floor(math.log10(raw))
    step = next(base * m for m in (1, 2, 2.5, 5, 10) if base * m >= raw * 0.999)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return tuple(round(step * k, 10) for k in range(first, max(last, first + 1) + 1))


def _point(metric: Metric, condition: Condition, found: Measured) -> Point | None:
    values = found.values(metric.name, condition.id, metric.split)
    if not values:
        return None
    mean = math.fsum(values) / len(values)
    low, high = mean_interval(values) if len(values) > 1 else (mean, mean)
    return Point(condition, mean, low, high)


def _picture(points: Sequence[Point], ticks: Sequence[float], words: str) -> str:
    height = ROW * len(points)
    scale = WIDTH / (ticks[-1] - ticks[0])

    def x(value: float) -> str:
        return _mm(LABELS + (value - ticks[0]) * scale)

    lines = [
        r"\setlength{\unitlength}{1mm}%",
        rf"\begin{{picture}}({_mm(LABELS + WIDTH + 6)},{_mm(height + 16)})(0,-12)",
        r"\small",
        rf"\put({_mm(LABELS)},0){{\line(1,0){{{_mm(WIDTH)}}}}}",
    ]
    for tick in ticks:
        lines.append(rf"\put({x(tick)},-1.5){{\line(0,1){{1.5}}}}")
        lines.append(rf"\put({x(tick)},-2){{\makebox(0,0)[t]{{{tick:g}}}}}")
    for place, point in enumerate(points):
        y = height - ROW * (place + 0.5)
        lines.append(rf"\put({_mm(LABELS - 3)},{_mm(y)}){{\makebox(0,0)[r]{{{escape(point.condition.label)}}}}}")
        reach = (point.high - point.low) * scale
        if reach > 0:
            lines.append(rf"\put({x(point.low)},{_mm(y)}){{\line(1,0){{{_mm(reach)}}}}}")
        lines.append(rf"\put({x(point.value)},{_mm(y)}){{\circle*{{1.6}}}}")
    lines.append(rf"\put({_mm(LABELS + WIDTH / 2)},-7.5){{\makebox(0,0)[t]{{{escape(words)}}}}}")
    lines.append(r"\end{picture}")
    return "\n".join(lines) + "\n"


def _mm(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") or "0"


@dataclass(frozen=True)
class Table:
    """A table by code: the tabular, the rows and columns it has."""

    id: str
    tex: str
    rows: tuple[ConditionId, ...]
    columns: tuple[str, ...]  # "rmse/test/mean"


def table(
    id: str, plan: ExperimentPlan, conditions: Sequence[Condition], metrics: Sequence[Metric], found: Measured
) -> Table:
    """A booktabs tabular: a row a condition, a column a metric (mean, with std over seeds), best mean bold.

    A cell without results is a dash. Baselines, ablations and control are compared in one column; the
    bold one is the best in the metric's direction, and no cell is bold when there is no direction.
    """
    best = {m.name: _best(m, conditions, found) for m in metrics}
    places = {m.name: digits(_means(m, plan.conditions, found)) for m in metrics}
    lines = [
        rf"\begin{{tabular}}{{l{'r' * len(metrics)}}}",
        r"\toprule",
        " & ".join(["Condition", *(escape(_heading(m)) for m in metrics)]) + r" \\",
        r"\midrule",
    ]
    for condition in conditions:
        cells = [_cell(m, condition, found, places[m.name], bold=condition.id in best[m.name]) for m in metrics]
        lines.append(" & ".join([escape(condition.label), *cells]) + r" \\")
    lines += [r"\bottomrule", r"\end{tabular}"]
    columns = tuple(f"{m.name}/{m.split}/mean" for m in metrics)
    return Table(id, "\n".join(lines) + "\n", tuple(c.id for c in conditions), columns)


def digits(means: Sequence[float]) -> int:
    """Decimals of a column: three significant digits of its smallest mean; none from a thousand on."""
    low = min((abs(m) for m in means if m), default=1.0)
    return 0 if low >= 1000 else min(6, max(1, 2 - math.floor(math.log10(low))))


def _heading(metric: Metric) -> str:
    unit = f" [{metric.unit}]" if metric.unit and metric.unit != metric.name else ""
    return f"{measure(metric.name)}{unit}"


def _means(metric: Metric, conditions: Sequence[Condition], found: Measured) -> list[float]:
    means = (found.mean(metric.name, c.id, metric.split) for c in conditions)
    return [mean for mean in means if mean is not None]


def _best(metric: Metric, conditions: Sequence[Condition], found: Measured) -> set[ConditionId]:
    means = {c.id: m for c in conditions if (m := found.mean(metric.name, c.id, metric.split)) is not None}
    if not means or metric.direction == "none":
        return set()
    best = min(means.values()) if metric.direction == "lower" else max(means.values())
    return {name for name, mean in means.items() if mean == best}


def _cell(metric: Metric, condition: Condition, found: Measured, places: int, *, bold: bool) -> str:
    values = found.values(metric.name, condition.id, metric.split)
    if not values:
        return "--"
    mean = rf"\res[{places}]{{{metric.name}/{condition.id}/{metric.split}/mean}}"
    mean = rf"\textbf{{{mean}}}" if bold else mean
    if len(values) < 3:  # fewer than three seeds carry no spread
        return mean
    return rf"{mean} $\pm$ \res[{places}]{{{metric.name}/{condition.id}/{metric.split}/std}}"
