"""The orchestrator: the project's plan (2), the revision brief (20), the archive (21).

Belongs here: its written pages. Not here: routing (gates, engine): nothing it writes decides where work goes.
"""

from __future__ import annotations

from pydantic import Field

from agents import artifacts
from agents.archiving import ArchiveReply, archive_page, evidence_graph, record_of
from agents.errors import StageError
from agents.idea_replies import Decomposition
from agents.kit import Kit
from agents.pages import bullets, line, page, section, table
from agents.prompting import Block, foreign, own
from agents.soundness import Text, Texts, checked, repeated
from cockpit.kernel.exits import Exit
from cockpit.kernel.findings import GateVerdict, Obligation
from cockpit.kernel.levels import EFFORTS
from cockpit.kernel.model import JsonObject, Model
from cockpit.kernel.protocols import Desk, Route, StageReport
from cockpit.kernel.stages import FINAL, PHASES, REV_A, STAGES

PLAN_PAGE, BRIEF, BRIEF_PAGE = "project_plan.md", f"{REV_A}/revision_brief.json", f"{REV_A}/revision_brief.md"
EVIDENCE, ARCHIVE = f"{FINAL}/evidence.json", f"{FINAL}/archive.md"


class PhasePlan(Model):
    """What a phase is for in this project."""

    phase: Text
    goal: Text
    deliverable: Text
    risk: Text
    watch: Text


class Decision(Model):
    """A point at which the project may turn."""

    when: Text
    turns_if: Text


class ProjectPlan(Model):
    """The plan that everybody reads first."""

    aim: Text
    phases: tuple[PhasePlan, ...]
    decisions: tuple[Decision, ...] = Field(min_length=1)
    stop_rules: Texts = Field(min_length=1)


class Change(Model):
    """What one open obligation asks of the next round."""

    obligation: int
    stage: int
    do: Text


class RevisionBrief(Model):
    """Advice for the next round."""

    summary: Text
    changes: tuple[Change, ...] = ()
    keep: Texts = ()
    order: str = ""


async def work(desk: Desk, kit: Kit) -> StageReport:
    """Do stage 21."""
    if desk.stage.number != 21:
        raise StageError(f"the orchestrator has no stage {desk.stage.number}", Exit.BUG)
    return await knowledge_archive(desk, kit)


async def project_plan(desk: Desk, kit: Kit, goal: Block, answer: Decomposition) -> JsonObject:
    """Write project_plan.md after stage 2. Returns the plan of the phase for its work_plan.md."""
    limits = EFFORTS[desk.settings.effort]
    phases = [{"phase": p, "stages": [s.name for s in STAGES if s.phase == p]} for p in PHASES]
    named = [p for p in PHASES if any(s.phase == p for s in STAGES)]

    def faults(reply: ProjectPlan) -> list[str]:
        told = [p.phase for p in reply.phases]
        return [] if told == named else [f"phases must be, in this order: {', '.join(named)}"]

    known = answer.model_dump(mode="json", include={"sub_questions", "novelty_score", "novelty_why", "feasibility"})
    said = {"effort": desk.settings.effort, "rounds": desk.settings.rounds or limits.rounds, "seeds": limits.seeds,
            "ablations": limits.ablations, "reviewers": limits.reviewers, "papers": limits.kept}  # fmt: skip
    reply = await kit.ask(
        desk, "orchestrator/project-plan", checked(ProjectPlan, faults), path="project-plan", goal=goal,
        decomposition=own("decomposition", known), limits=own("limits", said),
        phases=own("phases", [p for p in phases if p["stages"]]),
    )  # fmt: skip
    desk.write(PLAN_PAGE, _plan_page(reply))
    first = reply.phases[0]
    return {"goal": first.goal, "method": first.deliverable, "risks": [first.risk]}


def _plan_page(reply: ProjectPlan) -> str:
    rows = ((p.phase, p.goal, p.deliverable, p.risk, p.watch) for p in reply.phases)
    return page(
        "Project plan",
        section("Aim", reply.aim),
        section("Phases", table(("phase", "goal", "deliverable", "how it could mislead", "what would show it"), rows)),
        section("Where it may turn", bullets(f"{d.when}: {d.turns_if}" for d in reply.decisions)),
        section("When more work would be waste", bullets(reply.stop_rules)),
    )


