"""The experiment planner: hypotheses out of a debate (8), the frozen plan (9).

Belongs here: which stage is whose work, and stage 8. Not here: the debate's turns (`debating.py`), the
novelty review (`plan_reviews.py`), the design (`designing.py`).
"""

from __future__ import annotations

from typing import Any

from agents import artifacts
from agents.cards import cards_block, read_cards
from agents.debating import debate_rows, hold
from agents.designing import experiment_design
from agents.kit import Kit
from agents.pages import bullets, line, page, section, table
from agents.plan_reviews import review_novelty
from agents.planning_replies import Outcome
from agents.prompting import Block, own
from cockpit.kernel.model import JsonObject
from cockpit.kernel.plan import Hypothesis
from cockpit.kernel.protocols import Desk, StageReport
from cockpit.kernel.stages import PLAN_A


async def work(desk: Desk, kit: Kit) -> StageReport:
    """Do stage 8 or 9."""
    return await (hypothesis_gen(desk, kit) if desk.stage.number == 8 else experiment_design(desk, kit))


async def hypothesis_gen(desk: Desk, kit: Kit) -> StageReport:
    """Stage 8: a debate, two to four falsifiable hypotheses, an independent word on their novelty."""
    cards = read_cards(desk.tree)
    inputs: dict[str, Any] = {
        "goal": own("goal", artifacts.text(desk.tree, artifacts.GOAL)),
        "problem": own("problem", artifacts.text(desk.tree, artifacts.TREE_OF_PROBLEMS)),
        "synthesis": own("synthesis", artifacts.text(desk.tree, artifacts.SYNTHESIS)),
        "cards": cards_block("cards", cards, notes=False),
        "failure": what_failed(desk),
        "previous": _previous(desk),
    }
    held = await hold(desk, kit, [c.key for c in cards], inputs)
    outcome, rows = held.synthesis, debate_rows(held)
    desk.write(artifacts.HYPOTHESES, artifacts.as_json([h.model_dump(mode="json") for h in outcome.hypotheses]))
    desk.write(f"{PLAN_A}/hypotheses.md", hypotheses_page(outcome))
    desk.write(f"{PLAN_A}/ideas_ranked.md", ideas_page(outcome))
    desk.write(f"{PLAN_A}/debate.jsonl", artifacts.jsonl(rows))
    novelty = await review_novelty(desk, kit, outcome.hypotheses, cards)
    desk.write(f"{PLAN_A}/novelty.json", artifacts.as_json(novelty.record))
    return _report(outcome, novelty.record, disagreement(outcome)).model_copy(
        update={"findings": novelty.findings, "audits": (novelty.run,)}
    )


def disagreement(outcome: Outcome) -> float:
    """Share of the points of the debate that stayed in dispute, in [0,1]; 0 when there were none."""
    points = len(outcome.disputes) + len(outcome.concessions)
    return round(len(outcome.disputes) / points, 2) if points else 0.0


def what_failed(desk: Desk) -> Block | None:
    """Evidence of the lines that were left: why each way back to 8 was taken, and what its stages said."""
    view = desk.view
    ways = [w for w in view.ways_back if w.target <= desk.stage.number and w.why in ("pivot", "rejected", "degenerate")]
    if not ways:
        return None
    left = {(w.position.round, w.position.ordinal) for w in ways}
    said = [
        {"stage": s.number, "round": s.position.round, "said": s.summary}
        for s in view.instances.values()
        if s.position and (s.position.round, s.position.ordinal) in left and s.number in (8, 13, 14, 15)
    ]
    return own("failure", {"ways_back": [{"why": w.why, "reason": w.reason} for w in ways], "stages_said": said})


def _previous(desk: Desk) -> Block | None:
    content = artifacts.before(desk, artifacts.HYPOTHESES)
    return None if content is None else own("previous", content)


def _report(outcome: Outcome, novelty: JsonObject, apart: float) -> StageReport:
    primary = [h for h in outcome.hypotheses if h.primary]
    told = [f"{h.id}: {line(h.statement)} Refuted if {line(h.refuted_if).rstrip('.')}." for h in outcome.hypotheses]
    return StageReport(
        summary=f"{len(outcome.hypotheses)} hypotheses ({len(primary)} primary); novelty {novelty['verdict']}",
        body=" ".join([*told, f"Disputes left: {'; '.join(outcome.disputes)}." if outcome.disputes else ""]).strip(),
        fields={
            "hypotheses": [h.model_dump(mode="json") for h in outcome.hypotheses],
            "neighbours": [n.model_dump(mode="json") for n in outcome.neighbours],
            "concessions": list(outcome.concessions),
            "disputes": list(outcome.disputes),
            "would_refute": list(outcome.would_refute),
            "disagreement": apart,
            "novelty": novelty,
        },
        plan=outcome.plan.model_dump(mode="json"),
        uncertainty=apart,
    )


def hypotheses_page(outcome: Outcome) -> str:
    """hypotheses.md: each with its prediction and what would refute it."""
    return page(
        "Hypotheses",
        *(
            section(f"{h.id}{' (primary)' if h.primary else ''}", h.statement, bullets(_predicted(h)))
            for h in outcome.hypotheses
        ),
        section("Conceded in the debate", bullets(outcome.concessions)),
        section("Still in dispute", bullets(outcome.disputes)),
        section("Would overturn the direction", bullets(outcome.would_refute)),
    )  # fmt: skip


def _predicted(h: Hypothesis) -> list[str]:
    p = h.prediction
    return [
        f"Predicted: `{p.left}` {p.relation} than `{p.right}` in {p.metric} on {p.split}.",
        f"Refuted if: {h.refuted_if}",
    ]


def ideas_page(outcome: Outcome) -> str:
    """ideas_ranked.md: every idea of the debate, kept or dropped, and why."""
    ranked = sorted(outcome.ideas, key=lambda i: (i.rank, i.idea))
    rows = ((str(i.rank), i.idea, "kept" if i.kept else "dropped", i.why) for i in ranked)
    nearest = ((n.key, n.has, n.adds) for n in outcome.neighbours)
    return page(
        "Ideas, ranked",
        table(("rank", "idea", "fate", "why"), rows),
        section("Nearest known work", table(("key", "it has", "we add"), nearest)),
    )
