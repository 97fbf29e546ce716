"""Rehearsal answers of the reviewer about hypotheses and plans.

Belongs here: the checks at stages 8 and 9, done on what the prompt holds. Not here: reviews of papers.
"""

from __future__ import annotations

import re
from typing import Any

from agents.rehearsal.abstracts import dumps, hits
from agents.rehearsal.answers import answers
from agents.rehearsal.reading import Prompt, Rehearsal
from agents.rehearsal.topics import TOPICS

NONCE = re.compile(r"`nonce`, exactly: (\S+)")
WANTED = re.compile(r"fewer than\s+(\d+|one a component)\s+ablations")


@answers("paper-reviewer/novelty")
def novelty(prompt: Prompt, how: Rehearsal) -> str:
    """Incremental by the nearest papers listed; no verdict without any."""
    papers: list[dict[str, Any]] = prompt.json("papers")
    primary = [h for h in prompt.json("hypotheses") if h["primary"]]
    terms = TOPICS[how.study.id].terms
    near = sorted(papers, key=lambda p: (-hits(f"{p['title']} {' '.join(p['says'])}", terms), p["key"]))
    if not near:
        return dumps(
            {"nonce": _nonce(prompt), "verdict": "cannot-say", "score": 0.0, "neighbours": [], "weaknesses": [],
             "summary": "No known paper was listed, so the difference to the nearest work cannot be judged."}
        )  # fmt: skip
    compared = [
        {
            "hypothesis": h["id"],
            "key": near[n % len(near)]["key"],
            "same": "The method or its setting, by the paper's own words.",
            "different": f"{h['id']} fixes two conditions in one setting, and what refutes it.",
        }
        for n, h in enumerate(primary)
    ]
    summary = "A known method in a narrow setting. The difference to the nearest papers is small, but stated."
    return dumps(
        {"nonce": _nonce(prompt), "verdict": "incremental", "score": 0.35, "summary": summary, "neighbours": compared,
         "weaknesses": []}
    )  # fmt: skip


@answers("paper-reviewer/design")
def design(prompt: Prompt, how: Rehearsal) -> str:
    """Sound unless the plan lacks a test, a control, or the number of ablations that was asked for."""
    plan: dict[str, Any] = prompt.json("exp_plan")
    kinds = [c["kind"] for c in plan["conditions"]]
    tested = {t["hypothesis"] for t in plan["tests"]}
    faults = [
        _fault("no-test", f"The primary hypothesis {h['id']} has no test.")
        for h in prompt.json("hypotheses")
        if h["primary"] and h["id"] not in tested
    ]
    if "control" not in kinds:
        faults.append(_fault("control", "No condition must come out worse, so the experiment cannot fail."))
    asked = WANTED.search(prompt.text)
    number = int(asked[1]) if asked and asked[1].isdigit() else len(plan["components"])
    if kinds.count("ablation") < min(number, len(plan["components"])):
        faults.append(_fault("ablation", f"{number} ablations are asked for; the plan has {kinds.count('ablation')}."))
    for c in plan["conditions"]:
        base = next((b for b in plan["conditions"] if b["id"] == c["compares_to"]), None)
        if c["kind"] == "ablation" and base is not None and c["parameters"] == base["parameters"]:
            faults.append(_fault("ablation", f"{c['id']} changes nothing against {base['id']}."))
    summary = (
        f"The plan has {len(faults)} faults."
        if faults
        else "The comparisons are paired, the control can fail, tests are fixed."
    )
    verdict = "mend" if faults else "sound"
    return dumps({"nonce": _nonce(prompt), "verdict": verdict, "summary": summary, "faults": faults})


def _fault(kind: str, text: str) -> dict[str, Any]:
    return {"kind": kind, "fatal": False, "text": text, "quote": ""}


def _nonce(prompt: Prompt) -> str:
    found = NONCE.search(prompt.text)
    if found is None:
        raise ValueError(f"{prompt.step}: the prompt holds no nonce")
    return found[1]
