"""Independent words on hypotheses (8) and on a plan (9), before anything is run.

Belongs here: asking a reviewer in a fresh thread, the audit and the findings that follow. Not here:
reviews of a paper (`reviewing.py`), closing findings (gates). A reviewer is never shown the debate,
nor a word of the planner about the papers: only their titles and what they say themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from agents import artifacts
from agents.artifacts import EXPERIMENT_PLAN, HYPOTHESES
from agents.calls import Answer
from agents.cards import Card
from agents.errors import UnusableReply
from agents.kit import Kit
from agents.planning_replies import DesignReview, NoveltyReview
from agents.prompting import foreign, own
from agents.reviewing import receipt
from agents.soundness import checked, unknown
from cockpit.kernel.findings import AuditRun, AuditVerdict, Finding, Span
from cockpit.kernel.levels import EFFORTS
from cockpit.kernel.model import JsonObject
from cockpit.kernel.plan import ExperimentPlan, Hypothesis
from cockpit.kernel.protocols import Desk

REVIEWER = "reviewer"
VERSION = "1"
PAPERS_LIMIT = 60_000


@dataclass(frozen=True)
class Audit:
    """What a reviewer said, as kept; the audit's run; the findings it opened."""

    record: JsonObject
    run: AuditRun
    findings: tuple[Finding, ...]


async def review_novelty(desk: Desk, kit: Kit, hypotheses: Sequence[Hypothesis], cards: Sequence[Card]) -> Audit:
    """How new `hypotheses` are against the papers read. Says `unreviewed` when no usable word was given."""
    ids, keys = [h.id for h in hypotheses], [c.key for c in cards]
    path = "novelty"

    def faults(reply: NoveltyReview) -> list[str]:
        said = unknown("the paper", [n.key for n in reply.neighbours], keys)
        said += unknown("the hypothesis", [n.hypothesis for n in reply.neighbours], ids)
        if reply.verdict in ("new", "incremental", "known") and keys and not reply.neighbours:
            said.append("a verdict on novelty needs the nearest papers by key")
        return said

    papers = [{"key": c.key, "title": c.title, "year": c.year, "says": list(c.quotes)} for c in cards]
    inputs: dict[str, Any] = {
        "goal": own("goal", artifacts.text(desk.tree, artifacts.GOAL)),
        "hypotheses": own("hypotheses", list(hypotheses)),
        "papers": foreign("papers", papers, limit=2 * PAPERS_LIMIT),
        "nonce": desk.token(path),
    }
    try:
        answer = await kit.ask_raw(
            desk, "paper-reviewer/novelty", checked(NoveltyReview, faults), path=path, role=REVIEWER, turn="review",
            speaker=REVIEWER, about="the hypotheses", **inputs,
        )  # fmt: skip
    except UnusableReply as unusable:
        return _unreviewed(desk, "novelty", HYPOTHESES, 8, unusable)
    return _novelty(desk, answer, path)


def _novelty(desk: Desk, answer: Answer[NoveltyReview], path: str) -> Audit:
    said = answer.value
    if said.nonce != desk.token(path):
        return _unreviewed(desk, "novelty", HYPOTHESES, 8, "the reviewer did not repeat the nonce")
    family = " + ".join(answer.call.family.families)
    weak = said.verdict in ("known", "cannot-say")
    parts = said.weaknesses or (said.summary,)
    findings = tuple(
        Finding(
            auditor="novelty", pattern=f"novelty-{said.verdict}" if weak else "novelty-weak",
            severity="major" if weak else "minor",
            title=part, spans=(Span(file=HYPOTHESES, text=part),), owner=8, deterministic=False, family=family,
            evidence=tuple(n.key for n in said.neighbours),
        )
        for part in (parts if weak else said.weaknesses)
    )  # fmt: skip
    verdict: AuditVerdict = "FAIL" if said.verdict == "known" else "WARN" if findings else "PASS"
    record = _record(desk, answer, said.model_dump(mode="json", exclude={"nonce"}), HYPOTHESES, said.nonce)
    return Audit(
        record, _run(desk, "novelty", verdict, said.verdict, path=HYPOTHESES, findings=len(findings)), findings
    )


