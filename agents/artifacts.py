"""Artifacts of earlier stages as typed values: goal, reports, papers, cards, hypotheses, plan.

Belongs here: reading the run's tree for agents. Not here: writing (each stage), judging (gates).
"""

from __future__ import annotations

import json
from typing import Any

import yaml
from pydantic import TypeAdapter, ValidationError

from agents.errors import StageError
from cockpit.kernel.exits import Exit
from cockpit.kernel.model import pretty
from cockpit.kernel.papers import PaperRecord, ShortlistEntry
from cockpit.kernel.plan import ExperimentPlan, Hypothesis
from cockpit.kernel.protocols import Desk, Tree
from cockpit.kernel.stages import IDEA_A, LIT_A, PLAN_A, stage
from gates.plan_file import parse_plan

GOAL, TREE_OF_PROBLEMS = f"{IDEA_A}/goal.md", f"{IDEA_A}/problem_tree.md"
PAPERS, SHORTLIST, BIBLIOGRAPHY = (f"{LIT_A}/{n}" for n in ("papers_raw.json", "shortlist.jsonl", "references.bib"))
CARDS, SYNTHESIS = f"{LIT_A}/cards/", f"{LIT_A}/synthesis.md"
HYPOTHESES, EXPERIMENT_PLAN = f"{PLAN_A}/hypotheses.json", f"{PLAN_A}/exp_plan.yaml"

_RECORDS = TypeAdapter(tuple[PaperRecord, ...])
_HYPOTHESES = TypeAdapter(tuple[Hypothesis, ...])


def text(tree: Tree, path: str) -> str:
    """The text at `path`.

    Raises:
        StageError: it is not there (exit 3: an earlier stage's contract does not hold).
    """
    try:
        return tree.read(path).decode("utf-8", "replace")
    except FileNotFoundError as missing:
        raise StageError(f"{path} is missing", Exit.BLOCKED, hint="Run the stage that makes it again.") from missing


def data(tree: Tree, path: str) -> Any:
    """The JSON value at `path`. Raises StageError: missing, or no JSON."""
    try:
        return json.loads(text(tree, path))
    except ValueError as broken:
        raise StageError(f"{path} is no JSON: {broken}", Exit.BLOCKED) from broken


def fields(tree: Tree, number: int) -> dict[str, Any]:
    """The structured report of stage `number`, without its `_meta`. Raises StageError: missing."""
    report = data(tree, stage(number).report)
    return {key: value for key, value in report.items() if key != "_meta"}


def records(tree: Tree) -> tuple[PaperRecord, ...]:
    """The candidates of stage 4. Raises StageError: missing or damaged."""
    found: tuple[PaperRecord, ...] = _typed(_RECORDS, PAPERS, data(tree, PAPERS))
    return found


def shortlist(tree: Tree) -> tuple[ShortlistEntry, ...]:
    """The screened papers of stage 5, in the file's order. Raises StageError: missing or damaged."""
    lines = [line for line in text(tree, SHORTLIST).splitlines() if line.strip()]
    try:
        return tuple(ShortlistEntry.model_validate_json(line) for line in lines)
    except ValidationError as broken:
        raise StageError(f"{SHORTLIST} is damaged: {broken}", Exit.BLOCKED) from broken


def hypotheses(tree: Tree) -> tuple[Hypothesis, ...]:
    """The hypotheses of stage 8. Raises StageError: missing or damaged."""
    found: tuple[Hypothesis, ...] = _typed(_HYPOTHESES, HYPOTHESES, data(tree, HYPOTHESES))
    return found


def plan_of(content: bytes | str) -> ExperimentPlan:
    """An experiment plan from its YAML. Raises StageError: damaged."""
    try:
        return parse_plan(content.encode() if isinstance(content, str) else content)
    except (yaml.YAMLError, ValidationError) as broken:
        raise StageError(f"{EXPERIMENT_PLAN} is damaged: {broken}", Exit.BLOCKED) from broken


def before(desk: Desk, *paths: str) -> str | None:
    """What this stage wrote the last time at `paths`, for its own revision; None when not revising."""
    if not desk.revising:
        return None
    found = [(path, text(desk.tree, path)) for path in paths if desk.tree.exists(path)]
    if len(found) == 1:
        return found[0][1]
    return "\n\n".join(f"{path.rsplit('/', maxsplit=1)[-1]}:\n{content}" for path, content in found) or None


def jsonl(rows: list[dict[str, Any]]) -> str:
    """`rows` as JSON lines with sorted keys."""
    return "".join(f"{json.dumps(row, sort_keys=True, ensure_ascii=False)}\n" for row in rows)


def as_json(value: Any) -> str:
    """`value` as a file for people and diffs."""
    return pretty(value)


def as_yaml(value: Any) -> str:
    """`value` as YAML in its own order."""
    dumped: str = yaml.safe_dump(value, sort_keys=False, allow_unicode=True, width=110)
    return dumped


def _typed(adapter: TypeAdapter[Any], path: str, value: Any) -> Any:
    try:
        return adapter.validate_python(value)
    except ValidationError as broken:
        raise StageError(f"{path} is damaged: {broken}", Exit.BLOCKED) from broken
