"""Rehearsal answers of the experiment planner: a debate, a design, its next version.

Belongs here: stages 8 and 9. Not here: facts of a study (`studies/`), words (`topics.py`).
"""

from __future__ import annotations

import re
from typing import Any

from agents.rehearsal.abstracts import dumps, hits
from agents.rehearsal.answers import answers
from agents.rehearsal.reading import Prompt, Rehearsal
from agents.rehearsal.studies import Study
from agents.rehearsal.topic_facts import TopicFacts, Voice
from agents.rehearsal.topics import TOPICS
from cockpit.kernel.plan import Component, ExperimentPlan, Hypothesis, StatTest

SPEAKER = re.compile(r"You are the \*\*(\w+)\*\*")
NEXT = {"innovator": "pragmatist", "pragmatist": "contrarian", "contrarian": "innovator"}
DESIGN = {"datasets", "metrics", "efficiency", "conditions", "components", "tests", "positive_control", "packages",
          "wall_s_a_job"}  # fmt: skip


@answers("exp-planner/opening")
def opening(prompt: Prompt, how: Rehearsal) -> str:
    """A speaker's claim and its hypothesis; the contrarian's points the other way."""
    speaker = _speaker(prompt)
    proposal = {"pragmatist": _plain, "innovator": _by_part, "contrarian": _against}[speaker](how.study)
    said = {"claim": _voice(TOPICS[how.study.id], speaker).claim, "proposals": [proposal]}
    return dumps({**said, "evidence": _cited(prompt, how, speaker)})


@answers("exp-planner/rebuttal")
def rebuttal(prompt: Prompt, how: Rehearsal) -> str:
    """An objection to the next speaker, and what is granted."""
    speaker = _speaker(prompt)
    voice = _voice(TOPICS[how.study.id], speaker)
    cited = _cited(prompt, how, speaker)
    objection = {"to": NEXT[speaker], "point": voice.objection, "evidence": cited[:1]}
    return dumps(
        {"claim": voice.position, "objections": [objection], "concessions": [voice.concession], "evidence": cited}
    )


@answers("exp-planner/hypotheses")
def hypotheses(prompt: Prompt, how: Rehearsal) -> str:
    """The study's hypotheses; after a failed line, in another order: what was secondary becomes primary."""
    study, facts = how.study, TOPICS[how.study.id]
    chosen = _turned(study.hypotheses) if "failure" in prompt.blocks else study.hypotheses
    kept = [(h.statement, True, "Decidable with these means, and it could be refuted.") for h in chosen]
    others = [
        (_by_part(study)["statement"], "An ablation answers it; it needs no hypothesis of its own."),
        *facts.dropped,
    ]
    ideas = [*kept, *((idea, False, why) for idea, why in others)]
    near = _cited(prompt, how, "innovator")
    voices = (facts.innovator, facts.pragmatist, facts.contrarian)
    return dumps(
        {
            "plan": {
                "goal": "Two to four hypotheses that the result table can refute.",
                "method": "Three opposed positions, one exchange, a close by someone who took no part.",
                "risks": ["All debaters may share one blind spot; a reviewer outside the debate looks at novelty."],
            },
            "hypotheses": [h.model_dump(mode="json") for h in chosen],
            "ideas": [
                {"rank": n, "idea": idea, "kept": stays, "why": why}
                for n, (idea, stays, why) in enumerate(ideas, start=1)
            ],
            "neighbours": [
                {"key": key, "has": "A result on the method or its setting, by its own abstract.",
                 "adds": f"{study.method} taken apart in one setting, with seeds fixed beforehand."}
                for key in near
            ],
            "concessions": [voice.concession for voice in voices],
            "disputes": [facts.dispute],
            "would_refute": [facts.would_refute],
        }
    )  # fmt: skip


@answers("exp-planner/baselines")
def baselines(prompt: Prompt, how: Rehearsal) -> str:
    """The study's baselines."""
    chosen = [
        {
            "id": c.id,
            "label": c.label,
            "what": how.study.notes[c.id],
            "why": f"Without it a gain of {how.study.method} could be the gain of anything.",
            "risk_of_unfairness": "",
        }
        for c in how.study.conditions
        if c.kind == "baseline"
    ]
    return dumps({"baselines": chosen, "left_out": TOPICS[how.study.id].left_out})


@answers("exp-planner/datasets")
def datasets(prompt: Prompt, how: Rehearsal) -> str:
    """The study's data."""
    facts = TOPICS[how.study.id]
    survey = [
        {"name": d.name, "used": True, "why": "The truth is known, so error can be measured; data cost nothing."}
        for d in how.study.datasets
    ]
    name, why = facts.not_used
    return dumps(
        {
            "datasets": [d.model_dump(mode="json") for d in how.study.datasets],
            "survey": [*survey, {"name": name, "used": False, "why": why}],
            "leakage_risk": facts.leakage,
        }
    )


@answers("exp-planner/metrics")
def metrics(prompt: Prompt, how: Rehearsal) -> str:
    """The study's metrics."""
    return dumps(
        {
            "metrics": [m.model_dump(mode="json") for m in how.study.metrics],
            "efficiency": how.study.efficiency,
            "why": TOPICS[how.study.id].hidden_by_a_win,
        }
    )


@answers("exp-planner/plan")
def plan(prompt: Prompt, how: Rehearsal) -> str:
    """The study's design at the effort asked for; the fault *missing-ablation* leaves one component bare."""
    demands = prompt.json("demands")
    missing = "missing-ablation" in how.faults and not prompt.revising
    made = how.study.design(1, demands["effort"], missing=missing, seed=how.seed)
    tests = _tests(how.study, [Hypothesis.model_validate(h) for h in prompt.json("hypotheses")])
    return dumps(_design(made.model_copy(update={"tests": tests}), demands, reason="", found=[]))


