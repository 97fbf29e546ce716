"""Patches: what a program may correct from results, and what needs a person, as hunks in source files.

Belongs here: hunks and applying them. Not here: deciding what is wrong (`judging.py`, `bold.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from cockpit.kernel.model import Model
from gates.latex.tokens import Lines

HunkClass = Literal["corrected-from-results", "needs-person"]


class HunkPlace(Model):
    """Columns [column, end_column) of a line, from 1; `end_line` as `line` unless said."""

    file: str
    line: int
    column: int
    end_column: int


class Hunk(Model):
    r"""One replacement. In the source file (file, line, column, end_column: `old` → `new`) and in the rendered text.

    `new` None: nothing a program may write. `old` is what stands in the source file there.
    """

    file: str
    line: int
    column: int
    end_column: int
    old: str
    new: str | None
    hunk_class: HunkClass
    key: str = ""
    rule: str = ""
    why: str = ""
    pattern: str = ""
    rendered: HunkPlace

    def as_json(self) -> dict[str, object]:
        """As `fix_patch.json` has it: the class under `class`."""
        data = self.model_dump(mode="json")
        data["class"] = data.pop("hunk_class")
        return data


class FixPatch(Model):
    """`fix_patch.json`."""

    paper: str
    hunks: tuple[Hunk, ...] = ()

    @property
    def correctable(self) -> tuple[Hunk, ...]:
        """What the writer may apply."""
        return tuple(h for h in self.hunks if h.hunk_class == "corrected-from-results" and h.new is not None)

    def as_json(self) -> dict[str, object]:
        return {"schema": "cockpit.fix-patch/1", "paper": self.paper, "hunks": [h.as_json() for h in self.hunks]}


def read_patch(data: Mapping[str, object]) -> FixPatch:
    """The patch of a parsed `fix_patch.json`.

    Raises:
        pydantic.ValidationError: it is none.
    """
    hunks = [{("hunk_class" if k == "class" else k): v for k, v in dict(h).items()} for h in data.get("hunks", [])]  # type: ignore[attr-defined]
    return FixPatch.model_validate({"paper": data.get("paper", ""), "hunks": hunks})


def apply(text_by_file: Mapping[str, str], patch: FixPatch) -> dict[str, str]:
    """The texts with all hunks of class corrected-from-results applied; hunks of other files are left out.

    Works on source files and, if the rendered text is among them, on that.

    Raises:
        ValueError: a hunk's `old` does not stand at its place (the text is not the one that was judged).
    """
    edits: dict[str, list[tuple[int, int, str, str]]] = {}
    for hunk in patch.correctable:
        assert hunk.new is not None
        places = [(HunkPlace(file=hunk.file, line=hunk.line, column=hunk.column, end_column=hunk.end_column), hunk.old)]
        if hunk.rendered.file != hunk.file:
            places.append((hunk.rendered, hunk.old))
        for place, old in places:
            if place.file in text_by_file:
                edits.setdefault(place.file, []).append((place.line, place.column, old, hunk.new))
    return {file: _edited(text, file, edits.get(file, ())) for file, text in text_by_file.items()}


def _edited(text: str, file: str, edits: Sequence[tuple[int, int, str, str]]) -> str:
    lines = Lines(text)
    for line, column, old, new in sorted(set(edits), reverse=True):
        start = lines.start(line) + column - 1
        if text[start : start + len(old)] != old:
            raise ValueError(f"{file}:{line}:{column} does not read {old!r}; it was judged with other bytes")
        text = text[:start] + new + text[start + len(old) :]
    return text
