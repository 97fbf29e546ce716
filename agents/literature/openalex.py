"""OpenAlex: search by words, look-up by DOI or title.

Belongs here: its questions and answers. Not here: HTTP (`net.py`). Protocol: developers.openalex.org;
look-ups by DOI are free, a key (from the environment) raises the daily allowance of searches.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from typing import Any

from agents.literature.library import made_key
from agents.literature.merging import ARXIV_DOI, RETRACTED, plain_arxiv, plain_doi, plain_title
from agents.literature.net import Got, Net
from cockpit.kernel.papers import PaperRecord, SourceState

BASE = "https://api.openalex.org"
PACE_S = 0.2
MOST = 100  # a page
TITLE_MATCHES = 5
STATES: dict[str, SourceState] = {"missing": "empty", "limited": "limited", "down": "down"}


@dataclass
class OpenAlex:
    """The service, or a mirror of it at `base_url`."""

    net: Net
    base_url: str = BASE
    key_env: str | None = None
    name: str = "openalex"
    local: bool = False

    async def search(self, query: str, limit: int) -> tuple[SourceState, list[PaperRecord]]:
        """Works by relevance."""
        asked = {"search": query, "per-page": str(min(limit, MOST))}
        state, works = _works(await self.net.get(f"{self.base_url}/works", self._signed(asked)))
        records = [record for work in works if (record := _record(work)) is not None]
        return ("ok", records[:limit]) if records else (state, [])

    async def lookup(self, record: PaperRecord) -> tuple[SourceState, list[PaperRecord]]:
        """The work of that DOI (or arXiv's DOI of its identifier), else one with the very same title."""
        doi = plain_doi(record.doi) or (f"10.48550/arxiv.{plain_arxiv(record.arxiv_id)}" if record.arxiv_id else "")
        state: SourceState = "empty"
        if doi:
            got = await self.net.get(f"{self.base_url}/works/doi:{doi}", self._signed({}))
            state, works = _works(got)
            found = [r for work in works if (r := _record(work)) is not None]
            if found or state != "empty":
                return ("ok" if found else state), found
        title = " ".join(re.findall(r"\w+", record.title))  # the filter's own signs are , | :
        asked = self._signed({"filter": f"title.search:{title}", "per-page": str(TITLE_MATCHES)})
        state, works = _works(await self.net.get(f"{self.base_url}/works", asked))
        same = [r for work in works if (r := _record(work)) and plain_title(r.title) == plain_title(record.title)]
        return ("ok", same[:1]) if same else ("empty" if state == "ok" else state, [])

    def _signed(self, asked: dict[str, str]) -> dict[str, str]:
        key = os.environ.get(self.key_env or "", "")
        return {**asked, "api_key": key} if key else asked


def _works(got: Got) -> tuple[SourceState, list[dict[str, Any]]]:
    if got.state != "ok":
        return STATES[got.state], []
    try:
        answer = json.loads(got.text)
    except ValueError:
        return "down", []
    if not isinstance(answer, dict):
        return "down", []
    works = answer.get("results", [answer] if "id" in answer else None)
    if not isinstance(works, list):
        return "down", []
    return ("ok" if works else "empty"), [work for work in works if isinstance(work, dict)]


def _record(work: dict[str, Any]) -> PaperRecord | None:
    title = " ".join(str(work.get("title") or work.get("display_name") or "").split())
    if not title:
        return None
    names = [(_at(item, "author", "display_name") or "") for item in work.get("authorships") or []]
    authors = tuple(str(name) for name in names if name)
    doi = plain_doi(str(work.get("doi") or ""))
    arxiv = found[1] if (found := ARXIV_DOI.match(doi)) else ""
    year = work.get("publication_year")
    fields = {"title": title, "authors": authors, "year": year if isinstance(year, int) else None,
              "abstract": _abstract(work.get("abstract_inverted_index")), "arxiv_id": arxiv, "doi": doi,
              "venue": str(_at(work, "primary_location", "source", "display_name") or ""),
              "url": str(_at(work, "primary_location", "landing_page_url") or work.get("id") or "")}  # fmt: skip
    provenance = {name: "openalex" for name, value in fields.items() if value}
    if work.get("is_retracted") is True:
        provenance[RETRACTED] = "openalex"
    key = made_key(authors, fields["year"], title)
    return PaperRecord.model_validate({"key": key, **fields, "sources": ("openalex",), "provenance": provenance})


def _abstract(index: Any) -> str:
    """The text of an inverted index: word → positions."""
    if not isinstance(index, dict):
        return ""
    placed = [(at, str(word)) for word, places in index.items() if isinstance(places, list) for at in places]
    return " ".join(word for _, word in sorted(pair for pair in placed if isinstance(pair[0], int)))


def _at(value: Any, *names: str) -> Any:
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value
