"""Stage 9: what is frozen, what a later version may change, what the reviewer's word does."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as lean
from hypothesis import strategies as st
from planning_bench import Bench, settings
from test_planners_literature import spoiled

from agents import artifacts
from agents.errors import UnusableReply
from agents.plan_changes import changes
from agents.plan_checks import hypothesis_faults, plan_faults
from agents.rehearsal.studies import STUDIES
from agents.seeding import grown, seed_blocks
from cockpit.kernel.findings import Finding, Obligation, ObligationPart, Span
from cockpit.kernel.ids import ConditionId, Fingerprint, Position
from cockpit.kernel.plan import Comparison, Component, ExperimentPlan, Hypothesis
from cockpit.kernel.settings import RehearsalSettings, Settings
from gates.contracts import unmet


def owed(component: str, number: int = 7) -> Obligation:
    """A reviewer's demand for the ablation of `component`."""
    at = Position(round=1, stage=18)
    title = f"No ablation of {component} is reported"
    finding = Finding(auditor="ablations", pattern="experiment-missing", severity="critical", title=title, owner=9,
                      spans=(Span(file="06_paper_writing/artifacts/outline.json", text=component),))  # fmt: skip
    return Obligation(number=number, fingerprint=Fingerprint("ab"), finding=finding, opened=at, last_seen=at,
                      parts=(ObligationPart(text=f"ablation of {component}"),))  # fmt: skip


def designed(study: str = "shrinkage", **changed: Any) -> Bench:
    bench = Bench(settings(study, **changed))
    bench.run(*range(1, 10))
    return bench


@pytest.mark.parametrize("study", ["shrinkage", "bootstrap", "schedules", "micro"])
def test_a_missing_ablation_is_planned_in_round_two(study: str) -> None:
    bench = designed(study, faults=("missing-ablation",))
    first = artifacts.plan_of(bench.text("exp_plan.yaml"))
    bare = [c.name for c in first.components if c.ablation is None]
    assert len(bare) == 1
    assert unmet(9, bench.tree, bench.desk.view) == ()
    assert bench.reports[9].findings == ()
    asked = len(bench.door.asked)

    report = bench.run(9, revising=True, round=2, obligations=(owed(bare[0]),))
    second = artifacts.plan_of(bench.text("exp_plan.yaml"))
    assert len(bench.door.asked) - asked <= 6
    assert second.version == 2
    assert all(c.ablation for c in second.components)
    assert second.seed_blocks == first.seed_blocks
    assert all(second.condition(c.id) == c for c in first.conditions)
    assert len(second.conditions) == len(first.conditions) + 1
    assert second.tests == first.tests
    assert any(c.startswith("added condition") for c in second.changes)
    assert second.reason in report.summary
    assert report.fields["answers"] == [{"obligation": 7, "change": report.fields["answers"][0]["change"]}]
    frozen = [e.version for e in bench.store.events if e.kind == "plan-frozen"]
    assert frozen == [1, 2]
    assert unmet(9, bench.tree, bench.desk.view) == ()


def test_an_unchanged_plan_keeps_its_version_and_bytes() -> None:
    bench = designed()
    before = bench.files[artifacts.EXPERIMENT_PLAN]
    report = bench.run(9, revising=True, round=2)
    assert bench.files[artifacts.EXPERIMENT_PLAN] == before
    assert "unchanged" in report.summary
    assert [e.version for e in bench.store.events if e.kind == "plan-frozen"] == [1]


def test_the_place_of_the_missing_ablation_moves_with_the_seed() -> None:
    bare = set()
    before = Bench(settings("micro"))
    before.run(*range(1, 9))
    for seed in range(20):
        bench = Bench(settings("micro", faults=("missing-ablation",), rehearsal_seed=seed), files=dict(before.files))
        bench.run(9)
        bare |= {c.name for c in artifacts.plan_of(bench.text("exp_plan.yaml")).components if c.ablation is None}
    assert len(bare) > 1


def test_a_plan_without_a_hypothesis_condition_is_asked_for_again() -> None:
    def lose(reply: Any) -> None:
        reply["conditions"] = [c for c in reply["conditions"] if c["id"] != "plain"]

    bench = Bench(settings("micro"), edit=spoiled("exp-planner/plan", lose))
    bench.run(*range(1, 10))
    complaint = next(r for r in bench.door.asked if r.path == "plan/try-2" and r.purpose == "exp-planner/plan")
    assert "H1 needs the condition “plain”" in complaint.messages[-1]["content"]
    assert unmet(9, bench.tree, bench.desk.view) == ()


