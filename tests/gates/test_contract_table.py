"""Contracts: for every stage, each demand spoiled gives a sentence that says what and where."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from gates_world import World, as_json

from cockpit.kernel.plan import ExperimentPlan
from cockpit.kernel.stages import BY_NUMBER
from gates import artifacts as a
from gates.contracts import FILES, MAY_BE_EMPTY


def drop(path: str, *keys: str | int) -> Callable[[World], None]:
    def spoil(w: World) -> None:
        value = as_json(a.json_of(w.tree, path).value)
        inner = value
        for key in keys[:-1]:
            inner = inner[key]
        del inner[keys[-1]]
        w.put(path, value)

    return spoil


def change(path: str, value: Any, *keys: str | int) -> Callable[[World], None]:
    def spoil(w: World) -> None:
        whole = as_json(a.json_of(w.tree, path).value)
        inner = whole
        for key in keys[:-1]:
            inner = inner[key]
        inner[keys[-1]] = value
        w.put(path, whole)

    return spoil


def plan(**changed: Any) -> Callable[[World], None]:
    return lambda w: w.design(w.plan.model_copy(update=changed))


def replan(how: Callable[[ExperimentPlan], dict[str, Any]]) -> Callable[[World], None]:
    return lambda w: w.design(w.plan.model_copy(update=how(w.plan)))


def report(stage: int) -> str:
    return BY_NUMBER[stage].report


CARD = "02_literature_review/artifacts/cards/paper01.md"
SPOILS: list[tuple[int, Callable[[World], Any], str]] = [
    (1, drop(report(1), "outcome"), "outcome is not said"),
    (1, change(report(1), "novel", "kind"), "kind is 'novel'"),
    (2, lambda w: w.report(2), "no search was made"),
    (2, change(report(2), [{"rank": 1}], "sub_questions"), "1 sub-questions"),
    (2, change(report(2), [{"rank": 1}] * 3, "sub_questions"), "not ranked"),
    (2, change(report(2), 1.5, "novelty_score"), "novelty_score is 1.5"),
    (2, change(report(2), True, "novelty_score"), "novelty_score is True"),
    (2, change(report(2), [], "neighbours"), "names no neighbour"),
    (3, change(report(3), [{}], "strategies"), "1 search strategies"),
    (3, change(report(3), {}, "sources"), "no source was probed"),
    (3, change(report(3), {"arxiv": "fine"}, "sources"), "source arxiv is 'fine'"),
    (4, lambda w: w.report(4, exhausted=False), "25 of 120 candidates"),
    (4, change(a.PAPERS, "paper02", 0, "key"), "two records have key paper02"),
    (4, change(a.PAPERS, "On shrinkage, part 2", 0, "title"), "two records have the title"),
    (4, lambda w: w.put(a.PAPERS, b"{"), "papers_raw.json"),
    (5, lambda w: w.put(a.SHORTLIST, w.files[a.SHORTLIST].replace(b"near", b" ", 1)), "paper01 has no reason"),
    (5, lambda w: w.put(a.SHORTLIST, w.files[a.SHORTLIST].replace(b"0.7", b"7", 1)), "outside [0, 1]"),
    (
        5,
        lambda w: w.put(a.SHORTLIST, w.files[a.SHORTLIST].replace(b"paper01", b"ghost", 1)),
        "ghost is no stored record",
    ),
    (5, lambda w: w.put(a.SHORTLIST, b"\n".join(w.files[a.SHORTLIST].splitlines()[:19])), "19 papers kept of 25"),
    (5, lambda w: (w.literature(8), w.report(5, kept=8)), "only 8 papers"),
    (5, lambda w: w.put(a.SHORTLIST, b"not json\n"), "shortlist.jsonl:1"),
    (6, lambda w: w.files.pop(CARD), "paper01.md is missing"),
    (6, lambda w: w.put(CARD, "no front matter"), "no front matter"),
    (6, lambda w: w.put(CARD, w.files[CARD].replace(b"It helps.", b"It cures all.", 1)), "is not in the stored text"),
    (7, change(report(7), [], "clusters"), "no clusters"),
    (7, change(report(7), [{"id": "g", "cards": ["paper01"]}], "gaps"), "1 gaps"),
    (7, change(report(7), ["nobody"], "gaps", 0, "cards"), "tied to no card"),
    (8, drop(a.HYPOTHESES, 1), "1 hypotheses"),
    (8, change(a.HYPOTHESES, " ", 0, "refuted_if"), "what would refute it"),
    (8, change(a.HYPOTHESES, "different", 0, "prediction", "relation"), "predicts no direction"),
    (8, change(a.HYPOTHESES, "ols", 0, "prediction", "left"), "with itself"),
    (8, change(a.HYPOTHESES, False, 0, "primary"), "none is primary"),
    (9, plan(datasets=()), "no datasets"),
    (9, plan(metrics=()), "no metrics"),
    (9, plan(efficiency=()), "no efficiency measures"),
    (9, replan(lambda p: {"conditions": tuple(c for c in p.conditions if c.kind != "baseline")}), "no baselines"),
    (9, replan(lambda p: {"conditions": tuple(c for c in p.conditions if c.id != "no-penalty")}), "1 ablations"),
    (9, replan(lambda p: {"conditions": (*p.conditions, p.conditions[0])}), "ridge stands there twice"),
    (9, plan(positive_control="nobody"), "nobody is no condition"),
    (9, replan(lambda p: {"seed_blocks": {**p.seed_blocks, "round-2": (11, 22, 23)}}), "seed 11 stands in two blocks"),
    (9, replan(lambda p: {"seed_blocks": {**p.seed_blocks, "round-2": (21,)}}), "block round-2 has 1 seeds"),
    (9, replan(lambda p: {"seed_blocks": {"exploration": (1, 2, 3)}}), "0 confirmatory blocks"),
    (
        9,
        replan(lambda p: {"seed_blocks": {k: v for k, v in p.seed_blocks.items() if k != "exploration"}}),
        "for exploration",
    ),
    (9, replan(lambda p: {"tests": p.tests[:1]}), "hypothesis H2 has no test"),
    (9, replan(lambda p: {"datasets": (p.datasets[0].model_copy(update={"rights": ""}),)}), "nothing about rights"),
    (
        9,
        replan(lambda p: {"metrics": (p.metrics[0].model_copy(update={"split": "holdout"}),)}),
        "which no data set has",
    ),
    (9, lambda w: w.put(a.PLAN, b"{broken: ["), "is not YAML"),
    (10, lambda w: w.files.pop("04_experiment_execution/artifacts/scripts/run.py"), "no Python file"),
    (11, drop(a.SCHEDULE, "jobs", 0, "wall_s"), "has no wall_s"),
    (11, change(a.SCHEDULE, [], "jobs"), "no jobs"),
    (12, drop(a.CURRENT, "results", 0), "neither a result nor a failure"),
    (12, lambda w: w.put(a.CURRENT, {"plan_version": 1, "block": "round-1"}), "no result and no failure"),
    (
        13,
        lambda w: w.put("04_experiment_execution/artifacts/refinement_log.json", b"3"),
        "neither an object nor a list",
    ),
    (14, drop(a.TESTS, "hypotheses", "H1"), "hypothesis H1 has no verdict"),
    (14, change(a.TESTS, "true", "hypotheses", "H1"), "no verdict ('true')"),
    (14, drop(a.TESTS, "tests", 0), "frozen test T1"),
    (14, drop(a.TESTS, "tests", 0, "interval"), "has no interval"),
    (14, drop(a.TESTS, "tests", 0, "effect_size"), "has no effect size"),
    (15, change(a.DECISION, "celebrate", "decision"), "'celebrate'"),
    (15, drop(a.DECISION, "evidence"), "no evidence"),
    (16, change(a.OUTLINE, [], "claims", 0, "keys"), "neither numbers nor cards"),
    (16, change(a.OUTLINE, ["0.41"], "claims", 0, "keys"), "no registry key"),
    (16, change(a.OUTLINE, ["nobody"], "claims", 0, "cards"), "no card nobody"),
    (17, lambda w: w.put(a.RENDERED, "only words"), "no whole document"),
    (17, lambda w: w.put(a.RENDERED, w.files[a.RENDERED] + b"\\input{x}"), "still has an \\input"),
    (17, lambda w: w.files.pop("07_data_verification/artifacts/number_map.json"), "number_map.json is missing"),
    (18, lambda w: w.files.pop("08_paper_review/artifacts/reviews/reviewer.json"), "1 reviews that count"),
    (18, lambda w: w.put("08_paper_review/artifacts/reviews/reviewer.json", b"{}"), "reviewer.json"),
    (
        18,
        lambda w: w.put(
            "08_paper_review/artifacts/reviews/reviewer-2.json",
            w.files["08_paper_review/artifacts/reviews/reviewer.json"],
        ),
        "one thread",
    ),
    (19, lambda w: w.put(a.CHANGES, {"changes": 3}), "no list of changes"),
    (19, lambda w: w.put(a.CHANGES, [{"point": "x", "answer": "changed"}]), "where it was changed"),
    (19, lambda w: w.put(a.CHANGES, [{"point": "x", "answer": "rebutted"}]), "why it was rebutted"),
    (19, lambda w: w.put(a.CHANGES, [{"point": "x", "answer": "ignored"}]), "not changed, rebutted or deferred"),
    (20, lambda w: w.paper(w.files[a.RENDERED].decode() + "%"), "0 reviews hold"),
]


@pytest.mark.parametrize(("stage", "spoil", "says"), SPOILS, ids=lambda x: None if callable(x) else str(x)[:40])
def test_each_demand(world: World, stage: int, spoil: Callable[[World], Any], says: str) -> None:
    world.reviewed()
    assert world.gates.unmet(stage, world.tree, world.view) == ()
    spoil(world)
    unmet = world.gates.unmet(stage, world.tree, world.view)
    assert any(says in sentence for sentence in unmet), unmet
    assert all(len(sentence) > 10 for sentence in unmet)


@pytest.mark.parametrize("stage", [n for n in FILES if n < 20])
def test_each_missing_or_empty_file_is_named(world: World, stage: int) -> None:
    world.reviewed()
    for name in FILES[stage]:
        path = next(p for p in (*BY_NUMBER[stage].owns, *BY_NUMBER[stage].revises) if p.endswith("/" + name))
        kept = world.files.pop(path)
        assert f"{path} is missing" in world.gates.unmet(stage, world.tree, world.view)
        if name not in MAY_BE_EMPTY:
            world.put(path, b"  \n")
            assert f"{path} is empty" in world.gates.unmet(stage, world.tree, world.view)
        world.put(path, kept)


def test_twenty_papers_are_enough_at_every_effort_and_fewer_if_there_are_no_more(world: World) -> None:
    world.literature(20)
    assert world.gates.unmet(5, world.tree, world.view) == ()
    world.literature(7)
    assert world.gates.unmet(5, world.tree, world.view) == ()


def test_points_of_the_reviews_need_an_answer(world: World) -> None:
    from cockpit.kernel.reviews import Weakness

    world.review(
        stage=18, weaknesses=(Weakness(id="reviewer-1", dimension="clarity", severity="minor", text="unclear"),)
    )
    world.put(a.CHANGES, [])
    assert any("reviewer-1 has no answer" in s for s in world.gates.unmet(19, world.tree, world.view))
    world.put(a.CHANGES, {"changes": [{"point": "reviewer-1", "answer": "deferred", "why": "needs an experiment"}]})
    assert world.gates.unmet(19, world.tree, world.view) == ()


def test_reviews_of_a_draft_stay_advice_when_the_revision_changes_it(world: World) -> None:
    world.reviewed()
    world.put(a.RENDERED, world.files[a.RENDERED] + b"%")
    at = {stage: replace(world.view, position=world.at(stage)) for stage in (18, 19, 20)}
    assert any("has changed since" in s for s in world.gates.unmet(18, world.tree, at[18]))
    assert world.gates.unmet(18, world.tree, at[19]) == world.gates.unmet(18, world.tree, at[20]) == ()


def test_failed_jobs_need_a_signature(world: World) -> None:
    whole = as_json(a.json_of(world.tree, a.CURRENT).value)
    lost = whole["results"].pop(0)
    failure = {
        "condition": lost["condition"],
        "seed": lost["seed"],
        "job": lost["job"],
        "reason": "failed",
        "signature": "",
    }
    world.put(a.CURRENT, {**whole, "failed": [failure]})
    assert "without a signature" in world.gates.unmet(12, world.tree, world.view)[0]
    world.put(a.CURRENT, {**whole, "failed": [{**failure, "signature": "ValueError in run.py"}]})
    assert world.gates.unmet(12, world.tree, world.view) == ()
    [finding] = world.findings("collapse")
    assert (finding.pattern, finding.severity) == ("collapse-seeds", "major")


def test_the_package(world: World) -> None:
    assert world.gates.unmet(22, world.tree, world.view)
    for name in FILES[22]:
        world.put(f"final/{name}", world.files[a.RENDERED])
    assert [s for s in world.gates.unmet(22, world.tree, world.view) if "is empty" in s]
    world.put("final/code/run.py", b"x")
    world.put("final/experiment_data/x.json", b"{}")
    assert world.gates.unmet(22, world.tree, world.view) == ()
