"""Stages 14 to 16: what the results show, where to go, what the paper may claim. Verdicts are the program's."""

from __future__ import annotations

import itertools
import json

import pytest
from executor_desk import Flight, flight

from agents import exp_executor, outlining, result_analyzer
from agents.coding import layout
from agents.drawing import axis, digits, dots, escape, table
from agents.errors import UnusableReply
from agents.frozen_tests import run_tests
from agents.rehearsal.studies import STUDIES
from agents.results import Measured
from cockpit.kernel.plan import Comparison, Outline
from cockpit.kernel.protocols import StageReport
from cockpit.kernel.stages import ANA_A, WRITE_A
from gates import contracts, figures, registry

WORKERS = {**dict.fromkeys(range(10, 14), exp_executor), 14: result_analyzer, 15: result_analyzer, 16: outlining}


async def until(run: Flight, last: int, *, first: int = 10, round: int = 1, revising: bool = False) -> StageReport:
    for number in range(first, last + 1):
        desk = run.desk(number, round=round, revising=revising)
        report = await WORKERS[number].work(desk, run.kit)
        assert contracts.unmet(number, desk.tree, desk.view) == (), number
    return report


def text(run: Flight, path: str) -> str:
    return run.files[path].decode()


@pytest.mark.parametrize("study", ["micro", "shrinkage"])
async def test_a_study_is_analysed_decided_and_outlined(study: str) -> None:
    run = flight(study)
    report = await until(run, 16)

    tests = json.loads(text(run, f"{ANA_A}/statistical_tests.json"))
    assert tests["hypotheses"]["H1"] == "supported"
    assert tests["hypotheses"][f"H{len(STUDIES[study].hypotheses)}"] == "refuted"
    page = text(run, f"{ANA_A}/analysis.md")
    assert "H1: supported" in page and "interval" in page and "effect size" in page
    assert figures.find(run.desk(14).tree, run.desk(14).view) == (), "what is plotted is what was measured"
    decision = json.loads(text(run, f"{ANA_A}/decision.json"))
    assert decision["decision"] == "proceed" and report.go_back is None

    outline = Outline.model_validate_json(text(run, f"{WRITE_A}/outline.json"))
    assert all(c.keys or c.cards for c in outline.claims)
    assert {s.id for s in outline.sections} == set(outlining.SECTIONS)
    assert [t.hand_typed for t in outline.tables] == [False, True] and outline.figures
    steps = run.door.steps()
    assert steps.count("result-analyzer/opening") == 3 == steps.count("result-analyzer/rebuttal")
    rows = [json.loads(line) for line in text(run, f"{ANA_A}/debate.jsonl").splitlines()]
    assert [r["turn"] for r in rows] == [0, 0, 0, 1, 1, 1, 2]


async def test_the_missing_ablation_is_credited_and_has_no_row_until_the_second_round() -> None:
    run = flight("micro", "missing-ablation", seed=5)
    report = await until(run, 16)
    bare = STUDIES["micro"].missing_component(5).name
    assert report.fields["without_ablation"] == [bare] and bare in report.fields["components"]
    outline = Outline.model_validate_json(text(run, f"{WRITE_A}/outline.json"))
    assert sum(run.plan().condition(row).kind == "ablation" for row in outline.tables[1].rows) == 2  # type: ignore[union-attr]

    run.put_plan(STUDIES["micro"].mended(run.plan(), "asked for"))
    report = await until(run, 16, round=2, revising=True)
    assert report.fields["without_ablation"] == []
    outline = Outline.model_validate_json(text(run, f"{WRITE_A}/outline.json"))
    assert sum(run.plan().condition(row).kind == "ablation" for row in outline.tables[1].rows) == 3  # type: ignore[union-attr]


