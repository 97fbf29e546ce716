"""Papers and results of others: never an exception, tables traced to their runs, known faults found."""

from __future__ import annotations

from pathlib import Path

import pytest
from numbers_fixture import DictTree

from gates.latex.commands import read
from gates.latex.render import render
from gates.numbers.check import check_folder
from gates.numbers.reading import read_numbers
from gates.numbers.report import NumbersReport

NEAR = [p / "shared" / "data" / "latex" for p in Path(__file__).parents]
DATA = next((p for p in NEAR if p.is_dir()), NEAR[0])
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="shared data is not here")


def checked(name: str, change: tuple[str, str] | None = None) -> NumbersReport:
    """The report on one of the papers with its runs; `change` = a text to replace first."""
    tree, folder = DictTree(), DATA / name
    for path in sorted(folder.glob("run_*")):
        tree.files[f"results/{path.name}"] = path.read_bytes()
    text = (folder / "paper.tex").read_text()
    if change:
        assert text.count(change[0]) == 1
        text = text.replace(*change)
    tree.put("paper.tex", text)
    return check_folder(tree, "paper.tex", "results")


def test_every_file_is_read_without_an_exception() -> None:
    for path in sorted(DATA.rglob("*.tex")):
        text = path.read_text(errors="replace")
        reading = read_numbers(read(text))
        places = [(n.offset, n.offset_end) for n in reading.numbers]
        assert len(places) == len(set(places)), path
        tree = DictTree({"x/paper.tex": text.encode()})
        assert render(tree, "x/paper.tex", lambda key, digits: None).text


@pytest.mark.parametrize(
    ("name", "decimals", "traced"),
    [
        ("ais_adaptive_dual_scale_denoising", 60, 60),
        ("ais_gan_diffusion", 64, 64),
        ("ais_mdl_grokking_correlation", 16, 16),
        ("ais_dual_expert_denoiser", 52, 51),  # 65.99 is a truncation of 65.996
    ],
)
def test_table_decimals_trace_to_the_runs(name: str, decimals: int, traced: int) -> None:
    rows = [n for n in checked(name).numbers if n.where == "table" and n.precision > 0]
    good = [n for n in rows if n.verdict in ("exact", "rounding")]
    assert (len(rows), len(good)) == (decimals, traced)
    assert [n.text for n in rows if n not in good] == (["65.99"] if traced < decimals else [])


def test_a_planted_digit_and_a_planted_row_are_found() -> None:
    name = "ais_gan_diffusion"
    report = checked(name, (r"Circle & 52.93 & 0.434", r"Circle & 52.93 & 0.439"))
    (row,) = [n for n in report.numbers if n.verdict not in ("structural", "rounding", "exact")]
    assert (row.text, row.verdict, row.suggestion) == ("0.439", "mismatch", "0.434")

    report = checked(name, (r"Line & 287.80 & 0.864 & 0.130 & 0.350", r"Line & 287.80 & 0.864 & 0.130 & 0.223"))
    (row,) = [n for n in report.numbers if n.verdict not in ("structural", "rounding", "exact")]
    assert (row.text, row.verdict) == ("0.223", "wrong-place")


def test_intervals_that_nobody_computed_are_found() -> None:
    spreads = [
        n
        for n in checked("ais_weight_initialization_grokking").numbers
        if n.line in range(488, 497) and "±" in n.context
    ]
    assert sum(n.verdict == "mismatch" for n in spreads) >= 15


def test_results_come_in_any_form() -> None:
    tree = DictTree()
    tree.put("r/a.csv", "condition,seed,rmse\nridge,1,0.41\nridge,2,0.43\nols,1,0.47\nols,2,0.49\n")
    tree.put("r/b.jsonl", '{"condition": "ridge", "mae": 0.31}\n{"condition": "ols", "mae": 0.36}\n')
    tree.put("r/broken.json", "{")
    tree.put("paper.tex", "Ridge reaches an RMSE of 0.42 and OLS of 0.48. The MAE of ridge is 0.31, that of OLS 0.37.")
    report = check_folder(tree, "paper.tex", "r")
    assert [n.verdict for n in report.numbers] == ["exact", "exact", "exact", "mismatch"]
    assert [f.pattern for f in report.findings] == ["result-without-job", "number-mismatch"]
