"""Stage 19, the draft: every point answered, section by section, by exact edits.

Belongs here: points from open obligations, who answers them, `changes.json`. Not here: applying edits
(`edits.py`), mending by program (`mending.py`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from agents import assembly
from agents.data_verifier import ProposedEdit, proposals
from agents.drafting import shared, whitelist
from agents.edits import Applied, Edit, apply
from agents.errors import UnusableReply
from agents.kit import Kit
from agents.latex_text import counted, listed
from agents.locating import locate
from agents.manuscript import RENDERED, Material, cards_shown, gather, json_text
from agents.objections import obligation_shown, speaks_of
from agents.prompting import Block, foreign, own
from agents.publishing import Published, publish
from agents.review_findings import states
from cockpit.kernel.findings import Obligation
from cockpit.kernel.levels import REASKS_A_STEP
from cockpit.kernel.model import JsonObject, Model, pretty
from cockpit.kernel.protocols import Desk, StageReport
from cockpit.kernel.stages import REV_A, WRITE_A

CHANGES = f"{WRITE_A}/changes.json"
FIRST_WRITING_STAGE = 16
Action = Literal["changed", "rebutted", "deferred"]


class PointAnswer(Model):
    """What became of one point."""

    point: str
    action: Action
    why: str = ""


class Revision(Model):
    """Edits of one section, and an answer to each of its points."""

    edits: tuple[Edit, ...] = ()
    answers: tuple[PointAnswer, ...]


@dataclass
class Answered:
    """A section after its points were answered."""

    section: str
    text: str
    applied: Applied
    answers: dict[str, PointAnswer] = field(default_factory=dict)


async def revise(desk: Desk, kit: Kit) -> StageReport:
    """Answer 18's points and every open obligation in the paper; what needs an earlier stage is deferred to it."""
    material = gather(desk.tree, desk.view)
    texts = editable(desk, material)
    deferred = [o for o in desk.obligations if o.finding.owner < FIRST_WRITING_STAGE]
    mine = [o for o in desk.obligations if o.finding.owner >= FIRST_WRITING_STAGE]
    placed = place(mine, texts)
    for name in _proposed(desk, texts):
        placed.setdefault(name, [])
    answered = await _answers(desk, kit, material, texts, placed)
    made = await _rewritten(desk, material, texts, answered)
    points = [*(_changed(o, placed, answered) for o in mine), *(_deferred(o) for o in deferred)]
    points.sort(key=lambda p: int(str(p["point"]).removeprefix("#")))
    edits = [e.model_dump(mode="json") for a in answered for e in a.applied.done]
    desk.write(CHANGES, pretty({"changes": [*points, *_weaknesses(desk, points)], "edits": edits}))
    return _report(points, edits, made, material)


def editable(desk: Desk, material: Material) -> dict[str, str]:
    """What may be edited: sections, and tables that were typed by hand, by their file's name."""
    texts = assembly.sections_of(desk.tree, material)
    for item in material.floats:
        if item.made == "by hand" and desk.tree.exists(item.file):
            texts[f"table_{item.id}"] = assembly.read(desk.tree, item.file)
    return texts


def place(obligations: Sequence[Obligation], texts: Mapping[str, str]) -> dict[str, list[Obligation]]:
    """Section → its points. One that stands nowhere goes to the section that its title speaks of, or the first."""
    placed: dict[str, list[Obligation]] = {}
    for o in obligations:
        homes = [name for name, text in texts.items() if speaks_of(o, assembly.section_path(name), text)]
        for home in homes or [_home(o, texts)]:
            placed.setdefault(home, []).append(o)
    return placed


def _home(o: Obligation, texts: Mapping[str, str]) -> str:
    title = o.finding.title.lower()
    return next((name for name in texts if name.replace("_", " ") in title), next(iter(texts), ""))


async def _answers(desk: Desk, kit: Kit, material: Material, texts: Mapping[str, str],
                   placed: Mapping[str, list[Obligation]]) -> list[Answered]:  # fmt: skip
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(_section(desk, kit, material, name, texts[name], placed[name]))
                 for name in texts if name in placed]  # fmt: skip
    return [task.result() for task in tasks]


async def _section(desk: Desk, kit: Kit, material: Material, id: str, text: str,
                   points: Sequence[Obligation]) -> Answered:  # fmt: skip
    blocks = shared(material)
    given: dict[str, Any] = {name: blocks[name] for name in ("results", "tests", "plan")}
    given |= {
        "points": own("points", [{"point": f"#{o.number}", **obligation_shown(o)} for o in points]),
        "obligations": own("obligations", [obligation_shown(o) for o in points]),
        "text": own("text", text),
        "cards": foreign("cards", json_text(cards_shown(material))),
        "reviews": _reviews(desk, points),
        "proposals": own("proposals", proposed) if (proposed := _proposed(desk, {id: text}).get(id)) else None,
    }
    faults: Block | None = None
    wrong: list[str] = []
    for again in range(REASKS_A_STEP + 1):
        path = f"revision/{id}" if not again else f"revision/{id}/again-{again}"
        reply = await kit.ask(
            desk,
            "paper-writer/revision",
            Revision,
            path=path,
            turn="answer",
            speaker="paper-writer",
            about=id.replace("_", " "),
            title=id.replace("_", " "),
            faults=faults,
            **given,
        )
        edits = [e.model_copy(update={"section": id}) for e in reply.edits]
        applied = apply({id: text}, edits, whitelist(material))
        wrong = [*applied.faults, *_unanswered(reply, points, applied)]
        if not wrong:
            return Answered(id, applied.sections[id], applied, {a.point: a for a in reply.answers})
        faults = own("faults", "\n".join(f"- {w}" for w in wrong))
    raise UnusableReply(f"revision of {id}: {wrong[0]}", tuple(wrong), where=f"{desk.position}")


