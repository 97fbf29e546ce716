"""Stages 1 to 9 of each study, from the idea file to the frozen plan."""

from __future__ import annotations

import pytest
from memory_desk import AT
from planning_bench import Bench, settings

from agents import artifacts
from cockpit.kernel.events import GuidanceGiven
from cockpit.kernel.ids import Actor
from gates.contracts import unmet

STUDIES = ("shrinkage", "bootstrap", "schedules", "micro")
CALLS_AT_MOST = 35


@pytest.mark.parametrize("study", STUDIES)
def test_an_idea_becomes_a_frozen_plan(study: str) -> None:
    bench = Bench(settings(study))
    for number in range(1, 10):
        report = bench.run(number)
        assert unmet(number, bench.tree, bench.desk.view) == ()
        assert report.findings == ()
        assert report.summary
        assert "\n" not in report.summary
    assert len(bench.door.asked) <= CALLS_AT_MOST

    plan = artifacts.plan_of(bench.text("exp_plan.yaml"))
    frozen = [e for e in bench.store.events if e.kind == "plan-frozen"]
    assert [(e.version, e.sha256) for e in frozen] == [(1, bench.tree.sha(artifacts.EXPERIMENT_PLAN))]
    assert all(c.ablation for c in plan.components)
    spoken = [e.speaker for e in bench.store.events if e.kind == "turn-spoken"]
    assert sorted(set(spoken)) == ["contrarian", "innovator", "pragmatist", "reviewer"]


@pytest.mark.parametrize("effort", ["lite", "balanced", "max", "beast"])
def test_every_effort_has_its_numbers(effort: str) -> None:
    bench = Bench(settings("micro", effort=effort))
    for number in range(1, 10):
        bench.run(number)
        assert unmet(number, bench.tree, bench.desk.view) == ()


def artifacts_of(bench: Bench) -> dict[str, bytes]:
    """All files but the reports, whose receipts name the call."""
    return {path: content for path, content in bench.files.items() if "/stages/" not in path}


def test_the_same_journal_gives_the_same_bytes() -> None:
    first, second = Bench(settings("micro")), Bench(settings("micro"))
    for bench in (first, second):
        bench.run(*range(1, 10))
    assert first.files == second.files
    again = artifacts_of(first)
    before = len(first.store.events)
    first.run(9)  # as after a crash between the freeze and the end of the stage
    assert artifacts_of(first) == again
    assert [e.kind for e in first.store.events[before:]].count("plan-frozen") == 0


def test_a_rehearsal_seed_measures_other_data() -> None:
    seeds = set()
    before = Bench(settings("micro"))
    before.run(*range(1, 9))
    for n in range(20):
        bench = Bench(settings("micro", rehearsal_seed=n), files=dict(before.files))
        bench.run(9)
        seeds.add(artifacts.plan_of(bench.text("exp_plan.yaml")).seed_blocks["round-1"])
    assert len(seeds) == 20


def test_a_chinese_idea_and_a_huge_one_are_read() -> None:
    chinese = Bench(settings("shrinkage"), idea="# 小样本岭回归\n\n交叉验证选择惩罚是否优于最小二乘？\n")
    report = chinese.run(1)
    assert "小样本岭回归" in chinese.text("goal.md")
    assert report.fields["domain"] == "statistics"

    huge = Bench(settings("shrinkage"), idea="# Ridge when rows are few\n\n" + "more about ridge. " * 12_000)
    report = huge.run(1)
    assert "left out" in report.body
    assert len(huge.door.asked[0].messages[-1]["content"]) < 40_000


def test_a_notice_that_no_study_fits_stands_in_the_goal() -> None:
    bench = Bench(settings("micro"), idea="# Why do cats purr?\n")
    from memory_desk import MemoryDesk

    made = MemoryDesk.__post_init__
    told = "The idea fits no rehearsal study; the nearest, micro, is played."

    def noticed(desk: MemoryDesk) -> None:
        made(desk)
        assert desk.view.run is not None
        import dataclasses

        run = desk.view.run.model_copy(update={"notices": ("No TeX here.", told)})
        desk.view = dataclasses.replace(desk.view, run=run)

    MemoryDesk.__post_init__ = noticed  # type: ignore[method-assign]
    try:
        report = bench.run(1)
    finally:
        MemoryDesk.__post_init__ = made  # type: ignore[method-assign]
    assert told in bench.text("goal.md")
    assert told in report.body
    assert "TeX" not in bench.text("goal.md")


def test_guidance_reaches_the_prompt_and_never_the_reviewer() -> None:
    guided = (GuidanceGiven(at=AT, stage=8, text="mind the tails", by=Actor(user="ada")),)
    bench = Bench(settings("micro"))
    bench.run(*range(1, 8))
    bench.run(8, guidance=guided)
    asked = {r.path: r.messages[-1]["content"] for r in bench.door.asked}
    assert "mind the tails" in asked["debate/opening/innovator/try-1"]
    assert "mind the tails" not in asked["novelty/try-1"]
    assert "innovator" not in asked["novelty/try-1"]
