"""`cockpit examples/micro.md` in a real tmux with the real engine and the built-in models, steered by keys.

One run in three chapters, each a fixture that takes pictures on its way: steered through its gates; left to
itself and steered from another shell; taken up again and brought to its end.
"""

from __future__ import annotations

import getpass
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from rich.cells import cell_len

from cockpit import commission
from cockpit.journal.history import History
from cockpit.journal.lock import is_locked
from cockpit.journal.places import RunFolder, all_runs
from cockpit.journal.segments import read_journal
from cockpit.kernel import events as e
from cockpit.kernel.commands import Abort
from cockpit.kernel.ids import Actor
from cockpit.kernel.view import RunView
from cockpit.steer import deliver
from tests.scenarios.flights import MICRO
from tests.scenarios.windows import Server, Window, place_of_work, until

pytestmark = [pytest.mark.tmux, pytest.mark.timeout(600)]
NARROW, USUAL, WIDE = (80, 24), (120, 36), (200, 60)
END = re.compile(r"✓ (accepted|negative-result)")  # as the numbers of this seed come out
TABS = "  1 stages   2 dialogue   3 ledger   4 sandbox"
HEADER = " Is a clipped mean worth… REHEARSAL · round "


@dataclass
class Sitting:
    """A person's windows, the pictures taken, and the run behind them."""

    server: Server
    window: Window
    runs: Path
    album: dict[str, str] = field(default_factory=dict)

    @property
    def folder(self) -> RunFolder:
        (only,) = all_runs(self.runs)
        return only

    @property
    def view(self) -> RunView:
        return commission.load(self.folder)

    @property
    def events(self) -> list[e.AnyEvent]:
        return [record.event for record in read_journal(self.folder.cockpit)]

    def keep(self, name: str, picture: str) -> None:
        self.album[name] = picture

    def waits_at(self, stage: int, ordinal: int = 1) -> str:
        """The picture of a pause for a decision after `stage`."""

        def there() -> bool:
            pause = self.view.pause
            return pause is not None and (pause.position.stage, pause.position.ordinal) == (stage, ordinal)

        until(there, f"a pause after {stage}")
        return self.window.see("PAUSED", "decide: A or X")

    def approve(self) -> None:
        """A, a look, Enter; and on."""
        self.window.press("A")
        self.window.see("Enter approves")
        self.window.press("Enter")
        self.window.gone("decide: A or X")


@pytest.fixture(scope="module")
def sitting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sitting]:
    place = tmp_path_factory.mktemp("cockpit")
    environment = place_of_work(place)
    server = Server(place / "tmux", environment)
    it = Sitting(server, server.open(*USUAL), place / "runs")
    yield it
    server.close()  # which is a detach
    if is_locked(it.folder.cockpit):
        deliver(it.folder, Abort(by=Actor(user="test")))
    until(lambda: not is_locked(it.folder.cockpit), "the end of the cockpit")


@pytest.fixture(scope="module")
def steered(sitting: Sitting) -> Sitting:
    """From the command to the gate after 9, with every steering key."""
    window = sitting.window
    window.enter(f"cockpit {MICRO}")
    sitting.keep("start", window.see("s01 topic_init", "▶ 01 topic init"))
    window.press("Space")
    paused = window.see("PAUSED", "safe to quit")
    window.press("s")
    sitting.keep("stepped", window.wait(lambda text: "PAUSED" in text and done(text) > done(paused), "one stage"))
    sitting.keep("paused", paused)
    window.press("Space")
    sitting.keep("gate", sitting.waits_at(5))
    _reject(sitting)
    _guide(sitting)
    window.press("A")
    sitting.keep("approve", window.see("stage 05 literature_screen", "shortlist.jsonl", "Enter approves"))
    window.type("enough papers")
    window.press("Enter")
    sitting.waits_at(8, ordinal=2)
    _pivot(sitting)
    _help_and_palette(sitting)
    sitting.waits_at(9, ordinal=3)
    _sizes(sitting)
    return sitting


def _reject(sitting: Sitting) -> None:
    window = sitting.window
    window.press("X")
    window.see("Reject stage 5")
    window.type("too few surveys")
    window.press("Enter", "Enter")
    window.type("reject")
    window.press("Enter")
    sitting.keep("reject", window.see("Type exactly: reject 5"))
    window.type(" 5")
    window.press("Enter")
    sitting.waits_at(5, ordinal=2)


