"""Stage 11: in which order jobs run, within which limits, and what does not fit.

Belongs here: the schedule and the block of seeds it is for. Not here: running it (`running.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from agents.coding import layout
from agents.coding.identity import block_in_force, seen_as
from agents.coding.replies import Order
from agents.kit import Kit
from agents.prompting import own
from agents.soundness import checked, repeated, unknown
from cockpit.kernel.ids import ConditionId
from cockpit.kernel.model import JsonObject, pretty
from cockpit.kernel.plan import ExperimentPlan
from cockpit.kernel.protocols import Desk, StageReport

NO_BLOCK_LEFT = "every block of seeds has been looked at before; the last one is used again, so nothing here confirms"


def block_for(desk: Desk, plan: ExperimentPlan, scripts: Mapping[str, str]) -> tuple[str, bool]:
    """The block of seeds that carries claims for this plan and code, and whether it is unseen."""
    tree = desk.tree
    log = tree.read(layout.REFINEMENTS) if tree.exists(layout.REFINEMENTS) else None
    return block_in_force(plan, desk.view.blocks_seen, seen_as(log, plan, scripts))


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
    fitting, cut = _fitting(desk, _jobs(desk, plan, block, reply.order))
    desk.write(layout.SCHEDULE, pretty({"block": block, "plan_version": plan.version, "jobs": fitting, "cut": cut}))
    summary = f"{len(fitting)} jobs in block {block}" + (
        f", {len(cut)} cut for lack of time" if cut else ", nothing cut"
    )
    fields = {
        "block": block,
        "fresh_block": fresh,
        "seeds": list(plan.seed_blocks[block]),
        "order": list(reply.order),
        "risks": list(reply.risks),
        "cut": cut,
        "limitations": [] if fresh else [NO_BLOCK_LEFT],
    }
    unpublishable = "" if fitting else "design-too-large"
    return StageReport(summary=summary, body=reply.reasons, fields=fields, unpublishable=unpublishable)


def _jobs(desk: Desk, plan: ExperimentPlan, block: str, order: Sequence[str]) -> list[JsonObject]:
    """Every condition at every seed, seed by seed, with the ceilings of a job."""
    ceiling = desk.settings.sandbox.limits
    kinds = {c.id: layout.FOLDERS[c.kind] for c in plan.conditions}
    pairs = [(ConditionId(name), seed) for seed in plan.seed_blocks[block] for name in order]
    return [
        {
            "condition": name,
            "seed": seed,
            "kind": kinds[name],
            "order": number,
            "wall_s": min(plan.wall_s_a_job, ceiling.wall_s),
            "memory_mb": ceiling.memory_mb,
        }
        for number, (name, seed) in enumerate(pairs, start=1)
    ]


def _fitting(desk: Desk, jobs: list[JsonObject]) -> tuple[list[JsonObject], list[JsonObject]]:
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
