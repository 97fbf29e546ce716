"""Figures show what was measured: the data beside a figure against the current results.

Belongs here: values of `figures/<id>.json`. Not here: how a figure looks, numbers in captions (`gates/numbers`).
"""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite, sqrt
from statistics import fmean, median, pstdev, stdev
from typing import Any

from cockpit.kernel.findings import Finding, Span
from cockpit.kernel.protocols import Tree
from cockpit.kernel.stages import ANA_A
from cockpit.kernel.view import RunView
from gates.artifacts import FIGURES, json_of
from gates.measured import Measured, measured

OWNER = 14
SOURCES = f"{ANA_A}/figures/"
TOLERANCE = 1e-9  # relative; the data file holds the plotted value in full


def find(tree: Tree, view: RunView) -> tuple[Finding, ...]:
    """One finding a plotted value that is not what the run measured, and one a figure without data.

    Raises:
        ValueError: plan or `current_results.json` cannot be read.
    """
    data = measured(tree)
    return tuple(finding for path in figure_files(tree) for finding in _figure(tree, path, data))


def figure_files(tree: Tree) -> tuple[str, ...]:
    """The pictures of the analysis and of the paper."""
    return tuple(p for folder in (SOURCES, FIGURES) for p in tree.list(folder) if p.endswith(".tex"))


def data_files(tree: Tree) -> tuple[str, ...]:
    """Pictures and the data beside them."""
    pictures = figure_files(tree)
    return (*pictures, *(p.removesuffix(".tex") + ".json" for p in pictures))


def _figure(tree: Tree, path: str, data: Measured) -> Iterator[Finding]:
    beside = path.removesuffix(".tex") + ".json"
    read = json_of(tree, beside)
    if read.problem:
        yield _finding("figure-without-data", f"figure without readable data: {read.problem}", path, "")
        return
    for key, value in points(read.value):
        wrong = fault(key, value, data)
        if wrong:
            yield _finding("figure-values", f"{key} is plotted as {value}, {wrong}", beside, key)


def points(value: Any) -> Iterator[tuple[str, float]]:
    """(registry key, value) wherever the data names a key: `{"key": k, "value": v}` or `{k: v}`."""
    if isinstance(value, dict):
        key, number = value.get("key"), value.get("value")
        if isinstance(key, str) and isinstance(number, (int, float)) and _is_number(number):
            yield key, float(number)
        for name, inner in value.items():
            if str(name).count("/") == 3 and isinstance(inner, (int, float)) and _is_number(inner):
                yield str(name), float(inner)
            else:
                yield from points(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from points(inner)


def fault(key: str, value: float, data: Measured) -> str:
    """Why a plotted value is not what was measured; empty = it is, or the aggregate is not one we know."""
    metric, condition, split, aggregate = key.split("/") if key.count("/") == 3 else ("", "", "", "")
    series = data.series.get((condition, metric, split))
    if not series:
        return "but the run has no such value"
    values = [v for v in series.values() if v is not None]
    if len(values) != len(series):
        return "but the run has NaN or infinity there"
    expected = aggregates(values, aggregate)
    if not expected or any(abs(value - e) <= TOLERANCE * max(1.0, abs(e)) for e in expected):
        return ""
    return f"but the run measured {expected[0]!r}"


def aggregates(values: list[float], name: str) -> list[float]:
    """What an aggregate's name may mean (a standard deviation has two conventions); empty = unknown name."""
    n = len(values)
    simple = {
        "mean": fmean(values),
        "median": median(values),
        "min": min(values),
        "max": max(values),
        "count": float(n),
    }
    if name in simple:
        return [simple[name]]
    if name in ("std", "sd", "stderr", "sem") and n > 1:
        scale = sqrt(n) if name in ("stderr", "sem") else 1.0
        return [stdev(values) / scale, pstdev(values) / scale]
    return []


def _is_number(value: float) -> bool:
    return not isinstance(value, bool) and isfinite(value)


def _finding(pattern: str, title: str, path: str, text: str) -> Finding:
    span = Span(file=path, text=text)
    return Finding(auditor="figures", pattern=pattern, severity="major", title=title, spans=(span,), owner=OWNER)