async def test_models_cannot_overrule_a_frozen_test_or_type_numbers() -> None:
    run = flight()
    await until(run, 13)
    wrong = {
        "summary": "all went well",
        "readings": [{"hypothesis": h, "verdict": "supported", "reading": "yes"} for h in ("H1", "H2")],
        "would_refute": [],
        "limitations": ["the error is 0.39 here"],
        "disagreement": 0.1,
    }
    run.door.replies = {"result-analyzer/analysis": [json.dumps(wrong)] * 3}
    with pytest.raises(UnusableReply) as failure:
        await result_analyzer.work(run.desk(14), run.kit)
    told = " ".join(failure.value.errors)
    assert "H2 is refuted, not supported" in told and "0.39" in told


async def test_evidence_must_exist_and_going_back_is_counted() -> None:
    run = flight()
    await until(run, 14)
    pivot = {"decision": "pivot", "reason": "the question is too small", "evidence": ["T1"], "uncertainty": 0.4}
    run.door.replies = {"result-analyzer/decision": [json.dumps({**pivot, "evidence": ["T9"]}), json.dumps(pivot)]}
    report = await until(run, 15, first=15)
    assert (report.go_back, report.go_back_why) == (8, "the question is too small")
    assert run.door.steps().count("result-analyzer/decision") == 2


async def test_an_outline_may_only_name_what_is_there() -> None:
    run = flight()
    await until(run, 15)
    good = json.loads(text_of_outline(await made(run)))
    bad = json.loads(json.dumps(good))
    bad["claims"][0]["keys"] = ["error/nobody/test/mean"]
    bad["claims"][1]["text"] = "It is 12 % better."
    bad["tables"][0]["rows"] = ["nobody"]
    bad["components"].append({"name": "magic", "ablation": None})
    run.door.replies = {"paper-writer/outline": [json.dumps(bad)] * 3}
    with pytest.raises(UnusableReply) as failure:
        await outlining.work(run.desk(16), run.kit)
    told = " ".join(failure.value.errors)
    assert all(word in told for word in ("error/nobody/test/mean", "leave numbers", "nobody", "magic"))


async def made(run: Flight) -> Flight:
    await outlining.work(run.desk(16), run.kit)
    return run


def text_of_outline(run: Flight) -> str:
    return text(run, f"{WRITE_A}/outline.json")


async def test_what_is_claimed_of_a_test_is_what_the_registry_computes() -> None:
    run = flight()
    await until(run, 14)
    facts = registry.build(run.desk(14).tree, None)[0].facts
    rows = json.loads(text(run, f"{ANA_A}/statistical_tests.json"))["tests"]
    assert rows
    for row in rows:
        claimed = {"p": row["p"], "statistic": row["statistic"], "effect": row["effect_size"], "n": row["n"],
                   "low": row["interval"][0], "high": row["interval"][1], "difference": row["difference"]}  # fmt: skip
        assert {name: float(facts[f"test/{row['id']}/{name}"].value) for name in claimed} == claimed


def found_of(values: dict[str, list[float | None]], metric: str = "error") -> Measured:
    return Measured("round-1", {(metric, c, "test"): dict(enumerate(v)) for c, v in values.items()})


def test_verdicts_follow_direction_and_alpha() -> None:
    study = STUDIES["micro"]
    plan = study.design(1, "lite", missing=False, seed=0)
    clear = found_of({"clipped": [1.0, 1.1, 0.9], "plain": [2.0, 2.11, 1.91]})
    assert run_tests(plan, study.hypotheses, clear).hypotheses == {"H1": "supported", "H2": "inconclusive"}
    turned = found_of({"clipped": [2.0, 2.11, 1.91], "plain": [1.0, 1.1, 0.9]})
    assert run_tests(plan, study.hypotheses, turned).hypotheses["H1"] == "refuted"
    noisy = found_of({"clipped": [1.0, 3.0, 2.0], "plain": [2.0, 2.5, 1.0]})
    assert run_tests(plan, study.hypotheses, noisy).hypotheses["H1"] == "inconclusive"
    for lacking in ({"clipped": [1.0, 1.1, 0.9]}, {"clipped": [1.0, None, 0.9], "plain": [2.0, 2.1, 1.9]}, {}):
        report = run_tests(plan, study.hypotheses, found_of(lacking))  # type: ignore[arg-type]
        assert report.hypotheses["H1"] == "inconclusive" and report.tests[0].note
    higher = Comparison.model_validate({**study.hypotheses[0].prediction.model_dump(), "relation": "higher"})
    plan = plan.model_copy(update={"tests": (plan.tests[0].model_copy(update={"comparison": higher}),)})
    assert run_tests(plan, study.hypotheses, clear).hypotheses["H1"] == "refuted"


