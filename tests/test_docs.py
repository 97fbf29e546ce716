"""What the pages in docs/ name is there: files, and the rows they tell people to add to."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
ROOMS = "agents|cockpit|gates|panes|sandbox|themes|docs|examples"
INVENTED = {"agents/literature/shelf_mark.py", "gates/titles.py", "agents/prompts/exp-planner/power.md.j2"}


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_a_page_names_files_that_are_there(page: Path) -> None:
    named = set(re.findall(rf"(?<![\w/.])(?:{ROOMS})/[\w/.-]+\.(?:py|md|yml|json|j2|sh)", page.read_text()))
    assert [name for name in sorted(named - INVENTED) if not (ROOT / name).exists()] == []


@pytest.mark.parametrize(
    ("path", "row"),
    [
        ("agents/literature/catalogue.py", "NETWORK"),
        ("themes/choice.py", "PALETTES"),
        ("agents/rehearsal/studies/__init__.py", "STUDIES"),
        ("agents/rehearsal/topics.py", "TOPICS"),
        ("gates/auditors.py", "_BY_NAME"),
        ("gates/auditors.py", "SCHEDULE"),
        ("gates/closers.py", "TABLE"),
        ("cockpit/kernel/events.py", "AnyEvent"),
    ],
)
def test_the_row_to_add_to_is_where_the_page_says(path: str, row: str) -> None:
    assert row in (ROOT / "docs/extending.md").read_text()
    assert re.search(rf"^{row}\b", (ROOT / path).read_text(), re.MULTILINE)


def test_the_exit_codes_on_the_page_are_those_of_the_kernel() -> None:
    from cockpit.kernel.exits import Exit

    rows = re.findall(r"^\| (\d+) \|", (ROOT / "docs/interfaces.md").read_text(), re.MULTILINE)
    assert [int(row) for row in rows] == sorted(Exit)


def test_every_schema_that_commands_print_is_on_the_page() -> None:
    code = "".join(p.read_text() for p in (ROOT / "cockpit/commands").glob("*.py"))
    printed = set(re.findall(r'"schema": "(cockpit\.[\w-]+/\d+)"', code))
    assert printed == set(re.findall(r"`(cockpit\.[\w-]+/\d+)`", (ROOT / "docs/interfaces.md").read_text()))
