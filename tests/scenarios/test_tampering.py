"""A hand that changes what a run has left: gate and verify say what, and where."""

from __future__ import annotations

import json
import os
import random
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cockpit.commands.gate import judge
from cockpit.inspection import faults, ledger_faults
from cockpit.journal.segments import read_journal
from cockpit.kernel.events import CommitMade
from tests.scenarios.flights import Flown, cockpit

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]

PAPER, LEDGER = "final/paper.tex", "ledger/obligations.jsonl"


@pytest.fixture
def run(story: Flown, tmp_path: Path) -> Flown:
    """The story's folder, to be spoiled."""
    return story.copy(tmp_path)


def table_digits(text: str) -> Iterator[tuple[int, int]]:
    """(line, offset) of every digit in a row of a table."""
    offset, inside = 0, False
    for number, line in enumerate(text.split("\n"), 1):
        if "\\begin{tabular}" in line:
            inside = True
        elif "\\end{tabular}" in line:
            inside = False
        elif inside and "&" in line:
            yield from ((number, offset + digit.start()) for digit in re.finditer(r"\d", line))
        offset += len(line) + 1


def test_the_gate_recomputes_the_same_outcome(story: Flown) -> None:
    assert story.view.verdict is not None
    again = judge(story.folder)
    assert (again.outcome, again.criticals, again.majors) == (story.view.verdict.outcome, 0, 0)
    stored = story.root / "ledger" / "gate.json"
    assert json.loads(stored.read_text())["verdict"]["outcome"] == again.outcome


def test_the_gate_does_not_believe_what_is_stored(run: Flown) -> None:
    spot = next(iter(table_digits(run.text(PAPER))))
    change(run.root / PAPER, spot[1])
    for stored in ("ledger/gate.json", "final/STATUS"):
        before = (run.root / stored).read_text()
        (run.root / stored).write_text(before.replace("BLOCK", "NO_NEW_BLOCKER").replace("WARN", "NO_NEW_BLOCKER"))
    assert judge(run.folder).outcome == "BLOCK"


def change(path: Path, offset: int, by: int = 1) -> None:
    text = path.read_text()
    digit = str((int(text[offset]) + by) % 10)
    path.write_text(text[:offset] + digit + text[offset + 1 :])


def test_any_digit_of_any_table_cell_blocks_at_its_line(run: Flown) -> None:
    path, rng = run.root / PAPER, random.Random(7)
    whole = path.read_text()
    spots = list(table_digits(whole))
    assert len(spots) > 50
    missed = []
    for line, offset in spots:
        change(path, offset, rng.randint(1, 9))
        verdict = judge(run.folder)
        at = {r.span.line for r in verdict.reasons if r.severity == "block" and r.span and r.span.file == PAPER}
        if verdict.outcome != "BLOCK" or line not in at:
            missed.append((line, path.read_text().split("\n")[line - 1], at))
        path.write_text(whole)
    assert missed == []


def test_by_hand_from_another_shell(run: Flown) -> None:
    line, offset = list(table_digits(run.text(PAPER)))[-1]
    change(run.root / PAPER, offset)
    gate = cockpit("gate", run.root)
    assert (gate.returncode, gate.stderr) == (3, "")
    assert gate.stdout.startswith("BLOCK") and f"{PAPER}:{line}" in gate.stdout
    as_json = cockpit("gate", run.root, "--json")
    assert as_json.returncode == 3 and json.loads(as_json.stdout)["outcome"] == "BLOCK"
    verify = cockpit("verify", run.root)
    assert verify.returncode == 3 and PAPER in verify.stdout


# --- what verify names ---------------------------------------------------------------------------------------------


def edit_line(lines: list[str], n: int) -> list[str]:
    return [*lines[:n], lines[n].replace("critical", "minor").replace("resolved", "open").replace('"part"', '"Part"'),
            *lines[n + 1 :]]  # fmt: skip


LINES: dict[str, Callable[[list[str], int], list[str]]] = {
    "edited": edit_line,
    "removed": lambda lines, n: [*lines[:n], *lines[n + 1 :]],
    "reordered": lambda lines, n: [*lines[:n], lines[n + 1], lines[n], *lines[n + 2 :]],
    "doubled": lambda lines, n: [*lines[: n + 1], lines[n], *lines[n + 1 :]],
}


@pytest.mark.parametrize("how", LINES)
def test_a_ledger_line_that_was_touched_is_named(run: Flown, how: str) -> None:
    path, records = run.root / LEDGER, read_journal(run.folder.cockpit)
    whole = path.read_text().splitlines()
    for n in range(len(whole) - 1):
        touched = LINES[how](whole, n)
        if touched == whole:
            continue
        path.write_text("\n".join(touched) + "\n")
        said = " ".join(map(str, ledger_faults(run.folder, records)))
        named = {int(m[1]) for m in re.finditer(rf"{LEDGER}:(\d+)", said)}
        assert named & {n + 1, n + 2}, f"line {n + 1} {how}: {said}"
    assert judge(run.folder).outcome == "BLOCK"
    verify = cockpit("verify", run.root)
    assert verify.returncode == 3 and f"{LEDGER}:" in verify.stdout


