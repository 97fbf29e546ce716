"""The code of a study as files, and the slip that the fault *crashing-script* puts into one of them.

Belongs here: reading the study's texts, baking in the rehearsal seed, choosing and planting the slip.
Not here: `conditions.json`, `run_all.py`, README (the executor's program makes them from the plan).
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Literal

# a progress line of the experiment: what a slip is put into
PROGRESS = re.compile(r'^( +)if number % (\d+) == 0:\n +print\(f"([a-z ]+) \{number\}: .*"\)\n', re.MULTILINE)
SlipKind = Literal["index", "key", "format", "zero"]
# what the wrong line says; {what} and {every} come from the right one
SLIPS: dict[SlipKind, str] = {
    "index": 'print(f"{what} {{number}}: next {{found[number + 1]}}")',
    "key": "print(f\"{what} {{number}} of {{settings['replications']}}\")",
    "format": 'print(f"{what} {{number}}: {{found:.4f}}")',
    "zero": 'print(f"{what} {{number}}: share {{number / (number - {every}):.4f}}")',
}
ERRORS: dict[SlipKind, str] = {
    "index": "IndexError",
    "key": "KeyError",
    "format": "TypeError",
    "zero": "ZeroDivisionError",
}
LATE_SHARE = 0.6


@dataclass(frozen=True)
class Slip:
    """One mistake: in which file, of which kind, and whether a short probe misses it."""

    file: str  # under scripts/
    kind: SlipKind
    late: bool

    @property
    def error(self) -> str:
        """The class of the exception that it raises."""
        return ERRORS[self.kind]


def slip(study: str, seed: int) -> Slip:
    """Where the fault *crashing-script* strikes in `study` at rehearsal `seed`."""
    rng = random.Random(f"{study}/crashing-script/{seed}")
    kind = rng.choice(sorted(SLIPS))
    # a share whose divisor is zero needs the first report to have passed
    late = kind == "zero" or rng.random() < LATE_SHARE
    return Slip(rng.choice(("scripts/run.py", "scripts/baselines.py")), kind, late)


def files(study: str, seed: int, crash: bool) -> dict[str, str]:
    """Path under `scripts/` → text of the study's code at rehearsal `seed`, with the slip if `crash`."""
    found = {f"scripts/{name}": text.replace("@SEED@", str(seed)) for name, text in _texts(study).items()}
    if crash:
        place = slip(study, seed)
        found[place.file] = _planted(found[place.file], place)
    return found


def _planted(text: str, place: Slip) -> str:
    """`text` with the slip in its progress line."""

    def wrong(right: re.Match[str]) -> str:
        indent, every, what = right.groups()
        when = f"number and number % {every} == 0" if place.late else f"number % {every} == 0"
        return f"{indent}if {when}:\n{indent}    {SLIPS[place.kind].format(what=what, every=every)}\n"

    planted, count = PROGRESS.subn(wrong, text)
    if count != 1:
        raise ValueError(f"{place.file} has {count} progress lines, not one")
    return planted


@cache
def _texts(study: str) -> dict[str, str]:
    """File name → text of the study's own files and those that all studies share."""
    found: dict[str, str] = {}
    for package in ("shared", study):
        for entry in resources.files(f"agents.rehearsal.studies.{package}").iterdir():
            if entry.name.endswith(".py.txt"):
                found[entry.name.removesuffix(".txt")] = entry.read_text(encoding="utf-8")
    return dict(sorted(found.items()))
