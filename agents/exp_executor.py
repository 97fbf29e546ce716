"""The exp-executor: code (10), schedule (11), the long run (12), refinement (13).

Belongs here: what each of these stages reads, does and leaves. Not here: how code is written, hashed, run
and repaired (`agents/coding/`), judging results (gates).
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from agents.coding import layout, running
from agents.coding.complexity import Complexity, complexity
from agents.coding.generation import Written, spec_page, write_code
from agents.coding.refining import refine
from agents.coding.repair import Failure
from agents.coding.scheduling import block_for, resource_planning
from agents.errors import StageError
from agents.kit import Kit
from cockpit.kernel.exits import Exit
from cockpit.kernel.plan import ExperimentPlan
from cockpit.kernel.protocols import Desk, StageReport
from cockpit.kernel.stages import EXEC_A


async def work(desk: Desk, kit: Kit) -> StageReport:
    """Do the stage of `desk`."""
    match desk.stage.number:
        case 10:
            return await code_generation(desk, kit)
        case 11:
            return await resource_planning(desk, kit)
        case 12:
            return await experiment_run(desk)
        case 13:
            return await refine(desk, kit)
        case other:
            raise ValueError(f"the exp-executor has no stage {other}")


async def code_generation(desk: Desk, kit: Kit) -> StageReport:
    """Stage 10: scripts/, requirements.txt, spec.md.

    Raises:
        StageError: the code still fails after its repairs, for no reason that makes the idea unpublishable.
    """
    plan = layout.read_plan(desk.tree)
    before = layout.read_scripts(desk.tree) if desk.revising else {}
    hard = complexity(plan, sum(desk.view.repairs.values()))
    block, _ = block_for(desk, plan, before)
    written = await write_code(desk, kit, plan, hard, block, before)
    block, fresh = block_for(desk, plan, written.scripts)
    _leave_code(desk, plan, block, written, before)
    desk.write(layout.SPEC, spec_page(plan, hard, written, block))
    unpublishable = _unpublishable(written.failures, plan)
    if written.failures and not unpublishable:
        first = written.failures[0]
        raise StageError(
            f"the experiment's code still fails after {len(written.repairs.made)} repairs: {first.signature}",
            where="\n".join(first.trace[-3:]),
            hint="Change the idea or the plan, or give the executor another model, and resume.",
            exit_code=Exit.BLOCKED,
        )
    return _code_report(plan, hard, written, block, fresh=fresh, unpublishable=unpublishable)


def _code_report(plan: ExperimentPlan, hard: Complexity, written: Written, block: str, *, fresh: bool,
                 unpublishable: str) -> StageReport:  # fmt: skip
    repairs = len(written.repairs.made)
    summary = f"{len(written.scripts)} files for {len(plan.conditions)} conditions, all probed"
    if repairs:
        summary += f"; {repairs} {'repair' if repairs == 1 else 'repairs'}: {written.repairs.made[0]['signature']}"
    return StageReport(
        summary=summary if not unpublishable else f"the code cannot run here: {written.failures[0].signature}",
        body=_about(written, hard.route),
        fields={
            "complexity": hard.value,
            "complexity_parts": hard.parts,
            "route": hard.route,
            "block": block,
            "fresh_block": fresh,
            "files": sorted(written.scripts),
            "repairs": written.repairs.made,
            "open_failures": [f.signature for f in written.failures],
        },
        unpublishable=unpublishable,
    )


def _leave_code(desk: Desk, plan: ExperimentPlan, block: str, written: Written, before: Iterable[str]) -> None:
    files = {**written.scripts, **layout.program_files(plan, block)}
    for path, text in sorted(files.items()):
        desk.write(f"{EXEC_A}/{path}", text)
    for path in sorted(set(before) - set(files)):
        desk.remove(f"{EXEC_A}/{path}")
    desk.write(layout.REQUIREMENTS, layout.requirements(plan))


def _about(written: Written, route: str) -> str:
    repairs = [
        f"{made['signature']} (attempt {made['attempt']}, {made['strategy']}): {', '.join(made['files'])}."
        for made in written.repairs.made
    ]
    return " ".join([f"The code was written {route.replace('-', ' ')}.", *repairs])


def _unpublishable(failures: tuple[Failure, ...], plan: ExperimentPlan) -> str:
    """Why no code for this plan can run here, when that is the reason."""
    signs = " ".join(f.signature for f in failures)
    if "ModuleNotFoundError" in signs or "ImportError" in signs:
        return "dependency-missing"
    if "FileNotFoundError" in signs and any(d.source != "synthetic" for d in plan.datasets):
        return "dataset-unavailable"
    return ""


async def experiment_run(desk: Desk) -> StageReport:
    """Stage 12: raw_results/, logs/, current_results.json. A failure is named here and repaired at 13."""
    plan, schedule = layout.read_plan(desk.tree), json.loads(desk.tree.read(layout.SCHEDULE))
    scripts = layout.read_scripts(desk.tree)
    jobs = sorted(schedule["jobs"], key=lambda job: job["order"])
    wanted = running.planned(desk, plan, scripts, [(job["condition"], job["seed"]) for job in jobs])
    ran = await running.run(desk, plan, schedule["block"], wanted)
    running.put(desk, ran)
    failed = [{"signature": f.signature, "conditions": list(f.conditions)} for f in ran.failures]
    return StageReport(
        summary=running.told(ran),
        body="" if not failed else "Failed jobs have a signature and are repaired and rerun in stage 13.",
        fields={
            "block": schedule["block"],
            "plan_version": plan.version,
            "planned": ran.planned,
            "finished": len(ran.current.results),
            "kept": ran.kept,
            "failed": failed,
        },
    )
