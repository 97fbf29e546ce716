"""Typed reading of a run's artifacts: a value, or one sentence about what is wrong and where.

Belongs here: bytes of a tree → kernel records, without exceptions for anything a file may hold. Not
here: judging what was read.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Generic, TypeVar

import yaml
from pydantic import TypeAdapter, ValidationError

from cockpit.kernel.papers import PaperRecord, ShortlistEntry
from cockpit.kernel.plan import ExperimentPlan, Hypothesis, Outline
from cockpit.kernel.protocols import Tree
from cockpit.kernel.results import CurrentResults, ResultFile
from cockpit.kernel.stages import ANA_A, EXEC_A, FINAL, LIT_A, PLAN_A, WRITE_A

T = TypeVar("T")

PAPERS, SHORTLIST, BIB = f"{LIT_A}/papers_raw.json", f"{LIT_A}/shortlist.jsonl", f"{LIT_A}/references.bib"
HYPOTHESES, PLAN = f"{PLAN_A}/hypotheses.json", f"{PLAN_A}/exp_plan.yaml"
CURRENT, SCHEDULE, SCRIPTS = f"{EXEC_A}/current_results.json", f"{EXEC_A}/schedule.json", f"{EXEC_A}/scripts/"
TESTS, DECISION = f"{ANA_A}/statistical_tests.json", f"{ANA_A}/decision.json"
OUTLINE, SOURCE, RENDERED = f"{WRITE_A}/outline.json", f"{WRITE_A}/paper.tex", f"{WRITE_A}/paper_rendered.tex"
LINE_MAP, SECTIONS, CARDS = f"{WRITE_A}/line_map.json", f"{WRITE_A}/sections/", f"{LIT_A}/cards/"
PAPER_BIB, CHANGES, FIGURES = f"{WRITE_A}/references.bib", f"{WRITE_A}/changes.json", f"{WRITE_A}/figures/"
FINAL_PAPER, FINAL_BIB = f"{FINAL}/paper.tex", f"{FINAL}/references.bib"

_PLAN, _CURRENT, _OUTLINE = TypeAdapter(ExperimentPlan), TypeAdapter(CurrentResults), TypeAdapter(Outline)
_RESULT, _HYPOTHESES = TypeAdapter(ResultFile), TypeAdapter(tuple[Hypothesis, ...])
_PAPERS = TypeAdapter(tuple[PaperRecord, ...])
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True)
class Read(Generic[T]):
    """What a file said; `value` is None exactly when `problem` says why (with the path)."""

    value: T | None
    problem: str = ""


def text_of(tree: Tree, path: str) -> Read[str]:
    """The file as UTF-8 text."""
    data = bytes_of(tree, path)
    if data.value is None:
        return Read(None, data.problem)
    try:
        return Read(data.value.decode("utf-8"))
    except UnicodeDecodeError as error:
        return Read(None, f"{path} is not UTF-8 text (byte {error.start})")


def bytes_of(tree: Tree, path: str) -> Read[bytes]:
    """The file's bytes; missing or unreadable is a problem."""
    try:
        return Read(tree.read(path))
    except FileNotFoundError:
        return Read(None, f"{path} is missing")
    except OSError as error:
        return Read(None, f"{path} cannot be read ({type(error).__name__})")


def json_of(tree: Tree, path: str) -> Read[Any]:
    """The file as JSON of any shape."""
    data = bytes_of(tree, path)
    return Read(None, data.problem) if data.value is None else _json(data.value, path)


def plan_of(tree: Tree) -> Read[ExperimentPlan]:
    """The plan in force."""
    data = bytes_of(tree, PLAN)
    return Read(None, data.problem) if data.value is None else _plan(data.value)


def current_of(tree: Tree) -> Read[CurrentResults]:
    """Which results count now."""
    return _model(tree, CURRENT, _CURRENT)


def outline_of(tree: Tree) -> Read[Outline]:
    """The paper's outline."""
    return _model(tree, OUTLINE, _OUTLINE)


def result_of(tree: Tree, path: str) -> Read[ResultFile]:
    """One job's results."""
    return _model(tree, path, _RESULT)


def hypotheses_of(tree: Tree) -> Read[tuple[Hypothesis, ...]]:
    """The hypotheses: a list, or an object with a field `hypotheses`."""
    read = json_of(tree, HYPOTHESES)
    if read.problem:
        return Read(None, read.problem)
    raw = read.value.get("hypotheses") if isinstance(read.value, dict) else read.value
    return _checked(raw, HYPOTHESES, _HYPOTHESES)


def papers_of(tree: Tree) -> Read[tuple[PaperRecord, ...]]:
    """The stored records of the literature."""
    return _model(tree, PAPERS, _PAPERS)


def shortlist_of(tree: Tree) -> Read[tuple[ShortlistEntry, ...]]:
    """The screened papers, a JSON line each."""
    return json_lines(tree, SHORTLIST, ShortlistEntry)


def json_lines(tree: Tree, path: str, kind: type[T]) -> Read[tuple[T, ...]]:
    """A file of JSON lines, each of `kind`."""
    text = text_of(tree, path)
    if text.value is None:
        return Read(None, text.problem)
    adapter, found = TypeAdapter(kind), []
    for number, line in enumerate(text.value.splitlines(), 1):
        if line.strip():
            try:
                found.append(adapter.validate_json(line))
            except ValidationError as error:
                return Read(None, f"{path}:{number}: {_first(error)}")
    return Read(tuple(found))


def report_of(tree: Tree, path: str) -> Read[dict[str, Any]]:
    """A stage's structured report, without its `_meta`."""
    read = json_of(tree, path)
    if read.problem:
        return Read(None, read.problem)
    if not isinstance(read.value, dict):
        return Read(None, f"{path} is not an object")
    return Read({key: value for key, value in read.value.items() if key != "_meta"})


def _model(tree: Tree, path: str, adapter: TypeAdapter[T]) -> Read[T]:
    data = bytes_of(tree, path)
    if data.value is None:
        return Read(None, data.problem)
    try:
        return Read(adapter.validate_json(data.value))
    except ValidationError as error:
        return Read(None, f"{path}: {_first(error)}")


def _checked(raw: Any, path: str, adapter: TypeAdapter[T]) -> Read[T]:
    try:
        return Read(adapter.validate_python(raw))
    except ValidationError as error:
        return Read(None, f"{path}: {_first(error)}")


def _json(data: bytes, path: str) -> Read[Any]:
    try:
        value = json.loads(data)
    except (ValueError, RecursionError) as error:
        return Read(None, f"{path} is not JSON ({type(error).__name__})")
    return Read(None, f"{path} holds only null") if value is None else Read(value)


@lru_cache(maxsize=16)
def _plan(data: bytes) -> Read[ExperimentPlan]:
    try:
        raw = yaml.load(data, Loader=_Loader)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        return Read(None, f"{PLAN} is not YAML ({type(error).__name__})")
    return _checked(raw, PLAN, _PLAN)


def _first(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    return f"{where}: {first['msg']}" if where else str(first["msg"])
