"""The result-analyzer: what the results show (14), and where the research goes (15).

Belongs here: these two stages. Not here: the arithmetic (`frozen_tests.py`, `statistics.py`), drawing
(`drawing.py`), how the page is laid out (`analysis_page.py`). Verdicts are the program's; models read them.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from agents import artifacts
from agents.analysis_page import analysis_page
from agents.coding import layout
from agents.coding.identity import code_hash
from agents.coding.refining import quotes_numbers
from agents.drawing import Figure, Table, dots, table
from agents.frozen_tests import TestReport, run_tests
from agents.kit import Kit
from agents.loops.debate import debate
from agents.prompting import own
from agents.result_replies import Analysis, Decision, Opening, Rebuttal
from agents.results import Measured, measured
from agents.soundness import checked, repeated, unknown
from cockpit.kernel.events import ResultsSeen
from cockpit.kernel.levels import EFFORTS, PIVOTS_A_RUN, REFINES_A_LINE
from cockpit.kernel.model import JsonObject, pretty
from cockpit.kernel.plan import ExperimentPlan, Hypothesis
from cockpit.kernel.protocols import Desk, StageReport
from cockpit.kernel.stages import ANA_A

ROLES = ("optimist", "sceptic", "methodologist")
TESTS, ANALYSIS, DEBATE = f"{ANA_A}/statistical_tests.json", f"{ANA_A}/analysis.md", f"{ANA_A}/debate.jsonl"
FIGURES, TABLES, DECISION = f"{ANA_A}/figures/", f"{ANA_A}/tables/", f"{ANA_A}/decision.json"
REFINE_AT, PIVOT_AT = 13, 8


async def work(desk: Desk, kit: Kit) -> StageReport:
    """Do the stage of `desk`."""
    match desk.stage.number:
        case 14:
            return await result_analysis(desk, kit)
        case 15:
            return await research_decision(desk, kit)
        case other:
            raise ValueError(f"the result-analyzer has no stage {other}")


async def result_analysis(desk: Desk, kit: Kit) -> StageReport:
    """Stage 14: statistical_tests.json, figures/, tables/, debate.jsonl, analysis.md."""
    plan, hypotheses = layout.read_plan(desk.tree), artifacts.hypotheses(desk.tree)
    current = layout.read_current(desk.tree)
    found = measured(desk.tree, current) if current else Measured("")
    await _see(desk, kit, plan, found)
    tests = run_tests(plan, hypotheses, found)
    figures, tables = draw(plan, found)
    _leave_drawings(desk, figures, tables)
    desk.write(TESTS, pretty(tests))
    held = await debate(
        desk, kit, ("result-analyzer/opening", "result-analyzer/rebuttal", "result-analyzer/analysis"),
        (checked(Opening, _knows(plan, tests)), checked(Rebuttal, _knows(plan, tests)),
         checked(Analysis, _follows(plan, hypotheses, tests))),
        roles=ROLES, turns=EFFORTS[desk.settings.effort].debate_turns, **_shown(desk, plan, hypotheses, tests, found),
    )  # fmt: skip
    desk.write(DEBATE, artifacts.jsonl(list(held.rows)))
    desk.write(ANALYSIS, analysis_page(plan, hypotheses, tests, found, held.synthesis))
    return _report(tests, figures, tables, held.synthesis)


async def _see(desk: Desk, kit: Kit, plan: ExperimentPlan, found: Measured) -> None:
    """Metrics of this block are read here, if 13 has not done so."""
    if not found.columns or found.block in desk.view.blocks_seen:
        return
    seen = ResultsSeen(at=kit.clock.now(), position=desk.position, block=found.block, plan_version=plan.version,
                       code_hash=code_hash(layout.read_scripts(desk.tree)))  # fmt: skip
    await desk.record(seen)


def draw(plan: ExperimentPlan, found: Measured) -> tuple[list[Figure], list[Table]]:
    """Figures of the outcomes; the main table, the ablations. What has no results is not drawn."""
    measured_ = [c for c in plan.conditions if any(found.has(m.name, c.id, m.split) for m in plan.metrics)]
    outcomes = [m for m in plan.metrics if m.name not in plan.efficiency and m.direction != "none"]
    figures = [f for m in outcomes if (f := dots(plan, m, measured_, found)) is not None]
    main = [c for c in measured_ if c.kind in ("main", "baseline", "efficiency")]
    first = [c for c in measured_ if c.kind == "main"][:1]
    parts = [c for c in measured_ if c.kind in ("ablation", "control")]
    tables = [table("main", plan, main, plan.metrics, found)] if main else []
    if parts:
        tables.append(table("ablations", plan, [*first, *parts], plan.metrics, found))
    return figures, tables


def _leave_drawings(desk: Desk, figures: list[Figure], tables: list[Table]) -> None:
    new = {f"{FIGURES}{f.id}.tex": f.tex for f in figures} | {f"{FIGURES}{f.id}.json": pretty(f.data) for f in figures}
    new |= {f"{TABLES}{t.id}.tex": t.tex for t in tables}
    for folder in (FIGURES, TABLES):
        for path in desk.tree.list(folder):
            if path not in new:
                desk.remove(path)
    for path, text in new.items():
        desk.write(path, text)


def _shown(desk: Desk, plan: ExperimentPlan, hypotheses: tuple[Hypothesis, ...], tests: TestReport,
           found: Measured) -> dict[str, Any]:  # fmt: skip
    """The blocks of the debate."""
    log = json.loads(desk.tree.read(layout.REFINEMENTS)) if desk.tree.exists(layout.REFINEMENTS) else {}
    return {
        "plan": own("plan", plan),
        "hypotheses": own("hypotheses", list(hypotheses)),
        "tests": own("tests", tests),
        "results": own("results", summary_rows(plan, found)),
        "history": own("history", {k: log.get(k, []) for k in ("observations", "concerns", "repairs", "changes")}),
    }


def summary_rows(plan: ExperimentPlan, found: Measured) -> list[JsonObject]:
    """Condition by condition: metric → mean, standard deviation and number of seeds."""
    rows: list[JsonObject] = []
    for c in plan.conditions:
        row: JsonObject = {"condition": c.id, "label": c.label, "kind": c.kind, "component": c.component}
        for m in plan.metrics:
            row[m.name] = {
                "mean": found.mean(m.name, c.id, m.split),
                "std": found.spread(m.name, c.id, m.split),
                "n": len(found.values(m.name, c.id, m.split)),
            }
        rows.append(row)
    return rows


def known_ids(plan: ExperimentPlan, tests: TestReport) -> list[str]:
    """What evidence may name."""
    return [*(t.id for t in tests.tests), *tests.hypotheses, *(str(c.id) for c in plan.conditions),
            *(m.name for m in plan.metrics)]  # fmt: skip


def _knows(plan: ExperimentPlan, tests: TestReport) -> Callable[[Opening | Rebuttal], list[str]]:
    def faults(reply: Opening | Rebuttal) -> list[str]:
        others = [o.to for o in reply.objections] if isinstance(reply, Rebuttal) else []
        return unknown("the evidence", reply.evidence, known_ids(plan, tests)) + unknown("the role", others, ROLES)

    return faults


def _follows(
    plan: ExperimentPlan, hypotheses: tuple[Hypothesis, ...], tests: TestReport
) -> Callable[[Analysis], list[str]]:
    """An analysis reads the frozen tests' verdicts, all of them, and types no numbers."""

    def faults(reply: Analysis) -> list[str]:
        said = [
            f"hypothesis {h.id} has no reading"
            for h in hypotheses
            if h.id not in {r.hypothesis for r in reply.readings}
        ]
        said += unknown("the hypothesis", (r.hypothesis for r in reply.readings), tests.hypotheses)
        said += repeated("the hypothesis", (r.hypothesis for r in reply.readings))
        said += [
            f"the frozen test says that {r.hypothesis} is {tests.hypotheses[r.hypothesis]}, not {r.verdict}"
            for r in reply.readings
            if r.hypothesis in tests.hypotheses and r.verdict != tests.hypotheses[r.hypothesis]
        ]
        texts = (reply.summary, *(r.reading for r in reply.readings), *reply.components, *reply.concessions,
                 *reply.disputes, *reply.would_refute, *reply.limitations)  # fmt: skip
        said += [f"leave numbers to the program: “{text}”" for text in texts if quotes_numbers(text, plan)]
        return said

    return faults