async def review_design(desk: Desk, kit: Kit, plan: ExperimentPlan, hypotheses: Sequence[Hypothesis]) -> Audit:
    """What is wrong with `plan`, whose file is written already."""
    limits = EFFORTS[desk.settings.effort]
    written = artifacts.text(desk.tree, EXPERIMENT_PLAN)
    path = "design"

    def faults(reply: DesignReview) -> list[str]:
        if reply.verdict == "sound" and reply.faults:
            return ["a sound plan has no faults: take them out or change the verdict"]
        if reply.verdict in ("mend", "unsound") and not reply.faults:
            return ["name at least one fault, or change the verdict"]
        return []

    shown = plan.model_dump(mode="json", exclude={"reason", "changes", "version"})
    try:
        answer = await kit.ask_raw(
            desk, "paper-reviewer/design", checked(DesignReview, faults), path=path, role=REVIEWER, turn="review",
            speaker=REVIEWER, about=f"the plan, version {plan.version}",
            goal=own("goal", artifacts.text(desk.tree, artifacts.GOAL)), hypotheses=own("hypotheses", list(hypotheses)),
            exp_plan=own("exp_plan", shown), ablations=_ablations(limits.ablations), seeds=limits.seeds,
            nonce=desk.token(path),
        )  # fmt: skip
    except UnusableReply as unusable:
        return _unreviewed(desk, "design", EXPERIMENT_PLAN, 9, unusable)
    return _design(desk, answer, path, written)


def _design(desk: Desk, answer: Answer[DesignReview], path: str, written: str) -> Audit:
    said = answer.value
    if said.nonce != desk.token(path):
        return _unreviewed(desk, "design", EXPERIMENT_PLAN, 9, "the reviewer did not repeat the nonce")
    family = " + ".join(answer.call.family.families)
    findings = tuple(
        Finding(
            auditor="design", pattern=f"design-{fault.kind}", severity="major", title=fault.text,
            spans=(_span(fault.quote, fault.text, written),), owner=9, deterministic=False, family=family,
        )
        for fault in said.faults
    )  # fmt: skip
    if said.verdict == "cannot-say" and not findings:
        findings = (_finding("design", "cannot-say", EXPERIMENT_PLAN, owner=9, title=said.summary, family=family),)
    by_verdict: dict[str, AuditVerdict] = {"sound": "PASS", "mend": "WARN", "unsound": "FAIL", "cannot-say": "WARN"}
    record = _record(desk, answer, said.model_dump(mode="json", exclude={"nonce"}), EXPERIMENT_PLAN, said.nonce)
    run = _run(desk, "design", by_verdict[said.verdict], said.verdict, path=EXPERIMENT_PLAN, findings=len(findings))
    return Audit(record, run, findings)


def _span(quote: str, text: str, written: str) -> Span:
    """The line of the plan that `quote` stands on, when it is there word for word."""
    for number, line in enumerate(written.splitlines(), start=1):
        if quote.strip() and quote.strip() in line:
            return Span(file=EXPERIMENT_PLAN, line=number, text=quote.strip())
    return Span(file=EXPERIMENT_PLAN, text=text)


def _ablations(number: int) -> str:
    return "one a component" if number < 0 else str(number)


def _unreviewed(desk: Desk, auditor: Literal["novelty", "design"], path: str, owner: int,
                why: UnusableReply | str) -> Audit:  # fmt: skip
    """No usable word: an error of the audit and a finding, never a pass."""
    told = why if isinstance(why, str) else why.what
    title = f"{'Novelty' if auditor == 'novelty' else 'The design'} was not reviewed: {told}"
    finding = _finding(auditor, "unreviewed", path, owner=owner, title=title, family="")
    record = {"verdict": "unreviewed", "summary": told, "weaknesses": [], "neighbours": [], "faults": []}
    return Audit(record, _run(desk, auditor, "ERROR", "unusable-reply", path=path, findings=1), (finding,))


def _finding(auditor: str, what: str, path: str, *, owner: int, title: str, family: str) -> Finding:
    return Finding(auditor=auditor, pattern=f"{auditor}-{what}", severity="major", title=title,
                   spans=(Span(file=path),), owner=owner, deterministic=False, family=family)  # fmt: skip


def _record(desk: Desk, answer: Answer[Any], said: JsonObject, path: str, nonce: str) -> JsonObject:
    proof = receipt(desk, path, nonce, answer.call, answer.seq)
    by = {"role": REVIEWER, "model": answer.call.reported_model, "independence": proof.independence}
    return {**said, "by": by, "receipt": proof.model_dump(mode="json")}


def _run(desk: Desk, auditor: str, verdict: AuditVerdict, reason: str, *, path: str, findings: int) -> AuditRun:
    return AuditRun(auditor=auditor, version=VERSION, verdict=verdict, reason=reason,
                    inputs={path: desk.tree.sha(path)}, findings=findings)  # fmt: skip
