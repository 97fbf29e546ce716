"""What a finished run leaves for later: its record in events, its retrospective, its evidence graph.

Belongs here: reading view and tree into them; both are the same for the same journal, and hold no cost,
time or commit. Not here: asking for the words (`orchestrator.py`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pydantic import Field

from agents import artifacts
from agents.pages import bullets, page, section, table
from agents.soundness import Text, Texts
from cockpit.kernel.findings import Obligation
from cockpit.kernel.model import JsonObject, Model
from cockpit.kernel.plan import ExperimentPlan, Outline
from cockpit.kernel.protocols import Desk, Tree
from cockpit.kernel.results import CurrentResults
from cockpit.kernel.stages import ANA_A, EXEC_A, VER_A, WRITE_A

CURRENT, TESTS = f"{EXEC_A}/current_results.json", f"{ANA_A}/statistical_tests.json"
OUTLINE, NUMBERS = f"{WRITE_A}/outline.json", f"{VER_A}/number_map.json"
SCHEMA = "cockpit.evidence/1"


class Lesson(Model):
    """Something useful to another project, and the event that taught it."""

    lesson: Text
    from_event: Text


class ArchiveReply(Model):
    """The retrospective's words."""

    story: Text
    answer: Text
    lessons: tuple[Lesson, ...] = Field(min_length=1, max_length=5)
    open: Texts = ()
    would_do_differently: Texts = ()


def record_of(desk: Desk) -> JsonObject:
    """The run as it went: rounds, obligations and their closing, ways back, hypotheses, and events by name."""
    view = desk.view
    rounds = [
        {"round": r.round, "score": r.score, "criticals": r.criticals, "dimensions": dict(sorted(r.dimensions.items())),
         "entry": r.entry, "outcome": r.outcome, "why": r.why}
        for r in view.rounds
    ]  # fmt: skip
    obligations = [_obligation(o) for o in view.ledger.obligations.values()]
    ways = [
        {"round": w.position.round, "from": w.position.stage, "to": w.target, "why": w.why, "reason": w.reason}
        for w in view.ways_back
    ]
    repairs = [{"signature": s, "attempts": n} for s, n in sorted(view.repairs.items())]
    found = _found(desk.tree)
    events = [
        {"event": "start", "what": "the goal as it was set"},
        *({"event": f"round {r['round']}", "what": r["why"]} for r in rounds),
        *({"event": f"#{o['number']}", "what": o["title"]} for o in obligations),
        *({"event": f"way back {n}", "what": f"{w['why']}: {w['reason']}"} for n, w in enumerate(ways, start=1)),
        *({"event": f"repair {n}", "what": r["signature"]} for n, r in enumerate(repairs, start=1)),
        *({"event": h["id"], "what": f"{h['verdict']}: {h['statement']}"} for h in found["hypotheses"]),
    ]
    went = {"rounds": rounds, "obligations": obligations, "ways_back": ways, "repairs": repairs}
    return {**went, **found, "events": events}


def _obligation(o: Obligation) -> JsonObject:
    return {
        "number": o.number,
        "title": o.finding.title,
        "pattern": o.finding.pattern,
        "severity": o.finding.severity,
        "owner": o.finding.owner,
        "opened_in": o.opened.label,
        "state": o.state,
        "reopened": o.reopened,
        "waived_because": o.waived_why,
        "parts": [
            {"text": p.text, "state": p.state, "fix": p.fix, "closer": p.closer, "note": p.note} for p in o.parts
        ],
    }


def _found(tree: Tree) -> JsonObject:
    """Hypotheses with their verdicts, and the plan in force."""
    verdicts: dict[str, str] = artifacts.data(tree, TESTS).get("hypotheses", {}) if tree.exists(TESTS) else {}
    stated = artifacts.hypotheses(tree) if tree.exists(artifacts.HYPOTHESES) else ()
    plan = _plan(tree)
    about = (
        {}
        if plan is None
        else {"plan_version": plan.version, "conditions": len(plan.conditions), "reason": plan.reason}
    )
    return {
        "hypotheses": [
            {"id": h.id, "statement": h.statement, "primary": h.primary, "verdict": verdicts.get(h.id, "not tested")}
            for h in stated
        ],
        "plan": about,
    }


def archive_page(record: JsonObject, reply: ArchiveReply) -> str:
    """archive.md: the retrospective beside the record it rests on."""
    return page(
        "Archive",
        section("What the evidence says", reply.answer),
        section("How it went", reply.story),
        section("Hypotheses", table(
            ("id", "verdict", "primary", "statement"),
            ((h["id"], h["verdict"], "yes" if h["primary"] else "no", h["statement"]) for h in record["hypotheses"]),
        )),
        section("Rounds", table(
            ("round", "score", "criticals", "went on at", "why"),
            (_round_row(r) for r in record["rounds"]),
        )),
        section("Obligations and how each was closed", table(
            ("#", "opened", "severity", "finding", "state", "closed by"),
            (
                (f"#{o['number']}", o["opened_in"], o["severity"], o["title"], o["state"], _closing(o))
                for o in record["obligations"]
            ),
        )),
        section("Changes of direction", bullets(
            f"round {w['round']}, stage {w['from']} to {w['to']}, {w['why']}: {w['reason']}"
            for w in record["ways_back"]
        )),
        section("Repairs of experiment code", bullets(
            f"{r['signature']} ({r['attempts']} attempt(s))" for r in record["repairs"]
        )),
        section("Lessons", bullets(f"{lesson.lesson} (from {lesson.from_event})" for lesson in reply.lessons)),
        section("Still open", bullets(reply.open)),
        section("What we would do differently", bullets(reply.would_do_differently)),
    )  # fmt: skip


