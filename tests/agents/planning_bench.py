"""Stages of the planners run one after another in memory, with rehearsal models and a small library.

Belongs here: what the planners' tests share. Not here: engine, gateway, git (their own tests).
"""

from __future__ import annotations

import asyncio
import importlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memory_desk import AT, DictTree, MemoryDesk, Store, TestClock

from agents import rosters
from agents.calls import CallRequest, Served
from agents.kit import Kit
from agents.literature.shelves import Answer, Literature
from agents.rehearsal.brain import answer
from cockpit.kernel.events import CallReplied, GuidanceGiven
from cockpit.kernel.findings import Obligation
from cockpit.kernel.ids import Sha256
from cockpit.kernel.model import canonical, pretty, sha256
from cockpit.kernel.papers import PaperRecord
from cockpit.kernel.protocols import Desk, StageReport
from cockpit.kernel.reviews import Family
from cockpit.kernel.settings import ModelRole, RehearsalSettings, Settings
from cockpit.kernel.stages import stage

ROOT = Path(__file__).parents[2]
IDEAS = {"shrinkage": "ridge-small-n.md", "bootstrap": "bootstrap-coverage.md", "schedules": "lr-schedules.md",
         "micro": "micro.md"}  # fmt: skip
Edit = Callable[[CallRequest, str], str]


@dataclass
class BrainDoor:
    """Models that think at once. `edit` may spoil a reply, to see what becomes of it."""

    how: RehearsalSettings
    edit: Edit = lambda _request, text: text
    asked: list[CallRequest] = field(default_factory=list)

    async def ask(self, desk: Desk, request: CallRequest) -> Served:
        self.asked.append(request)
        model = "rehearsal/b" if request.role.startswith("reviewer") else "rehearsal/a"
        text = self.edit(request, answer(request.messages, model, self.how))
        body = await desk.keep({"text": text})
        event = CallReplied(
            at=AT, position=desk.position, path=request.path, attempt=1, role=request.role, purpose=request.purpose,
            prompt_sha256=Sha256(sha256(canonical(request.messages))), body=body, asked_model=model,
            reported_model=model, family=Family(families=(model,), grade="rehearsal"), response_id="x", tokens_in=1,
            tokens_out=1, usage_source="estimate", cost_usd=0, finish="stop", took_s=0,
        )  # fmt: skip
        return Served(event, await desk.record(event), text)

    async def close(self) -> None:
        """Nothing to let go of."""


@dataclass
class Shelf:
    """Records that are found by the words they share with a query."""

    records: list[PaperRecord]
    name: str = "library"
    local: bool = True

    async def search(self, query: str, limit: int) -> Answer:
        words = {w for w in query.lower().split() if len(w) > 3}
        scored = [(sum(w in f"{r.title} {r.abstract}".lower() for w in words), r) for r in self.records]
        found = sorted((s for s in scored if s[0]), key=lambda s: (-s[0], s[1].key))
        return ("ok" if found else "empty"), [r for _, r in found[:limit]]

    async def lookup(self, record: PaperRecord) -> Answer:
        found = [r for r in self.records if r.key == record.key]
        return ("ok" if found else "empty"), found


def shelf(study: str) -> list[PaperRecord]:
    """The records that the example of a study ships."""
    lines = (ROOT / "examples/libraries" / f"{study}.jsonl").read_text(encoding="utf-8").splitlines()
    wanted = set(PaperRecord.model_fields)
    raw = [{k: v for k, v in json.loads(line).items() if k in wanted} for line in lines]
    return [PaperRecord.model_validate({**r, "sources": ["library"]}) for r in raw]


def settings(study: str = "micro", **changed: Any) -> Settings:
    """Settings of a rehearsal of `study` without faults."""
    rehearsal = RehearsalSettings(
        on=True, study=study, seed=changed.pop("rehearsal_seed", 0), faults=changed.pop("faults", ())
    )
    role = ModelRole(model="rehearsal/a", price="free")
    models = {"executor": role, "reviewer": ModelRole(model="rehearsal/b", price="free")}
    return Settings(rehearsal=rehearsal, models=models, **changed)


@dataclass
class Bench:
    """A run in memory: its files, its journal, the stages done."""

    settings: Settings
    records: list[PaperRecord] | None = None
    idea: str | None = None
    edit: Edit = lambda _request, text: text
    files: dict[str, bytes] = field(default_factory=dict)
    store: Store = field(default_factory=Store)
    reports: dict[int, StageReport] = field(default_factory=dict)
    door: BrainDoor = field(init=False)
    desk: MemoryDesk = field(init=False)

    def __post_init__(self) -> None:
        study = self.settings.rehearsal.study
        told = self.idea or (ROOT / "examples" / IDEAS[study]).read_text(encoding="utf-8")
        self.files["idea.md"] = told.encode()
        self.door = BrainDoor(self.settings.rehearsal, self.edit)
        records = shelf(study) if self.records is None else self.records
        sources = (Shelf(records),) if records else ()
        self.kit = Kit(self.door, Literature(sources, offline=True), self.settings, rosters.load(), TestClock())

    def run(self, *numbers: int, revising: bool = False, round: int = 1, obligations: tuple[Obligation, ...] = (),
            guidance: tuple[GuidanceGiven, ...] = ()) -> StageReport:  # fmt: skip
        """Do the stages; the report of the last."""
        for number in numbers:
            self.desk = MemoryDesk(
                self.settings, number, self.store, self.files, revising, obligations, guidance, round
            )
            module = importlib.import_module(f"agents.{stage(number).agent.replace('-', '_')}")
            report: StageReport = asyncio.run(module.work(self.desk, self.kit))
            self.files[stage(number).report] = pretty({"_meta": {"stage": number}, **report.fields}).encode()
            self.reports[number] = report
        return report

    @property
    def tree(self) -> DictTree:
        return DictTree(self.files)

    def text(self, path: str) -> str:
        """The text of the one file whose path ends so."""
        found = [p for p in self.files if p.endswith(path)]
        assert len(found) == 1, found
        return self.files[found[0]].decode()

    def json(self, path: str) -> Any:
        return json.loads(self.text(path))

    def steps(self) -> list[str]:
        """The steps asked for so far, in order."""
        return [request.purpose for request in self.door.asked]
