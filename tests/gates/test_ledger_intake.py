"""What reports do to the ledger, and that nobody edits its file unseen."""

from __future__ import annotations

from gates_world import AT, World, accusation
from hypothesis import given, settings
from hypothesis import strategies as st

from cockpit.kernel import events as e
from cockpit.kernel.findings import Finding, Span
from cockpit.kernel.ids import Position
from cockpit.kernel.ledger_lines import LEDGER_FILE, ledger_lines
from gates import artifacts as a
from gates.fingerprints import fingerprint, similar
from gates.ledger import intake
from gates.projection import verify_lines
from gates.verify import verify

HERE = Position(round=1, stage=18)


def report(world: World, *findings: Finding, auditors: tuple[str, ...] = ("review:reviewer",)) -> list[str]:
    events = intake(world.view.ledger, HERE, AT, findings, auditors)
    world.record(*events)
    return [x.kind.removeprefix("obligation-") for x in events]


def test_a_finding_is_opened_seen_vanishes_and_comes_back(world: World) -> None:
    found = accusation()
    assert report(world, found) == ["opened"]
    assert report(world, found) == ["seen"]
    assert report(world) == ["disappeared"]
    assert world.view.ledger.open[0].vanished, "gone from the report is not mended"
    assert report(world) == []
    assert report(world, found) == ["reappeared", "seen"]
    assert not world.view.ledger.open[0].vanished


def test_only_an_auditor_that_looked_lets_its_findings_vanish(world: World) -> None:
    report(world, accusation())
    assert report(world, auditors=("numbers",)) == []


def test_severity_only_rises(world: World) -> None:
    found = accusation("claim-wide", deterministic=True, severity="minor")
    report(world, found)
    for severity, expected in (("critical", "critical"), ("minor", "critical")):
        report(world, found.model_copy(update={"severity": severity}))
        assert world.view.ledger.open[0].finding.severity == expected


def test_a_model_alone_accuses_as_major_at_most(world: World) -> None:
    report(world, accusation(severity="critical"), accusation("ethics-x", severity="critical", deterministic=True))
    assert [o.finding.severity for o in world.view.ledger.open] == ["major", "critical"]


def test_a_resolved_one_that_returns_reopens_with_open_parts(world: World) -> None:
    world.judge(18, findings=[accusation(parts=("a", "b"))])
    world.judge(20, verifications=[world.verification(1, 0), world.verification(1, 1)])
    assert not world.view.ledger.open
    assert report(world, accusation()) == ["reopened", "seen"]
    [o] = world.view.ledger.open
    assert (o.reopened, [p.state for p in o.parts]) == (1, ["open", "open"])


def test_numbers_and_links_to_reworded_ones(world: World) -> None:
    first = accusation(text="ridge beats least squares on every data set we tried")
    second = accusation(text="ridge beats least squares on every single data set we tried")
    third = accusation(text="something else altogether")
    report(world, first, second, third)
    one, two, three = world.view.ledger.open
    assert (one.number, two.number, three.number) == (1, 2, 3)
    assert two.similar_to == one.fingerprint
    assert three.similar_to is None


def test_one_report_with_the_same_accusation_twice_opens_it_once(world: World) -> None:
    one = accusation(severity="minor", parts=("x",))
    two = one.model_copy(update={"severity": "major", "parts": ("y",), "title": "other words"})
    assert report(world, one, two) == ["opened"]
    [o] = world.view.ledger.open
    assert (o.finding.severity, [p.text for p in o.parts]) == ("major", ["x", "y"])


def test_fingerprint_ignores_places_hashes_layout_and_the_form_of_the_paper() -> None:
    one = accusation(text="Ridge  is\nbetter")
    two = accusation(text="ridge is better", file="final/paper.tex", severity="minor")
    moved = two.model_copy(update={"spans": (two.spans[0].model_copy(update={"line": 99, "column": 3}),)})
    assert fingerprint(one) == fingerprint(two) == fingerprint(moved)
    others = [
        accusation("claim-wide", "Ridge is better"),
        accusation(text="Ridge is worse"),
        accusation(text="Ridge is better", auditor="review:reviewer-2"),
        accusation(text="Ridge is better", file=a.PLAN),
    ]
    assert len({fingerprint(o) for o in [one, *others]}) == 5