def test_the_last_ledger_line_removed_is_named(run: Flown) -> None:
    path = run.root / LEDGER
    path.write_text("\n".join(path.read_text().splitlines()[:-1]) + "\n")
    assert any(LEDGER in fault for fault in faults(run.folder))
    gate = cockpit("gate", run.root)
    assert gate.returncode == 3 and LEDGER in gate.stdout


def test_an_evidence_copy_that_was_changed_is_named(run: Flown) -> None:
    for copy in sorted((run.root / "ledger" / "evidence").iterdir()):
        kept = copy.read_bytes()
        copy.write_bytes(kept + b" ")
        assert any(copy.name in fault for fault in faults(run.folder))
        assert judge(run.folder).outcome == "BLOCK"
        copy.write_bytes(kept)
    copy.unlink()
    assert any(copy.name in fault for fault in faults(run.folder))
    copy.write_bytes(kept)
    assert faults(run.folder) == []


def test_a_receipt_that_was_edited_or_removed_is_named(run: Flown) -> None:
    receipts = sorted((run.root / "ledger" / "receipts").glob("*.json"))
    assert len(receipts) > 30
    for path in (receipts[0], receipts[len(receipts) // 2]):
        kept = path.read_text()
        path.write_text(kept.replace('"exit_code": 0', '"exit_code": 1'))
        assert any(path.name in fault for fault in faults(run.folder)), path.name
        path.unlink()
        assert any(path.name in fault for fault in faults(run.folder)), path.name
        path.write_text(kept)
    assert faults(run.folder) == []


def last_commit(run: Flown) -> str:
    """The commit that the journal says was made last."""
    made = [r.event.commit for r in read_journal(run.folder.cockpit) if isinstance(r.event, CommitMade)]
    return made[-1]


def test_an_amended_commit_is_named(run: Flown) -> None:
    run.git("-c", "user.name=x", "-c", "user.email=x@x", "commit", "--amend", "--no-edit", "--allow-empty", "-m",
            "nothing happened")  # fmt: skip
    was, now = last_commit(run)[:7], run.git("rev-parse", "HEAD")[:7]
    found = faults(run.folder)
    assert any(was in fault and now in fault for fault in found), found
    assert cockpit("verify", run.root).returncode == 3


def test_a_commit_amended_with_its_trailers_kept_is_named(run: Flown) -> None:
    path = run.root / "final" / "STATUS"
    path.write_text(path.read_text() + "\n")
    run.git("add", "final/STATUS")
    run.git("-c", "user.name=x", "-c", "user.email=x@x", "commit", "--amend", "--no-edit")
    found = faults(run.folder)
    was, now = last_commit(run)[:7], run.git("rev-parse", "HEAD")[:7]
    assert any(was in fault and now in fault for fault in found), found


def test_a_flipped_byte_of_the_journal_is_named(run: Flown) -> None:
    rng = random.Random(3)
    for path in rng.sample(sorted((run.root / ".cockpit" / "journal").glob("*.jsonl")), 6):
        kept = path.read_bytes()
        at = rng.randrange(len(kept))
        path.write_bytes(kept[:at] + bytes([kept[at] ^ 1]) + kept[at + 1 :])
        found = faults(run.folder)
        line = kept[:at].count(b"\n") + 1
        assert any(path.name in fault for fault in found), (path.name, at, found)
        assert any(re.search(rf"{path.name}\D+{line}\b", fault) for fault in found), (path.name, line, found)
        path.write_bytes(kept)
    assert faults(run.folder) == []


def test_a_missing_segment_is_named(run: Flown) -> None:
    segments = sorted((run.root / ".cockpit" / "journal").glob("*.jsonl"))
    segments[3].unlink()
    verify = cockpit("verify", run.root)
    assert verify.returncode == 3 and segments[3].name in verify.stdout
    assert "Traceback" not in verify.stderr


def test_a_model_reply_that_was_edited_is_named(run: Flown) -> None:
    reply = sorted((run.root / ".cockpit" / "calls").glob("*.json"))[5]
    reply.write_text(reply.read_text().replace("0.", "1.", 1) + " ")
    assert any(reply.name in fault for fault in faults(run.folder))


def test_checks_are_quick(story: Flown) -> None:
    start = time.process_time()
    judge(story.folder)
    faults(story.folder)
    assert time.process_time() - start < 5.0
    assert os.listdir(story.root / "final")
