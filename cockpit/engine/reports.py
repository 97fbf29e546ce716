"""PLAN → EXEC → REPORT as files: a stage's report, and the phase's merge of them.

Belongs here: `stages/sNN.{json,md}`, `work_plan.md`, `report.json`, `report.md`, `progress.json`. Not
here: what agents report. Form of `_meta`: the seed's artifact protocol, plus `stages`.
"""

from __future__ import annotations

import json
from typing import Any

from cockpit.kernel.events import StageEntered
from cockpit.kernel.ids import Instant
from cockpit.kernel.model import JsonObject, pretty
from cockpit.kernel.protocols import StageReport, Tree
from cockpit.kernel.stages import PHASES, STAGES, Stage, stage
from cockpit.kernel.view import RunView

WITH_STAGES = frozenset(s.phase for s in STAGES)
TITLES = {"goal": "Goal", "method": "Method", "risks": "Risks"}


def work_plan(of: Stage, entered: StageEntered, report: StageReport | None = None) -> str:
    """The PLAN of one stage: what for, from what, into what."""
    lines = [f"# {of.name} (stage {of.number}, {of.agent})", "", f"Begun because: {entered.because}.", ""]
    for key, title in TITLES.items():
        if report is not None and report.plan.get(key):
            lines += [f"## {title}", "", _text(report.plan[key]), ""]
    lines += ["## Input", "", *(f"- `{p}`" for p in sorted(entered.inputs)), ""]
    lines += ["## Expected output", "", *(f"- `{p}`" for p in (*of.owns, *of.revises)), ""]
    return "\n".join(lines)


def stage_files(of: Stage, entered: StageEntered, report: StageReport, outputs: list[str], ended: Instant,
                took_s: float) -> dict[str, bytes]:  # fmt: skip
    """`stages/sNN.json` and `sNN.md`."""
    meta = {
        "agent_id": of.agent,
        "stage": of.number,
        "name": of.name,
        "phase": of.phase,
        "round": entered.position.round,
        "started_at": entered.at,
        "completed_at": ended,
        "duration_s": round(took_s, 1),
        "status": "completed",
        "artifacts": sorted(outputs),
        "summary": report.summary,
    }
    text = [f"# Stage {of.number}: {of.name}", "", report.summary, ""]
    if report.body:
        text += [report.body, ""]
    text += ["## Files", "", *(f"- `{p}`" for p in sorted(outputs)), ""]
    base = f"{of.phase}/stages/s{of.number:02}"
    return {f"{base}.json": pretty({"_meta": meta, **report.fields}).encode(), f"{base}.md": "\n".join(text).encode(),
            f"{base}.plan.md": work_plan(of, entered, report).encode()}  # fmt: skip


def phases_of(of: Stage) -> tuple[str, ...]:
    """The phases whose files a stage's end changes: its own, and one without stages of its own that it writes to."""
    guests = (p for p in PHASES if p not in WITH_STAGES and any(path.startswith(f"{p}/") for path in _paths(of)))
    return (*((of.phase,) if of.phase in PHASES else ()), *guests)


def phase_files(phase: str, tree: Tree) -> dict[str, bytes]:
    """The phase's `work_plan.md`, `report.json`, `report.md`, merged from its stages' files in `tree`."""
    merged: JsonObject = {}
    metas: list[Any] = []
    texts, plans = [], []
    for of in STAGES:
        base = f"{of.phase}/stages/s{of.number:02}"
        if phase not in phases_of(of) or not tree.exists(f"{base}.json"):
            continue
        doc = json.loads(tree.read(f"{base}.json"))
        metas.append(doc.pop("_meta"))
        merged |= doc
        texts.append(tree.read(f"{base}.md").decode())
        if tree.exists(f"{base}.plan.md"):
            plans.append(tree.read(f"{base}.plan.md").decode())
    meta = _phase_meta(phase, metas)
    return {
        f"{phase}/report.json": pretty({"_meta": meta, **merged}).encode(),
        f"{phase}/report.md": "\n".join(texts).encode(),
        f"{phase}/work_plan.md": "\n".join(plans).encode(),
    }


def _phase_meta(phase: str, metas: list[Any]) -> JsonObject:
    first, last = metas[0], metas[-1]
    numbers = [m["stage"] for m in metas]
    return {
        "agent_id": last["agent_id"],
        "phase": phase,
        "round": last["round"],
        "started_at": first["started_at"],
        "completed_at": last["completed_at"],
        "duration_s": round(sum(m["duration_s"] for m in metas), 1),
        "status": "completed",
        "work_plan_path": f"{phase}/work_plan.md",
        "artifacts": sorted({a for m in metas for a in m["artifacts"] if not _elsewhere(a, phase)}),
        "stages": [{"number": n, "name": stage(n).name} for n in numbers],
    }


def _elsewhere(path: str, phase: str) -> bool:
    return any(path.startswith(f"{p}/") for p in PHASES if p != phase)


def _paths(of: Stage) -> tuple[str, ...]:
    return (*of.owns, *of.revises)


def progress(view: RunView) -> bytes:
    """`progress.json`: where the run stands, for readers without the cockpit."""
    doc = {
        "run": view.run.run if view.run else "",
        "title": view.title,
        "round": view.round,
        "stage": view.position.stage if view.position else 0,
        "state": view.control,
        "rounds": [r.model_dump(mode="json") for r in view.rounds],
        "score": view.score.value if view.score else None,
        "gate": view.verdict.outcome if view.verdict else None,
        "open_obligations": len(view.ledger.open),
        "calls": view.spending.calls,
        "cost_usd": round(view.spending.usd, 6),
        "outcome": view.finished.outcome if view.finished else None,
    }
    return pretty(doc).encode()


def _text(value: Any) -> str:
    if isinstance(value, list):
        return "\n".join(f"- {v}" for v in value)
    return str(value)
