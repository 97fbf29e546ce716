"""The writers' parts: LaTeX as text, edits, places, floats, typesetting, re-asks, what is not there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from writers_workshop import Room, has_tex, rehearsing, workshop

from agents import assembly, conduct
from agents.bibliography import chosen, entries
from agents.data_verifier import ExtractedClaim, disagreements
from agents.edits import Edit, Whitelist, apply
from agents.errors import UnusableReply
from agents.latex_text import body, cited, counted, escape, faults, listed, sentences, typable, untypable
from agents.locating import locate, span
from agents.manuscript import gather
from agents.rehearsal.answers.paper_reviewer import credited
from agents.review_findings import PATTERNS, findings_of
from agents.tex_log import read_log
from agents.typesetting import first_error
from agents.venues import dimensions_of, form_faults, venue
from cockpit.kernel.findings import Finding
from cockpit.kernel.reviews import DIMENSIONS
from cockpit.kernel.stages import EXEC_A, WRITE_A
from gates.closers import rule_for

ALLOWED = Whitelist(
    citations=frozenset({"zou2007"}), results=frozenset({"rmse/a/test/mean"}), numbers=frozenset({"0.41"}), floats=()
)
SECTION = "One claim here. A second says 0.37 \\citep{zou2007}.\nA third,\n  broken over lines.\n"


# --- LaTeX as text -------------------------------------------------------------------------------------------------


def test_a_section_loses_the_frame_that_the_program_makes() -> None:
    assert body("\\section{Intro}\\label{sec:i}\nText.") == "Text.\n"
    assert body("\\documentclass{x}\\begin{document}\\section{A}Text.\\end{document}") == "Text.\n"
    assert body("\\begin{abstract}\nShort.\n\\end{abstract}", abstract=True) == "Short.\n"
    assert body("\\subsection{Kept} Text.") == "\\subsection{Kept} Text.\n"


@pytest.mark.parametrize(
    ("latex", "said"),
    [
        ("fine $x_1$ and \\{ braces \\}", ""),
        ("\\begin{itemize}\\item a", "never closed"),
        ("\\end{table}", "closes nothing"),
        ("an odd $ sign", "odd number"),
        ("{open", "braces"),
        ("\\input{/etc/passwd}", "not one of the offered floats"),
        ("\\immediate\\write18{ls}", "does not belong"),
        ("\\newcommand{\\x}{1}", "does not belong"),
        ("% only a comment", "empty"),
    ],
)
def test_what_would_break_a_paper_is_named(latex: str, said: str) -> None:
    found = faults(latex)
    assert (said in " ".join(found)) if said else found == ()


def test_offered_floats_may_be_taken_in() -> None:
    assert faults("\\input{sections/table_main}", may_input=["sections/table_main"]) == ()


def test_citations_are_read_without_comments() -> None:
    assert cited("\\citep[see][]{a, b} % \\cite{c}\n\\citet{a}\\nocite{d}") == ("a", "b", "d")


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet="ab.?!(\\~ \n{}$%&0123A", max_size=80))
def test_every_sentence_can_be_found_again_word_for_word(text: str) -> None:
    for sentence in sentences(text):
        assert sentence in text


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=60))
def test_escaped_text_has_nothing_open(text: str) -> None:
    assert not [f for f in faults(f"x {escape(text)}") if "brace" in f or "dollar" in f or "closed" in f]


def test_unicode_mathematics_becomes_commands_and_the_rest_is_named() -> None:
    assert typable("error ≤ α, Müller – ok") == "error \\ensuremath{\\leq} \\ensuremath{\\alpha}, Müller – ok"
    assert untypable("岭回归 é") == ("岭", "回", "归")
    assert typable("岭é", drop=True) == "é"


def test_words_for_prose() -> None:
    assert [listed([]), listed(["a"]), listed(["a", "b", "c"])] == ["", "a", "a, b and c"]
    assert [counted(0, "job"), counted(1, "job"), counted(3, "job"), counted(40, "job")] == [
        "no jobs", "one job", "three jobs", "40 jobs",
    ]  # fmt: skip


# --- places and edits ----------------------------------------------------------------------------------------------


def test_a_quote_is_found_though_lines_break_elsewhere() -> None:
    at = span("A third, broken over lines", SECTION, "s.tex")
    assert at is not None
    assert (at.line, at.column) == (2, 1)
    assert locate("nowhere to be seen", SECTION) is None
    assert locate("a", SECTION) is None


@pytest.mark.parametrize(
    ("edit", "refused"),
    [
        (Edit(section="s", old="One claim here.", new="A narrower claim."), ""),
        (Edit(section="s", old="A third, broken over lines.", new=""), ""),
        (Edit(section="s", old="One claim here.", new="It is 0.41."), ""),
        (Edit(section="s", old="One claim here.", new="It is \\res[2]{rmse/a/test/mean}."), ""),
        (Edit(section="s", old="One claim here.", new="It is 0.99."), "no measured number"),
        (Edit(section="s", old="One claim here.", new="So \\citet{invented2020}."), "no stored reference"),
        (Edit(section="s", old="One claim here.", new="\\res{rmse/b/test/mean}"), "no key"),
        (Edit(section="s", old="One claim here.", new="\\begin{itemize}"), "never closed"),
        (Edit(section="s", old="not in there at all", new="x"), "word for word"),
        (Edit(section="t", old="One claim here.", new="x"), "no section t"),
    ],
)
def test_edits_are_exact_and_bring_in_nothing_unmeasured(edit: Edit, refused: str) -> None:
    applied = apply({"s": SECTION}, [edit], ALLOWED)
    if refused:
        assert refused in applied.faults[0]
        assert applied.sections["s"] == SECTION
    else:
        assert applied.faults == []
        assert applied.sections["s"] != SECTION


def test_an_ambiguous_passage_and_a_deleted_table_are_refused() -> None:
    twice = "Same. \\input{sections/table_main} Same."
    allowed = Whitelist(frozenset(), frozenset(), frozenset(), ("sections/table_main",))
    assert "2 times" in apply({"s": twice}, [Edit(section="s", old="Same.", new="x")], allowed).faults[0]
    deleting = Edit(section="s", old="\\input{sections/table_main}", new="")
    assert "not deleted" in apply({"s": twice}, [deleting], allowed).faults[0]


# --- papers put together -------------------------------------------------------------------------------------------


def test_entries_are_picked_whole_and_sorted() -> None:
    bib = "@misc{b,\n  title = {{B} {\\'e}},\n}\n\n@comment{x, y}\n@article{a,\n  title = {A},\n}\n"
    bib += "@misc{broken,\n title = {"
    assert list(entries(bib)) == ["b", "a"]
    assert chosen(bib, ["b", "a", "unknown"]).index("@article{a") == 0
    assert "broken" not in chosen(bib, ["broken"])


async def test_a_float_that_no_section_places_stands_in_the_experiments() -> None:
    run = Room(workshop("micro"), rehearsing())
    material = gather(run.desk(17).tree, run.desk(17).view)
    sections = dict.fromkeys(("abstract", "experiments", "limitations"), "Text.\n")
    paper = assembly.paper(material, sections, run.settings)
    placed = paper[paper.index("\\input{sections/experiments}") :]
    assert all(f.place in placed for f in material.floats)
    assert paper.index("\\maketitle") < paper.index("\\begin{abstract}")


@pytest.mark.parametrize("kind", ["no-metrics", "dependency-missing", "dataset-unavailable", "design-too-large"])
async def test_work_that_could_not_be_done_is_said_at_the_head_and_in_the_limitations(kind: str) -> None:
    shop = workshop("micro")
    for path in [p for p in shop.files if p.startswith(f"{EXEC_A}/raw_results/") or p.endswith("current_results.json")]:
        del shop.files[path]
    shop.files["04_experiment_execution/stages/s12.json"] = json.dumps({"unpublishable": kind}).encode()
    run = Room(shop, rehearsing())

    report = await run.play(17, "draft")

    paper = run.text(f"{WRITE_A}/paper_rendered.tex")
    assert report.unpublishable == kind
    assert "Not a research result" in paper.split("\\begin{abstract}")[0]
    assert "Experiments not carried out" in paper.split("Limitations")[1]
    assert conduct.head(kind) != conduct.head("no-metrics") or kind == "no-metrics"
    assert [f for f in run.found if f.severity == "critical"] == []
    await run.play(17, "mended")
    await run.play(22)
    assert run.text("final/STATUS") == "unpublishable\n"


@pytest.mark.tex
@pytest.mark.skipif(not has_tex(), reason="TeX is not installed here")
async def test_the_pdf_is_deterministic_and_whole(tmp_path: Path) -> None:
    runs = [Room(workshop("shrinkage"), rehearsing("shrinkage"), tex=tmp_path / str(n)) for n in range(2)]
    reports = [await run.play(17, "draft") for run in runs]
    pdfs = [run.files[f"{WRITE_A}/paper.pdf"] for run in runs]
    assert pdfs[0] == pdfs[1]
    pdf: dict[str, Any] = reports[0].fields["pdf"]
    assert pdf["state"] == "made"
    assert 3 <= pdf["pages"] <= 6
    assert pdf["undefined"] == []
    assert [box for box in pdf["overfull"] if "alignment" in box["where"]] == []
    assert b"/FontFile" in pdfs[0] or b"/ObjStm" in pdfs[0]


@pytest.mark.tex
@pytest.mark.skipif(not has_tex(), reason="TeX is not installed here")
async def test_what_tex_refuses_is_found_and_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = Room(workshop("micro"), rehearsing(), tex=tmp_path)
    monkeypatch.setattr(assembly, "PREAMBLE", assembly.PREAMBLE + "\\undefinedcommand\n")

    report = await run.play(17, "draft")

    assert [f.pattern for f in report.findings] == ["compile-failed"]
    assert report.audits[0].verdict == "FAIL"
    assert "Undefined control sequence" in report.findings[0].title
    asked = [r.purpose for r in run.door.asked if r.path.startswith("draft/tex-")]
    assert asked == ["paper-writer/polish"] * 2
    assert f"{WRITE_A}/paper.pdf" not in run.files


def test_the_first_error_of_a_log_is_found() -> None:
    log = read_log("ok\npaper.tex:12: Undefined control sequence.\nl.12 \\x")
    assert first_error(log) == "paper.tex:12: Undefined control sequence."
    assert first_error(read_log("nothing wrong")) == ""


# --- asking again --------------------------------------------------------------------------------------------------


class Stubborn:
    """A door that spoils chosen replies: purpose → how many of the first replies are replaced by which text."""

    def __init__(self, run: Room, purpose: str, text: str, times: int) -> None:
        self.inner, self.purpose, self.text, self.left = run.door.ask, purpose, text, times
        run.door.ask = self.ask  # type: ignore[method-assign]

    async def ask(self, desk: Any, request: Any) -> Any:
        served = await self.inner(desk, request)
        if request.purpose == self.purpose and self.left:
            self.left -= 1
            return served._replace(text=self.text)
        return served


async def test_latex_that_cannot_stand_is_asked_for_again_with_the_reason() -> None:
    run = Room(workshop("micro"), rehearsing())
    Stubborn(run, "paper-writer/table", "```latex\n\\begin{table} no label\n```", 1)
    await run.play(17, "draft")
    again = [r for r in run.door.asked if r.path.startswith("draft/tables/ablations/again-1")]
    assert len(again) == 1
    assert "the label tab:ablations is missing" in again[0].messages[-1]["content"]


async def test_after_two_re_asks_it_ends() -> None:
    run = Room(workshop("micro"), rehearsing())
    Stubborn(run, "paper-writer/table", "```latex\n\\begin{table}\n```", 3)
    with pytest.raises(BaseExceptionGroup) as raised:
        await run.play(17, "draft")
    assert raised.group_contains(UnusableReply)


async def test_a_revision_whose_edit_does_not_fit_is_asked_for_again() -> None:
    run = Room(workshop("micro"), rehearsing(faults=["invented-number"]))
    await run.play(17, "draft")
    await run.play(17, "mended")
    point = f"#{run.desk(19).obligations[0].number}"
    bad = {"edits": [{"section": "", "old": "not there", "new": "x", "why": ""}],
           "answers": [{"point": point, "action": "changed", "why": ""}]}  # fmt: skip
    Stubborn(run, "paper-writer/revision", json.dumps(bad), 1)

    await run.play(19, "draft")

    asked = [r for r in run.door.asked if r.purpose == "paper-writer/revision"]
    assert len(asked) == 2
    assert "not there word for word" in asked[1].messages[-1]["content"]


# --- reviews -------------------------------------------------------------------------------------------------------


def test_every_weakness_has_a_closer_that_is_a_review() -> None:
    assert {rule_for(p).way for p in PATTERNS.values()} == {"review"}
    assert rule_for("experiment-missing").way == "program-then-review"


async def test_a_weakness_is_placed_by_its_quote_and_named_by_both_reviewers_once() -> None:
    run = Room(workshop("shrinkage", missing=True), rehearsing("shrinkage", faults=["missing-ablation"]))
    await run.play(17, "draft")
    await run.play(17, "mended")
    report = await run.play(18)

    found = findings_of(report.reviews, run.desk(18).tree)

    assert [(f.pattern, f.severity, f.owner) for f in found] == [("experiment-missing", "major", 9)]
    assert found[0].spans[0].line > 0
    assert len(found[0].evidence) == 2
    assert all(r.receipt.nonce == run.desk(18).token(f"advice/{r.reviewer}") for r in report.reviews)
    assert {r.receipt.independence for r in report.reviews} == {"independent"}
    assert {r.receipt.call.split("/")[1] for r in report.reviews} == {"reviewer", "reviewer-2"}


async def test_a_reviewer_sees_nothing_of_the_executor() -> None:
    run = Room(workshop("micro"), rehearsing())
    await run.play(17, "draft")
    await run.play(17, "mended")
    await run.play(18)
    prompts = [m["content"] for r in run.door.asked if r.role.startswith("reviewer") for m in r.messages]
    assert prompts
    assert not [
        p for p in prompts if "changes.json" in p or "Obligation" in p or "begin results" in p or "guidance" in p
    ]


def test_a_form_off_its_scale_is_not_a_form() -> None:
    generic, known = venue("generic")
    assert known
    assert not venue("no such place")[1]
    filled = {"soundness": 4.0, "significance": 1.0, "novelty": 2.5, "clarity": 3.0}
    assert form_faults(generic, filled) == ()
    assert set(dimensions_of(generic, filled)) == set(DIMENSIONS)
    assert dimensions_of(generic, filled)["soundness"] == 1.0
    assert len(form_faults(generic, {"soundness": 9.0})) == 4


def test_rehearsal_reviewers_read_credits_and_rows() -> None:
    paper = (
        "\\item \\textbf{scale}: taken away in \\emph{No scale}.\n\\item \\textbf{start}: it contributes.\n"
        "No scale & 0.5 \\\\\n"
    )
    assert [(c.name, bool(c.row)) for c in credited(paper)] == [("scale", True), ("start", False)]


# --- the second reading --------------------------------------------------------------------------------------------


def _number(key: str, line: int = 1, verdict: str = "rounding") -> dict[str, Any]:
    return {"text": "0.41", "line": line, "column": 5, "verdict": verdict, "source": {"key": key}}


@pytest.mark.parametrize(
    ("key", "number", "found"),
    [
        ("rmse/a/test/mean", _number("rmse/a/test/mean"), 0),
        ("rmse/b/test/mean", _number("rmse/a/test/mean"), 1),
        ("", _number("rmse/a/test/mean"), 0),
        ("rmse/b/test/mean", _number("rmse/a/test/mean", verdict="unsupported"), 0),
        ("rmse/b/test/mean", _number("rmse/a/test/mean", line=7), 0),
    ],
)
def test_two_readings_disagree_only_where_both_name_a_key(key: str, number: dict[str, Any], found: int) -> None:
    claim = ExtractedClaim(quote="It is 0.41 for A.", number="0.41", key=key)
    said: tuple[Finding, ...] = disagreements([claim], [number], "It is 0.41 for A.\n")
    assert [f.pattern for f in said] == ["extractor-disagreement"] * found