def test_three_faulty_plans_end_the_stage() -> None:
    def weaken(reply: Any) -> None:
        reply["positive_control"] = "clipped"

    bench = Bench(settings("micro"), edit=spoiled("exp-planner/plan", weaken, times=9))
    bench.run(*range(1, 9))
    with pytest.raises(UnusableReply, match="positive control"):
        bench.run(9)
    assert artifacts.EXPERIMENT_PLAN not in bench.files


def test_a_later_version_may_lose_nothing() -> None:
    def lose(reply: Any) -> None:
        reply["conditions"] = [c for c in reply["conditions"] if c["kind"] != "ablation"]
        reply["components"] = [{**c, "ablation": None} for c in reply["components"]]
        reply["reason"] = "simpler"

    bench = designed("micro")
    bench.door.edit = spoiled("exp-planner/replan", lose, times=9)
    with pytest.raises(UnusableReply, match=r"ablations are needed|must stay"):
        bench.run(9, revising=True, round=2, obligations=(owed("robust scale"),))


def test_a_change_needs_a_reason_and_a_real_obligation() -> None:
    def silent(reply: Any) -> None:
        reply["wall_s_a_job"] = 99.0
        reply["answers"] = [{"obligation": 42, "change": "everything"}]

    bench = designed("micro")
    bench.door.edit = spoiled("exp-planner/replan", silent)
    bench.run(9, revising=True, round=2, obligations=(owed("robust scale"),))
    told = next(r for r in bench.door.asked if r.path == "replan/try-2").messages[-1]["content"]
    assert "say in one sentence why" in told
    assert "#42 is no obligation of this step" in told


def test_other_hypotheses_begin_a_new_plan() -> None:
    bench = designed("micro")
    hypotheses = bench.json("hypotheses.json")
    hypotheses[0]["prediction"]["relation"] = "higher"
    bench.files[artifacts.HYPOTHESES] = json.dumps(hypotheses).encode()
    bench.run(9, revising=True, round=2)
    plan = artifacts.plan_of(bench.text("exp_plan.yaml"))
    assert (plan.version, plan.reason) == (2, "other hypotheses than the plan before")
    assert plan.tests[0].comparison.relation == "higher"


def test_a_reviewers_faults_become_findings_with_their_place() -> None:
    def accuse(reply: Any) -> None:
        reply["verdict"] = "mend"
        reply["faults"] = [
            {"kind": "leakage", "fatal": False, "text": "Scales come from test rows.", "quote": "label: Clipped mean"},
            {"kind": "power", "fatal": False, "text": "Too few draws.", "quote": "not in the plan"},
        ]

    bench = Bench(settings("micro"), edit=spoiled("paper-reviewer/design", accuse))
    report = bench.run(*range(1, 10))
    first, second = report.findings
    assert (first.pattern, first.severity, first.owner) == ("design-leakage", "major", 9)
    assert first.spans[0].line > 0
    assert second.spans[0].line == 0
    assert not first.deterministic
    assert first.family
    assert [(a.auditor, a.verdict, a.findings) for a in report.audits] == [("design", "WARN", 2)]


@pytest.mark.parametrize(
    ("step", "stage", "pattern"), [("novelty", 8, "novelty-unreviewed"), ("design", 9, "design-unreviewed")]
)
def test_a_review_that_cannot_be_read_is_an_error_never_a_pass(step: str, stage: int, pattern: str) -> None:
    def lie(reply: Any) -> None:
        reply["nonce"] = "guessed"

    for edit in (spoiled(f"paper-reviewer/{step}", lie), lambda r, t: "no" if r.purpose.endswith(f"/{step}") else t):
        bench = Bench(settings("micro"), edit=edit)
        report = bench.run(*range(1, stage + 1))
        assert [f.pattern for f in report.findings] == [pattern]
        assert [a.verdict for a in report.audits] == ["ERROR"]
        assert unmet(stage, bench.tree, bench.desk.view) == ()


def test_known_hypotheses_open_a_finding() -> None:
    def known(reply: Any) -> None:
        reply["verdict"], reply["weaknesses"] = "known", ["Ask what happens under another kind of contamination."]

    bench = Bench(settings("micro"), edit=spoiled("paper-reviewer/novelty", known))
    report = bench.run(*range(1, 9))
    assert [(f.pattern, f.severity, f.owner) for f in report.findings] == [("novelty-known", "major", 8)]
    assert bench.json("novelty.json")["verdict"] == "known"


MICRO = STUDIES["micro"]