@answers("exp-planner/replan")
def replan(prompt: Prompt, how: Rehearsal) -> str:
    """The plan in force; with a missing ablation on the books, with that ablation."""
    demands = prompt.json("demands")
    before = ExperimentPlan.model_validate({**prompt.json("previous"), "seed_blocks": {}})
    owed = [o for o in (prompt.json("obligations") if prompt.revising else []) if _asks_for_ablation(o)]
    wanted = _credited(how.study, before, owed)
    after = how.study.mended(before.model_copy(update={"components": wanted}), "")
    if not owed or after.conditions == before.conditions:
        return dumps(_design(before, demands, reason="", found=[]))
    added = [c.label for c in after.conditions if before.condition(c.id) is None]
    told = f"added the condition {', '.join(added)}, with the same seeds as the method"
    reason = f"the paper credits a part of the method that had no ablation: {', '.join(added)} added"
    return dumps(
        _design(after, demands, reason=reason, found=[{"obligation": o["number"], "change": told} for o in owed])
    )


def _credited(study: Study, before: ExperimentPlan, owed: list[dict[str, Any]]) -> tuple[Component, ...]:
    """Components of the plan, and those of the study that an obligation names."""
    told = " ".join(f"{o['title']} {' '.join(o['open_parts'])}" for o in owed).lower()
    known = {c.name for c in before.components}
    more = [c for c in study.components if c.name not in known and c.name.lower() in told]
    return (*before.components, *(c.model_copy(update={"ablation": None}) for c in more))


def _asks_for_ablation(obligation: dict[str, Any]) -> bool:
    said = f"{obligation['pattern']} {obligation['title']} {' '.join(obligation['open_parts'])}".lower()
    return "experiment-missing" in said or "ablat" in said


def _design(
    made: ExperimentPlan, demands: dict[str, Any], *, reason: str, found: list[dict[str, Any]]
) -> dict[str, Any]:
    return {
        "plan": {
            "goal": "An experiment that could refute each hypothesis, frozen before it runs.",
            "method": "Same data and seeds for all conditions; ablations; a control that must come out worse.",
            "risks": ["So few seeds show the sign of a difference; its size stays uncertain."],
        },
        **made.model_dump(mode="json", include=DESIGN),
        "seeds_a_condition": demands["seeds_a_condition"],
        "reason": reason,
        "answers": found,
    }


def _tests(study: Study, asked: list[Hypothesis]) -> tuple[StatTest, ...]:
    """The study's test of each hypothesis asked about; a plain one for a prediction that the study does not test."""
    made = []
    for n, h in enumerate(asked, start=1):
        known = next((t for t in study.tests if t.comparison == h.prediction), None)
        made.append(
            known.model_copy(update={"hypothesis": h.id})
            if known
            else StatTest(id=f"T{n}", hypothesis=h.id, comparison=h.prediction)
        )
    return tuple(made)


def _plain(study: Study) -> dict[str, str]:
    """The study's first hypothesis."""
    first = study.hypotheses[0]
    left, right = study.condition(first.prediction.left), study.condition(first.prediction.right)
    predicted = f"{left.label} has {first.prediction.metric} {first.prediction.relation} than {right.label}"
    return {"statement": first.statement, "prediction": predicted, "refuted_if": first.refuted_if}


def _by_part(study: Study) -> dict[str, str]:
    """The gain is the gain of one part."""
    part, metric = study.components[0], study.hypotheses[0].prediction.metric
    bare = next(c for c in study.conditions if c.component == part.name)
    return {
        "statement": f"What {study.method} gains is mostly the gain of its {part.name}.",
        "prediction": f"{bare.label} loses against {study.main.label} in {metric}, more than any other ablation",
        "refuted_if": f"{bare.label} is no worse than {study.main.label} on average over seeds",
    }


def _against(study: Study) -> dict[str, str]:
    """The opposite of the expected answer."""
    first = study.hypotheses[0]
    left, right, metric = first.prediction.left, first.prediction.right, first.prediction.metric
    return {
        "statement": f"There is no such gain: in {metric}, {left} and {right} differ by chance only.",
        "prediction": f"{metric} does not differ between {left} and {right} by more than chance",
        "refuted_if": f"{first.statement[0].lower()}{first.statement[1:]}",
    }


def _turned(old: tuple[Hypothesis, ...]) -> tuple[Hypothesis, ...]:
    """What was secondary first and primary, ids in the new order."""
    order = sorted(old, key=lambda h: h.primary)
    return tuple(
        h.model_copy(update={"id": f"H{n}", "primary": n == 1 and h.prediction.relation != "different"})
        for n, h in enumerate(order, start=1)
    )


def _speaker(prompt: Prompt) -> str:
    found = SPEAKER.search(prompt.text)
    if found is None:
        raise ValueError(f"{prompt.step}: the prompt names no speaker")
    return found[1]


def _voice(facts: TopicFacts, speaker: str) -> Voice:
    return {"innovator": facts.innovator, "pragmatist": facts.pragmatist, "contrarian": facts.contrarian}[speaker]


def _cited(prompt: Prompt, how: Rehearsal, speaker: str) -> list[str]:
    """Two cards near the topic, others for each speaker."""
    cards: list[dict[str, Any]] = prompt.json("cards")
    terms = TOPICS[how.study.id].terms
    near = sorted(cards, key=lambda c: (-hits(f"{c['title']} {c['claim']}", terms), c["key"]))
    at = 2 * list(NEXT).index(speaker)
    return [c["key"] for c in near[at : at + 2]] or [c["key"] for c in near[:1]]
