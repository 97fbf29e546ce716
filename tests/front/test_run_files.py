"""What d and v show of a run's folder: differences of two rounds word by word, the walk of a number."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import demo_engine as demo

from cockpit.front import run_files
from cockpit.front.screens import changes, evidence
from cockpit.kernel.stages import EXEC_A, VER_A, WRITE_A
from panes.line import plain, size
from panes.signs import UNICODE

SEED_FILE = f"{EXEC_A}/raw_results/main/ridge/seed-3.json"


def git(root: Path, *words: str) -> None:
    subprocess.run(["git", "-C", str(root), "-c", "user.name=t", "-c", "user.email=t@localhost", *words], check=True,
                   capture_output=True)  # fmt: skip


def write(root: Path, path: str, text: str) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Two tagged rounds whose paper differs in a number, and a number map."""
    git(tmp_path, "init", "-q")
    write(tmp_path, f"{WRITE_A}/sections/results.tex", "The error is 0.41 for Ridge and 0.50 for OLS.\n")
    write(tmp_path, f"{EXEC_A}/scripts/old.py", "pass\n")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "one")
    git(tmp_path, "tag", "round-1")
    write(tmp_path, f"{WRITE_A}/sections/results.tex", "The error is 0.39 for Ridge and 0.50 for OLS.\n--- a rule\n")
    (tmp_path / EXEC_A / "scripts/old.py").unlink()
    number = {"text": "0.39", "source_file": f"{WRITE_A}/sections/results.tex", "source_line": 1, "where": "text",
              "verdict": "rounding", "context": "The error is ⟦0.39⟧ for Ridge",
              "source": {"file": SEED_FILE, "key": "rmse/ridge/test/mean", "value": "0.388"}}  # fmt: skip
    wrong = {"text": "91.4", "source_file": "x.tex", "source_line": 7, "verdict": "unsupported", "source": None}
    write(tmp_path, run_files.NUMBER_MAP, json.dumps({"numbers": [number, wrong]}))
    row = {"condition": "ridge", "direction": "lower", "metric": "rmse", "seed": 3, "split": "test", "value": 0.388}
    write(tmp_path, SEED_FILE, json.dumps({"rows": [row]}))
    result = {"condition": "ridge", "kind": "main", "seed": 3, "block": "round-1", "condition_hash": "c" * 64,
              "file": SEED_FILE, "sha256": "d" * 64, "job": "ridge.seed-3.ab12cd34"}  # fmt: skip
    write(tmp_path, run_files.CURRENT, json.dumps({"plan_version": 1, "block": "round-1", "results": [result]}))
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "two")
    git(tmp_path, "tag", "round-2")
    return tmp_path


def test_a_diff_shows_words_out_and_in_the_paper_first(root: Path) -> None:
    found = run_files.changes_of(root, 2)
    assert found is not None
    assert (found.before, found.after) == ("round-1", "round-2")
    text = [plain(line).rstrip() for line in changes.diff_lines(found, demo.view_of(demo.story()), 100)]
    assert "  The error is [-0.41-]{+0.39+} for Ridge and 0.50 for OLS." in text
    assert "  {+--- a rule+}" in text
    assert f"{EXEC_A}/scripts/old.py" in text
    assert text.index(f"{WRITE_A}/sections/results.tex") < text.index(f"{EXEC_A}/scripts/old.py")


def test_one_round_is_compared_with_the_present_and_none_with_nothing(root: Path) -> None:
    git(root, "tag", "-d", "round-2")
    found = run_files.changes_of(root, 2)
    assert found is not None
    assert found.after == "HEAD"
    git(root, "tag", "-d", "round-1")
    assert run_files.changes_of(root, 2) is None


@pytest.mark.parametrize("width", [24, 60, 110])
def test_diff_lines_fit(root: Path, width: int) -> None:
    found = run_files.changes_of(root, 2)
    assert found is not None
    for line in changes.flow([("a word ", "text"), ("{+another+}", "good"), (" and the rest of it", "text")], width, 2):
        assert size(line) <= width
    assert changes.diff_lines(found, demo.view_of(demo.story()), width)


def test_a_number_is_walked_to_its_file_and_job(root: Path) -> None:
    found = run_files.Evidence(root)
    rows = [plain(row.line) for row in evidence.number_rows(found, 100, UNICODE)]
    assert rows[0].startswith("1 rest on results  1 do not hold")
    assert rows[2].startswith("✗ 91.4      x.tex:7        unsupported in no result")
    assert rows[3].startswith("✓ 0.39      results.tex:1  rounding    rmse/ridge/test/mean")
    assert rows[3].endswith("0.388")
    view = demo.view_of(demo.story())
    text = "\n".join(plain(line) for line in evidence.number_lines(found.numbers[0], found, view, 110, UNICODE))
    for words in ("The error is ⟦0.39⟧ for Ridge", "✓ rounding: a rounding of what was measured",
                  "rmse/ridge/test/mean = 0.388", "seed 3  0.388", SEED_FILE,
                  "job   ridge.seed-3.ab12cd34: finished, exit 0"):  # fmt: skip
        assert words in text


def test_a_run_without_a_paper_has_no_evidence_and_says_so(tmp_path: Path) -> None:
    found = run_files.Evidence(tmp_path)
    assert [plain(row.line) for row in evidence.number_rows(found, 80, UNICODE)] == [
        "no number of a paper has been traced yet"
    ]
    (tmp_path / VER_A).mkdir(parents=True)
    (tmp_path / run_files.NUMBER_MAP).write_text("{half")
    assert run_files.Evidence(tmp_path).numbers == ()
