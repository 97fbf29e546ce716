"""The person's own library: a .jsonl or .bib file, searched on disk, the same each time.

Belongs here: reading and searching it. Not here: other sources, merging.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from agents.errors import StageError
from agents.literature.merging import FIELDS, identities, plain_arxiv, plain_doi
from agents.literature.text_index import TextIndex
from cockpit.kernel.exits import Exit
from cockpit.kernel.papers import LIBRARY, PaperRecord, SourceState

TITLE_WEIGHT = 3
KEY = re.compile(r"[^A-Za-z0-9:._+-]+")
YEAR = re.compile(r"\b(1[5-9]\d\d|20\d\d)\b")


@dataclass
class Library:
    """Records in the file's order. `problems` are sentences about what could not be read."""

    records: tuple[PaperRecord, ...]
    problems: tuple[str, ...] = ()
    name: str = LIBRARY
    local: bool = True
    _known: dict[str, PaperRecord] = field(init=False)

    def __post_init__(self) -> None:
        self._known = {}
        for record in self.records:
            for identity in identities(record):
                self._known.setdefault(identity, record)

    @cached_property
    def _index(self) -> TextIndex:
        return TextIndex([" ".join([*[r.title] * TITLE_WEIGHT, r.abstract, r.venue]) for r in self.records])

    async def search(self, query: str, limit: int) -> tuple[SourceState, list[PaperRecord]]:
        """Records that share words with the query, best first."""
        found = [self.records[at] for at in self._index.best(query, limit)]
        return ("ok" if found else "empty"), found

    async def lookup(self, record: PaperRecord) -> tuple[SourceState, list[PaperRecord]]:
        """The library's record of this paper, by DOI, arXiv id or title."""
        found = next((self._known[name] for name in identities(record) if name in self._known), None)
        return ("ok", [found]) if found else ("empty", [])


def read_library(path: Path) -> Library:
    """The library in a .jsonl (one record a line) or .bib file.

    Raises:
        StageError: it cannot be read, has another ending, or holds no record (exit 2).
    """
    try:
        text = path.read_text(encoding="utf-8-sig", errors="strict")
    except (OSError, UnicodeDecodeError) as error:
        raise StageError(f"the library cannot be read: {error}", Exit.USAGE, where=f"library = {path}") from None
    match path.suffix.lower():
        case ".jsonl" | ".json":
            raw, problems = _json_lines(text)
        case ".bib":
            raw, problems = _bibtex(text)
        case other:
            raise StageError(f"a library is a .jsonl or .bib file, not {other or 'this'}", Exit.USAGE,
                             where=f"library = {path}")  # fmt: skip
    records = list(_records(raw))
    if not records:
        said = f": {problems[0]}" if problems else ""
        raise StageError(f"the library holds no record{said}", Exit.USAGE, where=f"library = {path}")
    return Library(tuple(records), tuple(problems))


def _json_lines(text: str) -> tuple[list[dict[str, Any]], list[str]]:
    raw: list[dict[str, Any]] = []
    problems = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except ValueError:
            record = None
        if isinstance(record, dict) and str(record.get("title") or "").strip():
            raw.append(record)
        else:
            problems.append(f"line {number} is no record with a title")
    return raw, problems


def _bibtex(text: str) -> tuple[list[dict[str, Any]], list[str]]:
    import bibtexparser
    from bibtexparser.middlewares import LatexDecodingMiddleware

    logging.getLogger("bibtexparser").addHandler(logging.NullHandler())
    logging.getLogger("bibtexparser").propagate = False
    library = bibtexparser.parse_string(text, append_middleware=[LatexDecodingMiddleware()])
    problems = [f"line {(block.start_line or 0) + 1} cannot be read" for block in library.failed_blocks]
    raw = []
    for entry in library.entries:
        fields = {name.lower(): _plain(str(field.value)) for name, field in entry.fields_dict.items()}
        if fields.get("title"):
            raw.append(_of_entry(entry.key, fields))
    return raw, problems


def _of_entry(key: str, fields: dict[str, str]) -> dict[str, Any]:
    eprint = fields.get("eprint", "")
    arxiv = eprint if "arxiv" in (fields.get("archiveprefix", "") + fields.get("eprinttype", "")).lower() else ""
    year = YEAR.search(fields.get("year") or fields.get("date") or "")
    venue = next((fields[name] for name in ("journal", "journaltitle", "booktitle", "note") if fields.get(name)), "")
    return {
        "key": key,
        "title": fields["title"],
        "authors": [name for name in re.split(r"\s+and\s+", fields.get("author", "")) if name],
        "year": int(year[1]) if year else None,
        "abstract": fields.get("abstract", ""),
        "arxiv_id": arxiv,
        "doi": fields.get("doi", ""),
        "venue": venue,
        "url": fields.get("url", ""),
    }


def _plain(text: str) -> str:
    return " ".join(re.sub(r"[{}]", "", text).split())


def _records(raw: Iterable[dict[str, Any]]) -> Iterable[PaperRecord]:
    taken: dict[str, int] = {}
    for item in raw:
        base = KEY.sub("", str(item.get("key") or "")) or _made_key(item)
        taken[base] = taken.get(base, 0) + 1
        key = base if taken[base] == 1 else f"{base}{chr(ord('a') + min(taken[base] - 1, 25))}"
        yield _record(key, item)


def _record(key: str, item: dict[str, Any]) -> PaperRecord:
    arxiv = plain_arxiv(_text(item, "arxiv_id"))
    year = item.get("year")
    fields: dict[str, Any] = {
        "title": _text(item, "title"),
        "authors": tuple(str(name).strip() for name in _listed(item.get("authors"))),
        "year": int(year) if isinstance(year, int | str) and str(year).isdigit() else None,
        "abstract": _text(item, "abstract"),
        "arxiv_id": arxiv,
        "doi": plain_doi(_text(item, "doi")),
        "venue": _text(item, "venue"),
        "url": _text(item, "url") or (f"https://arxiv.org/abs/{arxiv}" if arxiv else ""),
    }
    provenance = {name: "library" for name in FIELDS if fields[name]}
    return PaperRecord(key=key, **fields, sources=("library",), provenance=provenance)


def _listed(value: Any) -> list[Any]:
    if isinstance(value, str):
        return [name for name in re.split(r"\s+and\s+|;\s*", value) if name]
    return value if isinstance(value, list) else []


def _text(item: dict[str, Any], name: str) -> str:
    value = item.get(name)
    return " ".join(str(value).split()) if isinstance(value, str | int | float) else ""


def _made_key(item: dict[str, Any]) -> str:
    """A citation key as people make them: zou2007degrees."""
    return made_key(_listed(item.get("authors")), item.get("year"), str(item.get("title")))


def made_key(authors: Iterable[Any], year: Any, title: str) -> str:
    """First author's family name, year, first long word of the title; letters and digits only."""
    first = str(next(iter(authors), "")).strip() or "anonymous"
    family = first.split(",", maxsplit=1)[0] if "," in first else first.rsplit(maxsplit=1)[-1]
    word = next((w for w in re.findall(r"[A-Za-z]+", title) if len(w) > 3), "paper")
    return KEY.sub("", f"{family}{year or ''}{word}".lower()) or "paper"
