"""All literature sources of a run as one: search, probe, look up, with each source's outcome.

Belongs here: asking the sources and merging what they say. Not here: the sources themselves, HTTP
(`net.py`), judging.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from agents.literature.merging import RETRACTED, merge
from agents.literature.net import Net
from cockpit.kernel.model import JsonObject, Model
from cockpit.kernel.papers import CitationLookup, PaperRecord, SourceState
from cockpit.kernel.protocols import Desk

Answer = tuple[SourceState, list[PaperRecord]]


class Source(Protocol):
    """One place that knows papers. Never raises for what the service does: the state says it."""

    name: str
    local: bool  # answers from disk, the same each time

    async def search(self, query: str, limit: int) -> Answer:
        """At most `limit` records that answer `query`, best first."""

    async def lookup(self, record: PaperRecord) -> Answer:
        """The source's own record of this very paper, by DOI, arXiv id or title."""


class Found(Model):
    """What a search gave: merged records, best first, and how each source answered."""

    records: tuple[PaperRecord, ...]
    states: dict[str, SourceState]


@dataclass(frozen=True)
class Literature:
    """The sources of a run, local ones first. Everything asked of a network source is journalled."""

    sources: Sequence[Source] = ()
    offline: bool = False
    net: Net | None = None

    async def close(self) -> None:
        """Let go of connections."""
        if self.net is not None:
            await self.net.close()

    async def search(self, desk: Desk, query: str, *, limit: int, path: str) -> Found:
        """Ask every source; records merged by DOI, arXiv id and title. `path` is where it is journalled."""
        answers = [
            (source.name, await self._ask(desk, source, "search", about=query, limit=limit, path=path))
            for source in self.sources
        ]
        records = merge([record for _, (_, found) in answers for record in found])
        return Found(records=tuple(records), states={name: state for name, (state, _) in answers})

    async def probe(self, desk: Desk, query: str, *, path: str) -> dict[str, SourceState]:
        """How each source answers a small question now."""
        return (await self.search(desk, query, limit=1, path=path)).states

    async def lookup(self, desk: Desk, record: PaperRecord, *, path: str) -> CitationLookup:
        """What the sources say about one reference. Judged by the citation gate, not here."""
        outcomes: dict[str, SourceState] = {}
        found: list[PaperRecord] = []
        in_library = False
        for source in self.sources:
            state, records = await self._ask(desk, source, "lookup", about=record, limit=1, path=path)
            outcomes[source.name] = state
            in_library = in_library or (source.local and bool(records))
            found += [] if source.local else records
        merged = merge(found)
        return CitationLookup(
            key=record.key,
            outcomes=outcomes,
            found=merged[0] if merged else None,
            in_library=in_library,
            retracted=any(RETRACTED in one.provenance for one in merged),
        )

    async def _ask(self, desk: Desk, source: Source, what: str, *, about: str | PaperRecord, limit: int,
                   path: str) -> Answer:  # fmt: skip
        if self.offline and not source.local:
            return "not-asked", []

        async def do() -> JsonObject:
            if isinstance(about, str):
                state, records = await source.search(about, limit)
            else:
                state, records = await source.lookup(about)
            return {"state": state, "records": [record.model_dump(mode="json") for record in records]}

        if source.local:  # the same each time: no need to keep it
            answer = await do()
        else:
            asked = about if isinstance(about, str) else about.model_dump(mode="json")
            request = {"source": source.name, "what": what, "about": asked, "limit": limit}
            answer = await desk.once(f"{path}/{source.name}", request, do, what="http")
        said = _Said.model_validate(answer)
        return said.state, list(said.records)


class _Said(Model):
    state: SourceState
    records: tuple[PaperRecord, ...]
