"""Pieces of Markdown pages that agents write from structured replies.

Belongs here: headings, lists, one-line cells. Not here: what a page says.
"""

from __future__ import annotations

from collections.abc import Iterable


def page(title: str, *sections: str) -> str:
    """A page: title and sections that are not empty, a blank line between, one final newline."""
    return "\n\n".join((f"# {line(title)}", *(s for s in sections if s))) + "\n"


def section(heading: str, *paragraphs: str) -> str:
    """A section with the paragraphs that are not empty; nothing at all when none is left."""
    kept = [p for p in paragraphs if p]
    return "\n\n".join((f"## {line(heading)}", *kept)) if kept else ""


def bullets(items: Iterable[str]) -> str:
    """A list, one line an item; empty when there are none."""
    return "\n".join(f"- {line(item)}" for item in items)


def line(text: str) -> str:
    """`text` on one line."""
    return " ".join(text.split())


def cell(text: str) -> str:
    """`text` as a cell of a table."""
    return line(text).replace("|", r"\|")


def table(header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table; empty when there are no rows."""
    body = [f"| {' | '.join(cell(c) for c in row)} |" for row in rows]
    if not body:
        return ""
    names = [cell(name) for name in header]
    return "\n".join((f"| {' | '.join(names)} |", f"|{'---|' * len(names)}", *body))
