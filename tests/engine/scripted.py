"""A run with scripted agents, gates and sandbox: the engine's own story, without models.

Also a program (`python -m tests.engine.scripted RUN_FOLDER ASKED_LOG`) for tests that kill it.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from cockpit.journal.places import RunFolder, make_run
from cockpit.kernel import events as e
from cockpit.kernel.findings import AuditRun, Finding, GateVerdict, Obligation, ObligationPart, Span
from cockpit.kernel.ids import CallPath, Fingerprint, Instant, JobId, Part, Position, RunId, Sha256
from cockpit.kernel.model import canonical, sha256
from cockpit.kernel.protocols import Audited, Clock, Desk, JobWatch, Route, StageReport, Tree
from cockpit.kernel.results import JobReceipt, JobResult, JobSpec, Usage
from cockpit.kernel.reviews import Family, Review, Score, Verification
from cockpit.kernel.settings import Settings
from cockpit.kernel.view import RunView
from cockpit.launch import Flight, NoFace, Rooms, lay_out, new_secret

AT = Instant("2026-11-30T18:00:00Z")
CALLS_A_STAGE = 3


class ScriptedWorkers:
    """Every stage asks three questions and writes what it owns; `asked` logs each question that was really put."""

    def __init__(self, log: Path | None = None, clock: Clock | None = None) -> None:
        self.log, self.clock = log, clock
        self.asked: list[str] = []

    async def work(self, desk: Desk) -> StageReport:
        answers = [await self._ask(desk, f"{desk.part}/question-{n}") for n in range(CALLS_A_STAGE)]
        if desk.stage.number == 12:
            await self._experiment(desk)
        seen = [o.number for o in desk.obligations]
        for path in desk.stage.owns:
            name = path + "part.md" if path.endswith("/") else path
            desk.write(name, f"{desk.stage.name} round {desk.position.round} {desk.part}\n{answers}\n{seen}\n")
        if desk.stage.number == 22:
            desk.write("final/STATUS", desk.view.rounds[-1].outcome + "\n")
        if desk.stage.number == 19 and desk.part == "mended":
            desk.write(desk.stage.revises[1], f"revised in round {desk.position.round}\n")
        findings = (missing_ablation(),) if desk.stage.number == 18 and desk.position.round == 1 else ()
        return StageReport(summary=f"{len(answers)} answers", body="As scripted.", findings=findings)

    async def brief(self, desk: Desk, verdict: GateVerdict, route: Route) -> StageReport:
        answer = await self._ask(desk, "brief")
        desk.write("08_paper_review/artifacts/revision_brief.json", f'{{"entry": "{route.entry}", "why": "{answer}"}}')
        return StageReport(summary="brief", fields={"brief": answer})

    async def _experiment(self, desk: Desk) -> None:
        source = desk.put_blob(b"print('scripted')")
        jobs = [JobSpec(id=JobId(f"c{n}.{desk.position.round}"), kind="main", command=("python", "run.py"),
                        files={"run.py": source}, seed=n) for n in range(4)]  # fmt: skip
        for job, result in zip(jobs, await desk.run_jobs(jobs, block="round-1"), strict=True):
            assert result.ok
            content = desk.job_output(job, "results.json")
            desk.write(f"04_experiment_execution/artifacts/raw_results/main/{job.id}.json", content)

    async def _ask(self, desk: Desk, path: str) -> str:
        call = CallPath(path)
        prompt = Sha256(sha256(f"{desk.position} {path}"))
        if (found := desk.recall(call)) is not None:
            assert isinstance(found[0], e.CallReplied)
            assert found[0].prompt_sha256 == prompt
            return str(found[1]["reply"])
        attempt = desk.attempts(call) + 1
        await desk.record(e.CallIntended(
            at=AT, position=desk.position, path=call, attempt=attempt, role="executor", model="scripted",
            purpose="test", prompt_sha256=prompt, reserved_usd=0.01))  # fmt: skip
        self._log(f"{desk.position} {path}")
        await asyncio.sleep(0)
        reply = sha256(f"{desk.position.stage}/{desk.position.round}/{path}")[:12]
        body = await desk.keep({"reply": reply, "path": path, "at": str(desk.position)})
        await desk.record(e.CallReplied(
            at=AT, position=desk.position, path=call, attempt=attempt, role="executor", purpose="test",
            prompt_sha256=prompt, body=body, asked_model="scripted", reported_model="scripted",
            family=Family(families=("scripted",), grade="rehearsal"), response_id=f"id-{path}", tokens_in=10,
            tokens_out=5, usage_source="provider", cost_usd=0.001, finish="stop", took_s=0.0))  # fmt: skip
        return reply

    def _log(self, line: str) -> None:
        self.asked.append(line)
        if self.log is not None:
            with self.log.open("a") as file:
                file.write(line + "\n")

    async def close(self) -> None:
        return


def missing_ablation() -> Finding:
    return Finding(auditor="review:one", pattern="experiment-missing", severity="major", title="no ablation of λ",
                   spans=(Span(file="06_paper_writing/artifacts/paper.tex", line=1, text="λ"),), owner=9,
                   deterministic=False)  # fmt: skip


class ScriptedJudge:
    """Accepts every contract; one obligation in round 1, closed in round 2; two rounds."""

    def unmet(self, stage: int, tree: Tree, view: RunView) -> tuple[str, ...]:
        return ()

    def audit(self, stage: int, part: Part, tree: Tree, view: RunView) -> Audited:
        if stage not in (17, 19):
            return Audited()
        text = tree.read("06_paper_writing/artifacts/paper.tex")
        run = AuditRun(auditor="numbers", version="1", verdict="PASS", inputs={"paper.tex": sha256(text)})
        return Audited(runs=(run,), files={"07_data_verification/artifacts/number_map.json": "{}\n"})

    def intake(self, view: RunView, position: Position, at: Instant, findings: Sequence[Finding],
               auditors: Sequence[str]) -> tuple[e.LedgerEvent, ...]:  # fmt: skip
        opened = []
        for number, finding in enumerate(findings, len(view.ledger.obligations) + 1):
            name = Fingerprint(sha256(canonical(finding))[:16])
            obligation = Obligation(number=number, fingerprint=name, finding=finding, opened=position,
                                    parts=(ObligationPart(text=finding.title),), last_seen=position)  # fmt: skip
            opened.append(e.ObligationOpened(at=at, position=position, obligation=obligation))
        return tuple(opened)

    def settle(self, view: RunView, position: Position, at: Instant, tree: Tree,
               verifications: Sequence[Verification] = ()) -> tuple[e.LedgerEvent, ...]:  # fmt: skip
        if position.round == 1 or position.stage != 17:
            return ()
        return tuple(e.PartClosed(at=at, position=position, fingerprint=o.fingerprint, part=0, fix="experiment-added",
                                  closer="program", evidence=()) for o in view.ledger.open)  # fmt: skip

    def score(self, view: RunView, reviews: Sequence[Review]) -> Score:
        return Score(value=0.35 if view.round == 1 else 0.55)

    def decide(self, tree: Tree, view: RunView, score: Score | None) -> GateVerdict:
        return GateVerdict(outcome="WARN" if view.ledger.open else "NO_NEW_BLOCKER", majors=view.ledger.majors)

    def route(self, view: RunView, verdict: GateVerdict, score: Score | None) -> Route:
        if view.round == 1:
            return Route(entry=9, why="score 0.35 < 0.50")
        return Route(entry=None, outcome="accepted", export_round=2, why="score 0.55")


class ScriptedSandbox:
    """Every job leaves one result file; folders as the real backends have them."""

    name, isolated = "scripted", True

    def __init__(self) -> None:
        self.ran: list[str] = []

    def describe(self) -> str:
        return "scripted"

    async def run(self, spec: JobSpec, folder: Path, blobs: Callable[[Sha256], bytes], watch: JobWatch, *,
                  block: str = "", handle: str | None = None) -> JobResult:  # fmt: skip
        if handle is None:
            await watch.started(f"scripted:{spec.id}")
        self.ran.append(spec.id)
        result = f'{{"job": "{spec.id}", "value": {spec.seed}}}'.encode()
        (folder / "work").mkdir(exist_ok=True)
        (folder / "work" / "results.json").write_bytes(result)
        receipt = JobReceipt(job=spec.id, kind=spec.kind, seed=spec.seed, block=block, backend="scripted",
                             isolated=True, image="none", command=spec.command, inputs=spec.files,
                             outputs={"results.json": Sha256(sha256(result))}, reason="finished", exit_code=0,
                             started_at=AT, ended_at=AT, usage=Usage(wall_s=0.1))  # fmt: skip
        return JobResult(receipt=receipt)

    async def hold(self) -> None:
        return

    async def release(self) -> None:
        return

    async def reap(self, handles: Mapping[str, str]) -> tuple[str, ...]:
        return ()

    async def close(self) -> None:
        return


def new_run(runs: Path, **settings: object) -> RunFolder:
    """A run folder with journal and first commit."""
    resolved = Settings.model_validate({"mode": "full-auto", "auto": True, **settings})
    created = e.RunCreated(at=AT, run=RunId("scripted"), secret=new_secret(), idea_sha256=Sha256(sha256("idea")),
                           title="A scripted idea", settings=resolved, assurance_cap="draft", sandbox="scripted",
                           version="test")  # fmt: skip
    return make_run(
        runs, "scripted", AT, lambda folder: lay_out(folder, b"# A scripted idea\n", created, "auto: true\n")
    )


def flight(folder: RunFolder, workers: ScriptedWorkers | None = None, *, face: object = None, present: bool = False,
           judge: object = None, sandbox: ScriptedSandbox | None = None) -> Flight:  # fmt: skip
    """A flight of that run with scripted rooms, not yet started."""
    workers = workers or ScriptedWorkers()
    rooms = Rooms(lambda settings, clock: workers, lambda: judge or ScriptedJudge(),  # type: ignore[return-value, arg-type]  # doubles
                  lambda settings, jobs: sandbox or ScriptedSandbox())  # fmt: skip
    return Flight(folder, rooms, face or NoFace(), present=present)  # type: ignore[arg-type]  # doubles


def main() -> int:
    """Fly the run in argv[1], logging questions to argv[2]."""
    flying = flight(RunFolder(Path(sys.argv[1])), ScriptedWorkers(Path(sys.argv[2]))).start()
    flying.join()
    if flying.error is not None:
        raise flying.error
    return flying.exit_code or 0


if __name__ == "__main__":
    sys.exit(main())
