"""The exp-executor: code (10), schedule (11), the long run (12), refinement (13).

Belongs here: what each of these stages reads, does and leaves. Not here: how code is written, hashed, run
and repaired (`agents/coding/`), judging results (gates).
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from agents.coding import layout, running
from agents.coding.complexity import complexity
from agents.coding.generation import Written, spec_page, write_code
from agents.coding.identity import block_in_force, seen_as
from agents.coding.refining import refine
from agents.coding.repair import Failure
from agents.coding.replies import Order
from agents.errors import StageError
from agents.kit import Kit
from agents.prompting import own
from agents.soundness import checked, repeated, unknown
from cockpit.kernel.exits import Exit
from cockpit.kernel.model import JsonObject, pretty
from cockpit.kernel.plan import ExperimentPlan
from cockpit.kernel.protocols import Desk, StageReport
from cockpit.kernel.stages import EXEC_A

NO_BLOCK_LEFT = "every block of seeds has been looked at before; the last one is used again, so nothing here confirms"


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


def block_for(desk: Desk, plan: ExperimentPlan, scripts: dict[str, str]) -> tuple[str, bool]:
    """The block of seeds that carries claims for this plan and code, and whether it is unseen."""
    tree = desk.tree
    log = tree.read(layout.REFINEMENTS) if tree.exists(layout.REFINEMENTS) else None
    return block_in_force(plan, desk.view.blocks_seen, seen_as(log, plan, scripts))


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


async def resource_planning(desk: Desk, kit: Kit) -> StageReport:
    """Stage 11: schedule.json, the order by a model, everything else by program.

    Time and memory of a job are its ceilings; what does not fit into the time that is left is cut from
    the end of the order, whole seeds at a time, and said.
    """
    plan = layout.read_plan(desk.tree)
    block, fresh = block_for(desk, plan, layout.read_scripts(desk.tree))
    ceiling = desk.settings.sandbox.limits
    ids = [c.id for c in plan.conditions]

    def faults(reply: Order) -> list[str]:
        lost = [f"the condition “{name}” is not in the order" for name in ids if name not in reply.order]
        return [*lost, *unknown("the condition", reply.order, ids), *repeated("the condition", reply.order)]

    resources = {
        "parallel_jobs": desk.settings.sandbox.parallel,
        "wall_s_a_job": plan.wall_s_a_job,
        "memory_mb_a_job": ceiling.memory_mb,
        "seeds": list(plan.seed_blocks[block]),
    }
    reply = await kit.ask(
        desk, "exp-executor/schedule", checked(Order, faults), path="schedule", plan=own("plan", plan),
        resources=own("resources", resources),
    )  # fmt: skip
    pairs = [(name, seed) for seed in plan.seed_blocks[block] for name in reply.order]
    jobs: list[JsonObject] = [
        {
            "condition": name,
            "seed": seed,
            "kind": layout.FOLDERS[next(c.kind for c in plan.conditions if c.id == name)],
            "order": number,
            "wall_s": min(plan.wall_s_a_job, ceiling.wall_s),
            "memory_mb": ceiling.memory_mb,
        }
        for number, (name, seed) in enumerate(pairs, start=1)
    ]
    fitting, cut = _fitting(desk, plan, jobs)
    desk.write(layout.SCHEDULE, pretty({"block": block, "plan_version": plan.version, "jobs": fitting, "cut": cut}))
    summary = f"{len(fitting)} jobs in block {block}" + (
        f", {len(cut)} cut for lack of time" if cut else ", nothing cut"
    )
    return StageReport(
        summary=summary,
        body=reply.reasons,
        fields={
            "block": block,
            "fresh_block": fresh,
            "seeds": list(plan.seed_blocks[block]),
            "order": list(reply.order),
            "risks": list(reply.risks),
            "cut": cut,
            "limitations": [] if fresh else [NO_BLOCK_LEFT],
        },
        unpublishable="" if fitting else "design-too-large",
    )


def _fitting(desk: Desk, plan: ExperimentPlan, jobs: list[JsonObject]) -> tuple[list[JsonObject], list[JsonObject]]:
    """Jobs that fit into the run's time at their ceilings, and those that do not, by whole seeds."""
    wall = seconds(desk.settings.wall)
    if wall is None:
        return jobs, []
    at_once = max(1, desk.settings.sandbox.parallel)
    seeds = list(dict.fromkeys(job["seed"] for job in jobs))
    per_seed = sum(job["wall_s"] for job in jobs if job["seed"] == seeds[0]) / at_once
    count = min(len(seeds), int(wall // per_seed)) if per_seed else len(seeds)
    kept = set(seeds[:count])
    return [j for j in jobs if j["seed"] in kept], [j for j in jobs if j["seed"] not in kept]


def seconds(wall: str | None) -> float | None:
    """`8h`, `30m`, `90s`, `2d` or plain seconds; None when there is no limit.

    Raises:
        ValueError: no duration.
    """
    if wall is None:
        return None
    unit = {"s": 1, "m": 60, "h": 3600, "d": 86400}.get(wall[-1:].lower())
    return float(wall) if unit is None else float(wall[:-1]) * unit


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
