"""The mended part of 17 and 19: only what the numbers program corrected from results, then typeset again.

Belongs here: applying hunks of class corrected-from-results to the source files. Not here: making them
(`gates/numbers`), any change that needs words.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from agents import assembly
from agents.data_verifier import reread
from agents.kit import Kit
from agents.latex_text import counted
from agents.manuscript import RENDERED, gather
from agents.publishing import publish
from cockpit.kernel.model import JsonObject
from cockpit.kernel.protocols import Desk, StageReport
from cockpit.kernel.stages import VER_A
from gates import artifacts
from gates.numbers.patch import read_patch

FIX_PATCH = f"{VER_A}/fix_patch.json"


@dataclass
class Mended:
    """Hunks that were applied, and those that could not be, with the reason."""

    applied: list[JsonObject] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    left: int = 0  # hunks of other classes: a person's or a writer's


async def mended(desk: Desk, kit: Kit) -> StageReport:
    """Read the draft again as an auditor, apply the program's corrections, render and typeset if bytes changed."""
    reading = await reread(desk, kit)
    before = desk.tree.sha(RENDERED)
    result = apply_patch(desk)
    assembly.rerender(desk)
    changed = desk.tree.sha(RENDERED) != before
    made = await publish(desk) if changed else None
    earlier = artifacts.report_of(desk.tree, desk.stage.report).value or {}
    fields: JsonObject = {
        **earlier,
        "mended": {"applied": result.applied, "refused": result.refused, "left_to_people_and_writers": result.left},
        "reread": reading.fields,
    }
    if made:
        fields["pdf"] = made.typeset.fields()
    summary = (f"{counted(len(result.applied), 'number')} corrected from results" if result.applied
               else "nothing to correct from results")  # fmt: skip
    if made:
        summary += f"; {made.sentence}"
    body = " ".join(f"{hunk['old']} became {hunk['new']} ({hunk['where']})." for hunk in result.applied)
    if result.refused:
        body += f" Could not be applied: {'; '.join(result.refused)}."
    return StageReport(
        summary=summary,
        body=f"{body} {reading.sentence}".strip(),
        fields=fields,
        findings=(*(made.findings if made else ()), *reading.findings),
        audits=made.audits if made else (),
        unpublishable=gather(desk.tree, desk.view).unpublishable,
    )


def apply_patch(desk: Desk) -> Mended:
    """Apply the hunks of class corrected-from-results to the files they name; from the end, so that columns hold."""
    read = artifacts.json_of(desk.tree, FIX_PATCH)
    if read.value is None:
        return Mended(refused=[read.problem])
    patch = read_patch(read.value)
    result = Mended(left=len(patch.hunks) - len(patch.correctable))
    for hunk in sorted(patch.correctable, key=lambda h: (h.file, -h.line, -h.column)):
        path, line, column, old, new = hunk.file, hunk.line, hunk.column, hunk.old, hunk.new or ""
        text = assembly.read(desk.tree, path)
        at = _offset(text, line, column)
        if at is None or not text.startswith(old, at):
            result.refused.append(f"{path}:{line}: “{old}” does not stand there")
            continue
        desk.write(path, text[:at] + new + text[at + len(old) :])
        result.applied.append(
            {
                "file": path,
                "line": line,
                "old": old,
                "new": new,
                "where": f"{path.rsplit('/', 1)[-1]}:{line}",
                "key": hunk.key,
                "pattern": hunk.pattern,
            }
        )
    result.applied.reverse()
    return result


def _offset(text: str, line: int, column: int) -> int | None:
    lines = text.split("\n")
    if not (1 <= line <= len(lines) and 1 <= column <= len(lines[line - 1]) + 1):
        return None
    return sum(len(item) + 1 for item in lines[: line - 1]) + column - 1
