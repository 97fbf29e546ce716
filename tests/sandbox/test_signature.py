"""A failure has one name, however often it happens."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandbox.signature import normal, signature

HELPER = "def pick(rows, n):\n    return rows[n]\n"
CASES = {
    "import numpy_that_is_not_here": "ModuleNotFoundError@run.py:module: No module named 'numpy_that_is_not_here'",
    "from helper import pick\npick([1, 2], 12)": "IndexError@helper.py:pick: list index out of range",
    "import json\njson.loads('{')": "JSONDecodeError@run.py:module: Expecting property name enclosed in double quotes: "
                                    "line # column # (char #)",
    "open('/tmp/data/seed-3/x.csv')": "FileNotFoundError@run.py:module: [Errno #] No such file or directory: 'x.csv'",
    "class Bad(Exception): ...\nraise Bad": "Bad@run.py:module",
    "assert 3 == 4, f'got {3.14159}'": "AssertionError@run.py:module: got #",
    "try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    raise ValueError('seed 7') from e":
        "ValueError@run.py:module: seed #",
    "raise ValueError('first\\nsecond')": "ValueError@run.py:module: first",
    "def f(:\n": "SyntaxError@run.py:module: invalid syntax",
    "import sys\nprint('no data set')\nsys.exit(3)": "exit 3: no data set",
    "raise SystemExit(2)": "exit 2",
}  # fmt: skip


@pytest.mark.parametrize("code", CASES)
def test_real_failures_have_readable_names(tmp_path: Path, code: str) -> None:
    (tmp_path / "run.py").write_text(code)
    (tmp_path / "helper.py").write_text(HELPER)
    ran = subprocess.run([sys.executable, str(tmp_path / "run.py")], capture_output=True, text=True, check=False)
    tail = (ran.stdout + ran.stderr).splitlines()

    assert signature("failed", ran.returncode, tail) == CASES[code]


@pytest.mark.parametrize(("one", "other"), [
    ("shapes (3,4) and (5,6)", "shapes (30,4) and (5,61)"),
    ("object at 0x7f00aa", "object at 0x1234"),
    ("no /workspace/a/data.csv", "no /tmp/pytest-3/jobs/j1/work/a/data.csv"),
    ("in /tmp/tmpab12cd_x", "in /tmp/tmpzz99yy_0"),
    ("loss 1e-3 at step 7", "loss 2.5E+8 at step 9"),
])  # fmt: skip
def test_what_changes_from_run_to_run_is_left_out(one: str, other: str) -> None:
    assert normal(one) == normal(other)


def test_other_endings_are_named_by_their_reason() -> None:
    assert signature("out-of-memory", None, ()) == "out-of-memory"
    assert signature("finished", 0, ("Traceback",)) == ""
    assert signature("failed", 139, ()) == "exit 139"


@given(st.lists(st.text(max_size=60), max_size=20), st.integers(0, 255))
@settings(max_examples=25, deadline=None)
def test_any_output_has_a_name_of_bounded_length(tail: list[str], code: int) -> None:
    name = signature("failed", code, tail)
    assert name and len(name) < 500 and "\n" not in name
    assert signature("failed", code, tail) == name