async def brief(desk: Desk, kit: Kit, verdict: GateVerdict, route: Route) -> StageReport:
    """Write revision_brief.{md,json}: what must change, by obligation and stage. Advice only."""
    open_ones = desk.view.ledger.open
    if route.entry is None and not open_ones:
        reply = RevisionBrief(summary=f"The rounds are over ({route.outcome}): {route.why} Nothing is left open.")
    else:
        reply = await _ask_brief(desk, kit, verdict, route, open_ones)
    about = {o.number: o for o in open_ones}
    data: JsonObject = {
        "round": desk.position.round,
        "entry": route.entry,
        "outcome": route.outcome,
        "why": route.why,
        **reply.model_dump(mode="json", exclude={"changes"}),
        "changes": [
            {**c.model_dump(mode="json"), "severity": about[c.obligation].finding.severity,
             "title": about[c.obligation].finding.title}
            for c in sorted(reply.changes, key=lambda c: (c.stage, c.obligation))
        ],
    }  # fmt: skip
    desk.write(BRIEF, artifacts.as_json(data))
    desk.write(BRIEF_PAGE, _brief_page(data))
    where = (
        f"round {desk.position.round + 1} from stage {route.entry}"
        if route.entry
        else f"no further round: {route.outcome}"
    )
    return StageReport(
        summary=f"brief for {len(reply.changes)} open obligations; {where}", body=reply.summary, fields={"brief": data}
    )


async def _ask_brief(desk: Desk, kit: Kit, verdict: GateVerdict, route: Route,
                     open_ones: tuple[Obligation, ...]) -> RevisionBrief:  # fmt: skip
    owners = {o.number: o.finding.owner for o in open_ones}

    def faults(reply: RevisionBrief) -> list[str]:
        told = [c.obligation for c in reply.changes]
        said = repeated("obligation", [f"#{n}" for n in told])
        said += [f"#{n} is not open" for n in told if n not in owners]
        said += [f"the open obligation #{n} has no entry" for n in owners if n not in told]
        wrong = [c for c in reply.changes if c.obligation in owners and c.stage != owners[c.obligation]]
        return said + [f"#{c.obligation} is owned by stage {owners[c.obligation]}, not {c.stage}" for c in wrong]

    shown = [
        {
            "number": o.number,
            "stage": o.finding.owner,
            "severity": o.finding.severity,
            "pattern": o.finding.pattern,
            "title": o.finding.title,
            "spans": [str(s) for s in o.finding.spans],
            "open_parts": [p.text for p in o.parts if p.state != "closed"],
        }
        for o in open_ones
    ]
    score = desk.view.score
    ended = {
        "outcome": verdict.outcome,
        "reasons": [r.text for r in verdict.reasons],
        "score": score.value if score else None,
        "dimensions": dict(score.dimensions) if score else {},
    }
    return await kit.ask(
        desk, "orchestrator/brief", checked(RevisionBrief, faults), path="brief", turn="note", speaker="orchestrator",
        verdict=own("verdict", ended), open_obligations=own("open_obligations", shown), said=_reviews(desk),
        route=own("route", {"entry": route.entry, "outcome": route.outcome, "why": route.why}),
    )  # fmt: skip


def _reviews(desk: Desk) -> Block:
    """What the reviewers of this round wrote; the confirmation, when there is one."""
    mine = [r.review for r in desk.view.reviews if r.position.round == desk.position.round]
    counted = [r for r in mine if r.purpose == "confirmation"] or mine
    said = [
        {
            "reviewer": r.reviewer,
            "summary": r.summary,
            "weaknesses": [{"text": w.text, "severity": w.severity, "missing": w.missing} for w in r.weaknesses],
        }
        for r in counted
    ]
    return foreign("reviews", said)


def _brief_page(data: JsonObject) -> str:
    rows = ((f"#{c['obligation']}", str(c["stage"]), c["severity"], c["title"], c["do"]) for c in data["changes"])
    goes = f"Work goes on at stage {data['entry']}." if data["entry"] else f"The rounds end: {data['outcome']}."
    return page(
        f"Revision brief after round {data['round']}",
        f"{goes} {line(data['why'])}",
        data["summary"],
        section("What must change", table(("obligation", "stage", "severity", "finding", "do"), rows)),
        section("Order", data["order"]),
        section("What must stay", bullets(data["keep"])),
        "This is advice: obligations are closed by programs, independent reviewers or named persons only.",
    )


async def knowledge_archive(desk: Desk, kit: Kit) -> StageReport:
    """Stage 21: archive.md and evidence.json."""
    record = record_of(desk)
    named = [event["event"] for event in record["events"]]

    def faults(reply: ArchiveReply) -> list[str]:
        return [
            f"“{lesson.from_event}” is no event of the record"
            for lesson in reply.lessons
            if lesson.from_event not in named
        ]

    reply = await kit.ask(
        desk, "orchestrator/archive", checked(ArchiveReply, faults), path="archive", record=own("record", record),
        goal=own("goal", artifacts.text(desk.tree, artifacts.GOAL)),
    )  # fmt: skip
    graph = evidence_graph(desk.tree)
    desk.write(ARCHIVE, archive_page(record, reply))
    desk.write(EVIDENCE, artifacts.as_json(graph))
    loose = len(graph["loose_claims"])
    return StageReport(
        summary=f"{len(record['rounds'])} rounds archived; {len(graph['numbers'])} numbers traced",
        body=" ".join([line(reply.answer), f"{loose} claims rest on no number and no card." if loose else ""]).strip(),
        fields={**reply.model_dump(mode="json"), "numbers": len(graph["numbers"]), "stale": graph["stale"]},
    )
