"""A study that rehearsal can do: its facts, its plan at each effort, its code.

Belongs here: the shape and what follows from the facts. Not here: the facts of one study
(`shrinkage/`, `bootstrap/`, `schedules/`, `micro/`), answers to prompts (`agents/rehearsal/answers`).
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any, Literal

from agents.rehearsal.studies import code
from cockpit.kernel.ids import ConditionId
from cockpit.kernel.levels import EFFORTS, Effort
from cockpit.kernel.plan import (
    Comparison,
    Component,
    Condition,
    ConditionKind,
    Dataset,
    ExperimentPlan,
    Hypothesis,
    Metric,
    StatTest,
)

StudyId = Literal["shrinkage", "bootstrap", "schedules", "micro"]
ROUNDS = 5


@dataclass(frozen=True)
class Study:
    """Everything the rehearsal models know about one small computation.

    `conditions` holds all of them: method, baselines, the ablation of each component, one control.
    `notes` are sentences about each condition for prose and for `spec.md`. No fact here is a result.
    """

    id: StudyId
    title: str
    domain: str
    keywords: tuple[str, ...]
    question: str
    sub_questions: tuple[str, ...]
    queries: tuple[str, ...]
    method: str
    setting: str
    datasets: tuple[Dataset, ...]
    metrics: tuple[Metric, ...]
    efficiency: tuple[str, ...]
    conditions: tuple[Condition, ...]
    components: tuple[Component, ...]
    hypotheses: tuple[Hypothesis, ...]
    tests: tuple[StatTest, ...]
    positive_control: ConditionId
    limits: tuple[str, ...]
    notes: dict[str, str]

    @property
    def main(self) -> Condition:
        """The method itself: what the ablations and the control compare to."""
        return next(c for c in self.conditions if c.kind == "main")

    def condition(self, id: str) -> Condition:
        """The condition of that id. Raises StopIteration if the study has none."""
        return next(c for c in self.conditions if c.id == id)

    def missing_component(self, seed: int) -> Component:
        """The component that the fault *missing-ablation* leaves without a condition."""
        return random.Random(f"{self.id}/missing-ablation/{seed}").choice(self.components)

    def design(self, version: int, effort: Effort, *, missing: bool, seed: int) -> ExperimentPlan:
        """The plan at `effort`: its number of ablations, each of a component that the method names.

        With `missing` the plan names one component more (chosen by `seed`) than it has ablations; an
        effort that takes every component away leaves nothing to miss.
        """
        credited = self._credited(effort, missing, seed)
        planned = {c.ablation for c in credited}
        return ExperimentPlan(
            version=version,
            domain=self.domain,
            question=self.question,
            datasets=self.datasets,
            metrics=self.metrics,
            conditions=tuple(c for c in self.conditions if c.kind != "ablation" or c.id in planned),
            components=credited,
            seed_blocks=seed_blocks(effort),
            tests=self.tests,
            positive_control=self.positive_control,
            efficiency=self.efficiency,
            wall_s_a_job=20,
            reason="first plan",
        )

    def mended(self, plan: ExperimentPlan, reason: str) -> ExperimentPlan:
        """The next version of `plan`, with an ablation for each component that has none."""
        by_name = {c.name: c for c in self.components}
        lacking = [c.name for c in plan.components if c.ablation is None]
        components = tuple(by_name[c.name] if c.name in lacking else c for c in plan.components)
        wanted = {c.ablation for c in components} | {c.id for c in plan.conditions}
        added = [by_name[name].ablation for name in lacking]
        return plan.model_copy(
            update={
                "version": plan.version + 1,
                "components": components,
                "conditions": tuple(c for c in self.conditions if c.id in wanted),
                "reason": reason,
                "changes": tuple(f"added condition {name}" for name in added),
            }
        )

    def code(self, plan: ExperimentPlan, *, seed: int, crash: bool) -> dict[str, str]:
        """The entry points and modules that `plan` needs: path under scripts/ → text.

        Standard library only; each job is deterministic by (rehearsal `seed`, job seed). With `crash`
        one file has a slip that stops it, chosen by `seed`.
        """
        entries = {c.entry for c in plan.conditions}
        found = code.files(self.id, seed, crash)
        known = {c.entry for c in self.conditions}
        return {path: text for path, text in found.items() if path not in known or path in entries}

    def _credited(self, effort: Effort, missing: bool, seed: int) -> tuple[Component, ...]:
        """Components of the plan, in the study's order."""
        limit = EFFORTS[effort].ablations
        count = len(self.components) if limit < 0 else min(limit, len(self.components))
        if not missing or count == len(self.components):
            return self.components[:count]
        left_out = self.missing_component(seed)
        kept = [c for c in self.components if c != left_out][:count]
        bare = left_out.model_copy(update={"ablation": None})
        return tuple(bare if c == left_out else c for c in self.components if c == left_out or c in kept)


def seed_blocks(effort: Effort) -> dict[str, tuple[int, ...]]:
    """Disjoint seeds: one block to explore, one to confirm in each round."""
    count = EFFORTS[effort].seeds
    blocks = {"exploration": tuple(range(11, 11 + count))}
    blocks |= {f"round-{r}": tuple(range(100 * r + 1, 100 * r + 1 + count)) for r in range(1, ROUNDS + 1)}
    return blocks


def condition(id: str, label: str, kind: ConditionKind, *, words: tuple[str, ...], **more: Any) -> Condition:
    """A condition of a study; `more`: entry, component, against, and the parameters its code reads."""
    return Condition(
        id=ConditionId(id),
        label=label,
        kind=kind,
        entry=more.pop("entry", "scripts/run.py"),
        component=more.pop("component", ""),
        compares_to=more.pop("against", None),
        short_words=words,
        parameters=more,
    )


def hypothesis(id: str, statement: str, comparison: Comparison, refuted_if: str, *, primary: bool) -> Hypothesis:
    """A hypothesis of a study."""
    return Hypothesis(id=id, statement=statement, primary=primary, prediction=comparison, refuted_if=refuted_if)


def tests_of(hypotheses: tuple[Hypothesis, ...]) -> tuple[StatTest, ...]:
    """One paired t-test for each hypothesis: seeds are shared, so differences are taken seed by seed."""
    return tuple(StatTest(id=f"T{h.id[1:]}", hypothesis=h.id, comparison=h.prediction) for h in hypotheses)
