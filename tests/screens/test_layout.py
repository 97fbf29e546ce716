"""What stands on the screen, by size, colours and terminal."""

from __future__ import annotations

import pytest
from rich.cells import cell_len
from screen import NOW, Open, demo

from cockpit.kernel import events as e
from cockpit.kernel.hints import JobSample, LogLines, Tokens
from cockpit.kernel.ids import Position
from cockpit.kernel.view import RunView
from themes.choice import PALETTES, choose

HERE = Position(round=2, stage=12)


async def test_the_cockpit_at_120_by_36(cockpit: Open) -> None:
    async with cockpit() as it:
        assert it.lines[0].startswith(" ridge-small-n REHEARSAL · round 2/5 · s12 experiment_run ▶ 4:59")
        assert it.lines[0].endswith("score 0.35 → …  $0.62 / $10  ⏱ 15:41  co-pilot  docker")
        assert it.lines[1].startswith("╭─ 1 stages · round 2 ─")
        assert "─ 2 dialogue ─" in it.lines[1]
        assert "─ 3 ledger · 2 open ─" in it.lines[1]
        for line in (
            "│✓ 01 idea analysis        0:40│",
            "│ ▶ 12 experiment run       2+1│",
            "│● #4 number not in results",
            "│  paper.tex:120 “91.4”         r1│",
            "│✓ #2 citation replaced         r1│",
            "gate  BLOCK (1 critical",
            "reviewer · openai (reported) · fresh thread 7f3a",
            "4 sandbox · docker · ridge-n20.seed-6",
            "│▶ ridge-n20 seed 6 main  4:52",
            "│✗ ridge seed 1 failed exit 1 in 2.0 s · ValueError: shapes",
        ):
            assert line in it.text
        assert it.lines[-1] == (
            " space pause  s step  P pivot  A approve  X reject  i guide  d diff  v evidence  L ledger  / search"
            "  ? help  q quit"
        )
        assert len(it.lines) == 36
        assert max(cell_len(line) for line in it.lines) <= 120


@pytest.mark.parametrize("size", [(80, 24), (60, 16)])
async def test_below_a_hundred_columns_there_is_one_pane_and_tabs(cockpit: Open, size: tuple[int, int]) -> None:
    async with cockpit(size) as it:
        assert it.lines[1] == "  1 stages   2 dialogue   3 ledger   4 sandbox"
        assert "─ 1 stages" in it.lines[2]
        assert "▶ 12 experiment run" in it.text
        assert "2 dialogue ─" not in it.text
        await it.press("3")
        assert "● #4 number not in results" in it.text
        assert "BLOCK (1 critical, 1 major)" in it.text
        await it.press("tab")
        assert "─ 4 sandbox" in it.lines[2]
        assert "ridge-n20 seed 6" in it.text
        await it.press("shift+tab", "shift+tab")
        assert "fresh thread 7f3a" in it.text
        assert max(cell_len(line) for line in it.lines) <= size[0]


async def test_a_wide_screen_spells_states_out(cockpit: Open) -> None:
    async with cockpit((200, 60)) as it:
        assert "12 experiment run   2+1 jobs    4:59  running" in it.text
        assert "#2 reference has no record · citation replac" in it.text
        assert "co-pilot" in it.lines[0]


async def test_a_change_of_size_lays_everything_out_again(cockpit: Open) -> None:
    async with cockpit() as it:
        await it.pilot.resize_terminal(80, 24)
        await it.pilot.pause()
        assert it.lines[1].startswith("  1 stages")
        await it.pilot.resize_terminal(20, 6)
        await it.pilot.pause()
        assert len(it.lines) == 6
        await it.pilot.resize_terminal(120, 36)
        await it.pilot.pause()
        assert "─ 4 sandbox" in it.text
        assert "fresh thread 7f3a" in it.text


async def test_before_the_run_is_there_it_says_starting(cockpit: Open) -> None:
    async with cockpit(view=RunView()) as it:
        assert it.lines[0].startswith(" cockpit · starting…")
        assert "· 01 topic init" in it.text
        assert "✓ nothing on the books" in it.text


