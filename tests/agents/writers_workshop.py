"""A run as the writers find it: a study's plan, results, cards and records in memory, and rehearsal models.

Not a test. `workshop(…)` gives the files; `Room` plays stages on them, one desk after the other, as the
engine would, with the gates where they belong.
"""

from __future__ import annotations

import json
import random
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import yaml
from memory_desk import AT, MemoryDesk, TestClock

from agents import data_verifier, paper_reviewer, paper_writer, typesetting
from agents.calls import CallRequest, Served
from agents.kit import Kit
from agents.literature.shelves import Literature
from agents.rehearsal.brain import answer
from agents.rehearsal.studies import STUDIES, Study
from agents.rosters import load
from cockpit.engine.desk import obligations_of
from cockpit.kernel.events import (
    AnyEvent,
    AuditRan,
    CallIntended,
    CallReplied,
    EffectRecorded,
    JobFinished,
    JobStarted,
    PlanFrozen,
    ReviewReceived,
)
from cockpit.kernel.findings import Finding
from cockpit.kernel.fold import fold
from cockpit.kernel.ids import CallPath, JobId, Position, Seq, Sha256
from cockpit.kernel.model import JsonObject, canonical, pretty, sha256
from cockpit.kernel.papers import PaperRecord, ShortlistEntry
from cockpit.kernel.plan import Claim, Condition, ExperimentPlan, Outline, SectionPlan, TablePlan
from cockpit.kernel.protocols import Desk, StageReport
from cockpit.kernel.results import (
    CurrentResult,
    CurrentResults,
    JobReceipt,
    JobResult,
    JobSpec,
    ResultFile,
    ResultRow,
    Usage,
)
from cockpit.kernel.settings import Fault, ModelRole, RehearsalSettings, Settings
from cockpit.kernel.stages import ANA_A, BY_NUMBER, EXEC_A, LIT_A, PLAN_A, WRITE_A
from cockpit.kernel.view import RunView
from gates.families import model_family
from gates.judge import Gates

EXAMPLES = Path(__file__).parents[2] / "examples" / "libraries"
SECTIONS = ("abstract", "introduction", "related_work", "method", "experiments", "limitations", "conclusion")
FOLDERS = {"main": "main", "baseline": "main", "ablation": "ablation", "control": "control"}


