"""Who closes what: every cell of the table, and that nobody else may."""

from __future__ import annotations

from itertools import product

import pytest
from gates_world import AT, AUTHOR, DictTree, World, accusation

from cockpit.kernel import events as e
from cockpit.kernel.reviews import Family
from gates import artifacts as a
from gates.auditors import AUDITORS
from gates.closers import ACTORS, TABLE, VERBS, may, refusal, rule_for

WAYS = {
    "number-unsupported": "program",
    "number-wrong-place": "program",
    "reference-without-record": "program",
    "citation-not-found": "program",
    "passage-missing": "program-then-review",
    "experiment-missing": "program-then-review",
    "collapse": "program",
    "collapse-constant": "program",
    "control-not-worse": "program",
    "result-without-job": "program",
    "plan-deviation": "program",
    "static-syntax": "program",
    "lint-todo": "program",
    "figure-values": "program",
    "overlap-words": "program",
    "anonymity-name": "program",
    "secret-key": "program",
    "extractor-disagreement": "program",
    "novelty-known": "review",
    "design-leak": "review",
    "experiment-weak": "review",
    "claim-wide": "review",
    "kill-argument": "review",
    "review-soundness": "review",
    "injection-hidden-text": "person",
    "ethics-consent": "person",
    "rights-data": "person",
    "something-new": "person",
}
ALLOWED = {
    ("program", "close"): {"program"},
    ("program", "refute"): {"program", "person"},
    ("program-then-review", "close"): {"program", "independent-review"},
    ("program-then-review", "refute"): {"program", "person"},
    ("review", "close"): {"independent-review"},
    ("review", "refute"): {"independent-review", "person"},
    ("person", "close"): {"person"},
    ("person", "refute"): {"person"},
    **{(way, "accuse"): set(ACTORS) for way in ("program", "program-then-review", "review", "person")},
    **{(way, "waive"): {"person"} for way in ("program", "program-then-review", "review", "person")},
    **{(way, "supersede"): {"program"} for way in ("program", "program-then-review", "review", "person")},
    ("program", "meet-provisionally"): set(),
    ("person", "meet-provisionally"): set(),
    ("program-then-review", "meet-provisionally"): {"provisional-review"},
    ("review", "meet-provisionally"): {"provisional-review"},
}


@pytest.mark.parametrize("pattern", sorted(WAYS))
def test_every_cell(pattern: str) -> None:
    way = rule_for(pattern).way
    assert way == WAYS[pattern]
    for actor, verb in product(ACTORS, VERBS):
        allowed = actor in ALLOWED[way, verb]
        assert may(actor, verb, pattern) is allowed, (actor, verb, pattern)
        assert (refusal(actor, verb, pattern) == "") is allowed


def test_every_row_names_a_program_that_exists_or_clears_nothing(world: World) -> None:
    named = {rule.program for rule in TABLE if rule.program}
    assert named - set(AUDITORS) == {"overlap", "anonymity", "secrets"}
    from gates.clearing import Clearance

    for program in sorted(named - set(AUDITORS)):
        assert Clearance(world.tree, world.view).ask(program, accusation("x"), "claim-narrowed") is None


def test_the_executor_closes_nothing() -> None:
    assert not any(may("executor", verb, pattern) for verb in VERBS if verb != "accuse" for pattern in WAYS)


def test_the_judge_refuses_a_person_what_is_not_a_persons(world: World) -> None:
    world.judge(
        18, findings=[accusation("number-unsupported", auditor="numbers"), accusation("ethics-consent", "other")]
    )
    number, ethics = world.view.ledger.open
    assert "numbers program" in world.gates.refusal("close", number)
    assert world.gates.refusal("close", ethics) == ""
    assert world.gates.refusal("waive", number) == ""
    assert world.gates.refusal("abracadabra", ethics)


def test_an_independent_verification_closes_one_part_and_leaves_the_other(world: World) -> None:
    world.judge(18, findings=[accusation(parts=("say n", "say the interval"))])
    world.judge(20, verifications=[world.verification(1, 0)])
    [o] = world.view.ledger.obligations.values()
    assert [p.state for p in o.parts] == ["closed", "open"]
    assert o.is_open
    assert o.parts[0].closer == "review:rehearsal/b"
    assert o.parts[0].evidence[0].path == a.RENDERED
    world.judge(20, verifications=[world.verification(1, 1)])
    [o] = world.view.ledger.obligations.values()
    assert o.state == "resolved"


def test_not_met_closes_nothing_and_outweighs_met(world: World) -> None:
    world.judge(18, findings=[accusation()])
    world.judge(20, verifications=[world.verification(1), world.verification(1, met="not-met", try_=2)])
    assert world.view.ledger.open


def test_a_provisional_verification_marks_and_does_not_close(world: World) -> None:
    world.judge(18, findings=[accusation()])
    world.judge(20, verifications=[world.verification(1, family=AUTHOR)])
    [o] = world.view.ledger.open
    assert o.parts[0].state == "provisionally-met"


