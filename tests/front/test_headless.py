"""Runs without a screen: a line for every kind of event, JSON that ends with how it ended, readers that leave."""

from __future__ import annotations

import io
import json
import typing

import demo_engine as demo
import pytest

from cockpit.front.headless import HeadlessFace, Printer, run_headless
from cockpit.front.plain import offers_of, prompt_of, run_plain
from cockpit.front.sentences import line_of
from cockpit.kernel import events as e
from cockpit.kernel.exits import CockpitError, Exit
from cockpit.kernel.ids import Position
from cockpit.kernel.protocols import Face


def test_every_event_of_the_story_has_one_printable_line() -> None:
    events = demo.story()
    view = demo.view_of(events)
    for event in events:
        line = line_of(event, view)
        assert line.count("\n") == 0
        assert len(line) > 20
        assert line.isprintable()


def test_no_kind_of_event_is_forgotten() -> None:
    """Every class of the union, built bare, falls into a case."""
    kinds = typing.get_args(typing.get_args(e.AnyEvent)[0])
    view = demo.view_of(demo.story())
    covered = {type(event) for event in demo.story()}
    where = Position(round=1, stage=17)
    rest = [
        e.StageReused(at="2026-11-30T18:00:00Z", position=where, source=where, outputs={}),
        e.ObligationSeen(at="", position=where, fingerprint=f"{4:016x}", severity="critical"),
        e.ObligationWaived(at="", position=where, fingerprint=f"{4:016x}", by=demo.ME, why="known"),
        e.Noticed(at="", level="warning", text="disk low \x1b[31m"),
        e.WentBack(at="", position=where, target=8, why="pivot", reason="no effect", by=demo.ME),
        e.PersonEdited(at="", paths=("a.md",), by=demo.ME),
        e.GuidanceGiven(at="", stage=17, text="be brief", by=demo.ME),
    ]
    for event in rest:
        assert "\x1b" not in line_of(event, view)
    assert covered | {type(event) for event in rest} <= set(kinds)


def test_json_lines_end_with_the_end_and_hold_no_secret() -> None:
    out, people = io.StringIO(), io.StringIO()
    code = run_headless(
        lambda face: demo.DemoEngine(face, demo.story(), ends=True),
        as_json=True,
        people=people,
        scripts=out,
    )
    lines = [json.loads(line) for line in out.getvalue().splitlines()]

    assert code == 0
    assert [line["seq"] for line in lines] == list(range(1, len(lines) + 1))
    assert lines[0]["kind"] == "run-created"
    assert "secret" not in lines[0]
    last = lines[-1]
    assert (last["kind"], last["outcome"], last["exit_code"], last["cost_usd"]) == ("run-finished", "accepted", 0, 1.24)
    assert last["run_folder"].endswith("runs/demo")
    assert "r2 s12  experiment_run entered" in people.getvalue()
    assert people.getvalue().splitlines()[-1].startswith("come back")


def test_what_a_person_can_mend_is_one_message_and_its_code() -> None:
    def start(face: Face) -> demo.DemoEngine:
        raise CockpitError(
            "no model is configured", where="./cockpit.yml line 3", hint="Try --rehearsal.", code=Exit.MODELS
        )

    people = io.StringIO()
    assert run_headless(start, people=people) == 7
    assert people.getvalue() == "cockpit: no model is configured\n  ./cockpit.yml line 3\n  Try --rehearsal.\n"


def test_an_engine_that_breaks_is_a_bug_with_a_crash_file() -> None:
    def start(face: Face) -> demo.DemoEngine:
        engine = demo.DemoEngine(face, demo.story(), ends=True)
        engine.error = ValueError("wrong turn")
        return engine

    people = io.StringIO()
    assert run_headless(start, people=people) == 1
    assert "internal error: wrong turn" in people.getvalue()
    assert "Traceback" not in people.getvalue()


def test_a_reader_that_leaves_does_not_stop_the_run() -> None:
    class Gone(io.StringIO):
        def write(self, text: str) -> int:
            raise BrokenPipeError

    assert run_headless(lambda face: demo.DemoEngine(face, demo.story(), ends=True), people=Gone()) == 0


def test_the_printer_never_blocks_who_speaks() -> None:
    printer = Printer(io.StringIO(), None)
    face = HeadlessFace(printer)
    for n, event in enumerate(demo.story(), 1):
        face.facts(demo.view_of([]), [(n, event)])  # type: ignore[list-item]
    printer.close()
    assert printer.dropped == 0


@pytest.mark.parametrize(("typed", "verb"), [("1\n", "pause"), ("2\n", "step"), ("3\nbe brief\n", "guide")])
def test_the_plain_face_takes_numbers(typed: str, verb: str) -> None:
    engines: list[demo.DemoEngine] = []

    def start(face: Face) -> demo.DemoEngine:
        engines.append(demo.DemoEngine(face, demo.story()))
        return engines[0]

    people = io.StringIO()
    code = run_plain(start, who=demo.ME, lines=io.StringIO(typed + "9\n4\n"), people=people)

    assert code == 130
    assert engines[0].posted[0].verb == verb
    assert engines[0].stopped_why == "left by mira"
    assert "Type a number, then Enter: 1 pause" in people.getvalue()


def test_the_plain_face_offers_a_decision_when_one_is_due() -> None:
    pause = e.PauseReached(at="", position=Position(round=1, stage=5), why="gate", decision=True)
    view = demo.view_of([*demo.story(), pause])

    assert [name for name, _ in offers_of(view)] == ["approve", "reject", "guide", "quit"]
    assert prompt_of(view) == "Type a number, then Enter: 1 approve, 2 reject, 3 guide, 4 quit."
