"""What the rehearsal models answer in stages 14 and 15.

Belongs here: one function a step, from the blocks of the prompt. Not here: the words for results
(`agents/rehearsal/result_words.py`).
"""

from __future__ import annotations

from typing import Any

from agents.frozen_tests import TestRow
from agents.rehearsal.answers import answers
from agents.rehearsal.reading import Prompt, Rehearsal
from agents.rehearsal.result_words import (
    Results,
    component_said,
    control_said,
    names,
    of_debate,
    tested,
)
from cockpit.kernel.model import pretty

ROLES = ("optimist", "sceptic", "methodologist")


def _role(prompt: Prompt) -> str:
    return next(role for role in ROLES if prompt.title.endswith(role))


@answers("result-analyzer/opening")
def opening(prompt: Prompt, how: Rehearsal) -> str:
    """Three first readings of the same tests."""
    r = of_debate(prompt)
    claim, mind = _openings(r, how)[_role(prompt)]
    evidence = [t.id for t in r.tests.tests] or [r.outcome.name]
    return pretty({"claim": claim, "evidence": evidence, "would_change_my_mind": mind})


def _openings(r: Results, how: Rehearsal) -> dict[str, tuple[str, str]]:
    first = r.tests.tests[0] if r.tests.tests else None
    return {
        "optimist": (
            f"The plan's first question has an answer: {tested(first, r)}. {control_said(r)} {_size(first)}",
            f"The same comparison on fresh seeds in which {r.outcome.name} does not differ.",
        ),
        "sceptic": (
            f"{' '.join(how.study.limits[:2])} A method that wins where it was expected to win has not been tested"
            " hard; few seeds make even a clear difference look safer than it is.",
            "The same order of conditions under another data-generating process.",
        ),
        "methodologist": (
            "Comparisons are paired by seed, so common variation cancels, and the tests were frozen before the runs."
            f" With several tests the adjusted values count as well: {names(r.tests.hypotheses)}.",
            "A test whose adjusted value no longer leaves the null out, or a condition that saw other data.",
        ),
    }


def _size(row: TestRow | None) -> str:
    if row is None or row.verdict == "inconclusive":
        return "The direction is worth knowing even where the interval is still wide."
    return "The difference is large beside its variation over seeds."


@answers("result-analyzer/rebuttal")
def rebuttal(prompt: Prompt, how: Rehearsal) -> str:
    """Each role answers the next one and grants something."""
    role = _role(prompt)
    other = ROLES[(ROLES.index(role) + 1) % len(ROLES)]
    claim, point, grant = {
        "optimist": (
            "The main difference stands on this setting, and the ablations show where it comes from.",
            "A limit of the setting is no fault of the comparison: within it the order of conditions is clear.",
            "The finding is about the setting that was run and should be worded so.",
        ),
        "sceptic": (
            "I accept the order of conditions here; I do not accept a claim beyond this setting.",
            "Pairing removes common variation, but not the choice of a setting that suits the method.",
            "The control behaves as it must, so the measurement itself is not broken.",
        ),
        "methodologist": (
            "The tests fit the design; what may be claimed is their direction and interval, not more.",
            "A large effect beside small variation is shown by the interval; enthusiasm adds nothing to it.",
            "More seeds would narrow the intervals without changing their side of zero.",
        ),
    }[role]
    evidence = [t["id"] for t in prompt.json("tests")["tests"]]
    reply: dict[str, Any] = {
        "claim": claim,
        "evidence": evidence,
        "objections": [{"to": other, "point": point}],
        "concessions": [grant],
    }
    return pretty(reply)


@answers("result-analyzer/analysis")
def analysis(prompt: Prompt, how: Rehearsal) -> str:
    """What stands: the program's verdicts, the ablations, the control."""
    r = of_debate(prompt)
    readings = [
        {
            "hypothesis": h.id,
            "verdict": r.tests.hypotheses[h.id],
            "reading": f"On these seeds {tested(r.tests.of(h.id), r)}. {_means(r.tests.hypotheses[h.id])}",
        }
        for h in r.hypotheses
    ]
    open_ = [h for h, v in r.tests.hypotheses.items() if v == "inconclusive"]
    disputes = ["how far the order of conditions carries beyond this setting (sceptic against optimist)"]
    reply = {
        "summary": f"{names(r.tests.hypotheses)}. {control_said(r)}",
        "readings": readings,
        "components": [component_said(c, r) for c in r.plan.components],
        "concessions": ["the finding is worded for the setting that was run (optimist)",
                        "the measurement is not broken, since the control is worse (sceptic)"],
        "disputes": disputes,
        "would_refute": [f"fresh seeds on which {r.outcome.name} does not differ between the method and its baseline"],
        "limitations": list(how.study.limits),
        "disagreement": 0.4 if open_ else 0.2,
    }  # fmt: skip
    return pretty(reply)


def _means(verdict: str) -> str:
    return {
        "supported": "That bears the hypothesis out in this setting, and says nothing about others.",
        "refuted": "The prediction is refuted in this setting; that is a finding of its own.",
        "inconclusive": "That is no evidence of absence: more seeds could decide it.",
    }[verdict]


@answers("result-analyzer/decision")
def decision(prompt: Prompt, how: Rehearsal) -> str:
    """Proceed, unless a program found a collapse that a refinement may still mend."""
    verdicts = prompt.json("tests")["hypotheses"]
    tests = [t["id"] for t in prompt.json("tests")["tests"]]
    left = prompt.json("left")
    collapsed = "collapsed" in prompt.blocks
    if collapsed and left["refine"] > 0:
        what, why = "refine", "A program found a fault in the results, and a change of the code can still remove it."
    elif collapsed and left["pivot"] > 0:
        what, why = "pivot", "The results collapsed and refinement is used up; another line of work is needed."
    else:
        what, why = "proceed", f"The frozen tests answer the question: {names(verdicts)}."
    reply = {
        "decision": what,
        "reason": why,
        "evidence": [*tests, *verdicts],
        "degenerate": collapsed and what == "proceed",
        "uncertainty": 0.5 if collapsed else 0.15,
    }
    return pretty(reply)
