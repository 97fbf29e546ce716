"""A clean paper is clean; each planted fault is one finding, and the program mends what results can mend."""

from __future__ import annotations

import json

import pytest
from numbers_fixture import PAPER, RENDERED, DictTree, render_paper, rendered_study

from cockpit.kernel.findings import Finding
from cockpit.kernel.stages import EXEC_A, WRITE_A
from cockpit.kernel.view import RunView
from gates.numbers.check import check_paper, still_wrong
from gates.numbers.patch import apply, read_patch
from gates.numbers.report import CLAIMS, FIX_PATCH, NUMBER_MAP, PAPER_FIXED


def findings(changes: dict[str, tuple[str, str]]) -> tuple[Finding, ...]:
    """The findings on the paper with `changes` made to its source."""
    return check_paper(*rendered_study(changes)).findings


def test_a_clean_paper_has_no_finding() -> None:
    report = check_paper(*rendered_study())
    assert report.findings == ()
    assert report.outcome == "NO_NEW_BLOCKER"
    assert report.patch.hunks == ()
    assert {c.verdict for c in report.claims} == {"holds"}


@pytest.mark.parametrize(
    ("section", "old", "new", "pattern"),
    [
        ("abstract", "0.413", "0.418", "number-mismatch"),
        ("abstract", "12.3", "12.8", "number-mismatch"),
        ("abstract", "lower than OLS", "higher than OLS", "claim-direction"),
        ("abstract", "3 seeds", "4 seeds", "claim-seeds"),
        ("introduction", "In 2007", r"A pilot saved 37.4\% of the effort. In 2007", "number-unsupported"),
        ("introduction", r"37.5\% was", r"38.5\% was", "number-unsupported"),
        ("method", r"\lambda = 0.5", r"\lambda = 0.7", "number-unsupported"),
        ("experiments", "6 conditions", "7 conditions", "number-unsupported"),
        ("experiments", "three seeds", "five seeds", "claim-seeds"),
        ("experiments", "seeds 101, 102", "seeds 101, 112", "number-unsupported"),
        ("experiments", r"\textbf{0.413} $\pm$ 0.002", r"\textbf{0.413} $\pm$ 0.009", "number-mismatch"),
        ("experiments", "Ridge, n=50 & \\textbf{0.272}", "Ridge, n=50 & \\textbf{0.279}", "number-mismatch"),
        ("experiments", "a difference of 0.019", "a difference of 0.029", "number-mismatch"),
        ("experiments", "$p = 0.003$", "$p = 0.030$", "number-mismatch"),
        ("experiments", "t(2) = -19.23", "t(2) = -18.23", "number-mismatch"),
        ("experiments", "$[-0.071, -0.045]$", "$[-0.071, -0.015]$", "number-mismatch"),
        ("experiments", "from 0.413 to 0.443", "from 0.413 to 0.453", "number-mismatch"),
        ("experiments", "0.940 and 0.910 at", "0.910 and 0.940 at", "number-wrong-place"),
        ("experiments", "has a lower RMSE", "has a higher RMSE", "claim-direction"),
        (
            "experiments",
            r"\res[4]{rmse/ridge-n20/test/median}",
            r"\res[4]{rmse/lasso/test/median}",
            "number-unsupported",
        ),
        ("conclusion", "0.413 against 0.471", "0.423 against 0.471", "number-mismatch"),
    ],
)
def test_a_fault_is_found_where_it_stands(section: str, old: str, new: str, pattern: str) -> None:
    found = findings({section: (old, new)})
    assert {f.pattern for f in found} == {pattern}
    assert len(found) == (2 if "respectively" in pattern or pattern == "number-wrong-place" else 1)
    span = found[0].spans[0]
    assert span.file == f"{WRITE_A}/sections/{section}.tex"
    assert found[0].owner == 17
    line = rendered_study({section: (old, new)})[0].read(span.file).decode().split("\n")[span.line - 1]
    assert line[span.column - 1 : span.end_column - 1] in new


def swapped() -> dict[str, tuple[str, str]]:
    """Two rows' RMSE cells have changed places."""
    ridge = "Ridge, n=20 & \\textbf{0.413} $\\pm$ 0.002 & \\textbf{0.940} \\\\\n"
    rows = "OLS, n=20 & 0.471 $\\pm$ 0.003 & 0.910 \\\\\n" + ridge
    last = "Ridge without intercept, n=20 & 0.443"
    wrong = rows.replace("0.471", "0.443") + last.replace("0.443", "0.471")
    return {"experiments": (rows + last, wrong)}


