"""How the rehearsal data-verifier answers: claims extracted again from the rendered paper.

Belongs here: its one step. Not here: comparing with the number map (`agents/data_verifier.py`). A key is
named only where label and printed value leave no doubt.
"""

from __future__ import annotations

import json
import re
from typing import Any

from agents.latex_text import escape, sentences
from agents.rehearsal.answers import answers
from agents.rehearsal.reading import Prompt, Rehearsal

_DECIMAL = re.compile(r"(?<![\w.\\{=-])\d+\.\d+(?![\w.]*\d)")
_COMPARED = re.compile(r"\b(?:lower|higher|better|worse|smaller|larger|fewer) than\b")
MOST = 24


@answers("data-verifier/claims")
def claims(prompt: Prompt, how: Rehearsal) -> str:
    """Sentences with decimals and comparisons, in the order of the paper."""
    values = prompt.json("results")["values"]
    found: list[dict[str, str]] = []
    for sentence in sentences(_body(prompt.blocks["paper"])):
        if "&" in sentence or "\\begin{" in sentence or len(sentence) > 600:
            continue
        numbers = _DECIMAL.findall(sentence)
        found += [{"quote": sentence, "number": n, "key": _key(n, sentence, values), "kind": "number"} for n in numbers]
        if not numbers and _COMPARED.search(sentence):
            found.append({"quote": sentence, "number": "", "key": "", "kind": "comparison"})
    return json.dumps({"claims": found[:MOST], "edits": []})


def _body(paper: str) -> str:
    return paper.split("\\begin{document}", 1)[-1].split("\\bibliographystyle", 1)[0]


def _key(number: str, sentence: str, values: list[dict[str, Any]]) -> str:
    same = [v for v in values if v["printed"] == number]
    if len(same) != 1 or same[0]["aggregate"] != "mean" or escape(str(same[0]["label"])) not in sentence:
        return ""
    return str(same[0]["key"])