def _round_row(r: JsonObject) -> tuple[str, ...]:
    onward = str(r["entry"] or r["outcome"] or "ended")
    return str(r["round"]), _number(r["score"]), str(r["criticals"]), onward, r["why"]


def _closing(o: JsonObject) -> str:
    closed = [f"{p['fix']} ({p['closer']})" for p in o["parts"] if p["state"] == "closed"]
    return "; ".join(dict.fromkeys(closed)) or (
        f"waived: {o['waived_because']}" if o["waived_because"] else "not closed"
    )


def _number(value: float | None) -> str:
    return "none" if value is None else f"{value:.2f}"


def _plan(tree: Tree) -> ExperimentPlan | None:
    return artifacts.plan_of(tree.read(artifacts.EXPERIMENT_PLAN)) if tree.exists(artifacts.EXPERIMENT_PLAN) else None


def evidence_graph(tree: Tree) -> JsonObject:
    """hypothesis → condition → job → result file → number → claim, from what the tree holds.

    Edges are [from, to] with ids `H1`, `condition:…`, `job:…`, `file:…`, `number:line.column`, `claim:…`;
    `stale` lists result files whose bytes are not the ones that `current_results.json` counts.
    """
    plan = _plan(tree)
    results = CurrentResults.model_validate(artifacts.data(tree, CURRENT)) if tree.exists(CURRENT) else None
    outline = Outline.model_validate(artifacts.data(tree, OUTLINE)) if tree.exists(OUTLINE) else None
    found = _found(tree)
    numbers = list(_numbers(tree))
    files: dict[str, list[str]] = {}
    for r in results.results if results else ():
        files.setdefault(r.condition, []).append(r.file)
    claims = [c.model_dump(mode="json") for c in outline.claims] if outline else []
    edges = [*_planned(tree, plan), *_ran(results), *_printed(numbers, files), *_claimed(claims, numbers)]
    return {
        "schema": SCHEMA,
        "hypotheses": found["hypotheses"],
        "conditions": [{"id": c.id, "label": c.label, "kind": c.kind} for c in plan.conditions] if plan else [],
        "results": [r.model_dump(mode="json") for r in results.results] if results else [],
        "numbers": numbers,
        "claims": claims,
        "edges": [list(edge) for edge in dict.fromkeys(edges)],
        "stale": _stale(tree, results),
        "loose_claims": [c["id"] for c in claims if not c["keys"] and not c["cards"]],
    }


Edge = tuple[str, str]


def _planned(tree: Tree, plan: ExperimentPlan | None) -> Iterable[Edge]:
    if plan is None or not tree.exists(artifacts.HYPOTHESES):
        return
    for h in artifacts.hypotheses(tree):
        for condition in (h.prediction.left, h.prediction.right):
            if plan.condition(condition) is not None:
                yield h.id, f"condition:{condition}"


def _ran(results: CurrentResults | None) -> Iterable[Edge]:
    for r in results.results if results else ():
        yield f"condition:{r.condition}", f"job:{r.job}"
        yield f"job:{r.job}", f"file:{r.file}"


def _numbers(tree: Tree) -> Iterable[JsonObject]:
    """Numbers of the paper that are bound to a key of the registry, as the numbers program says."""
    if not tree.exists(NUMBERS):
        return
    for n in artifacts.data(tree, NUMBERS).get("numbers", []):
        key = _key(n)
        if key:
            yield {
                "id": f"{n.get('file', '')}:{n.get('line', 0)}.{n.get('column', 0)}",
                "text": n.get("text", ""), "verdict": n.get("verdict", ""), "key": key,
            }  # fmt: skip


def _key(number: JsonObject) -> str:
    source: Any = number.get("source") or {}
    key = source.get("key", "") if isinstance(source, dict) else ""
    return key if isinstance(key, str) else ""


def _printed(numbers: Iterable[JsonObject], files: dict[str, list[str]]) -> Iterable[Edge]:
    for n in numbers:
        parts = n["key"].split("/")
        for file in files.get(parts[1], []) if len(parts) > 1 else []:
            yield f"file:{file}", f"number:{n['id']}"


def _claimed(claims: Iterable[JsonObject], numbers: list[JsonObject]) -> Iterable[Edge]:
    for claim in claims:
        for n in numbers:
            if n["key"] in claim["keys"]:
                yield f"number:{n['id']}", f"claim:{claim['id']}"
        for card in claim["cards"]:
            yield f"card:{card}", f"claim:{claim['id']}"


def _stale(tree: Tree, results: CurrentResults | None) -> list[str]:
    """Result files that are missing or hold other bytes than the ones that count."""
    counted = results.results if results else ()
    return sorted(r.file for r in counted if not tree.exists(r.file) or tree.sha(r.file) != r.sha256)
