"""Results that a person gives: any folder of JSON, JSONL or CSV, as a registry without plan and receipts.

Belongs here: finding condition, metric, split and aggregate in names and keys. Not here: results of a
run (`registry.py`), which need receipts. Every fact is marked as given.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from typing import Any

from cockpit.kernel.protocols import Tree
from gates.registry import Fact, Registry
from gates.statistics import summaries

_GENERIC = re.compile(r"(?:^|[_\-.])(?:final_info|results?|metrics|summary|scores?|eval|data)$", re.I)
_AGGREGATES = {
    "means": "mean", "mean": "mean", "avg": "mean", "average": "mean",
    "stderrs": "stderr", "stderr": "stderr", "sem": "stderr",
    "stds": "std", "std": "std", "stdev": "std", "min": "min", "max": "max", "median": "median",
}  # fmt: skip
_WRAPPERS = frozenset({"final_info_dict", "final_info", "results", "metrics", "values", "rows", "data"})
_DOWN = re.compile(r"loss|error|time|divergence|perplexity|rmse|mse|mae|latency|step|fid|nll|memory|cost|regret", re.I)
Leaf = tuple[str, str, str, str, Decimal]  # metric, condition, split, aggregate, value


def registry_of(tree: Tree, folder: str) -> tuple[Registry, tuple[str, ...]]:
    """The registry of all readable result files under `folder`, and sentences about those that could not be read."""
    facts: dict[str, Fact] = {}
    troubles: list[str] = []
    prefix = folder.rstrip("/") + "/" if folder else ""
    paths = [p for p in tree.list(prefix) if p.rpartition(".")[2].lower() in ("json", "jsonl", "csv")]
    for path in paths:
        try:
            leaves = list(_leaves(path, path.removeprefix(prefix), tree.read(path).decode("utf-8-sig")))
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            troubles.append(f"{path} is not readable as results ({error})")
            continue
        for metric, condition, split, aggregate, value in leaves:
            key = f"{metric}/{condition}/{split}/{aggregate}"
            facts.setdefault(key, Fact(key, value, metric, condition, split, aggregate, files=(path,), given=True))
    directions = {f.metric: "lower" if _DOWN.search(f.metric) else "higher" for f in facts.values()}
    seeds: dict[str, tuple[int, ...]] = {}
    for fact in facts.values():
        if fact.aggregate == "count" and len(seeds.get(fact.condition, ())) < fact.value:
            seeds[fact.condition] = tuple(range(int(fact.value)))
    return Registry(facts, seeds=seeds, directions=directions), tuple(troubles)


def _leaves(path: str, name: str, text: str) -> Iterator[Leaf]:
    condition = _condition(name)
    if path.endswith(".csv"):
        yield from _rows([dict(row) for row in csv.DictReader(io.StringIO(text))], condition)
        return
    if path.endswith(".jsonl"):
        yield from _rows([_parsed(line) for line in text.splitlines() if line.strip()], condition)
        return
    data = _parsed(text)
    if isinstance(data, dict) and isinstance(data.get("rows"), list):
        data = data["rows"]
    if isinstance(data, list) and data and all(isinstance(row, dict) for row in data):
        yield from _rows(data, condition)
    else:
        yield from _walk(data, condition, ())


def _parsed(text: str) -> Any:
    return json.loads(text, parse_float=Decimal, parse_int=Decimal, parse_constant=lambda _: None)


def _condition(name: str) -> str:
    """The condition that a file's name says: `run_1_final_info.json` and `run_1/final_info.json` are run_1."""
    stem = name.rpartition(".")[0]
    parts = [_GENERIC.sub("", part) for part in stem.split("/")]
    named = [p for p in parts if p]
    return ".".join(named) or stem.replace("/", ".")


def _walk(value: Any, condition: str, path: tuple[str, ...]) -> Iterator[Leaf]:
    if isinstance(value, Decimal):
        yield from _leaf(value, condition, path)
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _walk(inner, condition, (*path, str(key)))
    elif isinstance(value, list):
        numbers = [v for v in value if isinstance(v, Decimal)]
        if numbers and len(numbers) == len(value):
            yield from _list(numbers, condition, path)
        else:
            for i, inner in enumerate(value):
                yield from _walk(inner, condition, (*path, str(i)))


def _named(path: tuple[str, ...]) -> tuple[str, str, str]:
    """Metric, split and aggregate that the keys on the way to a value say."""
    aggregate, parts = "", [p for p in path if p.lower() not in _WRAPPERS]
    for part in parts[:-1]:
        aggregate = _AGGREGATES.get(part.lower(), aggregate)
    parts = [p for p in parts[:-1] if p.lower() not in _AGGREGATES] + parts[-1:]
    metric = parts[-1] if parts else "value"
    stem, _, suffix = metric.rpartition("_")
    if stem and suffix.lower() in _AGGREGATES:
        metric, aggregate = stem, aggregate or _AGGREGATES[suffix.lower()]
    elif metric.lower() in _AGGREGATES and len(parts) > 1:
        aggregate, metric, parts = _AGGREGATES[metric.lower()], parts[-2], parts[:-1]
    return metric, ".".join(parts[:-1]) or "all", aggregate or "mean"


def _leaf(value: Decimal, condition: str, path: tuple[str, ...]) -> Iterator[Leaf]:
    if value.is_finite():
        metric, split, aggregate = _named(path)
        yield metric, condition, split, aggregate, value


def _list(numbers: list[Decimal], condition: str, path: tuple[str, ...]) -> Iterator[Leaf]:
    """A list of values: one a seed; long ones are curves, of which only the ends are kept."""
    metric, split, _ = _named(path)
    if len(numbers) > 30:
        yield metric, condition, split, "first", numbers[0]
        yield metric, condition, split, "last", numbers[-1]
        return
    for name, value in summaries(numbers).items():
        yield metric, condition, split, name, value
    for i, value in enumerate(numbers):
        yield metric, condition, split, f"seed-{i}", value


def _rows(rows: list[dict[str, Any]], condition: str) -> Iterator[Leaf]:
    """Rows of a table: words name condition and split, numbers are metrics (`metric`/`value` rows too)."""
    groups: dict[tuple[str, str, str], list[Decimal]] = {}
    for row in rows:
        words = {k: str(v) for k, v in row.items() if _number(v) is None and v not in (None, "")}
        where = words.get("condition") or words.get("method") or words.get("model") or condition
        split = words.get("split") or words.get("dataset") or "all"
        named = {str(words["metric"]): row["value"]} if "metric" in words and "value" in row else row
        for key, value in named.items():
            number = _number(value)
            if number is not None and key.lower() not in ("seed", "run", "index", "id", ""):
                groups.setdefault((key, where, split), []).append(number)
    for (metric, where, split), values in groups.items():
        for name, value in summaries(values).items():
            yield metric, where, split, name, value
        for i, value in enumerate(values):
            yield metric, where, split, f"seed-{i}", value


def _number(value: Any) -> Decimal | None:
    try:
        found = Decimal(str(value).strip()) if not isinstance(value, bool) else None
    except InvalidOperation:
        return None
    return found if found is not None and found.is_finite() else None
