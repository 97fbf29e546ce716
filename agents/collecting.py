"""Stage 4: candidates from every source that answers, merged, with a log of what was asked.

Belongs here: running the planned queries, ranking and merging what they bring, saying when the sources
are exhausted. Not here: the sources (literature), scoring papers (`screening.py`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from agents import artifacts
from agents.bibtex import keyed
from agents.kit import Kit
from agents.literature.merging import identities, merge
from agents.literature.shelves import Found
from agents.literature_replies import Collecting
from agents.loops import parallel
from agents.prompting import own
from cockpit.kernel.levels import EFFORTS
from cockpit.kernel.model import JsonObject
from cockpit.kernel.papers import PaperRecord
from cockpit.kernel.protocols import Desk, StageReport
from cockpit.kernel.stages import LIT_A
from gates.fingerprints import normal_text

SURPLUS = 2  # records asked for over all queries, as a multiple of the candidates wanted
LEAST_A_QUERY, MOST_A_QUERY = 20, 100
NO_SOURCE = "none"  # stands among the sources when no source is configured or reachable


async def literature_collect(desk: Desk, kit: Kit) -> StageReport:
    """Stage 4: papers_raw.json and search_log.jsonl."""
    wanted = EFFORTS[desk.settings.effort].candidates
    queries: list[JsonObject] = artifacts.data(desk.tree, f"{LIT_A}/queries.json")["queries"]
    reply = await kit.ask(
        desk, "lit-searcher/collect", Collecting, path="plan", candidates=wanted,
        search_plan=own("search_plan", artifacts.text(desk.tree, f"{LIT_A}/search_plan.yaml")),
        sources=own("sources", artifacts.text(desk.tree, f"{LIT_A}/sources.json")),
    )  # fmt: skip
    log: list[JsonObject] = []
    papers = await _run(desk, kit, queries, (), wanted=wanted, log=log, what="planned")
    known = {q["text"].casefold() for q in queries}
    more = [t for t in dict.fromkeys(reply.expansions) if t.casefold() not in known]
    if len(papers) < wanted and more:
        extra = [{"id": f"x{n}", "strategy": "expansion", "text": text} for n, text in enumerate(more, start=1)]
        papers = await _run(desk, kit, extra, papers, wanted=wanted, log=log, what="expansion")
    exhausted = len(distinct(papers)) < wanted
    kept = distinct(keyed(papers))[:wanted]
    desk.write(f"{LIT_A}/search_log.jsonl", artifacts.jsonl(log))
    ordered = sorted(kept, key=lambda p: p.key)
    desk.write(artifacts.PAPERS, artifacts.as_json([p.model_dump(mode="json") for p in ordered]))
    return _collected(kept, log, wanted, exhausted).model_copy(update={"plan": reply.plan.model_dump(mode="json")})


def distinct(papers: Sequence[PaperRecord]) -> list[PaperRecord]:
    """`papers` without those that repeat an identifier or the very title of an earlier one, however short."""
    seen: set[str] = set()
    out = []
    for paper in papers:
        names = {
            f"{field}:{value.casefold()}"
            for field, value in (("doi", paper.doi), ("arxiv", paper.arxiv_id), ("title", normal_text(paper.title)))
            if value
        }
        if not names & seen:
            out.append(paper)
        seen |= names
    return out


async def _run(desk: Desk, kit: Kit, queries: Sequence[JsonObject], papers: Sequence[PaperRecord], *, wanted: int,
               log: list[JsonObject], what: str) -> list[PaperRecord]:  # fmt: skip
    """`papers` and what `queries` bring, the best hits of all queries first; each answer goes into `log`."""
    limit = min(MOST_A_QUERY, max(LEAST_A_QUERY, math.ceil(SURPLUS * wanted / max(1, len(queries)))))
    asked = {q["id"]: kit.literature.search(desk, q["text"], limit=limit, path=f"{what}/{q['id']}") for q in queries}
    answers: list[Found] = list((await parallel(asked)).values())
    seen = {name for paper in papers for name in identities(paper)}
    for query, found in zip(queries, answers, strict=True):
        fresh = [r for r in found.records if not seen.intersection(identities(r))]
        seen.update(name for r in fresh for name in identities(r))
        log.extend(_lines(query, found, len(fresh), what, limit))
    depth = max((len(f.records) for f in answers), default=0)
    by_rank = [f.records[rank] for rank in range(depth) for f in answers if rank < len(f.records)]
    return merge([*papers, *by_rank])


def _lines(query: JsonObject, found: Found, fresh: int, what: str, limit: int) -> list[JsonObject]:
    """A line for each source, or one that says that there is none."""
    about = {"query": query["id"], "text": query["text"], "strategy": query["strategy"], "pass": what, "limit": limit}
    states = found.states or {NO_SOURCE: "not-asked"}
    return [
        {
            **about,
            "source": source,
            "state": state,
            "found": sum(source in record.sources for record in found.records)
            if len(states) > 1
            else len(found.records),
            "new_in_all": fresh,
        }
        for source, state in states.items()
    ]


def _collected(papers: list[PaperRecord], log: list[JsonObject], wanted: int, exhausted: bool) -> StageReport:
    states: dict[str, list[str]] = {}
    for line in log:
        states.setdefault(line["source"], []).append(line["state"])
    by_source = {
        source: "down" if set(said) == {"down"} else "ok" if "ok" in said else said[-1]
        for source, said in states.items()
    }
    without = sum(not p.abstract.strip() for p in papers)
    asked = len({line["query"] for line in log})
    said = (
        f"The sources are exhausted: {asked} queries brought {len(papers)} of {wanted} candidates wanted."
        if exhausted
        else f"{asked} queries brought the {wanted} candidates wanted."
    )
    return StageReport(
        summary=f"{len(papers)} candidates from {asked} queries" + (" (sources exhausted)" if exhausted else ""),
        body=" ".join([said, *(f"{s}: {state}." for s, state in sorted(by_source.items())),
                       f"{without} have no abstract." if without else ""]).strip(),
        fields={
            "candidates": len(papers), "wanted": wanted, "exhausted": exhausted, "queries": asked,
            "sources": by_source, "without_abstract": without,
        },
    )  # fmt: skip
