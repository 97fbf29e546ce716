r"""Rendering: inputs, macros, \res, comments, and the way back to the source."""

from __future__ import annotations

from numbers_fixture import DictTree

from gates.latex.origin import origins
from gates.latex.render import Rendered, render

VALUES = {"a/b/c/mean": "0.413"}


def rendered(files: dict[str, str]) -> Rendered:
    """`p/paper.tex` of these files."""
    return render(
        DictTree({k: v.encode() for k, v in files.items()}), "p/paper.tex", lambda key, digits: VALUES.get(key)
    )


def test_inputs_are_taken_from_the_papers_folder() -> None:
    one = "one\n\\include{s/two.tex}"
    found = rendered({"p/paper.tex": "A\n\\input{s/one}\nB\n", "p/s/one.tex": one, "p/s/two.tex": "two"})
    assert found.text == "A\none\ntwo\nB\n"
    assert [(o.file, o.line) for o in found.line_map] == [
        ("p/paper.tex", 1), ("p/s/one.tex", 1), ("p/s/two.tex", 1), ("p/paper.tex", 3)
    ]  # fmt: skip


def test_macros_are_expanded_and_their_definitions_go() -> None:
    paper = (
        "\\newcommand{\\rmse}{RMSE}\\newcommand{\\pair}[2]{(#1, #2)}\\newcommand{\\opt}[2][x]{#1#2}"
        "\\def\\half#1{#1/2}\n"
        "\\rmse{} and \\pair{1}{\\rmse} and \\opt{y} \\opt[z]{y} \\half{3}, \\rmse x\n"
        "\\renewcommand{\\arraystretch}{1.2}\\newcommand{\\odd}{\\ifx a b\\fi}\\odd\n"
    )
    assert rendered({"p/paper.tex": paper}).text == (
        "\nRMSE{} and (1, RMSE) and xy zy 3/2, RMSEx\n"
        "\\renewcommand{\\arraystretch}{1.2}\\newcommand{\\odd}{\\ifx a b\\fi}\\odd\n"
    )


def test_results_are_filled_in_also_inside_macros() -> None:
    found = rendered({"p/paper.tex": "\\newcommand{\\ours}{\\res[3]{a/b/c/mean}}\nOurs: \\ours, \\res{a/b/c/mean}.\n"})
    assert found.text == "\nOurs: 0.413, 0.413.\n"
    assert found.findings == ()


def test_an_unknown_key_is_seen_and_found() -> None:
    found = rendered({"p/paper.tex": "one\nIt is \\res[3]{a/x/c/mean}.\n"})
    assert found.text == "one\nIt is ??.\n"
    (finding,) = found.findings
    assert (finding.pattern, finding.spans[0].line, finding.spans[0].column) == ("number-unsupported", 2, 7)


def test_a_missing_input_and_a_circle_are_found() -> None:
    assert rendered({"p/paper.tex": "\\input{nowhere}"}).findings[0].pattern == "lint-missing-input"
    assert rendered({"p/paper.tex": "\\input{paper}"}).findings[0].pattern == "lint-missing-input"
    assert rendered({"p/paper.tex": "\\newcommand{\\a}{\\b}\\newcommand{\\b}{\\a}\\a"}).text


def test_comments_go_and_verbatim_stays() -> None:
    paper = "% gone\nkept 5\\% % gone\n\\begin{verbatim}\n% stays \\res{x}\n\\end{verbatim}\n"
    assert (
        rendered({"p/paper.tex": paper}).text == "kept 5\\% %\n\\begin{verbatim}\n% stays \\res{x}\n\\end{verbatim}\n"
    )


def test_places_lead_back_to_the_source() -> None:
    files = {
        "p/paper.tex": "A\n\\input{one}\n",
        "p/one.tex": "The RMSE is \\res[3]{a/b/c/mean} here and 0.5 there.\n"
        "\\newcommand{\\x}{very long}\nA \\x{} 0.75 word.\n",
    }
    tree = DictTree({k: v.encode() for k, v in files.items()})
    found = rendered(files)
    tree.put("p/r.tex", found.text)
    tree.put("p/map.json", found.line_map_json())
    where = origins(tree, "p/r.tex", found.text, "p/map.json")
    lines = found.text.split("\n")
    for text, line in (("0.5 there", 1), ("0.75", 3)):
        number, rendered_line = next((i, s) for i, s in enumerate(lines, start=1) if text in s)
        column = rendered_line.index(text) + 1
        place = where.place(number, column, column + len(text))
        source = files["p/one.tex"].split("\n")[line - 1]
        assert (place.file, place.line, place.exact) == ("p/one.tex", line, True)
        assert source[place.column - 1 : place.end - 1] == text
    place = where.place(2, lines[1].index("0.413") + 1, lines[1].index("0.413") + 6)
    assert (place.exact, place.column) == (False, 13)
    assert where.keys(2) == [(13, 18, "a/b/c/mean")]
