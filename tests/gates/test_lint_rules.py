"""Each lint rule with its fault and without; and papers of people stay mostly quiet."""

from __future__ import annotations

from pathlib import Path

import pytest
from gates_world import PAPER
from hypothesis import given, settings
from hypothesis import strategies as st

from gates.lint import lint
from gates.lint_rules import RULES
from gates.papertext import PaperText

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data" / "latex"


def patterns(text: str) -> list[str]:
    return [f.pattern for f in lint(PaperText("paper.tex", text))]


def body(text: str) -> str:
    return PAPER.replace("It holds here.", f"It holds here. {text}")


FAULTS = {
    "abstract-order": PAPER.replace("\\maketitle\n", "").replace(
        "\\section{Introduction}", "\\maketitle\n\\section{Introduction}"
    ),
    "figure-in-heading": body("\\section{Results \\includegraphics{figures/a.pdf}} Text."),
    "image-twice": body("\\includegraphics{figures/a.pdf} and \\includegraphics[width=3cm]{figures/a}"),
    "duplicate-label": body("\\label{tab:main}"),
    "undefined-label": body("See Section~\\ref{sec:nowhere}."),
    "question-marks": body("as Section ?? shows"),
    "todo": body("TODO: say more"),
    "assistant": body("Certainly! Here is the revised section."),
    "internal-note": body("Reviewer asked for a longer proof."),
    "placeholder": body("Our gain is [insert number]."),
    "bracket-citation": body("as shown before [Smith et al., 2020]"),
    "empty-section": body("\\section{Appendix}\n\n\\section{More} text"),
    "missing-caption": body("\\begin{figure}\\input{figures/a.tex}\\end{figure}"),
    "missing-limitations": PAPER.replace("\\section{Limitations}", "\\section{Scope}"),
    "path": body("stored in /home/ann/runs/7/results.json"),
    "key": body("with key sk-" + "abcdefghijklmnopqrstuv"),
    "unbalanced": body("\\begin{itemize} \\item x"),
    "leftover-macro": body("the error is \\res[2]{rmse/ridge/test/mean}"),
}


def test_the_honest_paper_is_clean() -> None:
    assert patterns(PAPER) == []


def test_every_rule_has_a_fault() -> None:
    assert {r.id for r in RULES} == set(FAULTS)


@pytest.mark.parametrize("rule", sorted(FAULTS))
def test_each_fault_gives_its_own_finding_with_a_place(rule: str) -> None:
    found = lint(PaperText("paper.tex", FAULTS[rule]))
    assert {f.pattern for f in found} == {f"lint-{rule}"}
    assert all(f.spans[0].file == "paper.tex" and f.spans[0].line >= 1 for f in found)


NOT_FAULTS = [
    "% TODO in a comment",
    "\\begin{verbatim}\n/home/ann ?? TODO\n\\end{verbatim}",
    "Is this so? Yes.",
    "in [0, 1] and [2020]",
    "the URL \\url{https://example.org/home/page}",
    "values of XX chromosomes are given as $X$",
    "\\section{Method} \\subsection{Data} Text.",
    "we let a language model answer",
    "50\\% of cases % and a comment",
]


@pytest.mark.parametrize("text", NOT_FAULTS)
def test_what_is_no_fault(text: str) -> None:
    expected = ["lint-placeholder"] if "XX" in text else []
    assert patterns(body(text)) == expected


def test_a_place_is_where_the_words_stand() -> None:
    [found] = lint(PaperText("paper.tex", body("A line.\nAnd TODO here.")))
    span = found.spans[0]
    line = body("A line.\nAnd TODO here.").splitlines()[span.line - 1]
    assert line[span.column - 1 : span.end_column - 1] == "TODO" == span.text


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=300))
def test_lint_is_total(text: str) -> None:
    for finding in lint(PaperText("paper.tex", body(text) + text)):
        assert finding.spans[0].line >= 1


@pytest.mark.skipif(not SHARED.exists(), reason="no shared data: papers")
def test_papers_of_others_are_read_without_a_crash_and_few_criticals() -> None:
    papers = sorted(SHARED.rglob("*.tex"))
    assert papers
    for path in papers:
        found = lint(PaperText(path.name, path.read_text(encoding="utf-8", errors="replace")))
        assert sum(f.severity == "critical" for f in found) <= 1, path
