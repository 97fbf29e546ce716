"""How a rehearsal model reads records: words that hit, sentences, the one that carries the claim.

Belongs here: reading papers that stand in a prompt's block. Not here: what is answered about them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"“(])")
CLAIMS = re.compile(
    r"\b(?:we (?:show|prove|find|demonstrate|establish|propose|provide|study|derive|introduce|present|consider)|"
    r"results? (?:show|suggest|indicate)|it is shown)\b",
    re.IGNORECASE,
)
FIGURE = re.compile(r"(?<![\w.,$^_{])\d+(?:\.\d+)?(?:\s?\\?%)(?!\w)|(?<![\w.,$^_{])\d+\.\d+(?![\w.])")
LONGEST_QUOTE = 40  # words


def dumps(value: Any) -> str:
    """A reply: one JSON object."""
    return json.dumps(value, ensure_ascii=False)


def hits(text: str, words: Iterable[str]) -> int:
    """How many of `words` (stems) `text` names."""
    low = text.lower()
    return sum(word in low for word in words)


def text_of(paper: dict[str, Any]) -> str:
    """Title and abstract of a paper in a block."""
    return f"{paper.get('title', '')}. {paper.get('abstract', '')}"


def relevance(paper: dict[str, Any], terms: Sequence[str]) -> float:
    """In [0,1]: how much of a topic a paper names; its title counts double."""
    found = hits(text_of(paper), terms) + hits(str(paper.get("title", "")), terms)
    return round(min(0.95, 0.1 + 0.12 * found), 2)


def quality(paper: dict[str, Any]) -> float:
    """In [0,1]: how much an abstract shows of question, method and result."""
    abstract = str(paper.get("abstract", ""))
    if not abstract.strip():
        return 0.2
    score = 0.4 + 0.15 * bool(CLAIMS.search(abstract)) + 0.1 * (len(abstract) > 600) + 0.1 * bool(paper.get("venue"))
    return round(min(0.9, score + 0.05 * min(3, len(FIGURE.findall(abstract)))), 2)


def sentences(text: str) -> list[str]:
    """The sentences of `text`, as they stand there."""
    return [s.strip() for s in SENTENCE.split(text.strip()) if s.strip()]


def claim_sentence(abstract: str) -> str:
    """The first sentence that says what is shown, else the first one."""
    found = sentences(abstract)
    return next((s for s in found if CLAIMS.search(s)), found[0] if found else "")


def passage(sentence: str) -> str:
    """A verbatim piece of `sentence` of at most forty words."""
    words = list(re.finditer(r"\S+", sentence))
    if len(words) <= LONGEST_QUOTE:
        return sentence
    return sentence[: words[LONGEST_QUOTE - 1].end()]


def figures(text: str, most: int) -> list[str]:
    """The first decimals and percentages that `text` prints."""
    return list(dict.fromkeys(m[0] for m in FIGURE.finditer(text)))[:most]
