"""The policy: every reason, every level, and that nothing passes by being absent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from gates_world import AT, AUTHOR, World, accusation

from cockpit.kernel import events as e
from cockpit.kernel.findings import AuditRun, GateReason
from cockpit.kernel.ids import Actor
from cockpit.kernel.ledger_lines import LEDGER_FILE, ledger_lines
from cockpit.kernel.levels import ASSURANCES, Assurance
from cockpit.kernel.reviews import Family, Review
from cockpit.kernel.view import RunView
from gates import artifacts as a
from gates.policy import FLOORS, decide, outcome_of, required_at
from gates.requirements import _CHECKS

OPENAI = Family(families=("openai",), grade="reported")


def codes(world: World, reviews: list[Review]) -> set[str]:
    return {r.code for r in world.decide(reviews).reasons if r.severity == "block"}


def ready(world: World) -> list[Review]:
    reviews = world.reviewed()
    world.audited()
    world.put(LEDGER_FILE, "".join(line + "\n" for line in ledger_lines(world.events)))
    return reviews


def test_outcome_is_the_gravest_reason() -> None:
    block, warn, pending = (GateReason(code="x", severity=s, text="t") for s in ("block", "warn", "pending"))  # type: ignore[arg-type]
    assert outcome_of(()) == "NO_NEW_BLOCKER"
    assert outcome_of((pending,)) == "NO_NEW_BLOCKER"
    assert outcome_of((pending, warn)) == "WARN"
    assert outcome_of((warn, block, pending)) == "BLOCK"


@pytest.mark.parametrize("level", ASSURANCES)
def test_each_level_asks_for_its_own_and_all_below(level: Assurance) -> None:
    below = ASSURANCES[: ASSURANCES.index(level) + 1]
    assert required_at(level) == tuple(name for floor in below for name in FLOORS[floor])
    assert set(required_at(level)) <= set(_CHECKS)


SPOILS: dict[str, tuple[Callable[[World], Any], str]] = {
    "contract": (lambda w: w.files.pop(a.DECISION), "contract-unmet"),
    "stale paper": (lambda w: w.put(a.RENDERED, w.files[a.RENDERED] + b"\n"), "audit-stale"),
    "stale result": (
        lambda w: w.put(w.tree.list("04_experiment_execution/artifacts/raw_results")[0], b"{}"),
        "audit-stale",
    ),
    "stale code": (lambda w: w.put("04_experiment_execution/artifacts/scripts/more.py", b"x = 1\n"), "audit-stale"),
    "lost paper": (lambda w: w.files.pop(a.RENDERED), "audit-stale"),
    "garbage paper": (lambda w: w.put(a.RENDERED, b"\xff\xfe\x00"), "audit-unavailable"),
    "unrecorded finding": (
        lambda w: w.paper(w.files[a.RENDERED].decode().replace("holds", "\\cite{ghost}")),
        "finding-not-on-the-books",
    ),
    "review of other bytes": (lambda w: w.paper(w.files[a.RENDERED].decode() + "%"), "review-missing"),
    "ledger garbage": (lambda w: w.put(LEDGER_FILE, b"{}\n"), "ledger-tampered"),
    "ledger not text": (lambda w: w.put(LEDGER_FILE, b"\xff"), "ledger-malformed"),
}


@pytest.mark.parametrize("what", sorted(SPOILS))
def test_each_spoil_blocks_with_its_reason(world: World, what: str) -> None:
    reviews = ready(world)
    assert not codes(world, reviews)
    spoil, code = SPOILS[what]
    spoil(world)
    assert code in codes(world, reviews)


def test_no_score_blocks(world: World) -> None:
    ready(world)
    verdict = decide(world.tree, world.view, None)
    assert verdict.outcome == "BLOCK"
    assert "no-score" in {r.code for r in verdict.reasons}


def test_no_run_blocks(world: World) -> None:
    assert decide(world.tree, RunView(), None).outcome == "BLOCK"


def test_a_missing_review_blocks_and_one_thread_is_one_review(world: World) -> None:
    ready(world)
    view = world.view
    world.view = RunView(**{f: getattr(view, f) for f in view.__dataclass_fields__} | {"reviews": view.reviews[-1:]})
    assert "review-missing" in codes(world, [view.reviews[-1].review])


def test_an_audit_that_never_ran_or_failed_blocks(world: World) -> None:
    reviews = world.reviewed()
    assert "audit-missing" in codes(world, reviews)
    world.audited()
    broken = AuditRun(auditor="collapse", version="1", verdict="ERROR", reason="auditor-failed: KeyError")
    world.record(e.AuditRan(at=AT, position=world.at(20), run=broken))
    assert "audit-unavailable" in codes(world, reviews)


def test_an_auditor_that_breaks_blocks_by_name(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    from gates import auditors

    reviews = ready(world)

    def breaks(tree: object, view: object) -> tuple[()]:
        raise KeyError("boom")

    monkeypatch.setitem(auditors.AUDITORS, "collapse", replace(auditors.AUDITORS["collapse"], find=breaks))
    reasons = [r for r in world.decide(reviews).reasons if r.severity == "block"]
    assert [r.code for r in reasons] == ["audit-unavailable"]
    assert "KeyError" in reasons[0].text


@pytest.mark.parametrize(
    ("severity", "outcome"), [("critical", "BLOCK"), ("major", "WARN"), ("minor", "WARN"), ("info", "WARN")]
)
def test_open_obligations_block_or_warn(world: World, severity: str, outcome: str) -> None:
    reviews = ready(world)
    found = accusation("ethics-consent", deterministic=True, severity=severity)
    world.record(*world.gates.intake(world.view, world.at(20), AT, [found], []))
    verdict = world.decide(reviews)
    assert verdict.outcome == outcome
    assert (severity in ("critical", "major", "minor")) == any(r.text.startswith("#1") for r in verdict.reasons)


def test_a_waived_critical_no_longer_blocks_but_a_worse_one_returns(world: World) -> None:
    reviews = ready(world)
    found = accusation("ethics-consent", deterministic=True, severity="major")
    world.record(*world.gates.intake(world.view, world.at(20), AT, [found], []))
    world.record(
        e.ObligationWaived(
            at=AT,
            position=world.at(20),
            fingerprint=world.view.ledger.open[0].fingerprint,
            by=Actor(user="ann"),
            why="asked",
        )
    )
    world.record(*world.gates.intake(world.view, world.at(20), AT, [found], []))
    assert not world.view.ledger.open, "the same again stays waived"
    worse = found.model_copy(update={"severity": "critical"})
    world.record(*world.gates.intake(world.view, world.at(20), AT, [worse], []))
    assert "open-critical" in codes(world, reviews)


def test_provisional_reviews_warn_at_draft_and_do_not_count_at_conference_ready(
    make_world: Callable[..., World],
) -> None:
    world = make_world(grade=AUTHOR)
    verdict = world.audited().decide(world.reviewed())
    assert "review-provisional" in {r.code for r in verdict.reasons}
    assert "review-missing" not in {r.code for r in verdict.reasons}

    strict = make_world(assurance="conference-ready", cap="submission", grade=AUTHOR)
    reasons = {r.code for r in strict.audited().decide(strict.reviewed()).reasons}
    assert {"review-missing", "no-score"} <= reasons


def test_independent_reported_reviews_count_at_conference_ready(make_world: Callable[..., World]) -> None:
    world = make_world(assurance="conference-ready", cap="submission", grade=OPENAI)
    reviews = world.audited().reviewed()
    reasons = {r.code for r in world.decide(reviews).reasons}
    assert not {"review-missing", "no-score"} & reasons
    declared = make_world(
        assurance="conference-ready", cap="submission", grade=Family(families=("openai",), grade="declared")
    )
    assert "review-missing" in {r.code for r in declared.decide(declared.audited().reviewed()).reasons}


def test_level_caps(make_world: Callable[..., World]) -> None:
    world = make_world(assurance="polished", cap="draft")
    reasons = [r for r in world.decide(world.audited().reviewed()).reasons if r.code == "level-capped"]
    assert any("can reach draft" in r.text for r in reasons)
    assert any("without isolation" in r.text for r in reasons)


def test_what_only_a_person_gives_is_pending_beside_the_outcome(make_world: Callable[..., World]) -> None:
    world = make_world(assurance="submission", cap="submission", grade=OPENAI)
    verdict = world.decide(world.audited().reviewed())
    assert {r.code for r in verdict.pending} == {"warns-unacknowledged", "sign-off"}
    for what in ("acknowledged", "signed-off"):
        world.record(e.Decided(at=AT, what=what, by=Actor(user="ann")))  # type: ignore[arg-type]
    assert not world.decide([r.review for r in world.view.reviews]).pending


@pytest.mark.parametrize("audit", ["compile", "related-work"])
def test_recorded_audits_of_polished(make_world: Callable[..., World], audit: str) -> None:
    world = make_world(assurance="polished")
    reviews = world.audited().reviewed()

    def texts() -> list[str]:
        return [r.text for r in world.decide(reviews).reasons if f"audit {audit}" in r.text]

    assert "has not run" in texts()[0]
    good = AuditRun(auditor=audit, version="1", verdict="PASS", inputs={a.RENDERED: world.tree.sha(a.RENDERED)})
    world.record(e.AuditRan(at=AT, position=world.at(17), run=good))
    assert not texts()
    for bad in ({"verdict": "ERROR", "reason": "tex-missing"}, {"inputs": {}}, {"inputs": {a.RENDERED: "0"}}):
        world.record(e.AuditRan(at=AT, position=world.at(17), run=good.model_copy(update=bad)))
        assert texts(), bad


def test_pending_references_warn_at_draft_and_block_at_polished(make_world: Callable[..., World]) -> None:
    world = make_world(assurance="polished")
    reasons = {r.code: r.severity for r in world.decide(world.audited().reviewed()).reasons}
    assert reasons["citations-unverified"] == "block"


def test_a_digit_changed_in_the_exported_paper_is_named(world: World) -> None:
    reviews = ready(world)
    world.export()
    world.judge(22)
    assert not world.view.ledger.open
    assert not codes(world, reviews)
    world.put(a.FINAL_PAPER, world.files[a.FINAL_PAPER].replace(b"OLS & 0.6", b"OLS & 0.9"))
    stale = [r for r in world.decide(reviews).reasons if r.code == "audit-stale"]
    assert stale[0].text.startswith("final/paper.tex")
    [wrong] = [r for r in world.decide(reviews).reasons if r.code == "finding-not-on-the-books"]
    assert wrong.span is not None
    line = next(n for n, text in enumerate(world.files[a.FINAL_PAPER].decode().splitlines(), 1) if "OLS & 0.9" in text)
    assert (wrong.span.file, wrong.span.line) == (a.FINAL_PAPER, line)


def test_evidence_copies_are_rehashed(world: World) -> None:
    world.judge(18, findings=[accusation()])
    world.judge(20, verifications=[world.verification(1)])
    world.round = 2
    world.enter(9)
    copies = [p for p in world.files if p.startswith("ledger/evidence/")]
    assert copies
    world.put(copies[0], b"other")
    assert "evidence-tampered" in codes(world, [])
    del world.files[copies[0]]
    assert "evidence-missing" in codes(world, [])


@pytest.mark.parametrize(
    "words", [("Ridge &", "Rigde &"), ("Shrinkage is old", "Shrinkage is 3 old"), ("It holds here.", "")]
)
def test_any_line_of_the_export_that_was_touched_is_named(world: World, words: tuple[str, str]) -> None:
    reviews = ready(world)
    world.export()
    world.judge(22)
    text = world.files[a.FINAL_PAPER].decode()
    line = next(n for n, row in enumerate(text.splitlines(), 1) if words[0] in row)
    world.put(a.FINAL_PAPER, text.replace(*words))
    named = {r.span.line for r in world.decide(reviews).reasons if r.code == "export-touched" and r.span}
    assert named == {line}


def test_an_export_of_an_earlier_round_is_judged_by_its_own_data(world: World) -> None:
    reviews = ready(world)
    world.export()
    world.judge(22)
    world.round = 2
    world.enter(12)
    world.experiment()
    world.writing()
    late = world.reviewed()
    world.audited()
    assert not {r.text for r in world.decide(late).reasons if "final/" in r.text}
    assert reviews


def test_an_export_must_say_how_it_was_made(world: World) -> None:
    ready(world)
    world.export()
    world.put(a.FINAL_PAPER, world.files[a.RENDERED])
    world.judge(22)
    assert [o.finding.pattern for o in world.view.ledger.open] == ["lint-no-history"]
    world.export()
    world.judge(22)
    assert not world.view.ledger.open
