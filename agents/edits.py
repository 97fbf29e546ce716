"""Section-wise edits: exact passages replaced, never a paper reprinted.

Belongs here: the edit, applying edits, the sentences about those that cannot be applied, the whitelist of
what an edit may bring in or take away. Not here: asking for edits (`drafting.py`, `revision.py`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from agents.latex_text import cited, faults, inputs
from agents.locating import count, locate
from cockpit.kernel.model import Model

_RES = re.compile(r"\\res(?:\[\d*\])?\{([^}]*)\}")
_LABEL = re.compile(r"\\label\{([^}]*)\}")
_DECIMAL = re.compile(r"(?<![\w.])\d+\.\d+")


class Edit(Model):
    """Replace `old`, which stands exactly once in section `section`, by `new` (empty = take it out)."""

    section: str
    old: str
    new: str
    why: str = ""


@dataclass(frozen=True)
class Whitelist:
    """What an edit may bring in: stored citation keys, result keys, numbers as measured, offered floats."""

    citations: frozenset[str]
    results: frozenset[str]
    numbers: frozenset[str]
    floats: tuple[str, ...]


@dataclass
class Applied:
    """Sections after the edits that could be applied, those edits, and why the others could not."""

    sections: dict[str, str]
    done: list[Edit] = field(default_factory=list)
    refused: list[tuple[Edit, str]] = field(default_factory=list)

    @property
    def faults(self) -> list[str]:
        """For a re-ask: each refused edit with its reason."""
        return [f"section {e.section}, “{e.old[:80]}”: {why}" for e, why in self.refused]


def apply(sections: Mapping[str, str], edits: Sequence[Edit], allowed: Whitelist) -> Applied:
    """Apply each edit that is exact and allowed, in order; the others are refused with a reason."""
    result = Applied(dict(sections))
    for edit in edits:
        text = result.sections.get(edit.section)
        why = f"there is no section {edit.section}" if text is None else refusal(text, edit, allowed)
        if why or text is None:
            result.refused.append((edit, why))
            continue
        result.sections[edit.section] = replaced(text, edit)
        result.done.append(edit)
    return result


def refusal(text: str, edit: Edit, allowed: Whitelist) -> str:
    """Why `edit` cannot be applied to `text`; empty = it can."""
    if edit.old == edit.new:
        return "it changes nothing"
    times = count(edit.old, text) if edit.old.strip() else 0
    if times != 1:
        return "the passage is not there word for word" if times == 0 else f"the passage stands there {times} times"
    if gone := sorted(set(inputs(edit.old)) - set(inputs(edit.new))):
        return f"it would take out {gone[0]}: experiments are not deleted"
    if gone := sorted(set(_LABEL.findall(edit.old)) - set(_LABEL.findall(edit.new))):
        return f"it would take out the label {gone[0]}"
    brought = _brought_in(edit, text, allowed)
    broken = faults(replaced(text, edit), may_input=allowed.floats)
    return brought or (broken[0] if broken else "")


def _brought_in(edit: Edit, text: str, allowed: Whitelist) -> str:
    if new := sorted(set(cited(edit.new)) - set(cited(text)) - allowed.citations):
        return f"{new[0]} is no stored reference"
    if new := sorted(set(_RES.findall(edit.new)) - allowed.results):
        return f"{new[0]} is no key of a result"
    known = set(_DECIMAL.findall(text))
    bare = _RES.sub("", edit.new)
    if new := sorted(n for n in set(_DECIMAL.findall(bare)) if n not in known and n not in allowed.numbers):
        return f"{new[0]} is no measured number"
    return ""


def replaced(text: str, edit: Edit) -> str:
    """`text` with the passage replaced; the double space that an emptied sentence leaves is closed."""
    at = locate(edit.old, text, shortest=1)
    if at is None:
        return text
    new = edit.new.strip()
    before, after = text[: at.start], text[at.end :]
    if not new and (not before or before[-1].isspace()):
        after = after.lstrip(" ")
        if before.endswith("\n") and after.startswith("\n"):
            after = after[1:]
    return before + new + after
