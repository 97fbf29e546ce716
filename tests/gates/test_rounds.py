"""Score, entry of the next round, stall, best round, ends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from gates_world import AT, AUTHOR, World, accusation

from cockpit.kernel import events as e
from cockpit.kernel.findings import Finding, GateReason, GateVerdict, Span
from cockpit.kernel.reviews import Family, Score
from gates import artifacts as a

WARN = GateVerdict(outcome="WARN")
BLOCK = GateVerdict(outcome="BLOCK")


def score(value: float | None, **dimensions: float) -> Score:
    levels = {"soundness": 0.6, "significance": 0.6, "novelty": 0.6, "clarity": 0.6, **dimensions}
    return Score(value=value, dimensions=levels)  # type: ignore[arg-type]


def reviews(world: World, *values: float, family: Family | None = None) -> list[Any]:
    return [world.review(f"reviewer-{n}", probability=v, family=family) for n, v in enumerate(values, 1)]


@pytest.mark.parametrize(
    ("values", "expected"),
    [((0.4,), 0.4), ((0.4, 0.7), 0.4), ((0.7, 0.4), 0.4)],
)
def test_one_reviewer_its_value_two_the_lower(world: World, values: tuple[float, ...], expected: float) -> None:
    assert world.gates.score(world.view, reviews(world, *values)).value == expected


def test_more_families_the_median_and_one_family_is_one_opinion(make_world: Callable[..., World]) -> None:
    world = make_world(effort="beast")
    makers = (("r1", 0.2, "openai"), ("r2", 0.5, "google"), ("r3", 0.9, "qwen"))
    found = [world.review(n, probability=p, family=Family(families=(f,), grade="reported")) for n, p, f in makers]
    assert world.gates.score(world.view, found).value == 0.5
    found.append(world.review("r4", probability=0.1, family=Family(families=("qwen",), grade="reported")))
    result = world.gates.score(world.view, found)
    assert result.value == 0.2, "both of qwen are one opinion, the lower: 0.1, 0.2, 0.5"
    assert result.by_reviewer == {"r1": 0.2, "r2": 0.5, "r3": 0.9, "r4": 0.1}


def test_dimensions_follow_the_same_rule_and_are_raw(world: World) -> None:
    found = [world.review("r1", clarity=0.9), world.review("r2", clarity=0.3)]
    result = world.gates.score(world.view, found)
    assert result.dimensions["clarity"] == 0.3
    assert "uncalibrated" in result.note
    assert not result.calibrated


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -0.1, 1.1])
def test_a_value_that_is_no_probability_gives_no_score(world: World, bad: float) -> None:
    result = world.gates.score(world.view, reviews(world, bad))
    assert result.value is None
    assert "does not count" in result.note


def test_a_review_without_a_valid_nonce_gives_no_score(world: World) -> None:
    [review] = reviews(world, 0.9)
    forged = review.model_copy(update={"receipt": review.receipt.model_copy(update={"nonce": "x"})})
    assert world.gates.score(world.view, [forged]).value is None


def test_provisional_reviews_are_labelled(world: World) -> None:
    assert "provisional" in world.gates.score(world.view, reviews(world, 0.6, family=AUTHOR)).note


# --- where it goes -----------------------------------------------------------------------------------


def critical(world: World, owner: int) -> None:
    found = Finding(
        auditor="x",
        pattern="ethics-x",
        severity="critical",
        title=f"critical of {owner}",
        owner=owner,
        spans=(Span(file=a.RENDERED, text=f"c{owner}"),),
    )
    world.record(*world.gates.intake(world.view, world.at(20), AT, [found], []))


def closed(world: World, entry: int | None, value: float, *, criticals: int = 0, stale: bool = False) -> None:
    world.record(
        e.RoundClosed(at=AT, round=world.round, score=value, criticals=criticals, entry=entry, why="x", stale=stale)
    )
    world.round += 1
    world.enter(entry or 20)


def test_above_the_threshold_and_not_blocked_is_accepted(world: World) -> None:
    world.enter(20)
    route = world.gates.route(world.view, WARN, score(0.5))
    assert (route.entry, route.outcome) == (None, "accepted")


def test_what_only_a_person_gives_makes_it_pending(world: World) -> None:
    world.enter(20)
    verdict = GateVerdict(outcome="WARN", reasons=(GateReason(code="sign-off", severity="pending", text="x"),))
    assert world.gates.route(world.view, verdict, score(0.7)).outcome == "pending"


@pytest.mark.parametrize(
    ("low", "entry"),
    [({"novelty": 0.1}, 2), ({"significance": 0.1}, 3), ({"soundness": 0.1}, 9), ({"clarity": 0.1}, 17)],
)
def test_a_low_score_enters_at_its_lowest_dimension(world: World, low: dict[str, float], entry: int) -> None:
    world.enter(20)
    assert world.gates.route(world.view, WARN, score(0.4, **low)).entry == entry


def test_ties_go_soundness_significance_novelty_clarity(world: World) -> None:
    world.enter(20)
    tied: list[tuple[dict[str, float], int]] = [
        ({}, 9),
        ({"soundness": 0.9}, 3),
        ({"soundness": 0.9, "significance": 0.9}, 2),
    ]
    for raised, entry in tied:
        assert world.gates.route(world.view, WARN, score(0.4, **raised)).entry == entry


def test_the_earlier_of_critical_and_dimension(world: World) -> None:
    world.enter(20)
    critical(world, 5)
    assert world.gates.route(world.view, BLOCK, score(0.4, soundness=0.1)).entry == 5
    assert world.gates.route(world.view, BLOCK, score(0.4, novelty=0.1)).entry == 2
    assert world.gates.route(world.view, BLOCK, score(0.9, novelty=0.1)).entry == 5, (
        "a good score asks for no dimension"
    )


def test_a_block_that_a_stage_can_mend_enters_there(world: World) -> None:
    world.enter(20)
    reasons = (GateReason(code="contract-unmet", severity="block", text="stage 14: x", stage=14),)
    assert world.gates.route(world.view, GateVerdict(outcome="BLOCK", reasons=reasons), score(0.9)).entry == 14


def test_a_block_that_no_stage_can_mend_ends_blocked(world: World) -> None:
    world.enter(20)
    route = world.gates.route(world.view, BLOCK, score(0.9))
    assert (route.entry, route.outcome) == (None, "blocked")


def test_the_same_entry_twice_without_a_closed_part_takes_the_next_lowest(world: World) -> None:
    world.enter(20)
    closed(world, 9, 0.3)
    low = score(0.3, soundness=0.1, clarity=0.2)
    assert world.gates.route(world.view, WARN, low).entry == 17
    world.judge(18, findings=[accusation()])
    world.judge(20, verifications=[world.verification(1)])
    assert world.gates.route(world.view, WARN, low).entry == 9, "something was closed, so it may go there again"


def test_rounds_run_out_and_the_best_is_exported(world: World) -> None:
    world.enter(20)
    closed(world, 9, 0.45, criticals=0)
    closed(world, 9, 0.48, criticals=1)
    world.record(*world.gates.intake(world.view, world.at(18), AT, [accusation()], []))
    route = world.gates.route(world.view, WARN, score(0.4))
    assert (route.entry, route.outcome, route.export_round) == (None, "best-effort", 1)
    assert "round 1 is the best" in route.why


def test_rounds_run_out_blocked(world: World) -> None:
    world.enter(20)
    for _ in range(2):
        closed(world, 9, 0.4, criticals=1)
    critical(world, 9)
    route = world.gates.route(world.view, GateVerdict(outcome="BLOCK", criticals=1), score(0.45))
    assert (route.entry, route.outcome, route.export_round) == (None, "blocked", 3)


def test_stall_forces_a_structural_pivot_and_then_calls_a_person(make_world: Callable[..., World]) -> None:
    world = make_world(effort="max")
    world.record(*world.gates.intake(world.view, world.at(18), AT, [accusation()], []))
    world.enter(20)
    closed(world, 9, 0.4)
    assert world.gates.route(world.view, WARN, score(0.4)).stale
    closed(world, 9, 0.4, stale=True)
    route = world.gates.route(world.view, WARN, score(0.4))
    assert (route.entry, route.stale, route.pivot, "structural pivot" in route.why) == (8, True, True, True)
    closed(world, 8, 0.4, stale=True)
    closed(world, 9, 0.4, stale=True)
    route = world.gates.route(world.view, WARN, score(0.4))
    assert (route.entry, route.outcome) == (None, "pending")


def test_a_new_finding_or_a_part_met_is_no_stall_but_a_reworded_one_is(world: World) -> None:
    words = "ridge beats least squares on every data set we tried"
    world.record(*world.gates.intake(world.view, world.at(18), AT, [accusation(text=words)], []))
    world.enter(20)
    closed(world, 9, 0.4)
    again = accusation(text=words.replace("every", "every single"))
    world.record(*world.gates.intake(world.view, world.at(18), AT, [again], []))
    assert world.gates.route(world.view, WARN, score(0.4)).stale
    world.record(*world.gates.intake(world.view, world.at(18), AT, [accusation(text="quite new")], []))
    assert not world.gates.route(world.view, WARN, score(0.4)).stale


def test_an_honest_negative_leaves_the_rounds_whatever_the_score(world: World) -> None:
    said = a.json_of(world.tree, a.TESTS).value
    world.put(a.TESTS, {**said, "hypotheses": {"H1": "refuted", "H2": "supported"}})
    found = world.audited().reviewed(0.2)
    verdict = world.decide(found)
    result = world.gates.score(world.view, found)
    route = world.gates.route(world.view, verdict, result)
    assert (route.entry, route.outcome) == (None, "negative-result")

    shaky = world.reviewed(0.2, soundness=0.3)
    route = world.gates.route(world.view, world.decide(shaky), world.gates.score(world.view, shaky))
    assert route.entry == 9, "an unsound study has refuted nothing"


def test_a_negative_on_exploration_seeds_or_a_loose_plan_is_none(world: World) -> None:
    from gates.honesty import negative

    said = a.json_of(world.tree, a.TESTS).value
    world.put(a.TESTS, {**said, "hypotheses": {"H1": "refuted", "H2": "refuted"}})
    assert negative(world.tree, world.view) == ("H1",)
    current = a.json_of(world.tree, a.CURRENT).value
    world.put(a.CURRENT, {**current, "block": "exploration"})
    assert negative(world.tree, world.view) == ()
    world.put(a.CURRENT, current)
    world.put(a.PLAN, world.files[a.PLAN] + b"\n# touched\n")
    assert negative(world.tree, world.view) == ()


def test_degenerate_results_end_as_such(world: World) -> None:
    world.experiment({("ols", s): 0.5 for s in (11, 12, 13)})
    world.put(a.DECISION, {"decision": "proceed", "evidence": ["x"], "degenerate": True})
    found = world.audited().reviewed(0.2)
    route = world.gates.route(world.view, world.decide(found), world.gates.score(world.view, found))
    assert (route.entry, route.outcome) == (None, "degenerate")
