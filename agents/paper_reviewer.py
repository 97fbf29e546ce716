"""The paper-reviewer: peer review (18), confirmation and verification reviews (20).

Belongs here: who is asked, about what, and what becomes of the answers. Not here: one call and its
receipt (`reviewing.py`), closing obligations (gates), the score (gates).
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from typing import Any, TypeVar

from agents.kit import Kit
from agents.latex_text import counted
from agents.manuscript import RENDERED
from agents.review_findings import findings_of
from agents.reviewing import answer, criteria, review, verification
from cockpit.kernel.findings import Obligation
from cockpit.kernel.levels import EFFORTS
from cockpit.kernel.model import JsonObject, pretty
from cockpit.kernel.protocols import Desk, StageReport
from cockpit.kernel.reviews import Review, ReviewPurpose, ReviewRequest, Verification, VerificationRequest
from cockpit.kernel.stages import REV_A
from gates import artifacts
from gates.closers import rule_for
from gates.settle import verifiable

__all__ = ["answer", "work"]
REVIEWS, CONFIRMATION, VERIFICATION = f"{REV_A}/reviews/", f"{REV_A}/confirmation/", f"{REV_A}/verification/"
COMPARABLE = 8
T = TypeVar("T")


async def work(desk: Desk, kit: Kit) -> StageReport:
    """Do stage 18 or 20."""
    match desk.stage.number:
        case 18:
            return await peer_review(desk, kit)
        case 20:
            return await confirm_and_verify(desk, kit)
        case other:
            raise ValueError(f"the paper-reviewer has no stage {other}")


# --- 18 ------------------------------------------------------------------------------------------------------------


async def peer_review(desk: Desk, kit: Kit) -> StageReport:
    """Advice: the effort's reviews of the mended paper, each in a fresh thread."""
    near = comparable(desk)
    desk.write(f"{REV_A}/comparable_papers.json", pretty({"papers": near}))
    reviews = await _reviews(desk, kit, "advice", near)
    _replace(desk, REVIEWS, {f"{r.reviewer}.json": pretty(r) for r in reviews})
    desk.write(f"{REV_A}/review_notes.md", notes(reviews))
    found = findings_of(reviews, desk.tree)
    lowest = min(r.acceptance_probability for r in reviews)
    fields: JsonObject = {
        "reviewers": {r.reviewer: {"probability": r.acceptance_probability, "dimensions": dict(r.dimensions),
                                   "weaknesses": len(r.weaknesses), "model": r.receipt.reported_model,
                                   "independence": r.receipt.independence} for r in reviews},
    }  # fmt: skip
    summary = f"{counted(len(reviews), 'review')}, lowest probability {lowest:.2f}, {counted(len(found), 'finding')}"
    return StageReport(summary=summary, body=notes(reviews, short=True), fields=fields, findings=found,
                       reviews=tuple(reviews), uncertainty=_spread(reviews))  # fmt: skip


def reviewers(desk: Desk) -> list[str]:
    """The roles that review at this effort: reviewer, reviewer-2, …"""
    count = EFFORTS[desk.settings.effort].reviewers
    return ["reviewer", *(f"reviewer-{n}" for n in range(2, count + 1))]


async def _reviews(desk: Desk, kit: Kit, purpose: ReviewPurpose, near: Sequence[JsonObject]) -> list[Review]:
    idea = artifacts.text_of(desk.tree, "idea.md").value or ""
    paper = desk.tree.read(RENDERED).decode("utf-8", "replace")
    known = tuple(f"{p['title']} ({p['year']}): {p['claim']}" for p in near)

    def request(reviewer: str, path: str) -> ReviewRequest:
        return ReviewRequest(purpose=purpose, role=reviewer, idea=idea, paper=paper, paper_path=RENDERED,
                             venue=desk.settings.venue, criteria=criteria(desk), comparable=known,
                             nonce=desk.token(path))  # fmt: skip

    paths = {name: f"{purpose}/{name}" for name in reviewers(desk)}
    return await _together([
        review(desk, kit, request(name, path), reviewer=name, path=path) for name, path in paths.items()
    ])  # fmt: skip


async def _together(work: Sequence[Coroutine[Any, Any, T]]) -> list[T]:
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(item) for item in work]
    return [task.result() for task in tasks]


def comparable(desk: Desk) -> list[JsonObject]:
    """The kept papers nearest to the topic, by the screening's relevance, with what their card says."""
    kept = [e for e in artifacts.shortlist_of(desk.tree).value or () if e.kept]
    records = {r.key: r for r in artifacts.papers_of(desk.tree).value or ()}
    near = sorted(kept, key=lambda e: (-e.relevance, e.key))
    return [
        {
            "key": e.key,
            "title": records[e.key].title,
            "year": records[e.key].year,
            "claim": _first_sentence(records[e.key].abstract),
        }
        for e in near
        if e.key in records
    ][:COMPARABLE]


def _first_sentence(text: str) -> str:
    head = text.split(". ", 1)[0].strip()
    return (head if len(head) <= 300 else head[:297] + "...") or "no abstract known"


