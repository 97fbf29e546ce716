"""The story of a run as the gates see it: honest runs pass without a word, each fault has its own finding."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from gates_world import World, as_json

from cockpit.kernel.plan import ExperimentPlan
from cockpit.kernel.stages import STAGES
from gates import artifacts as a
from gates.auditors import SCHEDULE


def test_an_honest_run_meets_every_contract_and_has_no_findings(world: World) -> None:
    reviews = world.reviewed()
    world.audited()
    assert not world.view.ledger.obligations
    unmet = {s.number: world.gates.unmet(s.number, world.tree, world.view) for s in STAGES if s.number <= 20}
    assert {n: u for n, u in unmet.items() if u} == {}
    verdict = world.decide(reviews)
    assert verdict.outcome == "WARN"  # offline: references are pending, which is no pass and no block
    assert [r.code for r in verdict.reasons] == ["citations-pending"]
    route = world.gates.route(world.view, verdict, world.gates.score(world.view, reviews))
    assert (route.entry, route.outcome, route.export_round) == (None, "accepted", 1)


def test_what_19_changes_after_the_advice_of_18_is_confirmed_at_20(world: World) -> None:
    world.advised()
    world.paper(world.files[a.RENDERED].decode().replace("It holds here.", "It holds here, in this setting."))
    world.audited()
    verdict = world.decide([r.review for r in world.view.reviews])
    assert {r.code for r in verdict.reasons if r.severity == "block"} == {"review-missing"}, "nobody read these bytes"
    confirmed = [world.review(name) for name in ("reviewer", "reviewer-2")]
    assert world.decide(confirmed).outcome == "WARN", "advice on the bytes before is no reason to block"


def test_every_audit_of_the_schedule_passes_on_an_honest_run(world: World) -> None:
    for stage, part in SCHEDULE:
        audited = world.gates.audit(stage, part, world.tree, world.view)
        assert not audited.findings
        assert {r.verdict for r in audited.runs} == {"PASS"}
        assert all(r.inputs for r in audited.runs)


def test_reference_without_record_is_found_named_and_closed_when_replaced(world: World) -> None:
    honest = world.files[a.RENDERED].decode()
    world.paper(honest.replace("It holds here.", "It holds here \\citep{ghost2024deep}."))
    world.judge(17, "mended")
    [o] = world.view.ledger.open
    assert (o.finding.pattern, o.finding.severity, o.finding.owner) == ("reference-without-record", "critical", 17)
    line = next(n for n, text in enumerate(world.files[a.RENDERED].decode().splitlines(), 1) if "ghost" in text)
    assert (o.finding.spans[0].line, o.finding.spans[0].text) == (line, "ghost2024deep")
    assert world.decide(world.reviewed()).outcome == "BLOCK"

    world.paper(honest.replace("It holds here.", "It holds here \\citep{paper03}."))
    world.judge(19, "mended")
    [o] = world.view.ledger.obligations.values()
    assert (o.state, o.parts[0].fix, o.parts[0].closer) == ("resolved", "citation-replaced", "program:references")
    proof = o.parts[0].evidence[0]
    assert (proof.path, proof.sha256, proof.position) == (a.RENDERED, world.tree.sha(a.RENDERED), world.at(19))


def _without(plan: ExperimentPlan, component: str) -> ExperimentPlan:
    kept = tuple(c for c in plan.conditions if c.component != component)
    credited = tuple(c.model_copy(update={"ablation": None}) if c.name == component else c for c in plan.components)
    return plan.model_copy(update={"conditions": kept, "components": credited})


def test_missing_ablation_grows_critical_with_a_reviewer_and_closes_by_program_and_review(world: World) -> None:
    from cockpit.kernel.reviews import Weakness

    whole = world.plan
    world.design(_without(whole, "target centring"))
    world.experiment()
    world.writing()
    world.judge(17, "mended")
    [o] = world.view.ledger.open
    assert (o.finding.pattern, o.finding.severity, o.finding.owner) == ("experiment-missing", "major", 9)
    [span] = o.finding.spans
    assert (span.file, span.text) == (a.OUTLINE, "target centring")
    assert "target centring" in world.files[a.OUTLINE].decode().splitlines()[span.line - 1]

    miss = Weakness(
        id="w1", dimension="soundness", severity="major", text="No ablation.", missing="ablation of target centring"
    )
    world.review(stage=18, weaknesses=(miss,))
    world.judge(18)
    [o] = world.view.ledger.open
    assert o.finding.severity == "critical"
    world.judge(20, verifications=[world.verification(1)])
    assert world.view.ledger.open, "a review alone does not stand in for the experiment"

    world.round = 2
    world.design(whole.model_copy(update={"version": 2}))
    world.experiment()
    world.writing()
    world.judge(17, "mended")
    assert world.view.ledger.open, "the program alone does not close it"
    world.judge(20, verifications=[world.verification(1, try_=2)])
    [o] = world.view.ledger.obligations.values()
    assert (o.state, o.parts[0].fix) == ("resolved", "experiment-added")


FAULTS = {
    "result-without-job": lambda w: w.put(
        w.tree.list("04_experiment_execution/artifacts/raw_results/main/ols")[0],
        as_json(a.result_of(w.tree, w.tree.list("04_experiment_execution/artifacts/raw_results/main/ridge")[0]).value),
    ),
    "plan-deviation": lambda w: w.put(a.PLAN, w.files[a.PLAN].replace(b"statistics", b"statistic5")),
    "collapse-not-a-number": lambda w: w.experiment({("ols", 12): None}),
    "collapse-bounds": lambda w: w.experiment({("ols", 12): -0.5}),
    "collapse-constant": lambda w: w.experiment({("ols", s): 0.5 for s in (11, 12, 13)}),
    "collapse-perfect": lambda w: w.experiment({("ols", 11): 0.0, ("ols", 12): 0.0, ("ols", 13): 0.0}),
    "collapse-identical": lambda w: w.experiment(
        {("ols", s): 0.3 + s / 7 for s in (11, 12, 13)} | {("no-penalty", s): 0.3 + s / 7 for s in (11, 12, 13)}
    ),
    "control-not-worse": lambda w: w.experiment({("shuffled", s): 0.1 + s / 1000 for s in (11, 12, 13)}),
}


@pytest.mark.parametrize("pattern", sorted(FAULTS))
def test_each_fault_of_the_results_has_its_own_finding(world: World, pattern: str) -> None:
    FAULTS[pattern](world)
    world.judge(13)
    found = {o.finding.pattern for o in world.view.ledger.open}
    expected = {"collapse-perfect": {"collapse-perfect", "collapse-constant"}}.get(pattern, {pattern})
    assert found == expected
    assert all(o.finding.severity == "critical" and o.finding.spans[0].file for o in world.view.ledger.open)


def _swap(paper: str, one: str, other: str) -> str:
    """The values of two rows, each in the other's place."""
    rows = dict(re.findall(r"^(.+?) & ([\d.]+) ", paper, re.MULTILINE))
    text = paper.replace(f"{one} & {rows[one]}", f"{one} & @").replace(
        f"{other} & {rows[other]}", f"{other} & {rows[one]}"
    )
    return text.replace("@", rows[other])


