"""Current results as values: (metric, condition, split) → seed → value, and means over seeds.

Belongs here: reading what counts now through `current_results.json`. Not here: admitting results by
receipt (gates), tests (`gates/hypothesis_tests.py`).
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from cockpit.kernel.protocols import Tree
from cockpit.kernel.results import CurrentResults, ResultFile

Column = tuple[str, str, str]  # metric, condition, split


@dataclass(frozen=True)
class Measured:
    """What was measured in the block that carries claims. A value that was not finite is None."""

    block: str
    columns: Mapping[Column, Mapping[int, float | None]] = field(default_factory=dict)

    def seeds(self, metric: str, condition: str, split: str = "test") -> dict[int, float | None]:
        """Seed → value; empty when nothing was measured."""
        return dict(self.columns.get((metric, condition, split), {}))

    def values(self, metric: str, condition: str, split: str = "test") -> list[float]:
        """The finite values, in the order of the seeds."""
        found = self.seeds(metric, condition, split)
        return [value for _, value in sorted(found.items()) if value is not None]

    def mean(self, metric: str, condition: str, split: str = "test") -> float | None:
        """Mean over seeds, None when nothing finite was measured."""
        values = self.values(metric, condition, split)
        return math.fsum(values) / len(values) if values else None

    def spread(self, metric: str, condition: str, split: str = "test") -> float | None:
        """Standard deviation over seeds (n - 1), None below two values."""
        values = self.values(metric, condition, split)
        return statistics.stdev(values) if len(values) > 1 else None

    def has(self, metric: str, condition: str, split: str = "test") -> bool:
        """Was anything finite measured there?"""
        return bool(self.values(metric, condition, split))


def measured(tree: Tree, current: CurrentResults) -> Measured:
    """The values of the files that `current` lists.

    Raises:
        FileNotFoundError, pydantic.ValidationError: a listed file is missing or is no result file.
    """
    return collect(
        current.block, ((r.seed, ResultFile.model_validate_json(tree.read(r.file))) for r in current.results)
    )


def collect(block: str, files: Iterable[tuple[int, ResultFile]]) -> Measured:
    """The values of result files, by column and seed."""
    columns: dict[Column, dict[int, float | None]] = {}
    for _, file in files:
        for row in file.rows:
            columns.setdefault((row.metric, row.condition, row.split), {})[row.seed] = row.value
    return Measured(block, columns)