def _guide(sitting: Sitting) -> None:
    window = sitting.window
    window.press("i")
    window.see("Guide the run")
    window.type("report medians too")
    window.press("Enter", "Enter")
    window.gone("Guide the run")
    until(lambda: sitting.view.guidance, "guidance in the journal")


def _pivot(sitting: Sitting) -> None:
    window = sitting.window
    window.press("P")
    sitting.keep("pivot", window.see("Pivot: go back with another direction"))
    window.press("BSpace")
    window.type("7")
    window.press("Enter")
    window.type("read them against each other again")
    window.press("Enter")
    sitting.waits_at(8, ordinal=3)


def _help_and_palette(sitting: Sitting) -> None:
    window = sitting.window
    window.press("?")
    sitting.keep("help", window.see("Steering the run"))
    window.press("Escape")
    window.gone("Steering the run")
    window.press("C-p")
    window.see("Search for commands")
    window.type("approve")
    sitting.keep("palette", window.see("approve (A)", "Answer the pause with yes"))
    window.press("Down", "Enter")
    window.see("Approve stage 8")
    window.press("Enter")


def _sizes(sitting: Sitting) -> None:
    window = sitting.window
    window.resize(*NARROW)
    for key, name in enumerate(("stages", "dialogue", "ledger", "sandbox"), 1):
        window.press(str(key))
        laid = {"stages": "done   │"}.get(name, "")
        sitting.keep(f"80 {name}", window.see("\n" + TABS, f"╭─ {key} {name}", laid))
    window.resize(*WIDE)
    sitting.keep("200", window.wait(lambda text: text.count("╮") == 4 and len(text.splitlines()) == 60, "200×60"))
    window.resize(*USUAL)
    window.wait(lambda text: text.count("╮") == 4 and len(text.splitlines()) == 36, "120×36")


@pytest.fixture(scope="module")
def left(steered: Sitting) -> Sitting:
    """Detached while jobs run; looked at, approved and stopped from another shell."""
    window = steered.window
    steered.approve()
    window.see("s10 code_generation")
    window.press("q")
    steered.keep("quit", window.see("d detach"))
    window.press("d")
    steered.keep("detached", window.prompt())
    steered.keep("code", window.answer("true"))
    other = steered.server.open(*USUAL)
    until(lambda: (p := steered.view.pause) is not None and p.position.stage == 15, "the gate after 15, unwatched")
    steered.keep("status", other.answer("cockpit status last"))
    steered.keep("second", other.answer("cockpit resume last"))
    steered.keep("approved", other.answer("cockpit approve last --why 'looks right'"))
    until(lambda: (p := steered.view.pause) is not None and p.position.stage == 17, "the gate after 17, unwatched")
    steered.keep("abort", other.answer("cockpit abort last"))
    until(lambda: not is_locked(steered.folder.cockpit), "the end of the engine")
    steered.keep("stopped", other.answer("cockpit status last"))
    return steered


@pytest.fixture(scope="module")
def finished(left: Sitting) -> Sitting:
    """Resumed on the screen and approved until the run is over."""
    window = left.window
    window.press("C-l")
    window.enter("cockpit resume last")
    left.keep("resumed", window.see("PAUSED", "s17 paper_draft"))
    gates = 0
    while True:
        window.wait(lambda text: "decide: A or X" in text or END.search(text), "a gate or the end")
        if left.view.finished is not None:
            break
        pause = left.view.pause
        assert pause is not None
        left.keep(f"r{pause.position.round} s{pause.position.stage}", window.text)
        left.approve()
        gates += 1
        assert gates < 10
    left.keep("end", window.wait(END.search, "the end"))
    window.press("L")
    left.keep("ledger", window.see("enter opens", "resolved"))
    window.press("Escape")
    window.gone("enter opens")
    window.press("d")
    left.keep("diff", window.see("diff · round 1 to round 2", "line 1"))
    window.press("Escape")
    window.gone("diff · round 1")
    window.press("v")
    left.keep("evidence", window.see("evidence: every number of the paper", "rest on results"))
    window.press("Enter")
    left.keep("number", window.see("evidence for ", "seed "))
    window.press("Escape")
    window.gone("evidence for ")
    window.press("Escape")
    window.gone("evidence: ")
    window.press("q")
    left.keep("farewell", window.prompt())
    left.keep("again", window.answer("cockpit resume last"))
    return left


def widths(picture: str) -> set[int]:
    """Of the lines between header and footer."""
    return {cell_len(line) for line in picture.splitlines()[1:-1]}


