"""Stage 5: every candidate scored for relevance and quality, the best kept, references.bib made.

Belongs here: batches, the rule that keeps or drops a paper, the scan for texts that speak to models.
Not here: collecting (`collecting.py`), judging citations (gates).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from agents import artifacts, foreign_text
from agents.bibtex import bibliography
from agents.kit import Kit
from agents.literature_replies import Scored, Screening
from agents.loops import parallel
from agents.paper_blocks import papers_block
from agents.prompting import Block, own
from agents.soundness import checked, repeated, unknown
from cockpit.kernel.findings import AuditRun, Finding
from cockpit.kernel.levels import EFFORTS, KEPT_PAPERS_FLOOR
from cockpit.kernel.papers import PaperRecord, ShortlistEntry
from cockpit.kernel.protocols import Desk, StageReport

BATCH = 16
RELEVANT = 0.35  # below: kept only to reach the floor
WEIGHT_OF_RELEVANCE = 0.7
RULE = (
    f"Kept by {WEIGHT_OF_RELEVANCE:.1f} × relevance + {1 - WEIGHT_OF_RELEVANCE:.1f} × quality, relevance at least"
    f" {RELEVANT:.2f}; below that only to reach {KEPT_PAPERS_FLOOR} papers."
)


async def literature_screen(desk: Desk, kit: Kit) -> StageReport:
    """Stage 5: shortlist.jsonl and references.bib."""
    papers = artifacts.records(desk.tree)
    goal = own("goal", artifacts.text(desk.tree, artifacts.GOAL))
    first = artifacts.fields(desk.tree, 1)
    criteria = own("criteria", {"keep_in": first.get("in_scope", []), "keep_out": first.get("out_of_scope", [])})
    batches = [papers[at : at + BATCH] for at in range(0, len(papers), BATCH)]
    asked = {
        f"batch {n}": _screen(desk, kit, batch, goal, criteria=criteria, number=n)
        for n, batch in enumerate(batches, start=1)
    }
    scored = [one for batch in (await parallel(asked)).values() for one in batch]
    entries = keep(scored, EFFORTS[desk.settings.effort].kept, taken_out(desk, papers))
    kept = {e.key for e in entries if e.kept}
    desk.write(artifacts.SHORTLIST, artifacts.jsonl([e.model_dump(mode="json") for e in entries]))
    desk.write(artifacts.BIBLIOGRAPHY, bibliography(p for p in papers if p.key in kept))
    found = foreign_text.findings(papers, artifacts.PAPERS)
    return _screened(desk, entries, found)


async def _screen(desk: Desk, kit: Kit, batch: Sequence[PaperRecord], goal: Block, *, criteria: Block,
                  number: int) -> tuple[Scored, ...]:  # fmt: skip
    keys = [p.key for p in batch]

    def faults(reply: Screening) -> list[str]:
        named = [s.key for s in reply.papers]
        left = [f"the paper “{key}” was not scored" for key in keys if key not in named]
        return unknown("the paper", named, keys) + repeated("the paper", named) + left

    reply = await kit.ask(
        desk, "lit-searcher/screen", checked(Screening, faults), path=f"screen/{number}",
        goal=goal, criteria=criteria, count=len(batch), papers=papers_block("papers", batch),
    )  # fmt: skip
    return reply.papers


def taken_out(desk: Desk, papers: Sequence[PaperRecord]) -> dict[str, str]:
    """Papers that an open obligation of this stage names (not found, wrong, retracted): key → why it goes."""
    out: dict[str, str] = {}
    for obligation in desk.obligations:
        if not obligation.finding.pattern.startswith("citation-"):
            continue
        told = " ".join(
            [obligation.finding.title, *(str(s) for s in obligation.finding.spans), *obligation.finding.parts]
        )
        for paper in papers:
            if re.search(rf"(?<![\w.+-]){re.escape(paper.key)}(?![\w+-])", told):
                out[paper.key] = f"taken out: #{obligation.number} {obligation.finding.title}"
    return out


def keep(scored: Sequence[Scored], wanted: int, out: dict[str, str]) -> list[ShortlistEntry]:
    """All of `scored`, best first, with whether it is kept: `wanted` relevant ones, at least the floor.

    Papers in `out` are never kept.
    """
    ranked = sorted(scored, key=lambda s: (-_worth(s), s.key))
    entries = []
    kept = 0
    for one in ranked:
        reason = one.reason
        if one.key in out:
            stays, reason = False, f"{out[one.key]}; {one.reason}"
        elif one.relevance >= RELEVANT:
            stays = kept < wanted
        else:
            stays = kept < KEPT_PAPERS_FLOOR
            reason = f"kept only to reach {KEPT_PAPERS_FLOOR} papers; {reason}" if stays else reason
        kept += stays
        entries.append(
            ShortlistEntry(key=one.key, relevance=one.relevance, quality=one.quality, kept=stays, reason=reason)
        )
    return entries


def _worth(one: Scored) -> float:
    return WEIGHT_OF_RELEVANCE * one.relevance + (1 - WEIGHT_OF_RELEVANCE) * one.quality


def _screened(desk: Desk, entries: list[ShortlistEntry], found: list[Finding]) -> StageReport:
    limits = EFFORTS[desk.settings.effort]
    kept = [e for e in entries if e.kept]
    off = sum(e.relevance < RELEVANT for e in kept)
    short = ""
    if len(kept) < KEPT_PAPERS_FLOOR:
        short = f"These are all there are: fewer than {KEPT_PAPERS_FLOOR} papers could be found."
    elif len(kept) < limits.kept:
        short = f"{limits.kept} were wanted; no more are relevant."
    told = [
        RULE,
        short,
        f"{off} of the kept ones are off the topic and stand in to reach the floor." if off else "",
        f"{len(found)} signs that a stored text speaks to models: see the findings." if found else "",
    ]
    run = AuditRun(
        auditor=foreign_text.AUDITOR, version=foreign_text.VERSION, verdict="WARN" if found else "PASS",
        inputs={artifacts.PAPERS: desk.tree.sha(artifacts.PAPERS)}, findings=len(found),
    )  # fmt: skip
    return StageReport(
        summary=f"{len(kept)} of {len(entries)} papers kept" + (f"; {len(found)} suspect texts" if found else ""),
        body=" ".join(t for t in told if t),
        fields={
            "screened": len(entries),
            "kept": len(kept),
            "wanted": limits.kept,
            "reason": short,
            "rule": RULE,
            "keys": sorted(e.key for e in kept),
        },
        findings=tuple(found),
        audits=(run,),
    )