def _unanswered(reply: Revision, points: Sequence[Obligation], applied: Applied) -> list[str]:
    given = {a.point: a for a in reply.answers}
    missing = [f"point #{o.number} has no answer" for o in points if f"#{o.number}" not in given]
    if any(a.action == "changed" for a in reply.answers) and not applied.done and not applied.refused:
        missing.append("a point is said to be changed, but there is no edit")
    missing += [f"point {a.point} is {a.action} without a reason" for a in reply.answers
                if a.action != "changed" and not a.why.strip()]  # fmt: skip
    return missing


def _proposed(desk: Desk, texts: Mapping[str, str]) -> dict[str, list[ProposedEdit]]:
    """Section → the edits that the second reading proposes for it."""
    found: dict[str, list[ProposedEdit]] = {}
    for edit in proposals(desk.tree):
        for name, text in texts.items():
            if locate(edit.old, text) is not None:
                found.setdefault(name, []).append(edit)
    return found


def _reviews(desk: Desk, points: Sequence[Obligation]) -> Block | None:
    """The reviews, fenced, where a point came from one."""
    if not any(o.finding.auditor.startswith("review:") for o in points):
        return None
    texts = [assembly.read(desk.tree, path) for path in desk.tree.list(f"{REV_A}/reviews/")]
    return foreign("reviews", "\n\n".join(texts)) if texts else None


async def _rewritten(desk: Desk, material: Material, texts: Mapping[str, str],
                     answered: Sequence[Answered]) -> Published | None:  # fmt: skip
    """Write what changed, put the paper together and typeset it; None if no byte of it changed."""
    changed = [a for a in answered if a.text != texts[a.section]]
    if not changed:
        return None
    before = desk.tree.sha(RENDERED)
    for a in changed:
        desk.write(assembly.section_path(a.section), a.text)
    assembly.put_together(desk, material)
    return await publish(desk) if desk.tree.sha(RENDERED) != before else None


def _changed(o: Obligation, placed: Mapping[str, list[Obligation]], answered: Sequence[Answered]) -> JsonObject:
    name = f"#{o.number}"
    mine = [a for a in answered if o in placed.get(a.section, ()) and name in a.answers]
    by = {a.answers[name].action for a in mine}
    action: Action = "changed" if "changed" in by else "rebutted" if "rebutted" in by else "deferred"
    return {"point": name, "fingerprint": o.fingerprint, "pattern": o.finding.pattern, "title": o.finding.title,
            "answer": action, "where": [assembly.section_path(a.section) for a in mine
                                        if a.answers[name].action == "changed"],
            "why": " ".join(a.answers[name].why for a in mine).strip(), "owner": o.finding.owner}  # fmt: skip


def _deferred(o: Obligation) -> JsonObject:
    return {"point": f"#{o.number}", "fingerprint": o.fingerprint, "pattern": o.finding.pattern,
            "title": o.finding.title, "answer": "deferred", "where": [],
            "why": f"needs stage {o.finding.owner}, which owns what is missing", "owner": o.finding.owner}  # fmt: skip


def _weaknesses(desk: Desk, points: Sequence[JsonObject]) -> list[JsonObject]:
    """An entry for each weakness of this round's reviews: as its obligation was answered, or why it needs no answer."""
    known = list(desk.view.ledger.obligations.values())
    by_point = {p["point"]: p for p in points}
    entries = []
    for record in desk.view.reviews:
        if (record.position.round, record.position.stage) != (desk.position.round, 18):
            continue
        for weakness in record.review.weaknesses:
            mine = next((o for o in known if states(o.finding, weakness.id)), None)
            answered = by_point.get(f"#{mine.number}") if mine else None
            if answered is not None:
                entry = {k: answered[k] for k in ("answer", "where", "why", "owner")} | {
                    "obligation": answered["point"]
                }
            else:
                why = f"obligation #{mine.number} is {mine.state}" if mine else "it opened no obligation"
                entry = {"answer": "deferred", "where": [], "why": why}
            entries.append({"weakness": weakness.id, "title": weakness.text[:160], **entry})
    return entries


def _report(
    points: Sequence[JsonObject], edits: Sequence[Any], made: Published | None, material: Material
) -> StageReport:
    counts = {action: sum(p["answer"] == action for p in points) for action in ("changed", "rebutted", "deferred")}
    told = listed(f"{count} {action}" for action, count in counts.items() if count)
    summary = f"{counted(len(points), 'point')}: {told}" if points else "no point was open; no byte changed"
    if made:
        summary += f"; {made.sentence}"
    body = " ".join(f"{p['point']} {p['answer']}: {p['title']}. {p['why']}".strip() for p in points)
    fields: JsonObject = {"points": counts, "edits": len(edits), "changed_bytes": made is not None}
    if made:
        fields["pdf"] = made.typeset.fields()
    return StageReport(summary=summary, body=body, fields=fields, findings=made.findings if made else (),
                       audits=made.audits if made else (), unpublishable=material.unpublishable)  # fmt: skip
