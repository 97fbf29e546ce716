"""Jobs of an experiment as specifications: files, command, limits, names by content.

Belongs here: making a `JobSpec`. Not here: what its result means (`probing.py`, `running.py`).
"""

from __future__ import annotations

from collections.abc import Mapping

from agents.errors import StageError
from cockpit.kernel.exits import Exit
from cockpit.kernel.ids import ConditionId, JobId, Sha256
from cockpit.kernel.model import canonical, sha256
from cockpit.kernel.plan import Condition, ExperimentPlan
from cockpit.kernel.protocols import Desk
from cockpit.kernel.results import JobKind, JobLimits, JobResult, JobSpec

# what says nothing about the experiment: such a job is run again on resume, its code is not repaired
NOT_THE_CODE = ("could-not-start", "sandbox-dead", "cancelled", "killed")


def trouble(result: JobResult) -> StageError | None:
    """The sandbox's own failure, which no change of code can mend; None when the job was really run."""
    if result.receipt.reason not in NOT_THE_CODE:
        return None
    said = next((line for line in reversed(result.tail) if line.strip()), "no word from it")
    return StageError(
        f"job {result.receipt.job}: {result.receipt.reason}", Exit.SANDBOX, where=said,
        hint="`cockpit doctor` looks at the sandbox; `cockpit resume` goes on from here.",
    )  # fmt: skip


def blobs(desk: Desk, scripts: Mapping[str, str]) -> dict[str, Sha256]:
    """All of scripts/ as a job's input files."""
    return {path: desk.put_blob(text.encode()) for path, text in sorted(scripts.items())}


def limits(desk: Desk, plan: ExperimentPlan) -> JobLimits:
    """The run's ceilings, with the plan's time for one job."""
    ceiling = desk.settings.sandbox.limits
    return ceiling.model_copy(update={"wall_s": min(plan.wall_s_a_job, ceiling.wall_s)})


def spec(
    desk: Desk,
    plan: ExperimentPlan,
    files: Mapping[str, Sha256],
    command: tuple[str, ...],
    *,
    name: str,
    kind: JobKind,
    condition: Condition | None = None,
    seed: int | None = None,
    identity: Sha256 | None = None,
    outputs: tuple[str, ...] = ("results.json",),
) -> JobSpec:
    """One job. Its id is `name` and a digest of everything it is made of, so equal ids mean equal jobs."""
    ceiling = limits(desk, plan)
    made_of = [dict(files), command, identity, ceiling.model_dump(), outputs]
    return JobSpec(
        id=JobId(f"{name}.{sha256(canonical(made_of))[:8]}"),
        kind=kind,
        condition=ConditionId(condition.id) if condition else None,
        seed=seed,
        condition_hash=identity,
        command=command,
        files=dict(files),
        outputs=outputs,
        limits=ceiling,
    )