def done(picture: str) -> int:
    """How many stages a picture shows as done."""
    return len(re.findall(r"│ ✓ \d\d ", picture))


def test_the_first_picture_says_what_runs_where_and_with_which_models(steered: Sitting) -> None:
    lines = steered.album["start"].splitlines()
    assert lines[0].startswith(HEADER + "1/3 · s01 topic_init ▶")
    assert "co-pilot  bubblewrap" in lines[0]
    assert re.match(r"╭─ 1 stages · round 1 ─+╮╭─ 2 dialogue .*╮╭─ 3 ledger · 0 open ─+╮$", lines[1])
    assert "│ · 12 experiment run" in steered.album["start"]
    assert "gate  not judged yet" in steered.album["start"]
    assert lines[-1].startswith(" space pause  s step  P pivot  A approve  X reject  i guide  ")
    assert lines[-1].rstrip().endswith("? help  q quit")
    assert len(lines) == 36
    assert widths(steered.album["start"]) == {120}


def test_space_pauses_and_s_does_one_stage(steered: Sitting) -> None:
    assert "space continue" in steered.album["paused"].splitlines()[-1]
    told = [event for event in steered.events if isinstance(event, (e.ControlChanged, e.StageDone))]
    at = next(n for n, event in enumerate(told) if isinstance(event, e.ControlChanged) and event.control == "stepping")
    assert [type(event) for event in told[at : at + 3]] == [e.ControlChanged, e.StageDone, e.ControlChanged]


def test_a_gate_waits_and_a_rejection_is_typed_out(steered: Sitting) -> None:
    assert steered.album["gate"].startswith(HEADER + "1/3 · ⏸ PAUSED · decide: A or X · s05 literature_screen")
    assert "Type “reject 5” to confirm" in steered.album["reject"]
    back = [event for event in steered.events if isinstance(event, e.WentBack)]
    assert [(b.position.stage, b.target, b.why, b.reason) for b in back] == [
        (5, 4, "rejected", "too few surveys"),
        (8, 7, "pivot", "read them against each other again"),
    ]


def test_approving_shows_what_was_made_and_keeps_the_remark(steered: Sitting) -> None:
    picture = steered.album["approve"]
    for words in ("stage 05 literature_screen", "waits because: co-pilot pauses after stage 5",
                  "references.bib", "shortlist.jsonl"):  # fmt: skip
        assert words in picture
    said = [(d.what, d.position.stage, d.reason) for d in steered.view.decisions if d.position]
    assert said[:4] == [("rejected", 5, "too few surveys"), ("approved", 5, "enough papers"),
                        ("rejected", 8, "read them against each other again"), ("approved", 8, "")]  # fmt: skip


def test_guidance_is_in_the_journal_and_stages_honour_it(steered: Sitting) -> None:
    (given,) = steered.view.guidance
    assert (given.stage, given.text) == (6, "report medians too")
    asked = [path.read_text() for path in sorted(steered.folder.calls.glob("*.json"))]
    assert any("report medians too" in text for text in asked)


def test_help_and_palette_come_from_one_table(steered: Sitting) -> None:
    assert "Start nothing new and let work in flight finish" in steered.album["help"]
    assert "Go back to an earlier stage with another direction" in steered.album["help"]
    assert "approve (A)" in steered.album["palette"]


def test_at_80_by_24_one_pane_has_the_screen(steered: Sitting) -> None:
    for name in ("stages", "dialogue", "ledger", "sandbox"):
        picture = steered.album[f"80 {name}"]
        lines = picture.splitlines()
        assert lines[0].startswith(HEADER + "1/3 · ⏸ PAUSED · decide: A or X")
        assert lines[1].rstrip() == TABS
        assert (len(lines), widths(picture.replace(lines[1] + "\n", ""))) == (24, {80})
        assert "A approve  X reject" in lines[-1]
        assert lines[-1].rstrip().endswith("? help  q quit")
    assert re.search(r"│ ✓ 09 experiment design +\d:\d\d  done   │", steered.album["80 stages"])
    assert "reviewer · rehearsal-b (rehearsal) · fresh thread" in steered.album["80 dialogue"]
    assert "✓ nothing on the books" in steered.album["80 ledger"]


