"""Is each reference a real paper, as its entry says? Judged on recorded look-ups; none = pending.

Belongs here: one entry against what the sources said. Not here: asking them (agents/literature), keys
without a stored record (`references.py`, works offline).
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from pydantic import TypeAdapter, ValidationError
from rapidfuzz.fuzz import ratio

from cockpit.kernel.findings import Finding, Severity, Span
from cockpit.kernel.papers import LIBRARY, CitationLookup, CitationVerdict, PaperRecord
from cockpit.kernel.protocols import Tree
from cockpit.kernel.stages import FINAL
from cockpit.kernel.view import RunView
from gates.artifacts import PAPERS, json_of, papers_of

REPORT = f"{FINAL}/verification_report.json"  # {"lookups": [CitationLookup, …], …}
SURE, LIKELY = 0.9, 0.8  # title similarity: alone; with first author and year within 1
SEVERITY: dict[CitationVerdict, Severity] = {
    "drift": "minor", "not-found": "critical", "wrong-identifier": "critical", "retracted": "critical",
}  # fmt: skip
_LOOKUPS = TypeAdapter(tuple[CitationLookup, ...])


@dataclass(frozen=True)
class EntryVerdict:
    """One reference: verdict, reason, and the record as it should read where it drifted."""

    key: str
    verdict: CitationVerdict
    why: str
    correction: PaperRecord | None = None


def find(tree: Tree, view: RunView) -> tuple[Finding, ...]:
    """Findings on entries that sources contradict. Pending ones are no finding, and no pass.

    Raises:
        ValueError: the stored records or the look-ups cannot be read.
    """
    records = papers_of(tree)
    if records.value is None:
        raise ValueError(records.problem)
    verdicts = judge_all(records.value, lookups_of(tree))
    return tuple(_finding(v) for v in verdicts if v.verdict in SEVERITY)


def inputs(tree: Tree) -> tuple[str, ...]:
    """What the verdicts rest on."""
    return (REPORT,)


def lookups_of(tree: Tree) -> tuple[CitationLookup, ...]:
    """The recorded look-ups; none when nobody asked yet.

    Raises:
        ValueError: the report is there and cannot be read.
    """
    if not tree.exists(REPORT):
        return ()
    report = json_of(tree, REPORT)
    if not isinstance(report.value, dict):
        raise ValueError(report.problem or f"{REPORT} is not an object")
    try:
        return _LOOKUPS.validate_python(report.value.get("lookups", ()))
    except ValidationError as error:
        raise ValueError(f"{REPORT}: lookups: {error.errors()[0]['msg']}") from None


def judge_all(records: tuple[PaperRecord, ...], lookups: tuple[CitationLookup, ...]) -> tuple[EntryVerdict, ...]:
    """A verdict for each record, in their order."""
    asked = {lookup.key: lookup for lookup in lookups}
    return tuple(judge(record, asked.get(record.key)) for record in records)


def judge(record: PaperRecord, lookup: CitationLookup | None) -> EntryVerdict:
    """One record against what the sources said. Only an answer settles; silence is pending."""
    if lookup is None:
        return EntryVerdict(record.key, "pending", "no source was asked")
    if lookup.retracted:
        return EntryVerdict(record.key, "retracted", "a source says it was retracted")
    outside = {name: state for name, state in lookup.outcomes.items() if name != LIBRARY}
    if lookup.found is not None and "ok" in outside.values():
        return _compare(record, lookup.found)
    silent = sorted(name for name, state in outside.items() if state not in ("ok", "empty"))
    told = f"not reached: {', '.join(silent)}" if silent else "no other has it" if outside else "no source was asked"
    if lookup.in_library:
        return EntryVerdict(record.key, "pending", f"in your library; {told}")
    if outside and set(outside.values()) == {"empty"}:
        return EntryVerdict(record.key, "not-found", "every source answered, none has it")
    return EntryVerdict(record.key, "pending", told)


def similarity(one: str, other: str) -> float:
    """Symmetric similarity of two titles in [0, 1], without case, accents, mark-up and punctuation."""
    return ratio(_title(one), _title(other)) / 100


def _compare(record: PaperRecord, found: PaperRecord) -> EntryVerdict:
    alike = similarity(record.title, found.title)
    author = bool(record.authors and found.authors) and _family(record.authors[0]) == _family(found.authors[0])
    near = record.year is not None and found.year is not None and abs(record.year - found.year) <= 1
    if alike < SURE and not (alike >= LIKELY and author and near):
        by_id = bool(record.doi or record.arxiv_id)
        why = f"the identifier leads to “{found.title}”" if by_id else f"the nearest title is “{found.title}”"
        return EntryVerdict(record.key, "wrong-identifier" if by_id else "not-found", why)
    drift = [name for name, differs in (
        ("title", alike < SURE),
        ("first author", bool(record.authors and found.authors) and not author),
        ("year", record.year is not None and found.year is not None and record.year != found.year),
    ) if differs]  # fmt: skip
    if drift:
        return EntryVerdict(record.key, "drift", f"differs in {', '.join(drift)}", found)
    return EntryVerdict(record.key, "verified", "title, first author and year agree")


def _title(text: str) -> str:
    bare = re.sub(r"\\[a-zA-Z]+|[{}$]", "", unicodedata.normalize("NFKD", text))
    letters = "".join(c for c in bare if not unicodedata.combining(c)).casefold()
    return " ".join(re.findall(r"\w+", letters))


def _family(author: str) -> str:
    name = author.split(",", maxsplit=1)[0] if "," in author else (author.split() or [""])[-1]
    return _title(name)


def _finding(entry: EntryVerdict) -> Finding:
    owner = 17 if entry.verdict == "drift" else 5
    return Finding(
        auditor="citations",
        pattern=f"citation-{entry.verdict}",
        severity=SEVERITY[entry.verdict],
        title=f"reference {entry.key}: {entry.verdict}: {entry.why}",
        spans=(Span(file=PAPERS, text=entry.key),),
        owner=owner,
    )