class RehearsalDoor:
    """The way to rehearsal models without a client library; calls are journalled on the desk."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.asked: list[CallRequest] = []

    async def ask(self, desk: Desk, request: CallRequest) -> Served:
        self.asked.append(request)
        model = "rehearsal/b" if request.role.startswith("reviewer") else "rehearsal/a"
        text = answer([dict(m) for m in request.messages], model, self.settings.rehearsal)
        body = await desk.keep({"reply": {"text": text}})
        prompt = Sha256(sha256(canonical(request.messages)))
        common: dict[str, Any] = {"at": AT, "position": desk.position, "path": request.path, "attempt": 1}
        await desk.record(CallIntended(role=request.role, model=model, purpose=request.purpose, prompt_sha256=prompt,
                                       reserved_usd=0, **common))  # fmt: skip
        call = CallReplied(role=request.role, purpose=request.purpose, prompt_sha256=prompt, body=body,
                           asked_model=model, reported_model=model, family=model_family(model), response_id="x",
                           tokens_in=1, tokens_out=1, usage_source="estimate", cost_usd=0, finish="stop", took_s=0,
                           **common)  # fmt: skip
        return Served(call, await desk.record(call), text)

    async def close(self) -> None: ...


@dataclass
class PaperDesk(MemoryDesk):
    """A desk that can typeset: TeX jobs run here, in a folder of their own."""

    folder: Path | None = None
    blobs: dict[str, bytes] = field(default_factory=dict)
    typeset: list[JobSpec] = field(default_factory=list)

    def put_blob(self, content: bytes) -> Sha256:
        digest = Sha256(sha256(content))
        self.blobs[digest] = content
        return digest

    async def run_jobs(self, jobs: Sequence[JobSpec], *, block: str = "") -> list[JobResult]:
        return [self._typeset(job) for job in jobs]

    def _typeset(self, job: JobSpec) -> JobResult:
        assert self.folder is not None
        self.typeset.append(job)
        work = self.folder / job.id
        for path, digest in job.files.items():
            (work / path).parent.mkdir(parents=True, exist_ok=True)
            (work / path).write_bytes(self.blobs[digest])
        run = subprocess.run(job.command, cwd=work, env={"PATH": "/usr/bin:/bin", **job.environment},
                             capture_output=True, text=True, timeout=120, check=False)  # fmt: skip
        return JobResult(receipt=receipt(job.id, "tex", "paper", 0, {}, code=run.returncode), tail=("",))

    def job_output(self, job: JobSpec, path: str) -> bytes:
        assert self.folder is not None
        return (self.folder / job.id / path).read_bytes()

    def recall(self, path: CallPath) -> tuple[AnyEvent, JsonObject] | None:
        here = [e for e in self.store.events if getattr(e, "position", None) == self.position]
        found = next((e for e in here if isinstance(e, CallReplied | EffectRecorded) and e.path == path), None)
        return None if found is None else (found, self.store.bodies[found.body])

    async def once(self, path: str, request: Any, do: Any, *, what: str = "tool") -> Any:
        if path.startswith("typesetting/") and self.folder is None:
            return dict.fromkeys(request["look-for"], False)
        return await super().once(path, request, do, what=what)


def receipt(job: str, kind: str, condition: str, seed: int, outputs: dict[str, str], code: int = 0) -> JobReceipt:
    ended = {"reason": "finished" if code == 0 else "failed", "exit_code": code, "started_at": AT, "ended_at": AT}
    return JobReceipt.model_validate(
        {"job": job, "kind": kind, "condition": condition, "seed": seed, "block": "round-1", "backend": "fake",
         "isolated": True, "image": "python", "command": ("python",), "outputs": outputs, "usage": Usage(wall_s=1),
         **ended}
    )  # fmt: skip


@dataclass
class Workshop:
    """The files of a run after stage 16, and the jobs behind its results."""

    study: Study
    plan: ExperimentPlan
    files: dict[str, bytes]
    jobs: list[JobReceipt]


def workshop(study: str = "micro", *, missing: bool = False, seed: int = 0, negative: bool = False) -> Workshop:
    """Files of a run that has results; `missing`: a credited component has no ablation."""
    of = STUDIES[study]
    plan = of.design(1, "balanced", missing=missing, seed=seed)
    shop = Workshop(of, plan, {"idea.md": of.question.encode()}, [])
    _plan(shop)
    _results(shop, negative)
    _literature(shop)
    _analysis(shop, negative)
    shop.files[f"{WRITE_A}/outline.json"] = pretty(outline(of, plan, shop)).encode()
    return shop


def _plan(shop: Workshop) -> None:
    dumped = yaml.safe_dump(shop.plan.model_dump(mode="json"), sort_keys=False)
    shop.files[f"{PLAN_A}/exp_plan.yaml"] = dumped.encode()
    shop.files[f"{PLAN_A}/hypotheses.json"] = pretty(
        [h.model_dump(mode="json") for h in shop.study.hypotheses]
    ).encode()
    shop.files[f"{EXEC_A}/requirements.txt"] = b""
    for path, text in shop.study.code(shop.plan, seed=0, crash=False).items():
        shop.files[f"{EXEC_A}/{path}"] = text.encode()


def level(condition: Condition, negative: bool = False) -> float:
    """How bad a condition is: the method best (or, `negative`, worse than the baselines), the control worst."""
    base = {"main": 0.41, "baseline": 0.30 if negative else 0.55, "ablation": 0.47, "control": 1.31}[condition.kind]
    return base + (int(sha256(condition.id)[:4], 16) % 90) / 1000


def _results(shop: Workshop, negative: bool) -> None:
    listed = []
    for c in shop.plan.conditions:
        for seed in shop.plan.seed_blocks["round-1"]:
            rng = random.Random(f"{c.id}/{seed}")
            rows = [ResultRow(condition=c.id, split=m.split, seed=seed, metric=m.name, unit=m.unit,
                              direction=m.direction, value=_value(m.name in shop.plan.efficiency, c, rng, n, negative))
                    for n, m in enumerate(shop.plan.metrics)]  # fmt: skip
            data = pretty(ResultFile(rows=tuple(rows))).encode()
            path = f"{EXEC_A}/raw_results/{FOLDERS[c.kind]}/{c.id}/seed-{seed}.json"
            shop.files[path] = data
            job = JobId(f"{c.id}.seed-{seed}")
            kind = FOLDERS[c.kind]
            shop.jobs.append(receipt(job, kind, c.id, seed, {"results.json": sha256(data)}))
            listed.append(CurrentResult.model_validate(
                {"condition": c.id, "kind": kind, "seed": seed, "block": "round-1", "condition_hash": "0" * 64,
                 "file": path, "sha256": sha256(data), "job": job}))  # fmt: skip
    current = CurrentResults(plan_version=1, block="round-1", results=tuple(listed))
    shop.files[f"{EXEC_A}/current_results.json"] = pretty(current).encode()


def _value(cost: bool, c: Condition, rng: random.Random, n: int, negative: bool) -> float:
    if cost:
        return float(200 + int(sha256(c.id)[:2], 16))
    return (1 + n) * level(c, negative) + rng.uniform(-0.02, 0.02)


def _literature(shop: Workshop) -> None:
    lines = (EXAMPLES / f"{shop.study.id}.jsonl").read_text(encoding="utf-8").splitlines()
    raw = [json.loads(line) for line in lines][:24]
    fields = set(PaperRecord.model_fields) - {"provenance"}
    records = [PaperRecord.model_validate({k: v for k, v in r.items() if k in fields and v is not None}) for r in raw]
    entries = [ShortlistEntry(key=r.key, relevance=0.9 - n / 100, quality=0.8, kept=True, reason="near")
               for n, r in enumerate(records)]  # fmt: skip
    shop.files[f"{LIT_A}/papers_raw.json"] = pretty([r.model_dump(mode="json") for r in records]).encode()
    bib = "\n".join(_entry(r) for r in records)
    shop.files[f"{LIT_A}/references.bib"] = bib.encode()
    shop.files[f"{LIT_A}/shortlist.jsonl"] = "\n".join(e.model_dump_json() for e in entries).encode()
    for r in records:
        claim = next((s for s in r.abstract.split(". ") if s.startswith(("We ", "This paper "))), "")
        head: dict[str, Any] = {
            "key": r.key,
            "title": r.title,
            "year": r.year,
            "claim": claim,
            "quotes": [r.abstract[:90]],
            "numbers": [],
        }
        text = f"---\n{yaml.safe_dump(head, allow_unicode=True)}---\nNotes.\n"
        shop.files[f"{LIT_A}/cards/{r.key}.md"] = text.encode()


def _entry(r: PaperRecord) -> str:
    fields = {"title": f"{{{r.title}}}", "author": " and ".join(r.authors), "year": str(r.year)}
    return f"@misc{{{r.key},\n" + "".join(f"  {k} = {{{v}}},\n" for k, v in fields.items()) + "}\n"


def _analysis(shop: Workshop, negative: bool) -> None:
    metric = shop.study.hypotheses[0].prediction.metric
    rows = "\n".join(f"{c.label} & \\res[3]{{{metric}/{c.id}/test/mean}} \\\\" for c in shop.plan.conditions)
    head = "RMSE" if metric == "rmse" else metric
    body = f"\\toprule\nCondition & {head} \\\\\n\\midrule\n{rows}\n\\bottomrule"
    table = f"\\begin{{tabular}}{{lr}}\n{body}\n\\end{{tabular}}\n"
    shop.files[f"{ANA_A}/tables/main.tex"] = table.encode()
    picture = "\\begin{picture}(100,40)\n\\put(0,0){\\line(1,0){90}}\n\\end{picture}\n"
    shop.files[f"{ANA_A}/figures/comparison.tex"] = picture.encode()
    shop.files[f"{ANA_A}/figures/comparison.json"] = pretty({"caption": f"Mean {head} of the conditions."}).encode()
    shop.files[f"{ANA_A}/analysis.md"] = b"# Analysis\n"
    verdicts = {h.id: ("refuted" if negative or n else "supported") for n, h in enumerate(shop.study.hypotheses)}
    shop.files[f"{ANA_A}/statistical_tests.json"] = pretty({"tests": [], "hypotheses": verdicts}).encode()


def outline(of: Study, plan: ExperimentPlan, shop: Workshop) -> Outline:
    metrics = [m.name for m in plan.metrics if m.name not in plan.efficiency]
    claim = Claim(id="C1", text="the method is better", keys=(f"{metrics[0]}/{of.main.id}/test/mean",))
    ablated = [of.main.id, *(c.id for c in plan.conditions if c.kind == "ablation"), plan.positive_control]
    return Outline(
        title=of.title,
        claims=(claim,),
        sections=tuple(SectionPlan(id=s, title=s.replace("_", " ").capitalize(), points=(f"say {s}",), claims=("C1",))
                       for s in SECTIONS),
        tables=(TablePlan(id="main", caption="Main results.", rows=tuple(c.id for c in plan.conditions),
                          columns=(f"{metrics[0]}/test/mean",)),
                TablePlan(id="ablations", caption="Ablations of the method", rows=tuple(ablated),
                          columns=tuple(f"{m}/test/mean" for m in metrics), hand_typed=True)),
        figures=("comparison",),
        components=plan.components,
    )  # fmt: skip


@dataclass
class Room:
    """Stages played one after the other on the same files and view."""

    shop: Workshop
    settings: Settings
    tex: Path | None = None
    reports: dict[tuple[int, str], StageReport] = field(default_factory=dict)
    door: RehearsalDoor = field(init=False)
    events: list[Any] = field(default_factory=list)
    bodies: dict[str, JsonObject] = field(default_factory=dict)
    gates: Gates = field(default_factory=Gates)
    found: tuple[Finding, ...] = ()  # of the last part played
    view: RunView = field(default_factory=RunView)

    def __post_init__(self) -> None:
        self.door = RehearsalDoor(self.settings)
        self.kit = Kit(
            door=self.door, literature=Literature(), settings=self.settings, rosters=load(), clock=TestClock()
        )
        frozen = Sha256(sha256(self.shop.files[f"{PLAN_A}/exp_plan.yaml"]))
        self.events.append(PlanFrozen(at=AT, position=Position(round=1, stage=9), version=1, sha256=frozen))
        for job in self.shop.jobs:
            spec = JobSpec(id=job.job, kind=job.kind, condition=job.condition, seed=job.seed, command=("python",))
            at = Position(round=1, stage=12)
            self.events += [JobStarted(at=AT, position=at, job=spec, block="round-1", handle="h"),
                            JobFinished(at=AT, position=at, job=job.job, receipt=job)]  # fmt: skip

    @property
    def files(self) -> dict[str, bytes]:
        return self.shop.files

    def text(self, path: str) -> str:
        return self.files[path].decode()

    def desk(self, stage: int, part: str = "whole", *, revising: bool = False, round: int = 1) -> PaperDesk:
        desk = PaperDesk(self.settings, stage_number=stage, files=self.files, revising=revising, round=round,
                         folder=self.tex)  # fmt: skip
        desk.part = part  # type: ignore[assignment]
        desk.store.events.extend(self.events)
        desk.store.bodies = self.bodies
        for n, event in enumerate(self.events, 2):
            desk.view = fold(desk.view, Seq(n), event)
        desk.view = replace(desk.view, position=desk.position)
        desk.obligations = obligations_of(stage, desk.view)
        return desk

    async def play(self, stage: int, part: str = "whole", *, revising: bool = False, round: int = 1) -> StageReport:
        """One stage part with the gates behind it, as the engine does it."""
        desk = self.desk(stage, part, revising=revising, round=round)
        agent = {"paper-writer": paper_writer, "paper-reviewer": paper_reviewer, "data-verifier": data_verifier}
        report: StageReport = await agent[BY_NUMBER[stage].agent].work(desk, self.kit)
        for review in report.reviews:
            await desk.record(ReviewReceived(at=AT, position=desk.position, review=review))
        audited = self.gates.audit(stage, part, desk.tree, desk.view)
        self.files.update({path: text.encode() for path, text in audited.files.items()})
        runs = (*report.audits, *audited.runs)
        for run in runs:
            await desk.record(AuditRan(at=AT, position=desk.position, run=run))
        self.files[BY_NUMBER[stage].report] = pretty({"_meta": {}, **report.fields}).encode()
        self.found = (*report.findings, *audited.findings)
        for event in self.gates.intake(desk.view, desk.position, AT, self.found, [r.auditor for r in runs]):
            await desk.record(event)
        for event in self.gates.settle(desk.view, desk.position, AT, desk.tree, report.verifications):
            await desk.record(event)
        self.events = list(desk.store.events)
        self.view = replace(desk.view, position=desk.position)
        self.reports[stage, part] = report
        return report


def rehearsing(study: str = "micro", *, seed: int = 0, faults: Sequence[Fault] = (), effort: str = "balanced",
               **more: Any) -> Settings:  # fmt: skip
    models = {
        "executor": ModelRole(model="rehearsal/a", price="free"),
        "reviewer": ModelRole(model="rehearsal/b", price="free"),
    }
    return Settings.model_validate({
        "models": models, "effort": effort,
        "rehearsal": RehearsalSettings(on=True, study=study, seed=seed, faults=tuple(faults)), **more,
    })  # fmt: skip


def has_tex() -> bool:
    return not typesetting.missing("en")
