"""Contracts of stages 16 to 23: outline, paper, reviews, revision, gate, export.

Belongs here: one function a demand of `run.md`; each yields sentences that say what and where. Not here:
the table (`contracts.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from pydantic import ValidationError

from cockpit.kernel.levels import EFFORTS
from cockpit.kernel.protocols import Tree
from cockpit.kernel.reviews import Review
from cockpit.kernel.stages import FINAL, REV_A, VER_A, WRITE_A
from cockpit.kernel.view import ReviewRecord, RunView
from gates.artifacts import (
    CARDS,
    CHANGES,
    CURRENT,
    FINAL_PAPER,
    OUTLINE,
    RENDERED,
    SCRIPTS,
    SOURCE,
    bytes_of,
    json_of,
    outline_of,
    text_of,
)
from gates.independence import answers_of, counts_at, receipt_faults, twice_used

REVIEWS, REPORT = f"{REV_A}/reviews/", f"{FINAL}/verification_report.json"
ANSWERS = frozenset({"changed", "rebutted", "deferred"})
NUMBER_FILES = (f"{VER_A}/number_map.json", f"{VER_A}/fix_patch.json")


def outline(tree: Tree, view: RunView) -> Iterator[str]:
    """16: each claim carries its numbers (keys) or cards; sections and components speak of what is there."""
    read = outline_of(tree)
    if read.value is None:
        yield read.problem
        return
    found = read.value
    if not found.claims:
        yield f"{OUTLINE}: no claims"
    if not found.sections:
        yield f"{OUTLINE}: no sections"
    for claim in found.claims:
        if not claim.keys and not claim.cards:
            yield f"{OUTLINE}: claim {claim.id} carries neither numbers nor cards"
        bad = [key for key in claim.keys if key.count("/") != 3]
        yield from (f"{OUTLINE}: claim {claim.id}: {key} is no registry key" for key in bad)
        lost = [card for card in claim.cards if not tree.exists(f"{CARDS}{card}.md")]
        yield from (f"{OUTLINE}: claim {claim.id}: there is no card {card}" for card in lost)
    known = {claim.id for claim in found.claims}
    stray = [(s.id, c) for s in found.sections for c in s.claims if c not in known]
    yield from (f"{OUTLINE}: section {section} makes claim {claim}, which is not listed" for section, claim in stray)


def draft(tree: Tree, view: RunView) -> Iterator[str]:
    """17: sections are merged into one paper, and rendered."""
    for path in (SOURCE, RENDERED):
        text = text_of(tree, path)
        if text.value is None:
            yield text.problem
        elif "\\begin{document}" not in text.value or "\\end{document}" not in text.value:
            yield f"{path} is no whole document"
    rendered = text_of(tree, RENDERED).value or ""
    if "\\input{" in rendered:
        yield f"{RENDERED} still has an \\input"


def verified(tree: Tree, view: RunView) -> Iterator[str]:
    """17, 19: the numbers program has judged these bytes."""
    for path in NUMBER_FILES:
        read = json_of(tree, path)
        if read.problem:
            yield read.problem


def reviews(tree: Tree, view: RunView) -> Iterator[str]:
    """18: the effort's reviews exist, each in a fresh thread, graded, with a receipt that holds.

    They are advice on the paper as it was: once 19 has begun to change it, its bytes are no longer compared.
    """
    found: list[Review] = []
    past = view.position is not None and view.position.stage > 18
    for path in (p for p in tree.list(REVIEWS) if p.endswith(".json")):
        read = json_of(tree, path)
        try:
            review = Review.model_validate(read.value)
        except ValidationError as error:
            yield f"{path}: {error.errors(include_url=False)[0]['msg']}"
            continue
        faults = review_faults(review, view, None if past else tree)
        yield from (f"{path}: {fault}" for fault in faults)
        found += [] if faults else [review]
    yield from _fresh(found, REVIEWS)
    if len(found) < wanted_reviews(view):
        yield f"{REVIEWS}: {len(found)} reviews that count, this effort asks for {wanted_reviews(view)}"


def confirmed(tree: Tree, view: RunView) -> Iterator[str]:
    """20: the effort's reviews on the exact bytes: confirmations, or 18's if 19 changed no byte."""
    counting = [r.review for r in confirmations(tree, view)]
    yield from _fresh(counting, "confirmation")
    if len(counting) < wanted_reviews(view):
        yield (f"{REV_A}/confirmation/: {len(counting)} reviews hold on the present {RENDERED}, "
               f"this effort asks for {wanted_reviews(view)}")  # fmt: skip


def confirmations(tree: Tree, view: RunView) -> tuple[ReviewRecord, ...]:
    """Reviews of this round that hold on the present bytes, one a reviewer, the latest."""
    good: dict[str, ReviewRecord] = {}
    for record in view.reviews:
        review = record.review
        fits = record.position.round == view.round and review.purpose in ("advice", "confirmation")
        placed = record.position == review.receipt.position
        if fits and placed and RENDERED in review.receipt.artifacts and not review_faults(review, view, tree):
            good[review.reviewer] = record
    return tuple(good.values())


def review_faults(review: Review, view: RunView, tree: Tree | None) -> tuple[str, ...]:
    """Why a review does not count on this tree (None: whatever the bytes); empty = it does."""
    faults = list(receipt_faults(review.receipt, view, tree))
    if twice_used(review.receipt, answers_of(view)):
        faults.append("its receipt was used before")
    level = view.run.settings.assurance if view.run else "submission"
    if not counts_at(level, review.receipt.author_family, review.receipt.family):
        faults.append(f"at {level} only independent reviewers of known families count")
    if not 0 <= review.acceptance_probability <= 1:
        faults.append(f"its probability is {review.acceptance_probability}")
    return tuple(faults)


def wanted_reviews(view: RunView) -> int:
    """How many reviews the effort asks for."""
    return EFFORTS[view.run.settings.effort].reviewers if view.run else EFFORTS["beast"].reviewers


def changes(tree: Tree, view: RunView) -> Iterator[str]:
    """19: each point of 18 is changed (where), rebutted (why) or deferred (why)."""
    read = json_of(tree, CHANGES)
    listed = read.value.get("changes") if isinstance(read.value, dict) else read.value
    if not isinstance(listed, list):
        yield read.problem or f"{CHANGES} is no list of changes"
        return
    answered: set[str] = set()
    for number, item in enumerate(listed, 1):
        lack = _answer_lacks(item)
        if lack:
            yield f"{CHANGES}: entry {number}: {lack}"
        else:
            answered |= {str(item[k]) for k in ("point", "id", "weakness", "about") if item.get(k)}
    latest = {
        r.review.reviewer: r.review for r in view.reviews if r.position.round == view.round and r.position.stage == 18
    }
    points = [w.id for review in latest.values() for w in review.weaknesses]
    yield from (f"{CHANGES}: point {point} has no answer" for point in points if point not in answered)


def _answer_lacks(item: Any) -> str:
    if not isinstance(item, dict):
        return "not an object"
    said = next((item[k] for k in ("answer", "action", "status", "kind") if item.get(k)), None)
    if said not in ANSWERS:
        return f"{said!r} is not changed, rebutted or deferred"
    if said == "changed":
        return "" if item.get("where") else "does not say where it was changed"
    return "" if item.get("why") else f"does not say why it was {said}"


def package(tree: Tree, view: RunView) -> Iterator[str]:
    """22: the package is complete: paper, results behind it, code, review report, checklist."""
    paper = text_of(tree, FINAL_PAPER).value or ""
    if "\\end{document}" not in paper:
        yield f"{FINAL_PAPER} is no whole document"
    if tree.list(f"{WRITE_A}/figures/") and not tree.list(f"{FINAL}/figures/"):
        yield f"{FINAL}/figures/ lacks the paper's figures"
    for source, folder in ((CURRENT, "experiment_data/"), (SCRIPTS, "code/")):
        if tree.list(source) and not tree.list(f"{FINAL}/{folder}"):
            yield f"{FINAL}/{folder} is empty"


def looked_up(tree: Tree, view: RunView) -> Iterator[str]:
    """23: the status of every reference was looked up again, or why not is said."""
    read = json_of(tree, REPORT)
    if not isinstance(read.value, dict):
        yield read.problem or f"{REPORT} is not an object"
    elif bytes_of(tree, REPORT).value and not any(isinstance(v, list) for v in read.value.values()):
        yield f"{REPORT} lists no reference"


def _fresh(found: Sequence[Review], where: str) -> Iterator[str]:
    nonces = [r.receipt.nonce for r in found]
    calls = [(str(r.receipt.position), r.receipt.call) for r in found]
    if len(set(nonces)) != len(nonces) or len(set(calls)) != len(calls):
        yield f"{where}: two reviews come from one thread"
