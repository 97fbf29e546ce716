"""A desk whose jobs are real processes and whose models are the rehearsal ones, for tests of stages 10 to 16."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from memory_desk import AT, MemoryDesk, Store, TestClock

from agents.calls import CallRequest, Served
from agents.coding.layout import PLAN
from agents.kit import Kit
from agents.literature.shelves import Literature
from agents.rehearsal.brain import answer
from agents.rehearsal.studies import STUDIES
from agents.rosters import load
from cockpit.kernel.events import CallReplied, JobFinished, JobStarted
from cockpit.kernel.ids import Instant, Sha256
from cockpit.kernel.levels import Effort
from cockpit.kernel.model import canonical, pretty, sha256
from cockpit.kernel.plan import ExperimentPlan
from cockpit.kernel.protocols import Desk
from cockpit.kernel.results import JobReceipt, JobResult, JobSpec, Usage
from cockpit.kernel.reviews import Family
from cockpit.kernel.settings import Fault, RehearsalSettings, Settings
from cockpit.kernel.stages import IDEA_A, LIT_A, PLAN_A

FAMILY = Family(families=("rehearsal-a",), grade="rehearsal")


@dataclass
class ExecutorDesk(MemoryDesk):
    """A memory desk that runs jobs as processes in temporary folders."""

    blobs: dict[str, bytes] = field(default_factory=dict)
    outputs: dict[str, dict[str, bytes]] = field(default_factory=dict)
    ran: list[str] = field(default_factory=list)

    def put_blob(self, content: bytes) -> Sha256:
        digest = Sha256(sha256(content))
        self.blobs[digest] = content
        return digest

    def job_output(self, job: JobSpec, path: str) -> bytes:
        if path not in self.outputs.get(job.id, {}):
            raise FileNotFoundError(path)
        return self.outputs[job.id][path]

    async def run_jobs(self, jobs: Sequence[JobSpec], *, block: str = "") -> list[JobResult]:
        return [await self._run(job, block) for job in jobs]

    async def _run(self, job: JobSpec, block: str) -> JobResult:
        for event in self.store.events:
            if isinstance(event, JobFinished) and event.job == job.id:
                return JobResult(receipt=event.receipt, tail=event.tail, signature=event.signature)
        self.ran.append(job.id)
        await self.record(JobStarted(at=AT, position=self.position, job=job, block=block, handle="1"))
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            for path, digest in job.files.items():
                target = folder / path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(self.blobs[digest])
            ended = _process(job, name)
            found = {p: (folder / p).read_bytes() for p in job.outputs if (folder / p).is_file()}
        self.outputs[job.id] = found
        receipt = JobReceipt(
            job=job.id, kind=job.kind, condition=job.condition, seed=job.seed, block=block,
            condition_hash=job.condition_hash, backend="fake", isolated=False, image="here", command=job.command,
            inputs=job.files, outputs={p: Sha256(sha256(c)) for p, c in found.items()},
            reason="failed" if ended.returncode else "finished", exit_code=ended.returncode,
            started_at=Instant(AT), ended_at=Instant(AT), usage=Usage(wall_s=0),
        )  # fmt: skip
        tail = tuple((ended.stdout + ended.stderr).splitlines()[-40:])
        await self.record(JobFinished(at=AT, position=self.position, job=job.id, receipt=receipt, tail=tail))
        return JobResult(receipt=receipt, tail=tail)


def _process(job: JobSpec, folder: str) -> subprocess.CompletedProcess[str]:
    environment = {**job.environment, "COCKPIT_WORKSPACE": folder, "PATH": os.environ["PATH"]}
    return subprocess.run(
        [sys.executable, *job.command[1:]], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


@dataclass
class RehearsalDoor:
    """The rehearsal models without a wire. `replies`: step → texts that are given before theirs."""

    settings: Settings
    replies: dict[str, list[str]] = field(default_factory=dict)
    asked: list[CallRequest] = field(default_factory=list)

    async def ask(self, desk: Desk, request: CallRequest) -> Served:
        self.asked.append(request)
        queue = self.replies.get(request.purpose)
        text = queue.pop(0) if queue else answer(request.messages, "rehearsal/a", self.settings.rehearsal)
        prompt = sha256(canonical(request.messages))
        replied = CallReplied(
            at=AT, position=desk.position, path=request.path, attempt=1, role=request.role, purpose=request.purpose,
            prompt_sha256=Sha256(prompt), body=await desk.keep({"text": text}), asked_model="rehearsal/a",
            reported_model="rehearsal/a", family=FAMILY, response_id="r", tokens_in=1, tokens_out=1,
            usage_source="estimate", cost_usd=0, finish="stop", took_s=0,
        )  # fmt: skip
        return Served(replied, await desk.record(replied), text)

    async def close(self) -> None:
        pass

    def steps(self) -> list[str]:
        """Purposes in the order they were asked."""
        return [request.purpose for request in self.asked]


@dataclass
class Flight:
    """One study on its way through stages: files, journal and models are shared by its desks."""

    settings: Settings
    files: dict[str, bytes] = field(default_factory=dict)
    store: Store = field(default_factory=Store)
    door: RehearsalDoor = field(init=False)
    kit: Kit = field(init=False)
    blobs: dict[str, bytes] = field(default_factory=dict)
    outputs: dict[str, dict[str, bytes]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.door = RehearsalDoor(self.settings)
        self.kit = Kit(self.door, Literature(), self.settings, load(), TestClock())

    def desk(self, stage: int, *, round: int = 1, revising: bool = False, **more: Any) -> ExecutorDesk:
        return ExecutorDesk(
            self.settings, stage, self.store, self.files, revising, round=round, blobs=self.blobs,
            outputs=self.outputs, **more,
        )  # fmt: skip

    def plan(self) -> ExperimentPlan:
        return ExperimentPlan.model_validate(yaml.safe_load(self.files[PLAN]))

    def put_plan(self, plan: ExperimentPlan) -> None:
        self.files[PLAN] = yaml.safe_dump(plan.model_dump(mode="json"), sort_keys=False).encode()


def flight(
    study: str = "micro", *faults: Fault, seed: int = 0, effort: Effort = "balanced", wall: str | None = None
) -> Flight:
    """A run of `study` that has a plan, hypotheses and two cards, and stands before stage 10."""
    rehearsal = RehearsalSettings(on=True, study=study, seed=seed, faults=faults)
    made = Flight(Settings(effort=effort, rehearsal=rehearsal, wall=wall))
    facts = STUDIES[study]
    made.put_plan(facts.design(1, effort, missing="missing-ablation" in faults, seed=seed))
    hypotheses = [h.model_dump(mode="json") for h in facts.hypotheses]
    made.files[f"{PLAN_A}/hypotheses.json"] = pretty({"hypotheses": hypotheses}["hypotheses"]).encode()
    made.files[f"{IDEA_A}/goal.md"] = f"# Goal\n\n{facts.question}\n".encode()
    made.files[f"{LIT_A}/synthesis.md"] = b"# Synthesis\n\nTwo clusters, two gaps.\n"
    for key in ("one2001first", "two2002second"):
        card = f"---\nkey: {key}\ntitle: A paper\nyear: 2001\nclaim: It shrinks.\nquotes: [it shrinks]\n---\nText.\n"
        made.files[f"{LIT_A}/cards/{key}.md"] = card.encode()
    return made
