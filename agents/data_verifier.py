"""The data-verifier: reads the draft again as an auditor (17, 19), looks references up again (23). No verdict.

Belongs here: its extraction against the program's number map, its look-ups. Not here: the numbers
program, judging citations (gates), changing the paper (its proposals go to the writer).
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from agents.kit import Kit
from agents.latex_text import counted
from agents.locating import locate
from agents.manuscript import RENDERED, gather, json_text, results_shown
from agents.prompting import own
from cockpit.kernel.findings import Finding, Span
from cockpit.kernel.model import JsonObject, Model, pretty, sha256
from cockpit.kernel.papers import CitationLookup, PaperRecord
from cockpit.kernel.protocols import Desk, StageReport, Tree
from cockpit.kernel.stages import BY_NUMBER, FINAL, VER_A
from gates import artifacts
from gates.citations import judge
from gates.references import entries

AUDITOR = "data-verifier"
REPORT = f"{FINAL}/verification_report.json"
READING_STAGES = (17, 19)
CLEAR = ("exact", "rounding", "derived")


class ExtractedClaim(Model):
    """A claim as the paper makes it; `key` empty = not sure which result it speaks of."""

    quote: str
    number: str = ""
    key: str = ""
    kind: Literal["number", "comparison", "universal", "significance"] = "number"


class ProposedEdit(Model):
    """A change that the verifier proposes; nothing is applied because of it."""

    old: str
    new: str
    why: str = ""


class ExtractedClaims(Model):
    """All claims about results, and proposals."""

    claims: tuple[ExtractedClaim, ...]
    edits: tuple[ProposedEdit, ...] = ()


@dataclass(frozen=True)
class Reading:
    """What the second reading gave."""

    sentence: str = ""
    findings: tuple[Finding, ...] = ()
    fields: JsonObject = field(default_factory=dict)


async def work(desk: Desk, kit: Kit) -> StageReport:
    """Do stage 23."""
    return await citation_verify(desk, kit)


# --- 17 and 19: the second reading ---------------------------------------------------------------------------------


async def reread(desk: Desk, kit: Kit) -> Reading:
    """Extract the claims of the rendered paper anew and compare with the program's number map of the same bytes.

    Bytes that were read before are not read again.
    """
    text = desk.tree.read(RENDERED).decode("utf-8", "replace")
    digest = sha256(text)
    if digest in _read_before(desk):
        return Reading("The second reading of these bytes stands.", (), {"paper": digest})
    material = gather(desk.tree, desk.view)
    reply = await kit.ask(
        desk,
        "data-verifier/claims",
        ExtractedClaims,
        path="mended/claims",
        paper=own("paper", text, limit=400_000),
        results=own("results", json_text(results_shown(material))),
        tests=own("tests", json_text(material.tests)),
    )
    mapped = artifacts.json_of(desk.tree, f"{VER_A}/number_map.json").value
    numbers = list(mapped.get("numbers", ())) if isinstance(mapped, dict) else []
    found = disagreements(reply.claims, numbers, text)
    fields: JsonObject = {"paper": digest, "claims": [c.model_dump(mode="json") for c in reply.claims],
                          "proposals": [e.model_dump(mode="json") for e in reply.edits]}  # fmt: skip
    sentence = (f"The second reading found {counted(len(reply.claims), 'claim')}, proposes "
                f"{counted(len(reply.edits), 'edit')}, and disagrees with the program on {len(found)}.")  # fmt: skip
    return Reading(sentence, found, fields)


def _read_before(desk: Desk) -> set[str]:
    seen = set()
    for number in READING_STAGES:
        last = (artifacts.report_of(desk.tree, BY_NUMBER[number].report).value or {}).get("reread")
        if isinstance(last, dict):
            seen.add(str(last.get("paper")))
    return seen


def disagreements(
    claims: Sequence[ExtractedClaim], numbers: Sequence[dict[str, Any]], text: str
) -> tuple[Finding, ...]:
    """A finding where both name a key for the same printed number and name different ones."""
    found = []
    for claim in claims:
        at = locate(claim.quote, text, shortest=1) if claim.number and claim.key else None
        if at is None:
            continue
        last = at.line + text.count("\n", at.start, at.end)
        mine = [n for n in numbers if str(n.get("text")) == claim.number and at.line <= int(n.get("line", 0)) <= last]
        keys = [key for n in mine if n.get("verdict") in CLEAR and (key := _key(n))]
        if len(mine) == 1 and keys and keys[0] != claim.key:
            span = Span(
                file=RENDERED, line=int(mine[0]["line"]), column=int(mine[0].get("column", 0)), text=claim.number
            )
            found.append(Finding(
                auditor=AUDITOR, pattern="extractor-disagreement", severity="minor", owner=17, spans=(span,),
                title=f"{claim.number} is read as {claim.key} by the verifier and as {keys[0]} by the program",
                evidence=(claim.quote,), deterministic=False))  # fmt: skip
    return tuple(found)


def _key(number: dict[str, Any]) -> str:
    source = number.get("source")
    return str(source.get("key") or "") if isinstance(source, dict) else ""


# --- 23 ------------------------------------------------------------------------------------------------------------


async def citation_verify(desk: Desk, kit: Kit) -> StageReport:
    """Look each reference of the exported paper up again and record what every source said."""
    records = {r.key: r for r in artifacts.papers_of(desk.tree).value or ()}
    listed = sorted(entries(desk.tree, f"{FINAL}/references.bib"))
    known = [records[key] for key in listed if key in records]
    lookups = await _lookups(desk, kit, known)
    verdicts = [judge(record, lookup) for record, lookup in zip(known, lookups, strict=True)]
    counts: dict[str, int] = {}
    for v in verdicts:
        counts[v.verdict] = counts.get(v.verdict, 0) + 1
    unknown = [key for key in listed if key not in records]
    report = {
        "schema": "cockpit.verification-report/1",
        "lookups": [lookup.model_dump(mode="json") for lookup in lookups],
        "references": [
            {
                "key": v.key,
                "verdict": v.verdict,
                "why": v.why,
                "correction": v.correction.model_dump(mode="json") if v.correction else None,
            }
            for v in verdicts
        ],
        "without_record": unknown,
        "summary": dict(sorted(counts.items())),
    }
    desk.write(REPORT, pretty(report))
    told = ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items())) or "none"
    body = " ".join(f"{v.key}: {v.verdict}, {v.why}." for v in verdicts if v.verdict not in ("verified", "pending"))
    if counts.get("pending"):
        body += " Pending is not verified: no source that could settle it was reached."
    return StageReport(summary=f"{counted(len(listed), 'reference')} looked up again: {told}", body=body.strip(),
                       fields={"summary": report["summary"], "without_record": unknown})  # fmt: skip


async def _lookups(desk: Desk, kit: Kit, records: Sequence[PaperRecord]) -> list[CitationLookup]:
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(kit.literature.lookup(desk, r, path=f"lookup/{r.key}")) for r in records]
    return [task.result() for task in tasks]


def proposals(tree: Tree) -> tuple[ProposedEdit, ...]:
    """What the last readings of 17 and 19 propose: for the writer to weigh."""
    found: dict[str, ProposedEdit] = {}
    for number in READING_STAGES:
        last = (artifacts.report_of(tree, BY_NUMBER[number].report).value or {}).get("reread")
        for item in last.get("proposals", ()) if isinstance(last, dict) else ():
            edit = ProposedEdit.model_validate(item)
            found[edit.old] = edit
    return tuple(found.values())
