"""From weaknesses to findings: pattern, place found by program, owner stage. Major at most.

A finding's evidence begins with the ids of its weaknesses, so that each of them can be answered.

Belongs here: that translation. Not here: asking reviewers, severity beyond major (gates decide when
another one agrees).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from agents.locating import span
from agents.manuscript import RENDERED
from cockpit.kernel.findings import Finding, Span
from cockpit.kernel.protocols import Tree
from cockpit.kernel.reviews import Dimension, Review, Weakness
from gates import artifacts

OWNERS: dict[Dimension, int] = {"soundness": 9, "significance": 7, "novelty": 8, "clarity": 17}
EXPERIMENT_OWNER = 9
PATTERNS: dict[Dimension, str] = {"soundness": "review-soundness", "significance": "review-significance",
                                  "novelty": "novelty-weakness", "clarity": "review-clarity"}  # fmt: skip
_ABLATION = re.compile(r"\bablat|消融", re.IGNORECASE)
_WORD = re.compile(r"[a-z]{3,}|[\u3400-\u9fff]")
_COMMON = frozenset({"ablation", "ablations", "the", "for", "experiment", "missing", "study", "without", "component"})


def findings_of(reviews: Sequence[Review], tree: Tree) -> tuple[Finding, ...]:
    """One finding a weakness; the same missing experiment named by two reviewers is one, with both as evidence."""
    paper = artifacts.text_of(tree, RENDERED).value or ""
    found: dict[str, Finding] = {}
    for review in reviews:
        for weakness in review.weaknesses:
            finding = _finding(review, weakness, paper)
            key = f"missing {named(weakness.missing)}" if finding.pattern == "experiment-missing" else (
                f"{review.reviewer} {weakness.id}")  # fmt: skip
            if key in found:
                first = found[key]
                also = (*first.evidence, f"{weakness.id}: {weakness.text}")
                finding = first.model_copy(update={"evidence": also})
            found[key] = finding
    return tuple(found.values())


def states(finding: Finding, weakness: str) -> bool:
    """Does `finding` carry the weakness of that id?"""
    return any(line.startswith(f"{weakness}: ") for line in finding.evidence)


def named(missing: str) -> str:
    """What is missing, by its telling words in order of the alphabet."""
    words = {w for w in _WORD.findall(missing.lower()) if w not in _COMMON}
    return " ".join(sorted(words)) or missing.lower().strip()


def _finding(review: Review, weakness: Weakness, paper: str) -> Finding:
    experiment = bool(_ABLATION.search(weakness.missing))
    place = span(weakness.quote, paper, RENDERED) if weakness.quote else None
    where = place or Span(file=RENDERED, text=weakness.missing or weakness.text[:120])
    evidence = [f"{weakness.id}: {weakness.text}"]
    if weakness.quote and place is None:
        evidence.append(f"its quote is not in the paper: “{weakness.quote[:120]}”")
    return Finding(
        auditor=f"review:{review.reviewer}",
        pattern="experiment-missing" if experiment else PATTERNS[weakness.dimension],
        severity=weakness.severity,
        title=weakness.text.strip().splitlines()[0][:160],
        spans=(where,),
        owner=EXPERIMENT_OWNER if experiment else OWNERS[weakness.dimension],
        parts=weakness.parts or ((weakness.missing,) if weakness.missing else (weakness.text,)),
        evidence=tuple(evidence),
        deterministic=False,
        family=" + ".join(review.receipt.family.families),
    )
