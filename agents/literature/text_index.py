"""Ranking of a few thousand short texts by a query: BM25, in memory, the same answer each time.

Belongs here: words and weights. Formula: Robertson and Zaragoza 2009, k1 = 1.5, b = 0.75. Not here:
what the texts are.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

K1, B = 1.5, 0.75
WORD = re.compile(r"[a-z0-9]+|[\u3400-\u9fff]+")
STOP = frozenset(
    {"a", "an", "and", "are", "as", "at", "be", "by", "can", "do", "for", "from", "has", "have", "how", "in", "into",
     "is", "it", "its", "of", "on", "or", "our", "such", "than", "that", "the", "their", "then", "there", "these",
     "this", "to", "using", "via", "was", "we", "were", "what", "when", "where", "which", "while", "with"}
)  # fmt: skip


def words(text: str) -> list[str]:
    """The words of `text` that carry meaning: folded, plurals cut, Chinese as pairs of signs."""
    found: list[str] = []
    for word in WORD.findall(text.casefold()):
        if not word.isascii():
            found += [word[at : at + 2] for at in range(max(len(word) - 1, 1))]
        elif word not in STOP:
            found.append(_stem(word))
    return found


def _stem(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return f"{word[:-3]}y"
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


class TextIndex:
    """`texts` as bags of words; a text's position is its identity."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._bags = [Counter(words(text)) for text in texts]
        self._lengths = [sum(bag.values()) for bag in self._bags]
        self._mean = sum(self._lengths) / len(self._lengths) if self._lengths else 0.0
        self._where: dict[str, list[int]] = {}
        for at, bag in enumerate(self._bags):
            for word in bag:
                self._where.setdefault(word, []).append(at)

    def best(self, query: str, limit: int) -> list[int]:
        """Positions of the texts that share words with `query`, best first; ties in the texts' order."""
        scores: dict[int, float] = {}
        for word, times in sorted(Counter(words(query)).items()):
            holders = self._where.get(word, [])
            rare = math.log(1 + (len(self._bags) - len(holders) + 0.5) / (len(holders) + 0.5))
            for at in holders:
                often = self._bags[at][word]
                norm = often + K1 * (1 - B + B * self._lengths[at] / self._mean)
                scores[at] = scores.get(at, 0.0) + times * rare * often * (K1 + 1) / norm
        ranked = sorted(scores, key=lambda at: (-scores[at], at))
        return ranked[:limit]