def notes(reviews: Sequence[Review], *, short: bool = False) -> str:
    """The reviews for people: Markdown."""
    if short:
        return " ".join(f"{r.reviewer}: {r.summary}" for r in reviews)
    lines = ["# Review notes", ""]
    for r in reviews:
        dims = ", ".join(f"{name} {value:.2f}" for name, value in sorted(r.dimensions.items()))
        lines += [f"## {r.reviewer} ({r.receipt.reported_model}, {r.receipt.independence})", "", r.summary, "",
                  f"Acceptance probability {r.acceptance_probability:.2f}; {dims}.", ""]  # fmt: skip
        lines += [f"- Strength: {s}" for s in r.strengths]
        lines += [f"- {w.severity.capitalize()} weakness ({w.dimension}): {w.text}" for w in r.weaknesses]
        lines += [f"- Question: {q}" for q in r.questions]
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def _spread(reviews: Sequence[Review]) -> float:
    values = [r.acceptance_probability for r in reviews]
    return max(values) - min(values)


def _replace(desk: Desk, folder: str, files: dict[str, str]) -> None:
    for path in desk.tree.list(folder):
        if path.removeprefix(folder) not in files:
            desk.remove(path)
    for name, text in sorted(files.items()):
        desk.write(f"{folder}{name}", text)


# --- 20 ------------------------------------------------------------------------------------------------------------


async def confirm_and_verify(desk: Desk, kit: Kit) -> StageReport:
    """Confirmation reviews of what 19 left (18's serve if it changed no byte), and one verification a part.

    Reviews that serve are not reported a second time: their receipts are of 18 and are good once.
    """
    served = standing(desk)
    confirmations = served or await _reviews(desk, kit, "confirmation", comparable(desk))
    _replace(desk, CONFIRMATION, {f"{r.reviewer}.json": pretty(r) for r in confirmations})
    verifications = await _together([_verify(desk, kit, o, part) for o, part in verifiable(desk.view, desk.tree)])
    _replace(desk, VERIFICATION, {f"{v.obligation}-{v.part}.json": pretty(v) for v in verifications})
    lowest = min(r.acceptance_probability for r in confirmations)
    met = sum(v.met == "met" for v in verifications)
    fields: JsonObject = {
        "confirmation": {
            "served_by_18": bool(served),
            "reviewers": {r.reviewer: r.acceptance_probability for r in confirmations},
        },
        "verification": [
            {"obligation": v.obligation, "part": v.part, "met": v.met, "why": v.why} for v in verifications
        ],
    }
    how = "the reviews of 18 serve, no byte changed" if served else counted(len(confirmations), "confirmation review")
    summary = f"{how}, lowest probability {lowest:.2f}; {met} of {len(verifications)} demands met"
    return StageReport(summary=summary, body=notes(confirmations, short=True), fields=fields,
                       findings=() if served else findings_of(confirmations, desk.tree),
                       reviews=() if served else tuple(confirmations),
                       verifications=tuple(verifications), uncertainty=_spread(confirmations))  # fmt: skip


def standing(desk: Desk) -> list[Review]:
    """The reviews of 18 in this round, if they are of exactly the present bytes; else none."""
    here, now = desk.position, desk.tree.sha(RENDERED)
    found: dict[str, Review] = {}
    for record in desk.view.reviews:
        at = record.position
        if (at.round, at.stage, at.ordinal) == (here.round, 18, here.ordinal):
            found[record.review.reviewer] = record.review
    wanted = reviewers(desk)
    same = [found[name] for name in wanted if name in found and found[name].receipt.artifacts.get(RENDERED) == now]
    return same if len(same) == len(wanted) else []


async def _verify(desk: Desk, kit: Kit, o: Obligation, part: int) -> Verification:
    path = f"verification/{o.fingerprint}-{part}"
    reviewer = _another(desk, o)
    span = o.finding.spans[0] if o.finding.spans else None
    request = VerificationRequest(
        obligation=o.fingerprint, part=part, demand=o.parts[part].text, span=span,
        paper=desk.tree.read(RENDERED).decode("utf-8", "replace"), paper_path=RENDERED, evidence=evidence(desk, o),
        nonce=desk.token(path),
    )  # fmt: skip
    return await verification(desk, kit, request, reviewer=reviewer, path=path)


def _another(desk: Desk, o: Obligation) -> str:
    """A reviewer other than the one that raised it, where there is one."""
    raised = o.finding.auditor.removeprefix("review:")
    others = [name for name in reviewers(desk) if name != raised]
    return others[0] if others else "reviewer"


def evidence(desk: Desk, o: Obligation) -> tuple[str, ...]:
    """What the records say, for a verifier: conditions and the jobs that finished. Never the writer's words."""
    plan = artifacts.plan_of(desk.tree).value
    if plan is None or rule_for(o.finding).fix != "experiment-added":
        return ()
    finished: dict[str, int] = {}
    for r in desk.view.receipts:
        if r.condition and r.reason == "finished" and r.exit_code == 0 and r.kind in ("main", "ablation", "control"):
            finished[r.condition] = finished.get(r.condition, 0) + 1
    return tuple(
        f"plan version {plan.version}, condition “{c.label}” ({c.kind}{_removes(c.component)}):"
        f" {finished.get(c.id, 0)} jobs finished"
        for c in plan.conditions
    )


def _removes(component: str) -> str:
    return f", removes {component}" if component else ""
