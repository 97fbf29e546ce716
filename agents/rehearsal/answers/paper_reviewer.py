"""How the rehearsal reviewers answer: by rules, from the paper's text alone.

Belongs here: peer, confirmation and verification reviews. Not here: novelty and design checks
(`paper_reviewer_plans.py`). What they find is there to be found: a part that is credited without a row that takes
it away.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from agents.rehearsal.answers import answers
from agents.rehearsal.reading import Prompt, Rehearsal

_CREDIT = re.compile(r"^\\item \\textbf\{(?P<name>[^{}]+)\}: (?P<rest>.+)$", re.MULTILINE)
_ROW = re.compile(r"^(?P<label>[^&\n\\]+?) &.*\\\\\s*$", re.MULTILINE)
_EMPHASISED = re.compile(r"\\emph\{([^{}]+)\}")
_NONCE = re.compile(r"`nonce`: exactly `([^`]*)`")
_ABLATION = re.compile(r"ablation of (?:the )?[“\"']?(?P<name>[^“”\"':;,.]+)", re.IGNORECASE)
_HEADING = re.compile(r"\\(?:sub)*section\*?\{([^{}]*)\}")


@dataclass(frozen=True)
class Credit:
    """A part of the method that the paper credits, and the row of a table that takes it away, if there is one."""

    name: str
    line: str
    row: str


def credited(paper: str) -> list[Credit]:
    """The parts that a paper credits, in its order."""
    rows = {" ".join(m["label"].split()): m[0].strip() for m in _ROW.finditer(paper)}
    found = []
    for m in _CREDIT.finditer(paper):
        named = [e for e in _EMPHASISED.findall(m["rest"]) if e in rows]
        found.append(Credit(m["name"].strip(), m[0].strip(), rows[named[0]] if named else ""))
    return found


@answers("paper-reviewer/review")
def review(prompt: Prompt, how: Rehearsal) -> str:
    """A filled-in form."""
    paper = prompt.blocks["paper"]
    weaknesses = [*_uncredited(paper), *_plain_faults(paper)]
    sound = not any(w["dimension"] == "soundness" for w in weaknesses)
    clear = not any(w["dimension"] == "clarity" for w in weaknesses)
    who = prompt.title.removeprefix("review the paper as ").strip() or "reviewer"
    clean = round(0.58 + how.rng(f"review/{who}").randint(0, 6) / 100, 2)
    question = "Would the picture change with another kind of data?"
    return json.dumps(
        {
            "nonce": _nonce(prompt),
            "summary": _summary(paper, sound),
            "strengths": _strengths(paper),
            "weaknesses": weaknesses,
            "questions": [question if sound else "What happens when the credited part is taken away?"],
            "form": {"soundness": 3 if sound else 2, "significance": 3, "novelty": 3, "clarity": 3 if clear else 2},
            "acceptance_probability": clean if not weaknesses else 0.52 if sound else 0.35,
        }
    )


def _nonce(prompt: Prompt) -> str:
    found = _NONCE.search(prompt.text)
    return found[1] if found else ""


def _summary(paper: str, sound: bool) -> str:
    title = re.search(r"\\title\{([^{}]*)\}", paper)
    named = f"“{title[1]}”" if title else "The paper"
    end = (
        "The evidence covers the parts that it credits."
        if sound
        else "Something that it leans on is not shown by any run."
    )
    return f"{named} compares a method with baselines in a small, fully specified setting. {end}"


def _strengths(paper: str) -> list[str]:
    found = []
    if "fixed" in paper and "plan" in paper:
        found.append("The comparison was fixed before the runs that carry the claims.")
    if any("imitation" in h for h in _HEADING.findall(paper)):
        found.append("Limits are stated in a section of their own.")
    if "control" in paper.lower():
        found.append("A control shows that the measure responds.")
    return found


def _uncredited(paper: str) -> list[dict[str, Any]]:
    return [
        {
            "dimension": "soundness",
            "severity": "major",
            "text": f"The paper credits {c.name} as a part of the method, but no run takes it away,"
            " so nothing shows what it contributes.",
            "quote": c.line,
            "missing": f"ablation of {c.name}",
            "parts": [f"ablation of {c.name}"],
        }
        for c in credited(paper)
        if not c.row
    ]


def _plain_faults(paper: str) -> list[dict[str, Any]]:
    found = []
    if not re.search(r"\bseeds?\b|种子", paper):
        text = "The paper does not say with how many seeds its conditions ran."
        found.append(_fault("soundness", "major", text, "number of seeds"))
    if not re.search(r"\\section\*?\{[^{}]*(?:imitation|局限)", paper):
        found.append(_fault("clarity", "minor", "The paper has no section on its limits.", "limitations"))
    return found


def _fault(dimension: str, severity: str, text: str, missing: str) -> dict[str, Any]:
    return {"dimension": dimension, "severity": severity, "text": text, "quote": "", "missing": missing,
            "parts": [missing]}  # fmt: skip


@answers("paper-reviewer/verify")
def verify(prompt: Prompt, how: Rehearsal) -> str:
    """Is the demand met on this paper? Only what the text shows counts."""
    paper, demand = prompt.blocks["paper"], prompt.blocks["demand"]
    met, why, quote = _verified(demand, paper)
    return json.dumps({"nonce": _nonce(prompt), "met": met, "why": why, "quote": quote})


def _verified(demand: str, paper: str) -> tuple[str, str, str]:
    asked = _ABLATION.search(demand)
    if asked:
        wanted = asked["name"].strip().lower()
        mine = [c for c in credited(paper) if c.name.lower() == wanted]
        if mine and mine[0].row:
            return "met", f"a row of a table shows the method without {wanted}", mine[0].row
        if not mine:
            return "not-met", f"the paper does not name {wanted} among the parts of the method", ""
        return "not-met", f"{wanted} is credited, and no row takes it away", ""
    if "number of seeds" in demand and re.search(r"\bseeds?\b", paper):
        return "met", "the number of seeds is stated", ""
    if "limitations" in demand and re.search(r"\\section\*?\{[^{}]*imitation", paper):
        return "met", "there is a section on limitations", ""
    return "not-met", "the text of the paper does not show it", ""