def test_an_answer_of_unknown_family_counts_neither_way(world: World) -> None:
    world.judge(18, findings=[accusation()])
    nobody = Family(families=(), grade="unknown")
    world.judge(20, verifications=[world.verification(1, family=nobody, met="not-met"), world.verification(1, try_=2)])
    [o] = world.view.ledger.obligations.values()
    assert o.state == "resolved", "nobody's no is no veto"
    world.judge(18, findings=[accusation(text="All data")])
    world.judge(20, verifications=[world.verification(2, family=nobody)])
    assert [p.state for o in world.view.ledger.open for p in o.parts] == ["open"]


def test_only_another_family_refutes_and_never_a_program(world: World) -> None:
    world.judge(18, findings=[accusation(), accusation(text="All data", family="openai")])
    world.judge(20, verifications=[world.verification(1, met="refuted"), world.verification(2, met="refuted")])
    mine, theirs = world.view.ledger.obligations.values()
    assert mine.is_open, "a reviewer's point is not refuted by its own family"
    assert (theirs.state, theirs.parts[0].fix) == ("resolved", "finding-refuted")


BROKEN: dict[str, dict[str, object]] = {
    "nonce": {"nonce": "guessed"},
    "no nonce": {"nonce": ""},
    "run": {"run": "another-run"},
    "bytes": {"artifacts": {a.RENDERED: "0" * 64}},
    "nothing read": {"artifacts": {}},
    "future record": {"seq": 10_000},
    "no prompt": {"prompt_sha256": ""},
    "another family's model": {"reported_model": "gpt-5"},
}


@pytest.mark.parametrize("what", sorted(BROKEN))
def test_a_broken_receipt_closes_nothing(world: World, what: str) -> None:
    world.judge(18, findings=[accusation()])
    answer = world.verification(1)
    broken = answer.model_copy(update={"receipt": answer.receipt.model_copy(update=BROKEN[what])})
    world.judge(20, verifications=[broken])
    [o] = world.view.ledger.open
    assert o.parts[0].state == "open"


def test_a_receipt_is_good_once(world: World) -> None:
    world.judge(18, findings=[accusation(), accusation(text="All data")])
    first = world.verification(1)
    other = world.verification(2).model_copy(update={"receipt": first.receipt})
    world.judge(20, verifications=[first, other])
    assert [o.state for o in world.view.ledger.obligations.values()] == ["open", "open"]


def test_a_quote_that_is_not_in_the_paper_does_not_count(world: World) -> None:
    world.judge(18, findings=[accusation()])
    world.judge(20, verifications=[world.verification(1, quote="we ran a thousand seeds")])
    assert world.view.ledger.open
    world.judge(20, verifications=[world.verification(1, quote="All data are  synthetic.", try_=2)])
    assert not world.view.ledger.open


def test_a_persons_finding_is_closed_by_no_program_and_no_review(world: World) -> None:
    world.judge(18, findings=[accusation("injection-hidden-text")])
    world.judge(20, verifications=[world.verification(1)])
    assert world.view.ledger.open


def test_a_program_does_not_clear_while_the_paper_is_gone(world: World) -> None:
    honest = world.files[a.RENDERED].decode()
    world.paper(honest.replace("It holds here.", "\\cite{ghost} TODO"))
    world.judge(17, "mended")
    assert {o.finding.pattern for o in world.view.ledger.open} == {"reference-without-record", "lint-todo"}
    del world.files[a.RENDERED]
    world.judge(19, "mended")
    assert len(world.view.ledger.open) == 2
    assert not any(o.vanished for o in world.view.ledger.open), "an auditor that could not look is not silent"


def test_what_was_left_with_a_pivot_is_superseded_by_program(world: World) -> None:
    lost = "04_experiment_execution/artifacts/raw_results/main/lasso/seed-11.json"
    gone = accusation("collapse-constant", "rmse of lasso", auditor="collapse", file=lost, deterministic=True)
    world.record(*world.gates.intake(world.view, world.at(13), AT, [gone, accusation()], []))
    before = world.gates.settle(world.view, world.at(17), AT, DictTree(world.files))
    assert not [x for x in before if isinstance(x, e.ObligationSuperseded)], "nothing is left behind without a pivot"

    world.record(e.WentBack(at=AT, position=world.at(15), target=8, why="pivot", reason="no"))
    after = world.gates.settle(world.view, world.at(17), AT, world.tree)
    [left] = [x for x in after if isinstance(x, e.ObligationSuperseded)]
    assert left.fingerprint == world.view.ledger.numbered("1").fingerprint  # type: ignore[union-attr]
    world.record(*after)
    world.record(*world.gates.intake(world.view, world.at(18), AT, [gone], []))
    assert world.view.ledger.numbered("1").is_open, "undone if it returns"  # type: ignore[union-attr]
