"""The score: acceptance probability for the target venue, out of the reviews that count.

Belongs here: the rule (one reviewer → its value, two → the lower, more → the median). Not here: which
reviews are required (`policy.py`), where a score leads (`routing.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from statistics import median

from cockpit.kernel.reviews import DIMENSIONS, Dimension, Review, Score
from cockpit.kernel.view import RunView
from gates.independence import answers_of, counts_at, independence, receipt_faults, twice_used


def score(view: RunView, reviews: Sequence[Review]) -> Score:
    """The score of these reviews; `value` None when none counts, with the reasons in `note`.

    Reviewers of one family are one opinion: the lowest of them. No calibration set: the raw value counts
    and the note says uncalibrated.
    """
    counted: dict[str, Review] = {}
    notes: list[str] = []
    for review in reviews:
        why = why_not(review, view)
        if why:
            notes.append(f"{review.reviewer} does not count: {why}")
        else:
            counted[review.reviewer] = review
    if not counted:
        return Score(value=None, note="; ".join([*notes, "no review that counts"]))
    opinions = _opinions(list(counted.values()))
    value = _rule([min(r.acceptance_probability for r in group) for group in opinions])
    if any(independence(r.receipt.author_family, r.receipt.family) != "independent" for r in counted.values()):
        notes.append("provisional: not all reviewers are known to be independent of the author")
    return Score(
        value=value,
        calibrated=False,
        by_reviewer={name: r.acceptance_probability for name, r in sorted(counted.items())},
        dimensions=_dimensions(opinions),
        note="; ".join([*notes, "uncalibrated"]),
    )


def why_not(review: Review, view: RunView) -> str:
    """Why a review gives no score; empty = it does. The bytes are not looked at here."""
    if not (isfinite(review.acceptance_probability) and 0 <= review.acceptance_probability <= 1):
        return f"its probability is {review.acceptance_probability}"
    faults = receipt_faults(review.receipt, view, None)
    if faults:
        return faults[0]
    if twice_used(review.receipt, answers_of(view)):
        return "its receipt was used before"
    level = view.run.settings.assurance if view.run else "submission"
    if not counts_at(level, review.receipt.author_family, review.receipt.family):
        return f"at {level} only independent reviewers of known families count"
    return ""


def _opinions(reviews: list[Review]) -> list[list[Review]]:
    """Reviews grouped by family; those of unknown family are one opinion."""
    groups: dict[tuple[str, ...], list[Review]] = {}
    for review in reviews:
        groups.setdefault(review.receipt.family.families, []).append(review)
    return [groups[key] for key in sorted(groups)]


def _rule(values: list[float]) -> float:
    return min(values) if len(values) <= 2 else median(values)


def _dimensions(opinions: list[list[Review]]) -> dict[Dimension, float]:
    found: dict[Dimension, float] = {}
    for dimension in DIMENSIONS:
        values = [min(known) for group in opinions if (known := _known(group, dimension))]
        if values:
            found[dimension] = _rule(values)
    return found


def _known(group: list[Review], dimension: Dimension) -> list[float]:
    values = [r.dimensions[dimension] for r in group if dimension in r.dimensions]
    return [v for v in values if isfinite(v) and 0 <= v <= 1]
