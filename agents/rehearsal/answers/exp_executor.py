"""What the rehearsal models answer in stages 10, 11 and 13.

Belongs here: answers from the blocks of the prompt and the study. Not here: the studies' code.
"""

from __future__ import annotations

import json
from typing import Any

from agents.rehearsal.answers import answers
from agents.rehearsal.reading import Prompt, Rehearsal
from cockpit.kernel.model import pretty
from cockpit.kernel.plan import ExperimentPlan


def _plan(prompt: Prompt) -> ExperimentPlan:
    return ExperimentPlan.model_validate(prompt.json("plan"))


def _files(files: dict[str, str], words: str) -> str:
    fences = [f"```python file={path}\n{text}```" for path, text in sorted(files.items())]
    return "\n\n".join([words, *fences])


@answers("exp-executor/spec")
def spec(prompt: Prompt, how: Rehearsal) -> str:
    """The files that the study's code has."""
    found = how.study.code(_plan(prompt), seed=how.seed, crash=False)
    files = [
        {"path": path, "purpose": text.split('"""')[1].splitlines()[0], "functions": _functions(text)}
        for path, text in sorted(found.items())
    ]
    reply = {
        "files": files,
        "shared": "Data, solver and scoring stand in problem.py, arguments and results in contract.py; every condition"
        " draws the same data at the same seed, so two conditions differ only in the parameters of the plan.",
        "checks": ["known values of the code's own functions", "shapes of the data", "the truth scores best"],
        "risks": ["a slow machine may need longer than the probe suggests; each job prints its progress"],
    }
    return pretty(reply)


def _functions(text: str) -> list[str]:
    return [line.removeprefix("def ").rstrip(":") for line in text.splitlines() if line.startswith("def ")]


@answers("exp-executor/spec-review")
def spec_review(prompt: Prompt, how: Rehearsal) -> str:
    """Nothing to object to: the studies share data and scoring."""
    return pretty({"problems": [], "advice": ["keep the control's randomness in a stream of its own"]})


@answers("exp-executor/code")
def code(prompt: Prompt, how: Rehearsal) -> str:
    """The study's code; with the fault *crashing-script* it has its slip the first time it is written."""
    plan = _plan(prompt)
    first = plan.version == 1 and "previous" not in prompt.blocks and not prompt.revising
    files = how.study.code(plan, seed=how.seed, crash=first and "crashing-script" in how.faults)
    return _files(files, f"The code of the {how.study.id} study: {len(files)} files, standard library only.")


@answers("exp-executor/repair", "exp-executor/change")
def repair(prompt: Prompt, how: Rehearsal) -> str:
    """Every file that differs from the study's sound code, whole."""
    sound = how.study.code(_plan(prompt), seed=how.seed, crash=False)
    shown = prompt.blocks["files"]
    wrong = {path: text for path, text in sound.items() if f"### {path}\n{text}" not in shown}
    failure: dict[str, Any] = json.loads(prompt.blocks["failure"]) if "failure" in prompt.blocks else {}
    words = f"The cause of {failure['signature']}: a progress line that asks for what is not there." if failure else ""
    return _files(wrong or sound, words or "The change.")


@answers("exp-executor/schedule")
def schedule(prompt: Prompt, how: Rehearsal) -> str:
    """Method and control first, then what they are compared to."""
    plan = _plan(prompt)
    rank = {"main": 0, "control": 1, "baseline": 2, "ablation": 3, "efficiency": 4}
    order = sorted(plan.conditions, key=lambda c: rank[c.kind])
    reply = {
        "order": [c.id for c in order],
        "reasons": "The method and its positive control come first: if the control is not worse, nothing else is worth"
        " running. Baselines and ablations follow.",
        "risks": [],
    }
    return pretty(reply)


@answers("exp-executor/refine")
def refine(prompt: Prompt, how: Rehearsal) -> str:
    """Converged unless a program found a collapse; what stands out, read off the values."""
    plan = _plan(prompt)
    rows = {row["condition"]: row for row in prompt.json("results")}
    reply = {
        "action": "converged",
        "observations": [_observed(plan, rows, test.comparison) for test in plan.tests] + _control(plan, rows),
        "concerns": [how.study.limits[0]] if how.study.limits else [],
    }
    return pretty(reply)


def _observed(plan: ExperimentPlan, rows: dict[str, Any], asked: Any) -> str:
    """One comparison in words, seed by seed."""
    left, right = (_values(rows, side, asked.metric) for side in (asked.left, asked.right))
    below = sum(a < b for a, b in zip(left, right, strict=False))
    names = [_label(plan, side) for side in (asked.left, asked.right)]
    how_often = "at every seed" if below == len(left) else "at no seed" if below == 0 else "at some seeds only"
    return f"{names[0]} is lower in {asked.metric} than {names[1]} {how_often}."


def _control(plan: ExperimentPlan, rows: dict[str, Any]) -> list[str]:
    control = plan.condition(plan.positive_control)
    if control is None or control.compares_to is None:
        return []
    metric = next(m for m in plan.metrics if m.name not in plan.efficiency)
    worse = sum(_values(rows, control.id, metric.name)) - sum(_values(rows, control.compares_to, metric.name))
    if metric.direction == "higher":
        worse = -worse
    said = "comes out worse, as it must" if worse > 0 else "does not come out worse, which it should"
    return [f"The control {control.label} {said}."]


def _values(rows: dict[str, Any], condition: str, metric: str) -> list[float]:
    return [v for v in rows[condition].get(metric, []) if v is not None]


def _label(plan: ExperimentPlan, id: str) -> str:
    condition = plan.condition(id)
    return condition.label if condition else id