def plan(**changed: Any) -> ExperimentPlan:
    made = MICRO.design(1, "lite", missing=False, seed=0)
    return made.model_copy(update={"seed_blocks": seed_blocks(Settings(), 3), **changed})


def test_each_fault_of_a_plan_has_its_sentence() -> None:
    good = plan()
    assert plan_faults(good, MICRO.hypotheses, "lite") == []
    flipped = next(c for c in good.conditions if c.kind == "control")
    ablation = next(c for c in good.conditions if c.kind == "ablation")
    cases = {
        "comes twice": plan(conditions=(*good.conditions, good.conditions[0])),
        "no condition id": plan(conditions=(*good.conditions, flipped.model_copy(
            update={"id": "Bad Id", "label": "b"}))),
        "under scripts/": plan(conditions=(*good.conditions, flipped.model_copy(
            update={"id": "x", "label": "b", "entry": "scripts/../../etc/run.py"}))),
        "the blocks of seeds overlap": plan(seed_blocks={"exploration": (1, 2, 3), "round-1": (3, 4, 5)}),
        "seeds a condition are needed": plan(seed_blocks={"exploration": (1,)}),
        "names “nowhere”": plan(components=(Component(name="c", ablation=ConditionId("nowhere")),)),
        "which is no component": plan(conditions=tuple(
            c.model_copy(update={"component": "mystery"}) if c is ablation else c for c in good.conditions)),
        "of kind control": plan(positive_control=ConditionId("clipped")),
        "has no test": plan(tests=good.tests[:1]),
        "must compare what": plan(tests=tuple(t.model_copy(update={"comparison": t.comparison.model_copy(
            update={"relation": "higher"})}) for t in good.tests)),
        "(efficiency)": plan(efficiency=()),
        "(rights)": plan(datasets=tuple(d.model_copy(update={"rights": " "}) for d in good.datasets)),
        "which no data set has": plan(metrics=tuple(m.model_copy(update={"split": "dev"}) for m in good.metrics)),
        "no package name": plan(packages=("numpy; rm -rf /",)),
    }  # fmt: skip
    for words, bad in cases.items():
        said = "; ".join(plan_faults(bad, MICRO.hypotheses, "lite"))
        assert words in said, (words, said)


def test_hypotheses_must_be_refutable() -> None:
    base = MICRO.hypotheses
    assert hypothesis_faults(base) == []
    alone = Comparison(left=ConditionId("a"), right=ConditionId("a"), metric="m", relation="lower")
    same = base[0].model_copy(update={"prediction": alone})
    unsure = base[0].model_copy(update={"prediction": base[0].prediction.model_copy(update={"relation": "different"})})
    vague = Hypothesis(id="H9", statement="It helps.", primary=False, refuted_if="-", prediction=base[0].prediction)
    cases = {
        "two to four": base[:1],
        "primary": tuple(h.model_copy(update={"primary": False}) for h in base),
        "with itself": (same, base[1]),
        "must say what": (*base, vague),
        "same comparison": (*base, base[0].model_copy(update={"id": "H3"})),
        "predict a direction": (base[1], unsure),
    }  # fmt: skip
    for words, bad in cases.items():
        assert words in "; ".join(hypothesis_faults(bad)), words


@given(st.integers(0, 10**9), st.integers(0, 10**6), st.integers(1, 20))
@lean(max_examples=60, deadline=None)
def test_blocks_of_seeds_are_disjoint_and_grow(seed: int, rehearsed: int, size: int) -> None:
    rehearsal = RehearsalSettings(on=True, study="micro", seed=rehearsed)
    blocks = seed_blocks(Settings(seed=seed, rehearsal=rehearsal), size)
    more = grown(blocks, size + 7, seen=("round-1",))
    for made in (blocks, more):
        all_seeds = [s for block in made.values() for s in block]
        assert len(set(all_seeds)) == len(all_seeds)
    assert list(blocks) == ["exploration", "round-1", "round-2", "round-3", "round-4", "round-5"]
    assert more["round-1"] == blocks["round-1"]
    assert more["round-2"][:size] == blocks["round-2"]
    assert len(more["round-2"]) == size + 7


def test_order_alone_is_no_change() -> None:
    good = plan()
    assert changes(good, plan(conditions=tuple(reversed(good.conditions)))) == []
    told = changes(good, plan(wall_s_a_job=99.0, metrics=good.metrics[:1]))
    assert told == [f"removed metric {good.metrics[1].name}", "wall s a job 20.0 became 99.0"]
