"""Whatever is broken, no gate says done, passes, or throws."""

from __future__ import annotations

from typing import Any

import pytest
from gates_world import AT, World, accusation
from hypothesis import given, settings
from hypothesis import strategies as st

from cockpit.kernel.ledger_lines import LEDGER_FILE, ledger_lines
from cockpit.kernel.stages import STAGES
from gates import artifacts as a
from gates.auditors import SCHEDULE

GARBAGE = [
    b"",
    b"\xff\xfe",
    b"null",
    b"[]",
    b"{}",
    b"3",
    b'"x"',
    b"[null]",
    b"[[",
    b"{broken: [",
    b"\\cite{ghost}",
    b'{"results": null}',
    b"NaN",
    b"- - -\n:",
    b"[" * 5000,
    b"!!python/object:os.system {}",
    b"\x00" * 10,
]

JUDGED = [
    a.PAPERS,
    a.PLAN,
    a.CURRENT,
    a.OUTLINE,
    a.RENDERED,
    a.SCHEDULE,
    a.TESTS,
    a.HYPOTHESES,
    a.SHORTLIST,
    a.DECISION,
    a.CHANGES,
]


def whole() -> tuple[World, list[Any]]:
    world = World().begin()
    reviews = world.reviewed()
    world.audited()
    world.put(LEDGER_FILE, "".join(line + "\n" for line in ledger_lines(world.events)))
    return world, reviews


@pytest.mark.parametrize("path", JUDGED)
def test_no_artifact_may_be_garbage_or_missing(path: str) -> None:
    world, reviews = whole()
    assert world.decide(reviews).outcome != "BLOCK"
    kept = world.files[path]
    for data in [g for g in GARBAGE if not (path == a.CHANGES and g == b"[]")]:
        world.put(path, data)
        assert world.decide(reviews).outcome == "BLOCK", data[:20]
        if data in (b"\xff\xfe", b"[null]", GARBAGE[-3]):
            everything_answers(world)
    del world.files[path]
    assert world.decide(reviews).outcome == "BLOCK"
    everything_answers(world)
    world.put(path, kept)
    assert world.decide(reviews).outcome != "BLOCK"


def everything_answers(world: World) -> None:
    for stage, part in SCHEDULE:
        for run in world.gates.audit(stage, part, world.tree, world.view).runs:
            # the numbers program has its own tests; broken by hostile input it says so, and blocks
            assert run.verdict != "ERROR" or run.auditor == "numbers", run
    for stage in STAGES:
        world.gates.unmet(stage.number, world.tree, world.view)
    world.gates.settle(world.view, world.at(20), AT, world.tree)


@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_any_broken_files_at_once(data: st.DataObject) -> None:
    world, reviews = whole()
    found = [
        accusation("lint-todo", "TODO", auditor="lint", deterministic=True, severity="critical"),
        accusation("collapse-constant", "rmse of ols", auditor="collapse", deterministic=True, severity="critical"),
    ]
    world.record(*world.gates.intake(world.view, world.at(19), AT, found, []))
    paths = data.draw(st.lists(st.sampled_from(sorted(world.files)), min_size=1, max_size=6, unique=True))
    for path in paths:
        content = data.draw(st.one_of(st.none(), st.sampled_from(GARBAGE), st.binary(max_size=60)))
        if content is None:
            del world.files[path]
        else:
            world.put(path, content)
    assert world.decide(reviews).outcome == "BLOCK", "an open critical blocks whatever else"
    everything_answers(world)
    routed = world.gates.route(world.view, world.decide(reviews), world.gates.score(world.view, reviews))
    assert routed.outcome not in ("accepted", "negative-result")


def test_an_empty_tree_holds_no_contract() -> None:
    world = World().begin()
    world.files.clear()
    lacking = {s.number for s in STAGES if world.gates.unmet(s.number, world.tree, world.view)}
    assert lacking == {s.number for s in STAGES}


def test_same_tree_and_view_same_answer() -> None:
    one, two = whole(), whole()
    assert one[0].decide(one[1]) == two[0].decide(two[1])
    assert one[0].view.ledger == two[0].view.ledger
