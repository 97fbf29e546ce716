"""Where a rehearsal plants its paper faults, and with which values: all chosen by the rehearsal's seed.

Belongs here: the choice of place, value, row and file of invented-number, wrong-row, wrong-bold and
reference-without-record. Not here: the sound text around them. A revision never plants.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from agents.rehearsal.reading import Prompt, Rehearsal
from cockpit.kernel.settings import Fault

NUMBER_SECTIONS = ("introduction", "method", "experiments", "conclusion")
REFERENCE_SECTIONS = ("introduction", "related_work", "method")
# each names a quantity that no experiment here measures, in words that no metric or condition has
INVENTED = (
    "A pilot on archived data had already saved {v}\\% of the tuning effort.",
    "In a field trial, {v}\\% of the analysts kept the recommended setting.",
    "An informal survey puts the share of affected studies at {v}\\%.",
    "Readers of an early version found {v}\\% of its advice useful in practice.",
    "A re-analysis of archived records spared {v}\\% of the manual checks.",
)
UNRECORDED = (
    "The same effect has been seen in applied work \\citep{{{key}}}.",
    "A textbook treatment is given by \\citet{{{key}}}.",
    "Practical advice on such choices goes back to \\citet{{{key}}}.",
    "Later reports agree with this picture \\citep{{{key}}}.",
)
SURNAMES = (
    "hartwell",
    "lindqvist",
    "okonedo",
    "marchetti",
    "vasquez",
    "tanabe",
    "kowalczyk",
    "abernathy",
    "delacroix",
    "novotny",
)
WORDS = ("practical", "notes", "modern", "applied", "compendium", "primer", "lessons", "handbook", "review", "survey")
_DIGITS = re.compile(r"\d+")


def plants(fault: Fault, prompt: Prompt, how: Rehearsal) -> bool:
    """Is this fault to be planted in an answer to this prompt?"""
    return fault in how.faults and not prompt.revising and prompt.tries == 1 and "faults" not in prompt.blocks


def section_of(fault: Fault, sections: Collection[str], how: Rehearsal) -> str:
    """The section that gets the fault, among those the paper has; empty if none of them can hold it."""
    wanted = NUMBER_SECTIONS if fault == "invented-number" else REFERENCE_SECTIONS
    here = [s for s in wanted if s in sections]
    return how.rng(f"{fault}/section").choice(here) if here else ""


def invented_sentence(how: Rehearsal, taken: Collection[str]) -> str:
    """A sentence with a percentage that is in no result: not as it stands, not as a fraction, not rounded."""
    rng = how.rng("invented-number/value")
    text = rng.choice(INVENTED)
    while True:
        value = f"{rng.randint(102, 978) / 10:.1f}"
        if value.endswith(".0") or value in taken or f"{float(value) / 100:.3f}" in taken:
            continue
        return text.format(v=value)


def unrecorded_sentence(how: Rehearsal, stored: Collection[str]) -> str:
    """A sentence that cites a key which no stored record has."""
    rng = how.rng("reference-without-record/key")
    text = rng.choice(UNRECORDED)
    while True:
        key = f"{rng.choice(SURNAMES)}{rng.randint(1988, 2023)}{rng.choice(WORDS)}"
        if key not in stored:
            return text.format(key=key)


@dataclass(frozen=True)
class Cell:
    """A cell of the hand-typed table: what it holds as measured, and how good that is (lower = better)."""

    printed: str
    badness: float


def wrong_row(
    cells: Mapping[tuple[int, int], Cell],
    best: Mapping[int, int],
    how: Rehearsal,
    taken: Collection[tuple[int, int]] = (),
) -> tuple[int, int, int] | None:
    """(row, other row, column): two rows whose values in the column change places; never the best one.

    Nor, where there are others, a cell in `taken`, which has a fault of its own. None when no column has two such rows.
    """
    rows, columns = sorted({r for r, _ in cells}), sorted({c for _, c in cells})
    options = [
        (one, other, column)
        for column in columns
        for n, one in enumerate(rows)
        for other in rows[n + 1 :]
        if best.get(column) not in (one, other) and _differ(cells, one, other, column)
    ]
    free = [o for o in options if not {(o[0], o[2]), (o[1], o[2])} & set(taken)]
    return how.rng("wrong-row").choice(free or options) if options else None


def _differ(cells: Mapping[tuple[int, int], Cell], one: int, other: int, column: int) -> bool:
    left, right = cells.get((one, column)), cells.get((other, column))
    return left is not None and right is not None and left.printed != right.printed


def wrong_bold(cells: Mapping[tuple[int, int], Cell], labels: Sequence[str], how: Rehearsal) -> tuple[int, int] | None:
    """(row, column) of a cell to set bold in place of the best: clearly not the best, also among its like.

    None when no column has such a cell.
    """
    options = []
    for column in sorted({c for _, c in cells}):
        line = {row: cell for (row, c), cell in cells.items() if c == column}
        for row, cell in sorted(line.items()):
            like = [r for r in line if _parameters(labels[r]) == _parameters(labels[row])]
            pools = [list(line), like] if len(like) > 1 else [list(line)]
            if all(
                any(line[r].badness < cell.badness and line[r].printed != cell.printed for r in pool) for pool in pools
            ):
                options.append((row, column))
    return how.rng("wrong-bold").choice(options) if options else None


def _parameters(label: str) -> tuple[str, ...]:
    return tuple(_DIGITS.findall(label))
