"""May this answer count? Families against each other, and the receipt against the run.

Belongs here: independence of two families, checks of a receipt. Not here: reading a model's name
(`families.py`), what an answer then closes (`settle.py`).
"""

from __future__ import annotations

import hmac
from collections.abc import Iterable

from cockpit.kernel.levels import Assurance, at_least
from cockpit.kernel.protocols import Tree
from cockpit.kernel.reviews import Family, Independence, Review, ReviewReceipt, Verification
from cockpit.kernel.tokens import token
from cockpit.kernel.view import RunView
from gates.artifacts import bytes_of
from gates.families import families_in, model_family

__all__ = ["answers_of", "counts_at", "independence", "model_family", "receipt_faults", "twice_used"]


def independence(author: Family, reviewer: Family) -> Independence:
    """Disjoint known families are independent; a shared one is provisional; unknown is unknown.

    Rehearsal models count against each other only; a rehearsal model against a real one is unknown.
    """
    if not author.families or not reviewer.families or "unknown" in (author.grade, reviewer.grade):
        return "unknown"
    if (author.grade == "rehearsal") != (reviewer.grade == "rehearsal"):
        return "unknown"
    return "provisional" if set(author.families) & set(reviewer.families) else "independent"


def counts_at(level: Assurance, author: Family, reviewer: Family) -> bool:
    """May such an answer satisfy "reviews exist" at this level?

    Below conference-ready every labelled answer may; from there on only an independent one, with both
    sides at least attested.
    """
    if not at_least(level, "conference-ready"):
        return True
    known = all(f.grade in ("attested", "reported", "proved") for f in (author, reviewer))
    return known and independence(author, reviewer) == "independent"


def receipt_faults(receipt: ReviewReceipt, view: RunView, tree: Tree | None) -> tuple[str, ...]:
    """Why the answer does not count; empty = it does. `tree` None leaves out the bytes."""
    if view.run is None:
        return ("there is no run to check the receipt against",)
    faults = [text for broken, text in _checks(receipt, view) if broken]
    if tree is not None:
        faults += _changed(receipt, tree)
    return tuple(faults)


def twice_used(receipt: ReviewReceipt, answers: Iterable[Review | Verification]) -> bool:
    """Does another answer of the run carry the same nonce or reply? A receipt is good once."""
    mine = receipt.model_dump(mode="json")
    others = [a.receipt for a in answers if a.receipt.model_dump(mode="json") != mine]
    same = [a for a in answers if a.receipt.model_dump(mode="json") == mine]
    if len({(type(a).__name__, *_target(a)) for a in same}) > 1:
        return True
    return any(o.nonce == receipt.nonce or (o.call == receipt.call and o.position == receipt.position) for o in others)


def answers_of(view: RunView) -> tuple[Review | Verification, ...]:
    """All reviews and verifications that the journal holds."""
    return (*(r.review for r in view.reviews), *(v.verification for v in view.verifications))


def _target(answer: Review | Verification) -> tuple[str, str]:
    if isinstance(answer, Review):
        return (answer.reviewer, answer.purpose)
    return (answer.obligation, str(answer.part))


def _checks(receipt: ReviewReceipt, view: RunView) -> list[tuple[bool, str]]:
    assert view.run is not None
    claimed, real = receipt.independence, independence(receipt.author_family, receipt.family)
    named = set(families_in(receipt.reported_model or receipt.asked_model))
    return [
        (receipt.run != view.run.run, f"the receipt is of run {receipt.run}"),
        (not _nonce_holds(receipt, view.run.secret), "the nonce is not the one that was asked for"),
        (not receipt.prompt_sha256 or not receipt.reply_sha256, "the receipt lacks the hash of prompt or reply"),
        (receipt.seq < 1 or receipt.seq > view.seq > 0, f"journal record {receipt.seq} does not exist"),
        (not receipt.artifacts, "the receipt names no artifact that was read"),
        (claimed == "independent" and real != "independent", f"claimed independent, but is {real}"),
        (bool(named) and set(receipt.family.families) != named and bool(receipt.family.families),
         f"the family {', '.join(receipt.family.families)} is not that of the model {receipt.reported_model}"),
    ]  # fmt: skip


def _nonce_holds(receipt: ReviewReceipt, secret: str) -> bool:
    """The nonce is the token of the call's path or of a step above it (attempts are below a step)."""
    if not receipt.nonce:
        return False
    steps = receipt.call.split("/")
    tokens = (token(secret, receipt.position, "/".join(steps[:n])) for n in range(len(steps), 0, -1))
    return any(hmac.compare_digest(receipt.nonce.encode(), t.encode()) for t in tokens)


def _changed(receipt: ReviewReceipt, tree: Tree) -> list[str]:
    faults = []
    for path, was in sorted(receipt.artifacts.items()):
        if bytes_of(tree, path).value is None:
            faults.append(f"{path}, which was read, is gone")
        elif tree.sha(path) != was:
            faults.append(f"{path} has changed since it was read")
    return faults
