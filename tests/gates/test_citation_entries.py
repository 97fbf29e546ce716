"""References: judged on recorded look-ups; silence is pending, never a pass."""

from __future__ import annotations

from typing import Any

import pytest
from gates_world import World
from hypothesis import given, settings
from hypothesis import strategies as st

from cockpit.kernel.papers import CitationLookup, PaperRecord
from gates import artifacts as a
from gates.citations import REPORT, judge, similarity
from gates.papertext import PaperText

MINE = PaperRecord(
    key="zou2005",
    title="Regularization and Variable Selection via the Elastic Net",
    authors=("Hui Zou", "Trevor Hastie"),
    year=2005,
)


def look(found: dict[str, Any] | None = None, **more: Any) -> CitationLookup:
    record = None if found is None else MINE.model_copy(update=found)
    return CitationLookup(key="zou2005", found=record, **{"outcomes": {"crossref": "ok"} if record else {}, **more})


CASES = [
    (None, "pending"),
    (look(outcomes={"crossref": "down"}), "pending"),
    (look(outcomes={"crossref": "empty", "arxiv": "limited"}), "pending"),
    (look(in_library=True), "pending"),
    (look(in_library=True, outcomes={"library": "ok"}), "pending"),
    (look(in_library=True, outcomes={"library": "ok", "crossref": "empty"}), "pending"),
    (look({}, in_library=True, outcomes={"library": "ok", "crossref": "down"}), "pending"),
    (look({}, in_library=True, outcomes={"library": "ok", "crossref": "ok"}), "verified"),
    (look({"title": "Something about graphs"}, in_library=True, outcomes={"crossref": "ok"}), "not-found"),
    (look(outcomes={"library": "empty"}), "pending"),
    (look(outcomes={"library": "empty", "crossref": "empty"}), "not-found"),
    (look(outcomes={"crossref": "empty", "openalex": "empty"}), "not-found"),
    (look({}, outcomes={"crossref": "ok"}), "verified"),
    (look({"title": "Regularization and variable selection via the {E}lastic-net"}), "verified"),
    (look({"year": 2006}), "drift"),
    (look({"authors": ("H. Zhang",)}), "drift"),
    (look({"title": "Something about graphs"}), "not-found"),
    (look({}, retracted=True), "retracted"),
]


@pytest.mark.parametrize(("lookup", "expected"), CASES)
def test_each_outcome(lookup: CitationLookup | None, expected: str) -> None:
    assert judge(MINE, lookup).verdict == expected


def test_an_identifier_that_leads_elsewhere() -> None:
    with_doi = MINE.model_copy(update={"doi": "10.1/x"})
    assert judge(with_doi, look({"title": "Something about graphs"})).verdict == "wrong-identifier"


def test_in_your_library_says_so() -> None:
    assert "in your library" in judge(MINE, look(in_library=True)).why


@settings(max_examples=50, deadline=None)
@given(st.text(max_size=60), st.text(max_size=60))
def test_similarity_is_symmetric_and_bounded(one: str, other: str) -> None:
    assert similarity(one, other) == pytest.approx(similarity(other, one))
    assert 0 <= similarity(one, other) <= 1


def test_findings_come_only_from_answers(world: World) -> None:
    assert world.findings("citations") == ()
    empty = {"key": "paper01", "outcomes": {"crossref": "empty"}}
    world.put(REPORT, {"lookups": [empty, {"key": "paper02", "outcomes": {"crossref": "down"}}]})
    [finding] = world.findings("citations")
    assert (finding.pattern, finding.severity, finding.owner) == ("citation-not-found", "critical", 5)
    assert finding.spans[0].text == "paper01"


@pytest.mark.parametrize("garbage", [b"\xff", b"[]", b'{"lookups": 3}', b'{"lookups": [{"key": 1}]}'])
def test_an_unreadable_report_blocks_the_audit(world: World, garbage: bytes) -> None:
    world.put(REPORT, garbage)
    [run] = [r for r in world.gates.audit(23, "whole", world.tree, world.view).runs if r.auditor == "citations"]
    assert run.verdict == "BLOCKED"


# --- keys without a record ---------------------------------------------------------------------------

CITES = [
    ("\\cite{ghost}", ["ghost"]),
    ("\\citep[see][p.~3]{paper01,ghost}", ["ghost"]),
    ("\\Citet*{ ghost , paper02 }", ["ghost"]),
    ("\\nocite{*}", []),
    ("% \\cite{ghost}", []),
    ("50\\% \\cite{ghost}", ["ghost"]),
    ("\\citeauthor{ghost}", ["ghost"]),
    ("\\cite{one,two}", ["one", "two"]),
    ("\\cite{}", []),
    ("\\cite{paper01}", []),
]


@pytest.mark.parametrize(("text", "keys"), CITES)
def test_every_form_of_citation(world: World, text: str, keys: list[str]) -> None:
    world.paper(world.files[a.RENDERED].decode().replace("It holds here.", text))
    assert [f.spans[0].text for f in world.findings("references")] == keys


def test_an_invented_entry_is_found_without_a_use(world: World) -> None:
    world.put(a.PAPER_BIB, world.files[a.PAPER_BIB] + b"@book{ghost,\n title={X}}\n")
    [finding] = world.findings("references")
    assert (finding.spans[0].file, finding.spans[0].line, finding.spans[0].text) == (a.PAPER_BIB, 5, "ghost")


def test_without_any_record_nothing_is_acquitted(world: World) -> None:
    world.put(a.PAPERS, b"not json")
    [run] = [r for r in world.gates.audit(17, "mended", world.tree, world.view).runs if r.auditor == "references"]
    assert run.verdict == "BLOCKED"


def test_keys_have_exact_places() -> None:
    text = "x\n  \\citep{one, two}"
    spans = [PaperText("p", text).span(s, e) for _, s, e in PaperText("p", text).citations()]
    assert [(s.line, s.column, s.text) for s in spans] == [(2, 10, "one"), (2, 15, "two")]


# --- passages ------------------------------------------------------------------------------------------

CARD = "02_literature_review/artifacts/cards/paper01.md"
LACKS = [
    (lambda w: w.files.pop(CARD), "has no card"),
    (lambda w: w.put(CARD, "---\nkey: paper01\nquotes: []\n---\n"), "quotes nothing"),
    (lambda w: w.put(CARD, "---\nkey: paper01\nquotes: [We cure all]\n---\n"), "not in the stored text"),
    (lambda w: w.put(CARD, "---\n: [\n---\n"), "quotes nothing"),
]


@pytest.mark.parametrize(("spoil", "why"), LACKS)
def test_a_citation_needs_a_located_passage(world: World, spoil: Any, why: str) -> None:
    assert world.findings("passages") == ()
    spoil(world)
    [finding] = world.findings("passages")
    assert finding.pattern == "passage-missing"
    assert finding.spans[0].text == "paper01"
    assert why in finding.title or (why == "not in the stored text" and "in the stored text" in finding.title)


def test_a_passage_is_closed_by_program_and_then_review(world: World) -> None:
    kept = world.files[CARD]
    world.put(CARD, "---\nkey: paper01\nquotes: []\n---\n")
    world.judge(17, "mended")
    world.judge(20, verifications=[world.verification(1)])
    assert world.view.ledger.open, "no passage, no support"
    world.put(CARD, kept)
    world.judge(19, "mended")
    assert world.view.ledger.open
    world.judge(20, verifications=[world.verification(1, try_=2)])
    assert not world.view.ledger.open