async def test_hostile_text_stays_text_everywhere(cockpit: Open) -> None:
    nasty = "\x1b[31m\x1b]0;evil\x07[bold]x[/bold]\u202e[/]"
    where = Position(round=2, stage=18)
    clock = demo.Clock(3600)
    async with cockpit() as it:
        job = it.app.view.jobs_running[0].job
        await it.hear(
            demo.turn(clock, where, f"reviewer{nasty}", f"says {nasty}", family=nasty, about=nasty),
            demo.opened(clock, 9, "critical", f"title {nasty}", where, file=f"a{nasty}.tex"),
            e.Noticed(at=NOW, level="warning", text=f"note {nasty}"),
            e.CallIntended(at=NOW, position=where, path="review/9", attempt=1, role="r", model="m", purpose="p",
                           prompt_sha256="", reserved_usd=0),
            hints=[LogLines(job, (f"log {nasty}",)), Tokens("review/9", f"r{nasty}", "m", nasty)],
        )  # fmt: skip
        assert "says [bold]x[/bold][/]" in it.text
        assert "title [bold]x[/bold][/]" in it.text
        assert "log [bold]x[/bold][/]" in it.text
        assert "note [bold]x[/bold][/]" in it.text
        assert not {"\x1b", "\x07", "\u202e"} & set(it.text)


async def test_wide_characters_line_up(cockpit: Open) -> None:
    where = Position(round=2, stage=18)
    clock = demo.Clock(3600)
    async with cockpit() as it:
        await it.hear(
            demo.turn(clock, where, "评审", "摘要中的提升在表二中没有得到支持。" * 5 + "é\u0301👩\u200d🔬🇨🇳"),
            demo.opened(clock, 9, "critical", "表二第三行的数字不在结果之中,无法核对其来源", where, text="九一·四"),
        )
        assert {cell_len(line) for line in it.lines[1:-1]} == {120}
        assert "摘要中的提升" in it.text


async def test_live_replies_show_until_they_land(cockpit: Open) -> None:
    asked = demo.called(demo.Clock(3600), HERE, "review/9", landed=False)
    async with cockpit() as it:
        await it.hear(
            *asked,
            hints=[
                Tokens("review/9", "reviewer-2", "m", "The claim "),
                Tokens("review/9", "reviewer-2", "m", "stands."),
            ],
        )
        assert "reviewer-2 · m · review/9 …" in it.text
        assert "The claim stands." in it.text
        assert "2 dialogue · 1 in flight" in it.text
        await it.hear(demo.called(demo.Clock(3601), HERE, "review/9")[1])
        assert "The claim stands." not in it.text


async def test_samples_and_lines_of_a_job(cockpit: Open) -> None:
    async with cockpit() as it:
        job = it.app.view.jobs_running[0].job
        await it.hear(hints=[LogLines(job, ("23:41:07 cond=ridge rmse=0.4127",)), JobSample(job, 0.5, 41, 0)])
        assert "23:41:07 cond=ridge rmse=0.4127" in it.text
        assert "▅  50% cpu   41 MiB" in it.text
        await it.press("t")
        assert "18:16:07 23:41:07 cond=ridge" in it.text


async def test_a_job_that_failed_unseen_still_says_why(cockpit: Open) -> None:
    async with cockpit() as it:
        started, ended = demo.job(demo.Clock(3600), HERE, "lasso", 9, code=1)
        await it.hear(started, ended.model_copy(update={"tail": ("no module named lasso",)}))
        assert "no module named lasso" in it.text
        assert "✗ lasso seed 9 failed exit 1" in it.text


@pytest.mark.parametrize("name", sorted(PALETTES))
async def test_every_palette_draws(cockpit: Open, name: str) -> None:
    async with cockpit(theme=name) as it:
        assert "● #4 number not in results" in it.text
        colours = {str(s.style.color) for strip in it.app.screen._compositor.render_strips() for s in strip if s.style}
        if name == "mono":
            assert all("default" in c or c == "None" for c in colours)
        else:
            assert len(colours) > 3


def test_which_palette_a_terminal_gets() -> None:
    assert choose("auto", {"NO_COLOR": "1", "TERM": "xterm-256color"}).name == "mono"
    assert choose("light", {"NO_COLOR": "1"}).name == "mono"
    assert choose("auto", {"TERM": "xterm-256color"}).name == "dark"
    assert choose("auto", {"TERM": "xterm-256color", "COLORFGBG": "0;15"}).name == "light"
    assert choose("auto", {"TERM": "xterm"}).name == "ansi"
    assert choose("contrast", {"TERM": "xterm"}).name == "contrast"


async def test_a_terminal_without_unicode_gets_ascii(cockpit: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COCKPIT_ASCII", "1")
    clock = demo.Clock()
    async with cockpit(view=demo.view_of([demo.created(clock), *demo.stage(clock, 1, 41, "done")])) as it:
        assert "v 01 topic init" in it.text
        assert it.text.isascii()


async def test_the_rehearsal_is_named_at_every_size(cockpit: Open) -> None:
    for size in ((60, 16), (80, 24), (120, 36)):
        async with cockpit(size) as it:
            assert "REHEARSAL" in it.lines[0]