def test_a_picture_needs_nothing_and_names_everything() -> None:
    study = STUDIES["micro"]
    plan = study.design(1, "lite", missing=False, seed=0)
    found = found_of({"clipped": [1.0, 1.1, 0.9], "plain": [2.0, 2.1, 1.9]})
    figure = dots(plan, plan.metrics[0], plan.conditions, found)
    assert figure is not None and figure.tex.count(r"\circle*") == 2
    assert "color" not in figure.tex and "error (test, lower is better)" in figure.tex
    assert {p["key"] for p in figure.data["points"]} == {"error/clipped/test/mean", "error/plain/test/mean"}
    assert dots(plan, plan.metrics[0], plan.conditions, found_of({})) is None


@pytest.mark.parametrize(("low", "high"), [(1.93, 2.39), (0.001, 0.0042), (-3.0, 5.0), (2.0, 2.0), (120.0, 950.0)])
def test_an_axis_has_a_few_round_ticks_around_the_data(low: float, high: float) -> None:
    ticks = axis(low, high)
    assert ticks[0] <= low and ticks[-1] >= high and 2 <= len(ticks) <= 7
    steps = {round(b - a, 9) for a, b in itertools.pairwise(ticks)}
    assert len(steps) == 1


def test_a_table_binds_its_cells_and_bolds_the_best() -> None:
    study = STUDIES["micro"]
    plan = study.design(1, "lite", missing=False, seed=0)
    found = found_of({"clipped": [1.0, 1.1, 0.9], "plain": [2.0, 2.1, 1.9]})
    made_ = table("main", plan, [plan.conditions[0], plan.conditions[1]], plan.metrics[:1], found)
    assert r"\textbf{\res[2]{error/clipped/test/mean}}" in made_.tex
    assert r"\textbf{\res[2]{error/plain" not in made_.tex and r"\toprule" in made_.tex
    two = table("main", plan, [plan.conditions[0]], plan.metrics[:1], found_of({"clipped": [1.0, 1.1]}))
    assert r"\pm" not in two.tex, "two seeds carry no spread"
    assert digits([0.0123, 4.0]) == 4 and digits([12.5, 180.25]) == 1 and digits([3000.0, 4.0e4]) == 0
    assert escape("50 % & a_b") == r"50 \% \& a\_b"


async def test_a_run_without_results_says_so_and_claims_nothing_measured() -> None:
    run = flight()
    await until(run, 12)
    now = json.loads(text(run, layout.CURRENT))
    failed = [{"condition": r["condition"], "seed": r["seed"], "job": r["job"], "reason": "timed-out",
               "signature": "timed-out"} for r in now["results"]]  # fmt: skip
    run.files[layout.CURRENT] = json.dumps({**now, "results": [], "failed": failed}).encode()
    desk = run.desk(14)
    report = await result_analyzer.work(desk, run.kit)
    assert set(report.fields["hypotheses"].values()) == {"inconclusive"} and report.fields["figures"] == []
    assert contracts.unmet(14, desk.tree, desk.view) == ()
    await result_analyzer.work(run.desk(15), run.kit)
    await outlining.work(run.desk(16), run.kit)
    outline = Outline.model_validate_json(text(run, f"{WRITE_A}/outline.json"))
    assert not any(c.keys for c in outline.claims) and outline.tables == ()
