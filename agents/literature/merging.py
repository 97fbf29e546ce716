"""One record a paper: records of several sources merged by DOI, arXiv id and title.

Belongs here: what makes two records the same paper, and which source's field wins. Not here: asking.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

from cockpit.kernel.papers import PaperRecord

VERSION = re.compile(r"v\d+$")
DOI_PREFIX = re.compile(r"^(?:https?://(?:dx\.)?doi\.org/|doi:\s*)", re.IGNORECASE)
ARXIV_PREFIX = re.compile(r"^(?:https?://(?:www\.)?arxiv\.org/(?:abs|pdf)/|arxiv:\s*)", re.IGNORECASE)
ARXIV_DOI = re.compile(r"^10\.48550/arxiv\.(.+)$")
TITLE_FLOOR = 12  # shorter titles ("Introduction") join nothing
RETRACTED = "retracted"  # in a record's provenance: the source that says so
FIELDS = ("title", "authors", "year", "abstract", "arxiv_id", "doi", "venue", "url")


def merge(records: Iterable[PaperRecord]) -> list[PaperRecord]:
    """One record a paper, in the order in which papers first came; an earlier record's fields win.

    Keys are made unique: a later paper with a key that is taken gets a letter.
    """
    groups: list[list[PaperRecord]] = []
    where: dict[str, int] = {}
    for record in records:
        names = identities(record)
        known = sorted({where[name] for name in names if name in where})
        at = known[0] if known else len(groups)
        if not known:
            groups.append([])
        for other in known[1:]:  # this record shows that two groups are one paper
            groups[at] += groups[other]
            groups[other] = []
            where.update({name: at for name, group in where.items() if group == other})
        groups[at].append(record)
        where.update(dict.fromkeys(names, at))
    return _distinct([_joined(group) for group in groups if group])


def identities(record: PaperRecord) -> list[str]:
    """Names under which a paper is known: `doi:…`, `arxiv:…` without version, `title:…` with year aside."""
    names = []
    doi, arxiv = plain_doi(record.doi), plain_arxiv(record.arxiv_id)
    if found := ARXIV_DOI.match(doi):
        arxiv = arxiv or plain_arxiv(found[1])
    elif doi:
        names.append(f"doi:{doi}")
    if arxiv:
        names.append(f"arxiv:{arxiv}")
    title = plain_title(record.title)
    if len(title) >= TITLE_FLOOR:
        names.append(f"title:{title}")
    return names


def plain_doi(text: str) -> str:
    """A DOI in lower case without resolver."""
    return DOI_PREFIX.sub("", text.strip()).lower().rstrip(".")


def plain_arxiv(text: str) -> str:
    """An arXiv id without prefix and version, in lower case."""
    return VERSION.sub("", ARXIV_PREFIX.sub("", text.strip()).lower().removesuffix(".pdf"))


def plain_title(text: str) -> str:
    """Letters and digits of a title, folded; TeX and accents do not matter."""
    text = re.sub(r"\\[a-zA-Z]+|[{}$]", " ", text)
    folded = unicodedata.normalize("NFKD", text).casefold()
    return "".join(char for char in folded if char.isalnum())


def _distinct(records: list[PaperRecord]) -> list[PaperRecord]:
    taken: set[str] = set()
    kept = []
    for record in records:
        key, n = record.key, 0
        while key in taken:
            n += 1
            key = f"{record.key}{chr(ord('a') + n) if n < 26 else f'-{n}'}"
        taken.add(key)
        kept.append(record if key == record.key else record.model_copy(update={"key": key}))
    return kept


def _joined(group: Sequence[PaperRecord]) -> PaperRecord:
    first = group[0]
    if len(group) == 1:
        return first
    fields: dict[str, object] = {}
    provenance: dict[str, str] = {}
    for name in FIELDS:
        givers = [record for record in group if getattr(record, name)]
        if name == "doi":  # a publisher's tells more than arXiv's own, which is its identifier again
            givers = [record for record in givers if not ARXIV_DOI.match(plain_doi(record.doi))] or givers
        giver = givers[0] if givers else None
        if giver is not None:
            fields[name] = getattr(giver, name)
            provenance[name] = giver.provenance.get(name) or (giver.sources[0] if giver.sources else "")
    sources = tuple(dict.fromkeys(source for record in group for source in record.sources))
    if denied := next((r.provenance[RETRACTED] for r in group if RETRACTED in r.provenance), ""):
        provenance[RETRACTED] = denied
    known = {name: source for name, source in provenance.items() if source}
    return first.model_copy(update={**fields, "sources": sources, "provenance": known})
