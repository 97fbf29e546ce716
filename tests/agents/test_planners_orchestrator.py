"""What the orchestrator writes: plan, brief, archive, evidence; it never routes."""

from __future__ import annotations

import asyncio
import itertools
import json
from typing import Any

import pytest
from memory_desk import AT, MemoryDesk
from planning_bench import Bench, settings
from test_planners_design import owed
from test_planners_literature import spoiled

from agents import artifacts, orchestrator
from agents.archiving import evidence_graph
from agents.errors import UnusableReply
from cockpit.kernel.events import ObligationOpened, PartClosed, RoundClosed, WentBack
from cockpit.kernel.findings import Evidence, GateVerdict
from cockpit.kernel.ids import Fingerprint, JobId, Position, Sha256
from cockpit.kernel.model import sha256
from cockpit.kernel.protocols import Route, StageReport
from cockpit.kernel.results import CurrentResult, CurrentResults
from cockpit.kernel.stages import ANA_A, EXEC_A, PHASES, VER_A, WRITE_A

VERDICT = GateVerdict(outcome="WARN")
ON = Route(entry=9, why="experiment-missing is open")


def opened() -> ObligationOpened:
    return ObligationOpened(at=AT, position=Position(round=1, stage=18), obligation=owed("robust scale"))


def briefed(bench: Bench, route: Route, events: tuple[Any, ...] = ()) -> tuple[StageReport, dict[str, Any]]:
    bench.store.events.extend(events)
    bench.desk = MemoryDesk(bench.settings, 20, bench.store, bench.files)
    report = asyncio.run(orchestrator.brief(bench.desk, bench.kit, VERDICT, route))
    return report, bench.json("revision_brief.json")


def test_the_project_plan_has_a_row_for_each_phase() -> None:
    bench = Bench(settings("micro"))
    report = bench.run(1, 2)
    page = bench.text("project_plan.md")
    assert all(phase in page for phase in PHASES if phase != "07_data_verification")
    assert report.plan["goal"]


def test_a_brief_names_every_open_obligation_once() -> None:
    bench = Bench(settings("micro"))
    report, brief = briefed(bench, ON, (opened(),))
    assert [(c["obligation"], c["stage"]) for c in brief["changes"]] == [(7, 9)]
    assert "ablation of robust scale" in brief["changes"][0]["do"]
    assert brief["entry"] == 9
    assert "round 2 from stage 9" in report.summary
    assert "closed by programs" in bench.text("revision_brief.md")


def test_a_brief_that_sends_work_elsewhere_is_refused() -> None:
    def elsewhere(reply: Any) -> None:
        reply["changes"] = [{**c, "stage": 17} for c in reply["changes"]]

    bench = Bench(settings("micro"), edit=spoiled("orchestrator/brief", elsewhere, times=9))
    with pytest.raises(UnusableReply, match="owned by stage 9"):
        briefed(bench, ON, (opened(),))


def test_nothing_open_and_no_next_round_asks_nobody() -> None:
    bench = Bench(settings("micro"))
    report, brief = briefed(bench, Route(entry=None, outcome="accepted", why="The score reached the threshold."))
    assert bench.door.asked == []
    assert brief["changes"] == []
    assert "accepted" in report.summary


def finished(bench: Bench) -> None:
    """A run with one result, a paper that prints it, a closed obligation and a pivot."""
    plan = artifacts.plan_of(bench.text("exp_plan.yaml"))
    raw = b'{"rows": []}'
    file = f"{EXEC_A}/raw_results/main/clipped/seed-1.json"
    bench.files[file] = raw
    row = CurrentResult(
        condition=plan.conditions[0].id,
        kind="main",
        seed=1,
        block="round-1",
        condition_hash=Sha256("0"),
        file=file,
        sha256=Sha256(sha256(raw)),
        job=JobId("clipped.seed-1.aa"),
    )
    current = CurrentResults(plan_version=1, block="round-1", results=(row,))
    bench.files[f"{EXEC_A}/current_results.json"] = current.model_dump_json().encode()
    bench.files[f"{ANA_A}/statistical_tests.json"] = b'{"hypotheses": {"H1": "supported", "H2": "refuted"}}'
    key = "error/clipped/test/mean"
    place = {"file": "paper.tex", "line": 12, "column": 3}
    numbers = [
        {**place, "text": "0.41", "verdict": "exact", "source": {"key": key}},
        {**place, "line": 13, "text": "3", "verdict": "structural", "source": None},
    ]
    bench.files[f"{VER_A}/number_map.json"] = json.dumps({"numbers": numbers}).encode()
    claims = [
        {"id": "C1", "text": "It is 0.41.", "keys": [key], "cards": ["zou2007degrees"]},
        {"id": "C2", "text": "Nice."},
    ]
    outline = {"title": "t", "claims": claims, "sections": []}
    bench.files[f"{WRITE_A}/outline.json"] = json.dumps(outline).encode()
    at = Position(round=2, stage=20)
    evidence = Evidence(path="x", sha256=Sha256("0"), position=at)
    bench.store.events += [
        opened(),
        PartClosed(at=AT, position=at, fingerprint=Fingerprint("ab"), part=0, fix="experiment-added",
                   closer="ablations", evidence=(evidence,)),
        WentBack(at=AT, position=Position(round=1, stage=15), target=8, why="pivot", reason="both arms agree"),
        RoundClosed(at=AT, round=1, score=0.35, criticals=1, entry=9, why="an experiment is missing"),
        RoundClosed(at=AT, round=2, score=0.61, criticals=0, entry=None, why="it is met", outcome="accepted"),
    ]  # fmt: skip


def test_the_archive_tells_rounds_closings_and_dead_hypotheses() -> None:
    bench = Bench(settings("micro"))
    bench.run(*range(1, 10))
    finished(bench)
    bench.run(21, round=2)
    page = bench.text("archive.md")
    for said in ("0.35", "0.61", "#7", "experiment-added (ablations)", "pivot: both arms agree", "refuted"):
        assert said in page, said
    assert "2026" not in page
    assert "USD" not in page
    first = (page, bench.text("evidence.json"))
    bench.run(21, round=2)
    assert (bench.text("archive.md"), bench.text("evidence.json")) == first


def test_a_number_is_traced_from_hypothesis_to_claim() -> None:
    bench = Bench(settings("micro"))
    bench.run(*range(1, 10))
    finished(bench)
    graph = evidence_graph(bench.tree)
    edges = {tuple(edge) for edge in graph["edges"]}
    file = f"file:{EXEC_A}/raw_results/main/clipped/seed-1.json"
    walk = ["H1", "condition:clipped", "job:clipped.seed-1.aa", file, "number:paper.tex:12.3", "claim:C1"]
    assert all(step in edges for step in itertools.pairwise(walk))
    assert ("card:zou2007degrees", "claim:C1") in edges
    assert graph["stale"] == []
    assert graph["loose_claims"] == ["C2"]
    bench.files[f"{EXEC_A}/raw_results/main/clipped/seed-1.json"] = b"changed"
    assert evidence_graph(bench.tree)["stale"] == [f"{EXEC_A}/raw_results/main/clipped/seed-1.json"]


def test_lessons_must_come_from_the_record() -> None:
    def dream(reply: Any) -> None:
        reply["lessons"] = [{"lesson": "be lucky", "from_event": "round 9"}]

    bench = Bench(settings("micro"))
    bench.run(*range(1, 10))
    finished(bench)
    bench.door.edit = spoiled("orchestrator/archive", dream)
    bench.run(21, round=2)
    assert bench.steps().count("orchestrator/archive") == 2
    assert "be lucky" not in bench.text("archive.md")
