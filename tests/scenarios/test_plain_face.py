"""A dumb terminal: lines and numbered prompts, no sequence that a dumb terminal would show."""

from __future__ import annotations

from pathlib import Path

import pexpect
import pytest

from cockpit import commission
from cockpit.journal.places import all_runs
from tests.scenarios.flights import MICRO, ROOT
from tests.scenarios.windows import place_of_work

pytestmark = pytest.mark.timeout(200)


def test_a_dumb_terminal_gets_lines_and_answers_by_number(tmp_path: Path) -> None:
    environment = {**place_of_work(tmp_path), "TERM": "dumb"}
    words = [str(MICRO), "--mode", "gate-only", "--until", "5"]
    child = pexpect.spawn("cockpit", words, cwd=str(ROOT), env=environment, encoding="utf-8", timeout=90)
    child.expect("waits for a decision: gate-only pauses after stage 5")
    child.expect("Type a number, then Enter: 1 approve, 2 reject, 3 guide, 4 quit.")
    said = child.before + child.after
    child.sendline("3")
    child.expect("What must the following stages honour?")
    child.sendline("medians too")
    child.expect("guides from s06 on: medians too")
    child.sendline("1")
    child.expect("finished: until")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
    assert "\x1b" not in said + child.before
    (folder,) = all_runs(tmp_path / "runs")
    view = commission.load(folder)
    assert [d.what for d in view.decisions] == ["approved"]
    assert view.guidance[0].text == "medians too"