def test_swapped_cells_are_one_finding_that_results_mend() -> None:
    tree, view = rendered_study(swapped())
    report = check_paper(tree, view)
    (finding,) = report.findings
    assert (finding.pattern, finding.severity, len(finding.spans)) == ("number-wrong-place", "critical", 2)
    assert [h.new for h in report.patch.hunks] == ["0.471", "0.443"]
    assert still_wrong(tree, view, finding) == "still"

    mend(tree, view)

    assert still_wrong(tree, view, finding) == "mended"
    assert check_paper(tree, view).findings == ()


def mend(tree: DictTree, view: RunView) -> None:
    """What the writer does: apply the patch of 07 to the sources and render again."""
    report = check_paper(tree, view)
    patch = read_patch(json.loads(report.files[FIX_PATCH]))
    sources = {p: tree.read(p).decode() for p in tree.list(f"{WRITE_A}/") if p.endswith(".tex") and p != RENDERED}
    for path, text in apply(sources, patch).items():
        tree.put(path, text)
    render_paper(tree, view)
    assert tree.read(RENDERED).decode() == report.fixed


def test_bold_on_a_loser_is_one_finding_with_its_hunks() -> None:
    changes = {"experiments": ("Ridge, n=50 & \\textbf{0.272}", "Ridge, n=50 & 0.272")}
    tree, view = rendered_study(changes)
    path = f"{WRITE_A}/sections/experiments.tex"
    tree.put(path, tree.read(path).decode().replace("OLS, n=50 & 0.291", "OLS, n=50 & \\textbf{0.291}"))
    render_paper(tree, view)
    (finding,) = check_paper(tree, view).findings
    assert finding.pattern == "claim-bold"
    mend(tree, view)
    assert still_wrong(tree, view, finding) == "mended"
    assert "\\textbf{0.272} $\\pm$ 0.002" in tree.read(RENDERED).decode()


def test_an_invented_number_stays_until_it_is_withdrawn() -> None:
    sentence = r"A pilot saved 37.4\% of the effort. "
    tree, view = rendered_study({"introduction": ("In 2007", sentence + "In 2007")})
    report = check_paper(tree, view)
    (finding,) = report.findings
    assert "37.4" in finding.spans[0].text
    assert report.patch.hunks[0].hunk_class == "needs-person"
    mend(tree, view)
    assert still_wrong(tree, view, finding) == "still"

    path = f"{WRITE_A}/sections/introduction.tex"
    reworded = tree.read(path).decode().replace("A pilot saved", "Our pilot has saved")
    tree.put(path, reworded)
    render_paper(tree, view)
    assert still_wrong(tree, view, finding) == "still"

    tree.put(path, reworded.replace(r"Our pilot has saved 37.4\% of the effort. ", ""))
    render_paper(tree, view)
    assert still_wrong(tree, view, finding) == "withdrawn"


def test_a_result_without_a_receipt_does_not_count() -> None:
    tree, view = rendered_study()
    path = f"{EXEC_A}/raw_results/main/ridge-n20/seed-101.json"
    tree.put(path, tree.read(path).decode().replace("0.4112", "0.3112"))
    patterns = [f.pattern for f in check_paper(tree, view).findings]
    assert patterns.count("result-without-job") == 1

    tree, view = rendered_study()
    receiptless = RunView(jobs={k: v for k, v in view.jobs.items() if not k.startswith("ridge-n20.seed-101")})
    (refused, *_) = check_paper(tree, receiptless).findings
    assert (refused.pattern, refused.owner, refused.spans[0].file) == ("result-without-job", 10, path)


def test_the_rendered_bytes_are_judged_not_the_source() -> None:
    tree, view = rendered_study()
    tree.put(RENDERED, tree.read(RENDERED).decode().replace("0.4121", "0.4122"))
    (finding,) = check_paper(tree, view).findings
    assert finding.pattern == "number-mismatch"
    assert finding.spans[0].file.endswith("sections/experiments.tex")
    tree, view = rendered_study()
    tree.put("final/paper.tex", tree.read(RENDERED).decode().replace("12.3", "12.4"))
    (finding,) = check_paper(tree, view, paper="final/paper.tex", line_map=None).findings
    assert finding.spans[0].file == "final/paper.tex"


def test_the_files_of_07_are_whole_and_repeatable() -> None:
    tree, view = rendered_study(swapped())
    one, two = check_paper(tree, view), check_paper(tree, view)
    assert one.files == two.files
    assert set(one.files) == {NUMBER_MAP, FIX_PATCH, PAPER_FIXED, CLAIMS}
    data = json.loads(one.files[NUMBER_MAP])
    assert data["schema"] == "cockpit.check-numbers/1"
    assert data["summary"]["numbers"] == len(data["numbers"]) == sum(data["summary"]["by_verdict"].values())
    assert one.run.verdict == "FAIL"
    text = tree.read(RENDERED).decode()
    assert one.fixed != text
    assert PAPER in tree.files
