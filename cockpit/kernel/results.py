"""Jobs and what they measured: specification, result, receipt, result rows, the current results.

Belongs here: the contract between experiment code, sandbox, registry and gates. Not here: running
(sandbox), aggregating (gates/registry).
"""

from __future__ import annotations

from typing import Literal

from cockpit.kernel.ids import ConditionId, Instant, JobId, Sha256
from cockpit.kernel.model import Model

JobKind = Literal["main", "ablation", "efficiency", "control", "smoke", "probe", "tool", "tex"]
EndReason = Literal["finished", "failed", "timed-out", "out-of-memory", "killed", "cancelled",
                    "could-not-start", "sandbox-dead"]  # fmt: skip
Direction = Literal["lower", "higher", "none"]
SeedBlock = str  # "exploration" or "round-2"

# environment that a job gets (no secrets, nothing else that is ours)
WORKSPACE_ENV, SEED_ENV, BUDGET_ENV, CHECKPOINTS_ENV = (
    "COCKPIT_WORKSPACE", "COCKPIT_SEED", "COCKPIT_BUDGET_S", "COCKPIT_CHECKPOINTS")  # fmt: skip


class JobLimits(Model):
    """Ceilings of one job. Memory, disk and output in MiB; wall in seconds."""

    wall_s: float = 600
    memory_mb: int = 1024
    processes: int = 64
    disk_mb: int = 256
    output_mb: int = 16
    cpus: float = 1.0


class JobSpec(Model):
    """What to run. `files`: path in the job's folder → sha256 of a blob the caller puts there.

    The job starts in its own folder, with the files at their paths, writes only there (and /tmp),
    and leaves its results in `results.json` (contract: `ResultFile`) or in `outputs` (globs).
    `command[0] == "python"` is replaced by the backend's interpreter.
    """

    id: JobId
    kind: JobKind
    condition: ConditionId | None = None
    seed: int | None = None
    condition_hash: Sha256 | None = None
    command: tuple[str, ...]
    files: dict[str, Sha256] = {}
    outputs: tuple[str, ...] = ("results.json",)
    limits: JobLimits = JobLimits()
    needs: Literal["python", "tex"] = "python"
    environment: dict[str, str] = {}


class Usage(Model):
    """What a job took, by sampling; -1 = not measured. CPU in seconds, memory in MiB."""

    wall_s: float
    cpu_s: float = -1
    peak_memory_mb: float = -1


class JobReceipt(Model):
    """The sandbox's word that these bytes came out of this job; the registry admits nothing else."""

    job: JobId
    kind: JobKind
    condition: ConditionId | None = None
    seed: int | None = None
    block: SeedBlock = ""
    condition_hash: Sha256 | None = None
    backend: str  # docker, bubblewrap, process (unisolated), fake
    isolated: bool
    image: str  # image digest, or interpreter and version
    command: tuple[str, ...]
    inputs: dict[str, Sha256] = {}
    outputs: dict[str, Sha256] = {}
    reason: EndReason
    exit_code: int | None
    started_at: Instant
    ended_at: Instant
    started_s: float = 0  # monotonic-ish wall seconds since the epoch, for the union of intervals
    ended_s: float = 0
    usage: Usage


class JobResult(Model):
    """How a job ended. `tail` = last lines of its output; the whole log is at `log` in its folder."""

    receipt: JobReceipt
    tail: tuple[str, ...] = ()
    log: str = "log"
    signature: str = ""  # of a failure: class, own frame, what; by the backend

    @property
    def ok(self) -> bool:
        return self.receipt.reason == "finished" and self.receipt.exit_code == 0


class ResultRow(Model):
    """One measured value of one job; `value` None = the job said NaN or infinity."""

    condition: ConditionId
    split: str = "test"
    seed: int
    metric: str
    value: float | None
    unit: str = ""
    direction: Direction = "lower"


class ResultFile(Model):
    """`results.json`, as an experiment writes it. Holds no clock; raw outputs may stand beside it."""

    contract: Literal["cockpit.results/1"] = "cockpit.results/1"
    rows: tuple[ResultRow, ...]


class CurrentResult(Model):
    """One result file that counts now."""

    condition: ConditionId
    kind: JobKind
    seed: int
    block: SeedBlock
    condition_hash: Sha256
    file: str  # run-relative: 04_experiment_execution/artifacts/raw_results/main/ridge-n20/seed-101.json
    sha256: Sha256
    job: JobId


class FailedResult(Model):
    """A planned job that did not finish, and its failure signature."""

    condition: ConditionId
    seed: int
    job: JobId
    reason: EndReason
    signature: str


class CurrentResults(Model):
    """`current_results.json`: the one resolver of which results count, per condition and seed."""

    plan_version: int
    block: SeedBlock  # the confirmatory block that carries claims now
    results: tuple[CurrentResult, ...] = ()
    failed: tuple[FailedResult, ...] = ()
