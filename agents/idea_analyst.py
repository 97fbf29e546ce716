"""The idea analyst: what the idea asks (1), the problem taken apart beside the nearest work (2).

Belongs here: the work of stages 1 and 2. Not here: reply models, the project plan (orchestrator).
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, assert_never

from agents import artifacts, orchestrator
from agents.bibtex import keyed
from agents.idea_pages import goal_page, problem_page
from agents.idea_replies import Concern, Decomposition, SearchIdeas, Topic
from agents.kit import Kit
from agents.literature.merging import merge
from agents.loops import parallel
from agents.paper_blocks import papers_block
from agents.prompting import Block, cut, own
from agents.soundness import checked, repeated, unknown
from cockpit.kernel.findings import Finding, Span
from cockpit.kernel.model import JsonObject
from cockpit.kernel.papers import PaperRecord, SourceState
from cockpit.kernel.protocols import Desk, StageReport
from cockpit.kernel.stages import IDEA_A

IDEA_LIMIT = 24_000  # characters of the idea file that a model is shown
FOUND_PER_QUERY, SHOWN_PAPERS, SEARCHES = 10, 24, 3
NOVELTY_UNSEARCHED = 0.5  # nothing looked at: never more
MEMINFO = Path("/proc/meminfo")
GPUS = ("/dev/nvidia0", "/dev/kfd")


async def work(desk: Desk, kit: Kit) -> StageReport:
    """Do stage 1 or 2."""
    return await (topic_init(desk, kit) if desk.stage.number == 1 else problem_decompose(desk, kit))


async def topic_init(desk: Desk, kit: Kit) -> StageReport:
    """Stage 1: goal.md and hardware.json."""
    idea = artifacts.text(desk.tree, "idea.md")
    host = await desk.once("host", {"what": "processors, memory, GPU, Python"}, look_at_host, what="host")
    topic = await kit.ask(
        desk, "idea-analyst/goal", Topic, path="goal",
        idea=own("idea", cut(idea, IDEA_LIMIT), limit=2 * IDEA_LIMIT),
        machine=own("machine", _machine(host)),
        previous=_previous(desk, artifacts.GOAL),
    )  # fmt: skip
    notices = _notices(desk)
    desk.write(artifacts.GOAL, goal_page(topic, notices))
    desk.write(f"{IDEA_A}/hardware.json", artifacts.as_json(host))
    findings = tuple(_concerns(topic))
    left = len(idea) - IDEA_LIMIT
    said = [
        f"{topic.question} An answer would be: {topic.outcome}",
        f"The idea file is long: {left} of its characters were left out, from its middle." if left > 0 else "",
        *notices,
        f"{len(findings)} question(s) of ethics or rights need a person." if findings else "",
    ]
    return StageReport(
        summary=f"{topic.kind} question in {topic.domain}: {topic.title}",
        body=" ".join(s for s in said if s),
        fields={**topic.model_dump(mode="json"), "notices": notices},
        findings=findings,
    )


async def look_at_host() -> JsonObject:
    """Processors, memory in MiB, GPU by its device file, Python: as this host says it now."""
    gpu = "present" if any(os.access(path, os.F_OK) for path in GPUS) else "none"
    return {
        "cpus": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        "memory_mb": await asyncio.to_thread(_memory_mb),
        "gpu": gpu,
        "machine": os.uname().machine,
        "system": os.uname().sysname,
    }


def _memory_mb() -> int:
    """Total memory; -1 when the host does not say."""
    try:
        first = MEMINFO.read_text(encoding="ascii").split("\n", maxsplit=1)[0]
    except OSError:
        return -1
    return int(first.split()[1]) // 1024


def _machine(host: JsonObject) -> str:
    """The host in coarse figures, so that equal machines give equal prompts."""
    memory = host["memory_mb"]
    size = f"about {max(1, round(memory / 1024))} GiB memory" if memory > 0 else "unknown memory"
    return f"{host['cpus']} processor(s), {size}, GPU: {host['gpu']}"


def _notices(desk: Desk) -> list[str]:
    """What the run's start said about an idea that fits no rehearsal study."""
    run = desk.view.run
    if run is None or not desk.settings.rehearsal.on:
        return []
    return [notice for notice in run.notices if "study" in notice.lower() or "studies" in notice.lower()]


def _concerns(topic: Topic) -> Iterable[Finding]:
    """A finding for each question that no agent may settle."""
    asked: list[tuple[str, str, Concern]] = [
        ("ethics-concern", "ethics", topic.ethics),
        ("ethics-dual-use", "dual use", topic.dual_use),
        ("rights-data", "rights to data", topic.data_rights),
    ]
    for pattern, what, concern in asked:
        match concern.level:
            case "none" | "noted":
                continue
            case "ask-a-person":
                yield Finding(
                    auditor="idea-analyst", pattern=pattern, severity="major", owner=1, deterministic=False,
                    title=f"A person must decide on {what}: {concern.note}",
                    spans=(Span(file=artifacts.GOAL, text=what),),
                )  # fmt: skip
            case _:
                assert_never(concern.level)