def _report(tests: TestReport, figures: list[Figure], tables: list[Table], analysis: Analysis) -> StageReport:
    verdicts = ", ".join(f"{h} {v}" for h, v in tests.hypotheses.items())
    return StageReport(
        summary=f"{verdicts}; {len(figures)} figures, {len(tables)} tables",
        body=analysis.summary,
        fields={
            "hypotheses": dict(tests.hypotheses),
            "block": tests.block,
            "figures": [f.id for f in figures],
            "tables": [{"id": t.id, "rows": list(t.rows), "columns": list(t.columns)} for t in tables],
            "disputes": list(analysis.disputes),
            "would_refute": list(analysis.would_refute),
            "limitations": list(analysis.limitations),
            "disagreement": analysis.disagreement,
        },
        uncertainty=analysis.disagreement,
    )


async def research_decision(desk: Desk, kit: Kit) -> StageReport:
    """Stage 15: decision.json; refine goes back to 13, pivot to 8, while their counters allow."""
    plan, hypotheses = layout.read_plan(desk.tree), artifacts.hypotheses(desk.tree)
    tests = TestReport.model_validate_json(desk.tree.read(TESTS))
    open_ = [o for o in desk.view.ledger.open if o.finding.auditor == "collapse"]
    left = {"refine": REFINES_A_LINE - desk.view.refines, "pivot": PIVOTS_A_RUN - desk.view.pivots}
    names = [*known_ids(plan, tests), *(o.finding.pattern for o in open_)]

    def faults(reply: Decision) -> list[str]:
        said = unknown("the evidence", reply.evidence, names)
        if left.get(reply.decision, 1) <= 0:
            said.append(f"no {reply.decision} is left in this run")
        if reply.degenerate and not open_:
            said.append("degenerate is only for results in which a program found a collapse")
        if quotes_numbers(reply.reason, plan):
            said.append("the reason must quote no numbers besides names")
        return said

    reply = await kit.ask(
        desk, "result-analyzer/decision", checked(Decision, faults), path="decision", turn="decision",
        hypotheses=own("hypotheses", list(hypotheses)), tests=own("tests", tests),
        analysis=own("analysis", artifacts.text(desk.tree, ANALYSIS)), left=own("left", left),
        collapsed=own("collapsed", [f"{o.finding.pattern}: {o.finding.title}" for o in open_]) if open_ else None,
    )  # fmt: skip
    record = {
        "decision": reply.decision,
        "reason": reply.reason,
        "evidence": list(reply.evidence),
        "degenerate": reply.degenerate,
        "hypotheses": dict(tests.hypotheses),
        "left": left,
    }
    desk.write(DECISION, pretty(record))
    target = {"refine": REFINE_AT, "pivot": PIVOT_AT}.get(reply.decision)
    return StageReport(
        summary=f"{reply.decision}: " + ", ".join(f"{h} {v}" for h, v in tests.hypotheses.items()),
        body=reply.reason,
        fields=record,
        uncertainty=reply.uncertainty,
        go_back=target,
        go_back_why=reply.reason if target else "",
    )
