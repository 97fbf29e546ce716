"""Properties: no digit can change unseen, invented numbers are not believed, no number is lost or read twice."""

from __future__ import annotations

import random
import re
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numbers_fixture import RENDERED, DictTree, rendered_study

from gates.latex.commands import read
from gates.numbers.check import check_paper, judge_text
from gates.numbers.matching import agreement
from gates.numbers.reading import read_numbers
from gates.registry import Fact, Registry, build


def test_every_digit_of_every_claim_matters() -> None:
    tree, view = rendered_study()
    clean = check_paper(tree, view)
    text, registry = tree.read(RENDERED).decode(), build(tree, view)[0]
    from gates.numbers.cards import read_cards

    cards, lines, unseen = read_cards(tree), text.split("\n"), []
    for row in clean.numbers:
        if row.verdict == "structural":
            continue
        for at in range(row.column - 1, row.end_column - 1):
            old = lines[row.line - 1][at]
            if not old.isdigit():
                continue
            new = str((int(old) + 1 + (row.line + at) % 8) % 10)
            changed = [*lines]
            changed[row.line - 1] = f"{lines[row.line - 1][:at]}{new}{lines[row.line - 1][at + 1 :]}"
            findings = judge_text(tree, "\n".join(changed), registry, view=view, cards=cards).findings
            if not findings:
                unseen.append((row.line, row.text, old, new, row.context))
    assert unseen == []


def many(count: int) -> Registry:
    """A registry of `count` means in [0, 1), conditions c0 … of one metric."""
    rng = random.Random(count)
    facts = {}
    for i in range(count):
        key = f"rmse/method{i}/test/mean"
        facts[key] = Fact(key, Decimal(rng.randint(100, 999)) / 1000, "rmse", f"method{i}", "test", "mean")
    return Registry(facts, directions={"rmse": "lower"})


@pytest.mark.parametrize("count", [20, 200, 2000])
def test_an_invented_number_is_not_believed_however_much_is_stored(count: int) -> None:
    registry, rng = many(count), random.Random(7)
    lines, tries = [], 300
    for _ in range(tries):
        value = rng.randint(100, 999) / 1000
        lines.append(f"The RMSE of method{rng.randrange(count)} is {value:.3f}.\n")
    rows = judge_text(DictTree(), "\n".join(lines), registry).numbers
    believed = [r for r in rows if r.verdict in ("exact", "rounding", "derived") and "." in r.text]
    assert len(believed) <= tries * 0.01


@settings(max_examples=60, deadline=None)
@given(st.decimals(min_value=-999, max_value=999, places=6), st.integers(0, 5))
def test_a_rounding_is_recognised_and_a_unit_beside_is_not(value: Decimal, digits: int) -> None:
    ulp = Decimal(1).scaleb(-digits)
    printed = value.quantize(ulp)
    assert agreement(printed, ulp, value) in ("exact", "rounding")
    assert agreement(printed + ulp * 2, ulp, value) is None
    assert agreement(printed - ulp * 2, ulp, value) is None


def test_both_conventions_of_rounding_hold_and_truncation_does_not() -> None:
    ulp = Decimal("0.01")
    assert agreement(Decimal("0.12"), ulp, Decimal("0.125")) == "rounding"
    assert agreement(Decimal("0.13"), ulp, Decimal("0.125")) == "rounding"
    assert agreement(Decimal("0.13"), ulp, Decimal("0.135")) is None
    assert agreement(Decimal("65.99"), ulp, Decimal("65.996")) is None


PIECES = st.sampled_from(
    ["0.41", "12", r"\%", "$", "&", r"\\", "{", "}", "[", "]", r"\textbf{", r"\pm", "~", "^", "_", "%", "\n", "\n\n",
     " a ", "(", ")", r"\begin{tabular}{ll}", r"\end{tabular}", r"\begin{table}", r"\end{table}", r"\caption{",
     r"\input{x}", r"\res[2]{a}", r"\section{", r"\cite{k}", r"\multicolumn{2}{c}{", r"\begin{picture}(1,2)",
     r"\end{picture}", r"\num{1.2(3)}", "1,234", "３.１４", "、", r"\newcommand{\x}[1]{#1}", r"\x", "--", "e-3",
     r"\begin{document}", r"\end{document}", r"\verb|1|", r"\footnote{"]
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.lists(PIECES, max_size=40))
def test_nothing_that_looks_like_latex_breaks_reading(pieces: list[str]) -> None:
    text = "".join(pieces)
    document = read(text)
    assert all(len(b.plain) == len(b.at) for b in document.blocks)
    reading = read_numbers(document)
    places = [(n.offset, n.offset_end) for n in reading.numbers]
    assert all(a < b <= len(text) for a, b in places)
    assert len(places) == len(set(places))
    assert [a for a, _ in places] == sorted(a for a, _ in places)


@settings(max_examples=80, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 99999), st.integers(0, 4)), min_size=1, max_size=12))
def test_no_number_is_lost_and_none_doubled(given_numbers: list[tuple[int, int]]) -> None:
    printed = [f"{Decimal(value).scaleb(-digits):f}" for value, digits in given_numbers]
    prose = "Some words " + " and ".join(printed) + " end."
    table = "\\begin{tabular}{l}\n" + " \\\\\n".join(f"row & {p}" for p in printed) + "\n\\end{tabular}"
    for text in (prose, table):
        found = [n.text for n in read_numbers(read(text)).numbers]
        assert found == printed
    assert re.sub(r"\d", "", prose) != prose