async def problem_decompose(desk: Desk, kit: Kit) -> StageReport:
    """Stage 2: searched before judged."""
    goal = own("goal", artifacts.text(desk.tree, artifacts.GOAL))
    ideas = await kit.ask(
        desk, "idea-analyst/queries", SearchIdeas, path="queries", goal=goal, at_least=3, at_most=6,
        previous=_previous(desk, f"{IDEA_A}/search_queries.json"),
    )  # fmt: skip
    wanted = [(q.text, q.why) for q in ideas.queries]
    searches: list[JsonObject] = []
    papers: list[PaperRecord] = []
    for turn in range(1, SEARCHES + 1):
        papers = await _search(desk, kit, wanted, papers, searches=searches, turn=turn)
        answer = await _decompose(desk, kit, goal, papers, searches=searches, turn=turn)
        known = {s["text"].casefold() for s in searches}
        wanted = [(t, "asked for after the first look") for t in answer.search_again if t.casefold() not in known]
        if not wanted:
            break
    _write_problem(desk, answer, papers, searches)
    report = _decomposed(answer, papers, searches)
    plan = await orchestrator.project_plan(desk, kit, goal, answer)
    return report.model_copy(update={"plan": plan})


async def _search(desk: Desk, kit: Kit, wanted: list[tuple[str, str]], papers: list[PaperRecord],
                  *, searches: list[JsonObject], turn: int) -> list[PaperRecord]:  # fmt: skip
    """Papers so far and those of `wanted`, best of each query first; what was asked is added to `searches`."""
    asked = {
        f"search-{turn}/{n}": kit.literature.search(desk, text, limit=FOUND_PER_QUERY, path=f"search-{turn}/{n}")
        for n, (text, _) in enumerate(wanted, start=1)
    }
    found = list((await parallel(asked)).values())
    for (text, why), answer in zip(wanted, found, strict=True):
        searches.append({"text": text, "why": why, "found": len(answer.records), "sources": dict(answer.states)})
    depth = max((len(f.records) for f in found), default=0)
    by_rank = [f.records[rank] for rank in range(depth) for f in found if rank < len(f.records)]
    return keyed(merge([*papers, *by_rank]))[:SHOWN_PAPERS]


async def _decompose(desk: Desk, kit: Kit, goal: Block, papers: list[PaperRecord], *,
                     searches: list[JsonObject], turn: int) -> Decomposition:  # fmt: skip
    keys = [p.key for p in papers]

    def faults(reply: Decomposition) -> list[str]:
        named = [n.key for n in reply.neighbours]
        said = unknown("the neighbour", named, keys) + repeated("the neighbour", named)
        said += repeated("the sub-question", [q.id for q in reply.sub_questions])
        if not papers and (named or reply.novelty_score > NOVELTY_UNSEARCHED):
            said.append(f"no paper was found: neighbours must be empty and novelty_score at most {NOVELTY_UNSEARCHED}")
        return said

    step = "idea-analyst/decompose" if papers else "idea-analyst/decompose-unsearched"
    inputs: dict[str, Any] = {"papers": papers_block("papers", papers)} if papers else {}
    return await kit.ask(
        desk, step, checked(Decomposition, faults), path=f"decompose-{turn}",
        goal=goal, searches=own("searches", searches),
        previous=_previous(desk, artifacts.TREE_OF_PROBLEMS), **inputs,
    )  # fmt: skip


def _write_problem(desk: Desk, answer: Decomposition, papers: list[PaperRecord], searches: list[JsonObject]) -> None:
    by_key = {p.key: p for p in papers}
    neighbours = [
        {**_about(by_key[n.key]), "overlap": n.overlap, "delta": n.delta} for n in answer.neighbours if n.key in by_key
    ]
    near = {n.key for n in answer.neighbours}
    seen = [_about(p) for p in papers if p.key not in near]
    desk.write(f"{IDEA_A}/search_queries.json", artifacts.as_json({"queries": searches}))
    desk.write(f"{IDEA_A}/similar_papers.json", artifacts.as_json({"neighbours": neighbours, "seen": seen}))
    desk.write(artifacts.TREE_OF_PROBLEMS, problem_page(answer, by_key))


def _decomposed(answer: Decomposition, papers: list[PaperRecord], searches: list[JsonObject]) -> StageReport:
    states: dict[str, SourceState] = {}
    for search in searches:
        states.update(search["sources"])
    by_key = {p.key: p for p in papers}
    nearest = "; ".join(f"{by_key[n.key].title} ({n.key})" for n in answer.neighbours[:2] if n.key in by_key)
    told = f"Nearest: {nearest}." if nearest else "No literature could be seen, so novelty is not established."
    return StageReport(
        summary=f"{len(answer.sub_questions)} sub-questions; novelty {answer.novelty_score:.2f} against"
        f" {len(answer.neighbours)} neighbours; {answer.feasibility.verdict}",
        body=f"{told} {answer.novelty_why} {answer.feasibility.route}",
        fields={
            **answer.model_dump(mode="json", exclude={"search_again"}),
            "searches": searches,
            "sources": states,
            "papers_seen": len(papers),
        },
        uncertainty=None if papers else 1.0,
    )


def _about(paper: PaperRecord) -> JsonObject:
    return paper.model_dump(mode="json", include={"key", "title", "authors", "year", "arxiv_id", "doi", "url"})


def _previous(desk: Desk, *paths: str) -> Block | None:
    content = artifacts.before(desk, *paths)
    return None if content is None else own("previous", content)
