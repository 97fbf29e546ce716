"""Stage 9: the plan, chosen in four steps, checked by program, frozen by its hash.

Belongs here: the chain, the next version of a plan, seeds, the freeze. Not here: what makes a plan whole
(`plan_checks.py`), the reviewer's word (`plan_reviews.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from agents import artifacts
from agents.artifacts import EXPERIMENT_PLAN
from agents.guides import guide
from agents.kit import Kit
from agents.plan_changes import changes
from agents.plan_checks import plan_faults
from agents.plan_reviews import Audit, review_design
from agents.planning_replies import Baselines, DatasetChoice, Design, MetricChoice
from agents.prompting import own
from agents.seeding import grown, seed_blocks
from agents.soundness import checked
from cockpit.kernel.events import PlanFrozen
from cockpit.kernel.levels import EFFORTS
from cockpit.kernel.model import JsonObject, sha256
from cockpit.kernel.plan import ExperimentPlan, Hypothesis
from cockpit.kernel.protocols import Desk, StageReport
from cockpit.kernel.stages import PLAN_A

BASELINES, SURVEY = f"{PLAN_A}/baseline_analysis.json", f"{PLAN_A}/dataset_survey.json"
FIRST, NEW_LINE = "first plan", "other hypotheses than the plan before"


async def experiment_design(desk: Desk, kit: Kit) -> StageReport:
    """Stage 9: exp_plan.yaml, baseline_analysis.json, dataset_survey.json."""
    hypotheses = artifacts.hypotheses(desk.tree)
    written = artifacts.before(desk, EXPERIMENT_PLAN)
    before = None if written is None else artifacts.plan_of(written)
    common = _common(desk, hypotheses)
    if written is None or before is None or not same_line(before, hypotheses):
        plan, design = await _first(desk, kit, hypotheses, common)
        content = _content(plan)
    else:
        plan, design = await _next(desk, kit, hypotheses, common, before)
        content = written if plan == before else _content(plan)
    desk.write(EXPERIMENT_PLAN, content)
    audit = await review_design(desk, kit, plan, hypotheses)
    await _freeze(desk, plan, content)
    return _report(desk, plan, design, audit, unchanged=plan == before)


def same_line(plan: ExperimentPlan, hypotheses: Sequence[Hypothesis]) -> bool:
    """Is `plan` about these hypotheses? Else a later version of it would carry tests of dead ones."""
    predicted = {h.id: h.prediction for h in hypotheses}
    tested = {t.hypothesis for t in plan.tests}
    return set(predicted) <= tested and all(predicted.get(t.hypothesis) == t.comparison for t in plan.tests)


def _common(desk: Desk, hypotheses: Sequence[Hypothesis]) -> dict[str, Any]:
    limits = EFFORTS[desk.settings.effort]
    demands = {
        "effort": desk.settings.effort,
        "ablations": "one a component" if limits.ablations < 0 else limits.ablations,
        "seeds_a_condition": limits.seeds,
        "wall_s_a_job_at_most": desk.settings.sandbox.limits.wall_s,
        "memory_mb_a_job_at_most": desk.settings.sandbox.limits.memory_mb,
    }
    return {
        "goal": own("goal", artifacts.text(desk.tree, artifacts.GOAL)),
        "hypotheses": own("hypotheses", list(hypotheses)),
        "demands": own("demands", demands),
        "guide": guide("methodology", "statistics"),
    }


def _numbers(desk: Desk) -> dict[str, Any]:
    limits = EFFORTS[desk.settings.effort]
    return {"ablations": max(0, limits.ablations), "all_ablations": limits.ablations < 0, "seeds": limits.seeds}


async def _first(desk: Desk, kit: Kit, hypotheses: Sequence[Hypothesis],
                 common: dict[str, Any]) -> tuple[ExperimentPlan, Design]:  # fmt: skip
    """The chain: baselines, data, metrics, plan. A new line after a pivot goes on counting versions."""
    goal, about = common["goal"], common["hypotheses"]
    neighbours = own("neighbours", artifacts.fields(desk.tree, 8).get("neighbours", []))
    baselines = await kit.ask(
        desk, "exp-planner/baselines", Baselines, path="baselines", goal=goal, hypotheses=about, neighbours=neighbours
    )
    chosen = own("baselines", baselines)
    data = await kit.ask(
        desk, "exp-planner/datasets", DatasetChoice, path="datasets", goal=goal, hypotheses=about, baselines=chosen
    )
    datasets = own("datasets", list(data.datasets))
    measures = await kit.ask(
        desk, "exp-planner/metrics", MetricChoice, path="metrics", goal=goal, hypotheses=about, datasets=datasets
    )

    def made(design: Design, version: int) -> ExperimentPlan:
        reason = FIRST if version == 1 else NEW_LINE
        return _plan(
            desk, design, version, seed_blocks(desk.settings, design.seeds_a_condition), reason=reason, told=()
        )

    wanted = [b.id for b in baselines.baselines]

    def faults(design: Design) -> list[str]:
        plan = made(design, 1)
        lost = [f"the baseline {b} that was chosen is not in the plan" for b in wanted if plan.condition(b) is None]
        return plan_faults(plan, hypotheses, desk.settings.effort) + lost

    design = await kit.ask(
        desk, "exp-planner/plan", checked(Design, faults), path="plan", baselines=chosen, datasets=datasets,
        metrics=own("metrics", measures), **_numbers(desk), **common,
    )  # fmt: skip
    desk.write(BASELINES, artifacts.as_json(baselines))
    desk.write(SURVEY, artifacts.as_json(data))
    in_force = desk.view.plan_version
    if in_force and sha256(_content(made(design, in_force))) == desk.view.plan_sha256:
        return made(design, in_force), design  # frozen already: by this very stage before a crash, or by an equal line
    return made(design, in_force + 1), design


async def _next(desk: Desk, kit: Kit, hypotheses: Sequence[Hypothesis], common: dict[str, Any],
                before: ExperimentPlan) -> tuple[ExperimentPlan, Design]:  # fmt: skip
    """The version after `before`, or `before` itself when nothing changed."""
    made = _successor(desk, before)
    numbers = {o.number for o in desk.obligations}

    def faults(design: Design) -> list[str]:
        plan = made(design)
        said = plan_faults(plan, hypotheses, desk.settings.effort, before)
        unknown = sorted({a.obligation for a in design.answers} - numbers)
        said += [f"#{number} is no obligation of this step" for number in unknown]
        if plan != before and not design.reason.strip():
            said.append("the plan changed: say in one sentence why (reason), or leave it as it was")
        return said

    design = await kit.ask(
        desk, "exp-planner/replan", checked(Design, faults), path="replan",
        previous=own("previous", before.model_dump(mode="json", exclude={"seed_blocks"})), **_numbers(desk), **common,
    )  # fmt: skip
    return made(design), design


def _successor(desk: Desk, before: ExperimentPlan) -> Callable[[Design], ExperimentPlan]:
    def made(design: Design) -> ExperimentPlan:
        blocks = grown(before.seed_blocks, design.seeds_a_condition, desk.view.blocks_seen)
        same = _plan(desk, design, before.version, blocks, reason=before.reason, told=before.changes)
        told = changes(before, same)
        if not told:
            return before
        return same.model_copy(
            update={"version": before.version + 1, "reason": design.reason.strip(), "changes": tuple(told)}
        )

    return made


def _plan(desk: Desk, design: Design, version: int, blocks: dict[str, tuple[int, ...]], *, reason: str,
          told: tuple[str, ...]) -> ExperimentPlan:  # fmt: skip
    first = artifacts.fields(desk.tree, 1)
    return ExperimentPlan(
        version=version,
        domain=first["domain"],
        question=first["question"],
        seed_blocks=blocks,
        reason=reason,
        changes=told,
        **design.model_dump(
            include={
                "datasets", "metrics", "conditions", "components", "tests", "positive_control", "efficiency",
                "packages", "wall_s_a_job",
            }
        ),
    )  # fmt: skip


def _content(plan: ExperimentPlan) -> str:
    return artifacts.as_yaml(plan.model_dump(mode="json"))


async def _freeze(desk: Desk, plan: ExperimentPlan, content: str) -> None:
    """Freeze by hash; a version that is in force already is not frozen again."""
    digest = sha256(content)
    if (desk.view.plan_version, desk.view.plan_sha256) == (plan.version, digest):
        return
    await desk.record(
        PlanFrozen(at=desk.at, position=desk.position, version=plan.version, sha256=digest, reason=plan.reason)
    )


def _report(desk: Desk, plan: ExperimentPlan, design: Design, audit: Audit, *, unchanged: bool) -> StageReport:
    ablations = sum(c.kind == "ablation" for c in plan.conditions)
    seeds = min(len(block) for block in plan.seed_blocks.values())
    kept = "unchanged" if unchanged else f"frozen: {plan.reason}" if plan.version > 1 else "frozen"
    told = [
        *(f"{change}." for change in plan.changes if not unchanged),
        *(f"#{a.obligation}: {a.change.rstrip('.')}." for a in design.answers),
        f"Design review: {audit.record['verdict']}. {audit.record['summary']}",
        f"A condition has {seeds} seeds at effort {desk.settings.effort}; what so few can show is a limitation.",
    ]
    bare = [c.name for c in plan.components if c.ablation is None]
    if bare:
        told.append(f"Without an ablation, and so not to be credited: {', '.join(bare)}.")
    return StageReport(
        summary=f"plan v{plan.version} {kept}; {len(plan.conditions)} conditions, {ablations} ablations, {seeds} seeds",
        body=" ".join(told),
        fields=_fields(plan, audit, design),
        plan=design.plan.model_dump(mode="json"),
        findings=audit.findings,
        audits=(audit.run,),
    )


def _fields(plan: ExperimentPlan, audit: Audit, design: Design) -> JsonObject:
    whole = plan.model_dump(mode="json")
    return {
        "version": plan.version,
        "reason": plan.reason,
        "changes": list(plan.changes),
        "datasets": whole["datasets"],
        "baselines": [c for c in whole["conditions"] if c["kind"] == "baseline"],
        "metrics": whole["metrics"],
        "plan": whole,
        "answers": [a.model_dump(mode="json") for a in design.answers],
        "design_review": audit.record,
    }