def test_findings_without_words_are_told_apart_by_their_title() -> None:
    bare = Finding(auditor="x", pattern="p", severity="minor", title="A", spans=(Span(file="f"),), owner=1)
    assert fingerprint(bare) != fingerprint(bare.model_copy(update={"title": "B"}))


@settings(max_examples=40, deadline=None)
@given(st.text(max_size=40), st.text(max_size=40))
def test_similarity_is_symmetric_and_fingerprints_total(one: str, other: str) -> None:
    x, y = accusation(text=one), accusation(text=other)
    assert similar(x, y) == similar(y, x)
    assert len(fingerprint(x)) == 16


def ledger_of(world: World) -> list[str]:
    world.judge(18, findings=[accusation(), accusation(text="All data"), accusation("ethics-x", "x")])
    world.judge(20, verifications=[world.verification(1)])
    lines = ledger_lines(world.events)
    assert len(lines) == 4
    return lines


def test_the_ledgers_file_is_the_journals(world: World) -> None:
    lines = ledger_of(world)
    assert verify_lines(lines, world.events) == ()


def test_each_way_to_touch_the_file_is_named_by_line(world: World) -> None:
    lines = ledger_of(world)
    edited = [*lines[:1], lines[1].replace("major", "minor"), *lines[2:]]
    [fault] = verify_lines(edited, world.events)
    assert (fault.line, "edited" in fault.what) == (2, True)
    [fault] = verify_lines([*lines[:2], *lines[3:]], world.events)
    assert (fault.line, "removed" in fault.what) == (3, True)
    [fault] = verify_lines(lines[:-1], world.events)
    assert (fault.line, "removed" in fault.what) == (4, True)
    faults = verify_lines([lines[1], lines[0], *lines[2:]], world.events)
    assert [(f.line, "order" in f.what) for f in faults] == [(2, True)]
    faults = verify_lines([*lines, lines[0]], world.events)
    assert [(f.line, "again" in f.what) for f in faults] == [(5, True)]
    faults = verify_lines([*lines, '{"seq": 9999}', "nonsense", '{"seq": true}'], world.events)
    assert [f.line for f in faults] == [5, 6, 7]


@settings(max_examples=30, deadline=None)
@given(st.data())
def test_any_single_change_of_a_byte_is_named(data: st.DataObject) -> None:
    world = World().begin()
    world.record(*intake(world.view.ledger, HERE, AT, [accusation(), accusation(text="All data")], []))
    lines = ledger_lines(world.events)
    line = data.draw(st.integers(0, len(lines) - 1))
    at = data.draw(st.integers(0, len(lines[line]) - 1))
    letter = data.draw(st.characters(codec="ascii", exclude_characters="\n\r"))
    touched = lines[line][:at] + letter + lines[line][at + 1 :]
    faults = verify_lines([*lines[:line], touched, *lines[line + 1 :]], world.events)
    assert (touched == lines[line]) == (not faults)
    assert all(f.line in (line + 1, line + 2) for f in faults)


def test_verify_names_ledger_evidence_receipts_and_answers(world: World) -> None:
    lines = ledger_of(world)
    world.put(LEDGER_FILE, "\n".join(lines) + "\n")
    found = verify(world.tree, world.events)
    receipts = [d for d in found if d.path.startswith("ledger/receipts/")]
    assert len(receipts) == 15, "no receipt was projected in this run"
    assert all("is no reply of a model" in d.what for d in found if d.path == "journal")

    world.put(LEDGER_FILE, "\n".join([lines[0], *lines[2:]]) + "\n")
    [difference] = [d for d in verify(world.tree, world.events) if d.path == LEDGER_FILE]
    assert str(difference).startswith(f"{LEDGER_FILE}:2: removed")
    copy = next(p for p in world.files if p.startswith("ledger/evidence/"))
    world.put(copy, b"other")
    assert any(d.path == copy and "other bytes" in d.what for d in verify(world.tree, world.events))


def test_a_vanished_event_never_names_an_unknown(world: World) -> None:
    assert not [
        x for x in intake(world.view.ledger, HERE, AT, [], ["numbers"]) if isinstance(x, e.ObligationDisappeared)
    ]
