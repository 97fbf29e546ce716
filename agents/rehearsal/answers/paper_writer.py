"""How the rehearsal paper-writer answers: sections, the hand-typed table, polish, revision.

Belongs here: one function a step of stages 17 and 19. Not here: prose (`paper_sections.py`), the table
(`hand_table.py`), where faults go (`planting.py`). Stage 16's answer stands in a module of its own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from agents.latex_text import cited, sentences
from agents.objections import occurs
from agents.rehearsal.answers import answers
from agents.rehearsal.hand_table import table as typed_table
from agents.rehearsal.measured_words import known
from agents.rehearsal.paper_sections import SECTIONS
from agents.rehearsal.planting import invented_sentence, plants, section_of, unrecorded_sentence
from agents.rehearsal.reading import Prompt, Rehearsal
from cockpit.kernel.plan import TablePlan

_CITE = re.compile(r"(\\cite[a-zA-Z]*\*?(?:\[[^\]]*\]){0,2}\{)([^{}]*)(\})")


@answers("paper-writer/section")
def section(prompt: Prompt, how: Rehearsal) -> str:
    """A section, with what is to be planted in it."""
    k = known(prompt)
    plan = prompt.json("section")
    name = str(plan["id"])
    cards = prompt.json("cards") or []
    if name in SECTIONS:
        text = SECTIONS[name](k, how.study, cards)
    else:  # a section that a person's outline has: its points as they were planned
        text = " ".join(f"{str(p).rstrip('.')}." for p in plan["points"]) + "\n"
    sections = {s.id for s in k.outline.sections}
    if plants("invented-number", prompt, how) and name == section_of("invented-number", sections, how):
        text = f"{text.rstrip()}\n\n{invented_sentence(how, _forms(prompt))}\n"
    if plants("reference-without-record", prompt, how) and name == section_of(
        "reference-without-record", sections, how
    ):
        text = f"{text.rstrip()}\n\n{unrecorded_sentence(how, {c['key'] for c in cards})}\n"
    return f"Here is the section.\n\n```latex\n{text}```\n"


def _forms(prompt: Prompt) -> set[str]:
    """How measured values may be printed, as numbers and as percentages, in up to three places."""
    values = [abs(float(v["value"])) for v in prompt.json("results")["values"]]
    return {f"{v * scale:.{places}f}" for v in values for scale in (1, 100) for places in range(4)}


@answers("paper-writer/table")
def table(prompt: Prompt, how: Rehearsal) -> str:
    """The hand-typed table."""
    plan = TablePlan.model_validate_json(prompt.blocks["table"])
    return f"```latex\n{typed_table(known(prompt), plan, f'tab:{plan.id}', prompt, how)}\n```\n"


@answers("paper-writer/polish")
def polish(prompt: Prompt, how: Rehearsal) -> str:
    """The sections come from one hand: nothing to even out."""
    return json.dumps({"edits": []})


@answers("paper-writer/revision")
def revision(prompt: Prompt, how: Rehearsal) -> str:
    """Claims without a result are taken back, keys without a record replaced; the rest is said to need more."""
    text = prompt.blocks["text"]
    cards = prompt.json("cards") or []
    edits: list[dict[str, str]] = []
    given = []
    for point in prompt.json("points"):
        made = [] if "faults" in prompt.blocks else _mend(point, text, cards, edits)
        edits += made
        if made:
            given.append({"point": point["point"], "action": "changed", "why": _why(point)})
        else:
            given.append(
                {"point": point["point"], "action": "deferred", "why": "rewording this section cannot meet it"}
            )
    return json.dumps({"edits": edits, "answers": given})


def _why(point: dict[str, Any]) -> str:
    if point["pattern"] == "reference-without-record":
        return "the key had no stored record; a stored paper is cited instead"
    return "no recorded result supports the statement, so it is taken back"


def _mend(
    point: dict[str, Any], text: str, cards: Sequence[dict[str, Any]], made: Sequence[dict[str, str]]
) -> list[dict[str, str]]:
    touched = {e["old"] for e in made}
    mine = [s for s in sentences(text) if s not in touched and any(occurs(q, s) for q in point["quotes"])]
    pattern = str(point["pattern"])
    if pattern == "reference-without-record":
        return [e for s in mine if (e := _replaced(s, point["quotes"], text, cards))]
    if pattern.startswith(("number-", "claim-")) and "\\begin{tabular}" not in text:
        return [{"section": "", "old": s, "new": "", "why": _why(point)} for s in mine if "\\begin{" not in s]
    return []


def _replaced(sentence: str, keys: Sequence[str], text: str, cards: Sequence[dict[str, Any]]) -> dict[str, str] | None:
    """The sentence with the unknown key replaced by a stored one that is not cited beside it."""
    used = cited(text)
    spare = [c["key"] for c in cards if c["key"] not in used]
    spare = spare or [c["key"] for c in cards if c["key"] not in cited(sentence)]

    def mend(found: re.Match[str]) -> str:
        listed = [k.strip() for k in found[2].split(",")]
        left = [k for k in listed if k not in keys]
        if len(left) == len(listed):
            return found[0]
        return f"{found[1]}{','.join(left or spare[:1])}{found[3]}"

    new = _CITE.sub(mend, sentence)
    why = "the key had no stored record"
    return None if new == sentence else {"section": "", "old": sentence, "new": new, "why": why}
