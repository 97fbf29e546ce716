"""Stage 17, the draft: sections in parallel, the hand-typed tables, polish, assembly, typesetting.

Belongs here: asking for what a model writes, and checking that it can stand in a paper. Not here:
what a program makes (`assembly.py`), mending by program (`mending.py`), revision after reviews (`revision.py`).
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from agents import assembly, latex_text
from agents.edits import Applied, Edit, Whitelist, apply
from agents.errors import UnusableReply
from agents.kit import Kit
from agents.manuscript import (
    RENDERED,
    Float,
    Material,
    cards_shown,
    floats_shown,
    gather,
    json_text,
    number_forms,
    results_shown,
    section_shown,
)
from agents.objections import obligation_shown, speaks_of
from agents.prompting import Block, foreign, own
from agents.publishing import Published, publish
from cockpit.kernel.levels import REASKS_A_STEP
from cockpit.kernel.model import JsonObject, Model, canonical, sha256
from cockpit.kernel.protocols import Desk, StageReport
from gates import artifacts


class Polish(Model):
    """Edits that make the sections one paper."""

    edits: tuple[Edit, ...] = ()


async def draft(desk: Desk, kit: Kit) -> StageReport:
    """Write the sections, put the paper together, typeset it."""
    material = gather(desk.tree, desk.view)
    assembly.write_floats(desk, material)
    kept = _kept(desk, material)
    work = [_section(desk, kit, material, s.id) for s in material.outline.sections if s.id not in kept]
    work += [_table(desk, kit, material, item) for item in _by_hand(material)]
    texts = await _in_parallel(work)
    for path, text in texts:
        desk.write(path, text)
    applied = await _polish(desk, kit, material)
    for edit in applied.done:
        desk.write(assembly.section_path(edit.section), applied.sections[edit.section])
    assembly.put_together(desk, material)
    made = await _typeset(desk, kit, material)
    fields: JsonObject = {
        "sections": {s.id: {"inputs": _input_hash(material, s.id), "kept": s.id in kept}
                     for s in material.outline.sections},
        "tables_typed_by_hand": [f.id for f in _by_hand(material)],
        "polish": {"applied": len(applied.done), "refused": applied.faults},
        "pdf": made.typeset.fields(),
    }  # fmt: skip
    summary = f"{latex_text.counted(len(texts), 'part')} written"
    if kept:
        summary += f", {latex_text.counted(len(kept), 'section')} kept"
    return StageReport(summary=f"{summary}; {made.sentence}", fields=fields, findings=made.findings, audits=made.audits,
                       body=_body(material, kept, applied), unpublishable=material.unpublishable)  # fmt: skip


def _body(material: Material, kept: Sequence[str], applied: Applied) -> str:
    lines = [f"“{material.outline.title}”, from {len(material.values)} aggregates and {len(material.cards)} cards."]
    if kept:
        lines.append(f"Unchanged, since nothing they rest on changed: {latex_text.listed(kept)}.")
    if applied.done:
        lines.append(f"Polish changed {latex_text.counted(len(applied.done), 'passage')}.")
    if applied.refused:
        lines.append(f"Refused: {'; '.join(applied.faults)}.")
    return " ".join(lines)


async def _in_parallel(work: Sequence[Awaitable[tuple[str, str]]]) -> list[tuple[str, str]]:
    async def wait(item: Awaitable[tuple[str, str]]) -> tuple[str, str]:
        return await item

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(wait(item)) for item in work]
    return [task.result() for task in tasks]


def _by_hand(material: Material) -> list[Float]:
    return [f for f in material.floats if f.made == "by hand"]


async def _section(desk: Desk, kit: Kit, material: Material, id: str) -> tuple[str, str]:
    path = assembly.section_path(id)
    shown = section_shown(material, id)
    blocks: dict[str, Any] = {
        "section": own("section", shown),
        "cards": foreign("cards", json_text(cards_shown(material) if id != "abstract" else [])),
        **shared(material),
        **revised(desk, path),
    }

    def check(text: str) -> tuple[str, ...]:
        return (*latex_text.faults(text, may_input=whitelist(material).floats), *_no_font(desk, text))

    async def ask(again: int, complaint: Block | None) -> str:
        text = await kit.ask_text(desk, "paper-writer/section", language="latex", path=_path(f"sections/{id}", again),
                                  faults=complaint, title=shown["title"], **blocks)  # fmt: skip
        return _set(desk, latex_text.body(text, abstract=id == "abstract"))

    return path, await until_sound(ask, check, f"section {id}")


async def _table(desk: Desk, kit: Kit, material: Material, item: Float) -> tuple[str, str]:
    plan = next(t for t in material.outline.tables if t.id == item.id)
    blocks: dict[str, Any] = {"table": own("table", plan), **shared(material), **revised(desk, item.file)}

    def check(text: str) -> tuple[str, ...]:
        wanting = [] if item.label in text else [f"the label {item.label} is missing"]
        wanting += [] if r"\caption" in text else ["the caption is missing"]
        return (*latex_text.faults(text), *wanting, *_no_font(desk, text))

    async def ask(again: int, complaint: Block | None) -> str:
        text = await kit.ask_text(desk, "paper-writer/table", language="latex", path=_path(f"tables/{item.id}", again),
                                  faults=complaint, label=item.label, **blocks)  # fmt: skip
        return _set(desk, text.strip() + "\n")

    return item.file, await until_sound(ask, check, f"table {item.id}")


def _set(desk: Desk, text: str) -> str:
    """In English papers Unicode mathematics becomes commands; Chinese ones are set with fonts that have it."""
    return latex_text.typable(text) if desk.settings.language == "en" else text


def _no_font(desk: Desk, text: str) -> list[str]:
    missing = latex_text.untypable(text) if desk.settings.language == "en" else ()
    return [f"the character {sign} cannot be set; write it as LaTeX" for sign in missing]


async def until_sound(ask: Callable[[int, Block | None], Awaitable[str]], check: Callable[[str], tuple[str, ...]],
                      what: str) -> str:  # fmt: skip
    """Ask until the LaTeX can stand in a paper, at most twice again, quoting what is wrong.

    Raises:
        UnusableReply: it never could.
    """
    complaint: Block | None = None
    wrong: tuple[str, ...] = ()
    for again in range(REASKS_A_STEP + 1):
        text = await ask(again, complaint)
        wrong = check(text)
        if not wrong:
            return text
        complaint = own("faults", "\n".join(f"- {w}" for w in wrong) + "\n\n" + text)
    raise UnusableReply(f"{what}: no LaTeX that can stand in a paper: {wrong[0]}", wrong)


def _path(name: str, again: int) -> str:
    return f"draft/{name}" if not again else f"draft/{name}/again-{again}"


def shared(material: Material) -> dict[str, Block]:
    """The blocks that every writing step gets."""
    return {
        "outline": own("outline", material.outline),
        "plan": own("plan", material.plan),
        "hypotheses": own("hypotheses", list(material.hypotheses)),
        "results": own("results", json_text(results_shown(material))),
        "tests": own("tests", json_text(material.tests)),
        "floats": own("floats", json_text(floats_shown(material))),
        "unpublishable": own("unpublishable", material.unpublishable or "no"),
    }


def revised(desk: Desk, path: str) -> dict[str, Block | None]:
    """In revise mode: the last text of this part, and the obligations that stand in it (an empty list if none)."""
    if not desk.revising:
        return {"previous": None, "obligations": None}
    text = assembly.read(desk.tree, path)
    mine = [o for o in desk.obligations if speaks_of(o, path, text)]
    return {
        "previous": own("previous", text) if text else None,
        "obligations": own("obligations", [obligation_shown(o) for o in mine]),
    }


# --- what need not be written again --------------------------------------------------------------------------------


def _kept(desk: Desk, material: Material) -> tuple[str, ...]:
    """Sections to leave alone in revise mode: nothing they rest on changed, and nobody asks for a change."""
    if not desk.revising or desk.guidance:
        return ()
    last = (artifacts.report_of(desk.tree, desk.stage.report).value or {}).get("sections")
    if not isinstance(last, dict):
        return ()
    kept = []
    for plan in material.outline.sections:
        path = assembly.section_path(plan.id)
        text = assembly.read(desk.tree, path)
        known = last.get(plan.id)
        same = isinstance(known, dict) and known.get("inputs") == _input_hash(material, plan.id)
        if text and same and not any(speaks_of(o, path, text) or not o.finding.spans for o in desk.obligations):
            kept.append(plan.id)
    return tuple(kept)


def _input_hash(material: Material, id: str) -> str:
    """What a section rests on: its plan and the cards for related work, everything for the others."""
    rests: list[object] = [section_shown(material, id), cards_shown(material)]
    if id != "related_work":
        rests += [material.outline.model_dump(mode="json"), material.plan.model_dump(mode="json"),
                  results_shown(material), material.tests, material.unpublishable]  # fmt: skip
    return sha256(canonical(rests))[:16]


# --- polish --------------------------------------------------------------------------------------------------------


def whitelist(material: Material) -> Whitelist:
    """What edits of this paper may bring in."""
    return Whitelist(
        citations=frozenset(material.records),
        results=frozenset(v.key for v in material.values),
        numbers=number_forms(material.values),
        floats=tuple(f"sections/{f.kind}_{f.id}" for f in material.floats),
    )


async def _polish(desk: Desk, kit: Kit, material: Material) -> Applied:
    return await _edited(desk, kit, material, "draft/polish", None)


async def _edited(desk: Desk, kit: Kit, material: Material, path: str, faults: Block | None) -> Applied:
    sections = assembly.sections_of(desk.tree, material)
    shown = "\n\n".join(f"%%% section {name}\n{text.strip()}" for name, text in sections.items())
    reply = await kit.ask(
        desk,
        "paper-writer/polish",
        Polish,
        path=path,
        sections=own("sections", shown, limit=400_000),
        outline=own("outline", material.outline),
        obligations=None,
        previous=None,
        faults=faults,
    )
    return apply(sections, reply.edits, whitelist(material))


async def _typeset(desk: Desk, kit: Kit, material: Material) -> Published:
    """Typeset; what TeX refuses goes back to the writer, at most twice."""
    made = await publish(desk)
    for again in range(1, REASKS_A_STEP + 1):
        if made.typeset.state != "failed":
            break
        applied = await _edited(desk, kit, material, f"draft/tex-{again}", own("faults", _tex_fault(desk, made)))
        for edit in applied.done:
            desk.write(assembly.section_path(edit.section), applied.sections[edit.section])
        assembly.put_together(desk, material)
        made = await publish(desk)
    return made


def _tex_fault(desk: Desk, made: Published) -> str:
    """TeX's error with the lines it speaks of."""
    said = made.typeset.error
    found = re.search(r"paper\.tex:(\d+):", said)
    lines = assembly.read(desk.tree, RENDERED).splitlines()
    near = lines[max(0, int(found[1]) - 3) : int(found[1]) + 2] if found else []
    return "\n".join(["TeX cannot set the paper:", said, *near])