def test_at_200_by_60_all_panes_spell_things_out(steered: Sitting) -> None:
    picture = steered.album["200"]
    assert picture.splitlines()[0].endswith("co-pilot  bubblewrap 0.8.0") or "co-pilot  " in picture.splitlines()[0]
    assert widths(picture) == {200}
    assert re.search(r"│ ✓ 07 synthesis +\d:\d\d  done   │", picture)
    assert re.search(r"│ · 12 experiment run +waiting│", picture)


def test_detach_gives_the_shell_back_and_the_run_goes_on(left: Sitting) -> None:
    assert "the run goes on, the shell comes back" in left.album["quit"]
    said = left.album["detached"]
    assert re.search(r"^state +goes on without a terminal at r1 s1\d  REHEARSAL$", said, re.M)
    assert re.search(r"^come back +cockpit resume \d{8}-\d{6}-micro$", said, re.M)
    assert left.album["code"].endswith("code=0")
    position = next(p.position for p in left.events if isinstance(p, e.PauseReached) and p.position.stage == 15)
    assert position.round == 1


def test_status_sees_the_detached_run_and_what_it_waits_for(left: Sitting) -> None:
    assert "a cockpit is on it" in left.album["status"]
    assert re.search(r"^stage +round 1, s15 research_decision: done$", left.album["status"], re.M)
    assert "waits for a decision after s15: co-pilot pauses after stage 15" in left.album["status"]
    assert re.search(r"^next +cockpit approve \S+-micro, or cockpit reject \S+-micro --why", left.album["status"], re.M)


def test_a_second_cockpit_is_told_who_flies(left: Sitting) -> None:
    assert "another cockpit flies" in left.album["second"]
    assert left.album["second"].endswith("code=9")


def test_another_shell_approves(left: Sitting) -> None:
    assert "approve: handed to the cockpit that flies" in left.album["approved"]
    decision = next(d for d in left.view.decisions if d.position and d.position.stage == 15)
    assert (decision.what, decision.reason, decision.by.user) == ("approved", "looks right", getpass.getuser())


def test_an_aborted_run_can_be_resumed(left: Sitting) -> None:
    assert left.album["abort"].endswith("code=0")
    assert re.search(r"^next +cockpit resume \d{8}-\d{6}-micro$", left.album["stopped"], re.M)


def test_resume_shows_where_it_stood(finished: Sitting) -> None:
    assert finished.album["resumed"].startswith(HEADER + "1/3 · ⏸ PAUSED · decide: A or X · s17 paper_draft")
    assert "open" in finished.album["resumed"].splitlines()[1]


def test_the_second_round_and_the_end_are_on_the_screen(finished: Sitting) -> None:
    assert "gate  BLOCK" in finished.album["r1 s20"] or "gate  WARN" in finished.album["r1 s20"]
    assert finished.album["r2 s9"].startswith(HEADER + "2/3 · ")
    end = finished.album["end"].splitlines()
    assert end[0].startswith(HEADER + "2/3 · ")
    assert END.search(end[0])
    assert re.search(r"score 0\.\d\d → 0\.\d\d", end[0])
    assert "│ ✓ 23 citation verify" in finished.album["end"]
    assert re.search(r"✓ #\d+ +resolved +", finished.album["ledger"])


def test_d_shows_what_the_second_round_changed(finished: Sitting) -> None:
    picture = finished.album["diff"]
    assert "score 0.35 → " in picture
    assert "06_paper_writing/artifacts/" in picture
    assert re.search(r"\[-.+-\]|\{\+.+\+\}", picture)


def test_v_walks_a_number_to_its_results_and_jobs(finished: Sitting) -> None:
    assert re.search(r"│ \d+ rest on results  0 do not hold", finished.album["evidence"])
    picture = finished.album["number"]
    assert "evidence for " in picture
    assert re.search(r"seed-\d+", picture)


def test_leaving_a_finished_run_says_how_it_ended(finished: Sitting) -> None:
    said = finished.album["farewell"].replace("\n", "")
    assert re.search(r"state +(accepted|negative-result): .*REHEARSAL *obligations ", said)
    assert "obligations  0 open" in finished.album["farewell"]
    assert re.search(r"^(accepted|negative-result): ", finished.album["again"], re.M)
    assert finished.album["again"].endswith("code=0")


def test_git_is_clean_after_all_that(finished: Sitting) -> None:
    history = History(finished.folder.root)
    assert history.dirty() == []
    subjects = history.git("log", "--format=%s").splitlines()
    assert "r1 s05 back to literature_collect: rejected, too few surveys" in subjects