NUMBERS: dict[str, tuple[Callable[[str], str], str]] = {
    "invented": (lambda p: p.replace("It holds here.", "Ridge cut the error to 0.173 there."), "claim-withdrawn"),
    "wrong row": (lambda p: _swap(p, "OLS", "No centring"), "corrected-from-results"),
    "wrong bold": (lambda p: re.sub(r"OLS & ([\d.]+)", r"OLS & \\textbf{\1}", p), "corrected-from-results"),
}


@pytest.mark.parametrize("what", sorted(NUMBERS))
def test_a_wrong_number_is_found_and_closed_by_the_numbers_program(world: World, what: str) -> None:
    honest = world.files[a.RENDERED].decode()
    spoil, fix = NUMBERS[what]
    world.paper(spoil(honest))
    world.judge(17, "draft")
    found = [o.finding for o in world.view.ledger.open]
    assert found
    assert {f.auditor for f in found} == {"numbers"}
    assert all(f.spans[0].line for f in found)
    world.judge(17, "mended")
    assert world.view.ledger.open, "nothing was mended yet"
    world.paper(honest)
    world.judge(19, "mended")
    assert not world.view.ledger.open
    assert {(p.fix, p.closer) for o in world.view.ledger.obligations.values() for p in o.parts} == {
        (fix, "program:numbers")
    }
