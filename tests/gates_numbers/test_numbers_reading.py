"""Forms in which numbers are printed."""

from __future__ import annotations

from decimal import Decimal

import pytest

from gates.latex.commands import read
from gates.numbers.reading import PrintedNumber, read_numbers
from gates.numbers.structural import structural_rule


def numbers(latex: str) -> list[PrintedNumber]:
    """The numbers of a text."""
    return read_numbers(read(latex)).numbers


@pytest.mark.parametrize(
    ("latex", "value", "ulp", "unit"),
    [
        ("an error of 0.413", "0.413", "0.001", ""),
        (r"an error of $-0.058$", "-0.058", "0.001", ""),
        ("a change of −0.5", "-0.5", "0.1", ""),
        (r"12.3\% of", "12.3", "0.1", "percent"),
        (r"12.3~\% of", "12.3", "0.1", "percent"),
        (r"$12.3\,\%$", "12.3", "0.1", "percent"),
        ("7.5 percent of", "7.5", "0.1", "percent"),
        ("7.5 percentage points", "7.5", "0.1", "points"),
        (r"1{,}234 steps", "1234", "1", ""),
        ("100,000 samples", "100000", "1", ""),
        (r"10\,000 samples", "10000", "1", ""),
        (r"$3 \times 10^{-4}$", "0.0003", "0.0001", ""),
        (r"$10^{-3}$", "0.001", "0.001", ""),
        ("3e-4 as rate", "0.0003", "0.0001", ""),
        (r"\num{1.25}", "1.25", "0.01", ""),
        (r"\SI{52.93}{\second}", "52.93", "0.01", "other"),
        (r"\qty{12}{\percent}", "12", "1", "percent"),
        ("1.7x faster", "1.7", "0.1", "times"),
        (r"$1.7\times$ faster", "1.7", "0.1", "times"),
        ("10k steps", "10000", "1000", ""),
        (".5 of", "0.5", "0.1", ""),
        ("达到９１．４％，", "91.4", "0.1", "percent"),
        ("提高了3.2个百分点", "3.2", "0.1", "points"),
        ("共1.2万个样本", "12000", "1000", ""),
        (r"\textbf{0.41}", "0.41", "0.01", ""),
        (r"$\mathbf{0.41}$", "0.41", "0.01", ""),
    ],
)
def test_a_form_is_read(latex: str, value: str, ulp: str, unit: str) -> None:
    (number,) = numbers(latex)
    assert (number.value, number.ulp, number.unit) == (Decimal(value), Decimal(ulp), unit)
    assert latex[number.offset : number.offset_end].strip("${}\\") != ""


def test_spreads_belong_to_their_values() -> None:
    for latex in (r"0.41 $\pm$ 0.02", r"$0.41 \pm 0.02$", "0.41(2)", r"\num{0.41(2)}", "0.41 ± 0.02"):
        value, spread = numbers(latex)
        assert spread.spread_of is value
        assert (value.value, spread.value) == (Decimal("0.41"), Decimal("0.02"))


def test_ranges_are_two_numbers_without_a_sign() -> None:
    for latex in ("0.41--0.47", "0.41-0.47", "0.41 to 0.47", r"\numrange{0.41}{0.47}", "0.41–0.47"):
        assert [n.value for n in numbers(latex)] == [Decimal("0.41"), Decimal("0.47")]


def test_a_comment_is_not_read_and_a_percent_sign_is_no_comment() -> None:
    assert [n.text for n in numbers("saved 12\\% % not 13\nand 14")] == ["12", "14"]
    assert [n.text for n in numbers("ends in 63% lost\n4 more")] == ["63", "4"]


def test_places_are_exact() -> None:
    latex = "\\section{One}\n\nText with 0.5 and\n  \\emph{0.75}.\n"
    assert [(n.line, n.column, n.text) for n in numbers(latex)] == [(3, 11, "0.5"), (4, 9, "0.75")]


@pytest.mark.parametrize(
    ("latex", "rule"),
    [
        (r"Table~2 shows", "reference-number"),
        ("Figures 2 and", "reference-number"),
        ("如表3所示", "reference-number"),
        ("ResNet-50 is", "name-part"),
        ("on 2D data", "name-part"),
        ("the 3rd run", "ordinal"),
        ("In 2007 we", "year"),
        (r"$x_{12}$ is", "subscript"),
        (r"$\mathbb{R}^4$", "exponent"),
        (r"$y = 2x + \beta$", "formula"),
        (r"a 95\% confidence interval", "confidence-level"),
        ("Python 3.11 was", "version"),
        ("on 2026-11-30 the", "date"),
        (r"\begin{picture}(10,20)\put(3,4){\makebox(0,0)[t]{0.5}}\end{picture}", "axis-tick"),
        (r"\author{Group 7}", "front-matter"),
    ],
)
def test_numbers_that_claim_nothing_have_a_rule(latex: str, rule: str) -> None:
    assert {structural_rule(n) for n in numbers(latex)} == {rule}


@pytest.mark.parametrize(
    "latex", ["an RMSE of 0.41", r"$\mathrm{RMSE} = 0.41$", r"$p = 0.04$", "12 of them", r"\[ \text{RMSE} = 0.41 \]"]
)
def test_numbers_that_may_be_claims_have_no_rule(latex: str) -> None:
    assert [structural_rule(n) for n in numbers(latex)] == [None]


def test_picture_coordinates_are_not_printed() -> None:
    latex = (
        r"\setlength{\unitlength}{1mm}\begin{picture}(112.5,70)(0,-12)\put(46,0){\line(1,0){60}}"
        r"\put(46,-1.5){\line(0,1){1.5}}\put(43,51){\makebox(0,0)[r]{Ridge, n=20}}"
        r"\put(60.1,51){\circle*{1.6}}\end{picture}"
    )
    assert [n.text for n in numbers(latex)] == ["20"]
