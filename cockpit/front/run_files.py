"""What screens read of a run's folder: its number map, the results behind a number, what changed between two rounds.

Belongs here: reading, by the journal's readers; called on a thread, never while painting. Not here: lines (`screens`),
what the numbers program decides (gates).
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from cockpit.journal.history import History
from cockpit.journal.trees import WorkTree
from cockpit.kernel.results import CurrentResult, CurrentResults, ResultFile
from cockpit.kernel.stages import EXEC_A, PLAN_A, VER_A, WRITE_A

NUMBER_MAP = f"{VER_A}/number_map.json"
CURRENT = f"{EXEC_A}/current_results.json"
LOGS = f"{EXEC_A}/logs/"
COMPARED = (f"{WRITE_A}/sections", f"{WRITE_A}/paper.tex", f"{WRITE_A}/outline.json", f"{PLAN_A}/exp_plan.yaml",
            f"{EXEC_A}/scripts")  # fmt: skip
_KEY = re.compile(r"[^\s(),/]+/[^\s(),/]+/[^\s(),/]+/[^\s(),/]+")  # metric/condition/split/aggregate


@dataclass(frozen=True, slots=True)
class Printed:
    """A number that stands in the paper, and what the numbers program said about it. "" = it says nothing."""

    text: str
    file: str
    line: int
    where: str  # text, abstract, table …
    verdict: str
    context: str
    key: str
    value: str
    rule: str

    @property
    def keys(self) -> tuple[str, ...]:
        """The registry keys it rests on: one, or the operands of a formula."""
        return tuple(dict.fromkeys(_KEY.findall(self.key)))


@dataclass(frozen=True, slots=True)
class Behind:
    """A result file behind a key, the value in it, the log of its job ("" = none is kept)."""

    result: CurrentResult
    value: str
    log: str


@dataclass(frozen=True, slots=True)
class Change:
    """A file that differs; `words` = `git diff --word-diff=porcelain` of it, without its heading."""

    path: str
    words: list[str]


@dataclass(frozen=True, slots=True)
class Changes:
    """What two moments of a run differ in: files by phase, and the words of those that people read."""

    before: str
    after: str
    phases: dict[str, int]
    changes: tuple[Change, ...]


class Evidence:
    """The number map of a run, and what its results say. Read once, at one moment."""

    def __init__(self, root: Path) -> None:
        self._tree = WorkTree(root)
        self.numbers = tuple(_printed(row) for row in _rows(self._tree))
        self.current = self._current()

    def _current(self) -> CurrentResults | None:
        try:
            return CurrentResults.model_validate_json(self._tree.read(CURRENT))
        except (FileNotFoundError, ValidationError):
            return None

    def behind(self, key: str) -> tuple[Behind, ...]:
        """The result files that a key is an aggregate of, by seed."""
        metric, condition, split = key.split("/")[:3]
        results = self.current.results if self.current is not None else ()
        mine = sorted((r for r in results if r.condition == condition), key=lambda r: r.seed)
        return tuple(Behind(r, self._value(r, metric, split), self._log(r)) for r in mine)

    def _value(self, result: CurrentResult, metric: str, split: str) -> str:
        try:
            rows = ResultFile.model_validate_json(self._tree.read(result.file)).rows
        except (FileNotFoundError, ValidationError):
            return "unreadable"
        return next((f"{r.value:g}" for r in rows if (r.metric, r.split) == (metric, split)), "not in it")

    def _log(self, result: CurrentResult) -> str:
        path = f"{LOGS}{result.condition}.seed-{result.seed}.log"
        return path if self._tree.exists(path) else ""


def _rows(tree: WorkTree) -> list[dict[str, Any]]:
    try:
        document = json.loads(tree.read(NUMBER_MAP))
    except (FileNotFoundError, ValueError):
        return []
    rows = document.get("numbers", []) if isinstance(document, dict) else document
    return [row for row in rows if isinstance(row, dict)]


def _printed(row: dict[str, Any]) -> Printed:
    source = row.get("source") or {}
    line = row.get("source_line") or row.get("line") or 0
    return Printed(
        text=str(row.get("text", "")),
        file=str(row.get("source_file") or row.get("file", "")),
        line=line if isinstance(line, int) else 0,
        where=str(row.get("where", "")),
        verdict=str(row.get("verdict", "")),
        context=str(row.get("context") or row.get("quote") or ""),
        key=str(source.get("key") or ""),
        value=str(source.get("value") or ""),
        rule=str(row.get("rule") or row.get("note") or ""),
    )


def changes_of(root: Path, rounds: int) -> Changes | None:
    """What the last two closed rounds differ in; with one, the round and the present. None: no round is closed."""
    history = History(root)
    try:
        tags = [tag for n in range(1, rounds + 1) if (tag := f"round-{n}") in history.tags()]
        if not tags:
            return None
        before, after = (tags[-2], tags[-1]) if len(tags) > 1 else (tags[-1], "HEAD")
        names = history.git("diff", "--name-only", before, after).splitlines()
        words = history.git("diff", "--no-color", "--word-diff=porcelain", "-U0", before, after, "--", *COMPARED)
    finally:
        history.close()
    phases: dict[str, int] = {}
    for name in names:
        top = name.partition("/")[0]
        phases[top] = phases.get(top, 0) + 1
    return Changes(before, after, phases, tuple(sorted(_changes(words), key=_order)))


def _order(change: Change) -> tuple[int, str]:
    """The paper first: it is what people want to compare."""
    return next(n for n, path in enumerate(COMPARED) if change.path.startswith(path)), change.path


def _changes(text: str) -> list[Change]:
    """A diff's files; a file's words begin at its first hunk."""
    found: list[Change] = []
    for part in re.split(r"^diff --git .*\n", text, flags=re.M)[1:]:
        head, at, words = part.partition("\n@@ ")
        names = re.findall(r"^(?:---|\+\+\+) [ab]/(.*)$", head, re.M)  # /dev/null is none
        if at and names:
            found.append(Change(names[-1].rstrip("\t"), ("@@ " + words).removesuffix("\n").split("\n")))
    return found
