"""arXiv by its Atom interface: search by words, look-up by identifier.

Belongs here: arXiv's questions and answers. Not here: HTTP (`net.py`). Protocol: arXiv API user
manual; at most one request in three seconds.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from xml.etree import ElementTree

from agents.literature.library import made_key
from agents.literature.merging import plain_arxiv
from agents.literature.net import Got, Net
from agents.literature.text_index import words
from cockpit.kernel.papers import PaperRecord, SourceState

BASE = "https://export.arxiv.org"
PACE_S = 3.0
ATOM, ARXIV = "{http://www.w3.org/2005/Atom}", "{http://arxiv.org/schemas/atom}"
TERMS = 8
STATES: dict[str, SourceState] = {"missing": "empty", "limited": "limited", "down": "down"}


@dataclass
class Arxiv:
    """The service, or a mirror of it at `base_url`."""

    net: Net
    base_url: str = BASE
    name: str = "arxiv"
    local: bool = False

    async def search(self, query: str, limit: int) -> tuple[SourceState, list[PaperRecord]]:
        """Papers that hold all of the query's first words, by relevance."""
        terms = [f"all:{word}" for word in dict.fromkeys(words(query)) if word.isascii()][:TERMS]
        if not terms:
            return "empty", []
        asked = {"search_query": " AND ".join(terms), "start": "0", "max_results": str(limit), "sortBy": "relevance"}
        return _read(await self.net.get(f"{self.base_url}/api/query", asked), limit)

    async def lookup(self, record: PaperRecord) -> tuple[SourceState, list[PaperRecord]]:
        """The paper of that arXiv identifier; without one arXiv is not asked, since it may not hold the paper."""
        if not record.arxiv_id:
            return "not-asked", []
        asked = {"id_list": plain_arxiv(record.arxiv_id), "max_results": "1"}
        return _read(await self.net.get(f"{self.base_url}/api/query", asked), 1)


def _read(got: Got, limit: int) -> tuple[SourceState, list[PaperRecord]]:
    if got.state != "ok":
        return STATES[got.state], []
    if "<!DOCTYPE" in got.text or "<!ENTITY" in got.text:
        return "down", []
    try:
        root = ElementTree.fromstring(got.text)
    except ElementTree.ParseError:
        return "down", []
    if root.tag != f"{ATOM}feed":
        return "down", []
    records = [record for entry in root.findall(f"{ATOM}entry") if (record := _record(entry)) is not None]
    return ("ok", records[:limit]) if records else ("empty", [])


def _record(entry: ElementTree.Element) -> PaperRecord | None:
    address, title = _text(entry, f"{ATOM}id"), _text(entry, f"{ATOM}title")
    found = re.search(r"/abs/(.+)$", address)
    if found is None or not title:
        return None  # errors come as entries, too
    authors = tuple(_text(author, f"{ATOM}name") for author in entry.findall(f"{ATOM}author"))
    published = _text(entry, f"{ATOM}published")
    year = int(published[:4]) if published[:4].isdigit() else None
    arxiv_id = plain_arxiv(found[1])
    fields = {"title": title, "authors": authors, "year": year, "abstract": _text(entry, f"{ATOM}summary"),
              "arxiv_id": arxiv_id, "doi": _text(entry, f"{ARXIV}doi").lower(),
              "venue": _text(entry, f"{ARXIV}journal_ref"), "url": f"https://arxiv.org/abs/{arxiv_id}"}  # fmt: skip
    provenance = {name: "arxiv" for name, value in fields.items() if value}
    key = made_key(authors, year, title)
    return PaperRecord.model_validate({"key": key, **fields, "sources": ("arxiv",), "provenance": provenance})


def _text(element: ElementTree.Element, tag: str) -> str:
    found = element.find(tag)
    return " ".join((found.text or "").split()) if found is not None else ""
