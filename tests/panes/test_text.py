"""Untrusted text: nothing gets through to the terminal, wide characters line up."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from panes.text import clean, crop, fit, wrap

FORBIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")
nasty = st.text(st.sampled_from("a Z9\x1b[]m;?\x07\x9b\x90\\P_^\r\n\t\x00\u202e\u200d漢é\u0301👩🇨🇳\ud800"), max_size=60)


def test_escapes_titles_and_clipboard_writes_are_removed() -> None:
    assert clean("\x1b[31mred\x1b[0m") == "red"
    assert clean("\x1b]0;evil\x07name") == "name"
    assert clean("\x1b]52;c;ZXZpbA==\x1b\\copy") == "copy"
    assert clean("\x1bPtmux;\x1b\x1b]52;c;AA\x07\x1b\\x") == "x"
    assert clean("\x9b31mred") == "red"
    assert clean("a\x08\x08b\x00c") == "abc"


def test_markup_stays_text() -> None:
    assert clean("[bold red]x[/] [link=file:///etc]y[/link]") == "[bold red]x[/] [link=file:///etc]y[/link]"


def test_a_progress_bar_shows_what_it_printed_last() -> None:
    assert clean("10%\r20%\r30%") == "30%"
    assert clean("done\r") == "done"


def test_text_cannot_lie_about_its_order() -> None:
    assert clean("abc\u202egpj.exe") == "abcgpj.exe"


def test_flags_joiners_and_tones_become_what_all_terminals_agree_on() -> None:
    assert clean("🇨🇳") == "CN"
    assert cell_len(clean("👨\u200d👩\u200d👧")) == 6
    assert clean("e" + "\u0301" * 40) == "e" + "\u0301" * 3


@settings(max_examples=150, deadline=None)
@given(nasty)
def test_nothing_forbidden_survives(text: str) -> None:
    assert not FORBIDDEN.search(clean(text))


@settings(max_examples=80, deadline=None)
@given(nasty, st.integers(1, 40))
def test_fit_gives_exactly_the_cells_asked_for(text: str, width: int) -> None:
    assert cell_len(fit(clean(text), width)) == width
    assert cell_len(crop(clean(text), width)) <= width


@settings(max_examples=80, deadline=None)
@given(nasty, st.integers(2, 40))
def test_wrapped_lines_fit_and_lose_no_character(text: str, width: int) -> None:
    text = clean(text)
    parts = wrap(text, width)
    assert all(cell_len(part) <= width for part in parts)
    assert re.sub(r"\s", "", "".join(parts)) == re.sub(r"\s", "", text)


def test_chinese_wraps_between_characters() -> None:
    assert wrap("岭回归在小样本下的表现", 8) == ["岭回归在", "小样本下", "的表现"]
    assert wrap("We study 岭回归 here", 12) == ["We study 岭", "回归 here"]
