"""The console script's first steps: what opens a screen, and what is not imported before it is needed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from cockpit.entry import commands, wants_screen

ROOT = Path(__file__).parents[2]
TERMINAL = {"TERM": "xterm-256color"}
HEAVY = {"textual", "litellm", "docker", "git", "scipy", "pydantic", "rich", "yaml", "asyncio"}


@pytest.mark.parametrize(
    ("line", "screen"),
    [
        ("idea.md", True),
        ("--mode express idea.md", True),
        ("run idea.md", True),
        ("resume last", True),
        ("idea.md --auto", False),
        ("idea.md --plain", False),
        ("idea.md --auto --json", False),
        ("status last", False),
        ("--help", False),
        ("", False),
    ],
)
def test_what_opens_a_screen(line: str, screen: bool) -> None:
    assert wants_screen(line.split(), TERMINAL, ["run", "resume", "status"]) is screen


def test_a_dumb_terminal_gets_none() -> None:
    assert not wants_screen(["idea.md"], {"TERM": "dumb"}, [])
    assert not wants_screen(["idea.md"], {}, [])


def test_commands_are_known_by_their_files() -> None:
    assert {"run", "resume", "status", "continue"} <= set(commands())


def loaded_by(code: str) -> set[str]:
    """Top-level modules that a fresh interpreter holds after `code`."""
    script = f"{code}\nimport sys; print(' '.join(sorted({{name.partition('.')[0] for name in sys.modules}})))"
    out = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    return set(out.stdout.split())


def test_nothing_heavy_is_loaded_before_the_fork() -> None:
    assert not loaded_by("import cockpit.entry, cockpit.front.shim") & HEAVY


def test_help_loads_no_screen_no_models_no_containers() -> None:
    code = "import sys\nsys.argv = ['cockpit', '--help']\nimport cockpit.entry\n"
    code += "try: cockpit.entry.main()\nexcept SystemExit: pass"
    assert not loaded_by(code) & {"textual", "litellm", "docker", "git"}
