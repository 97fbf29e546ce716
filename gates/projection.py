"""What differs when somebody touched `ledger/obligations.jsonl`.

Belongs here: lines against the journal's records. Not here: the lines' form (`kernel/ledger_lines.py`),
reading either from disk, the hash chain (the journal's).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from cockpit.kernel.events import LEDGER_KINDS, AnyEvent
from cockpit.kernel.ledger_lines import LEDGER_FILE, ledger_line


@dataclass(frozen=True)
class LineFault:
    """A difference at a line (from 1) of the ledger; `seq` is the journal record it speaks of, 0 = none."""

    line: int
    seq: int
    what: str

    def __str__(self) -> str:
        return f"{LEDGER_FILE}:{self.line}: {self.what}"


def verify_lines(lines: Sequence[str], records: Iterable[tuple[int, AnyEvent]]) -> tuple[LineFault, ...]:
    """Every line that is not what the journal says, by line number; empty = the file is the journal's.

    An edited line, a line without its record, a missing record and a changed order are told apart.
    """
    expected = {seq: ledger_line(seq, event) for seq, event in records if event.kind in LEDGER_KINDS}
    faults: list[LineFault] = []
    seen: dict[int, int] = {}
    for number, line in enumerate(lines, 1):
        seq = line_seq(line)
        faults += _line_faults(number, line, seq, expected, seen)
        if seq is not None:
            seen.setdefault(seq, number)
    faults += _missing(expected, seen, len(lines))
    return tuple(sorted(faults, key=lambda f: (f.line, f.seq)))


def line_seq(line: str) -> int | None:
    """The seq that a line names; None when it is not such a line."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    seq = record.get("seq") if isinstance(record, dict) else None
    return seq if isinstance(seq, int) and not isinstance(seq, bool) else None


def _line_faults(number: int, line: str, seq: int | None, expected: dict[int, str],
                 seen: dict[int, int]) -> list[LineFault]:  # fmt: skip
    if seq is None:
        return [LineFault(number, 0, "not a ledger record (edited)")]
    if seq in seen:
        return [LineFault(number, seq, f"record {seq} stands here again (first at line {seen[seq]})")]
    if seq not in expected:
        return [LineFault(number, seq, f"record {seq} is no ledger record of the journal (added or edited)")]
    faults = []
    if line != expected[seq]:
        faults.append(LineFault(number, seq, f"edited: differs from journal record {seq}"))
    highest = max(seen, default=0)
    if seq < highest:
        faults.append(LineFault(number, seq, f"out of order: record {seq} stands after record {highest}"))
    return faults


def _missing(expected: dict[int, str], seen: dict[int, int], length: int) -> list[LineFault]:
    faults = []
    at = 1
    for seq in sorted(expected):
        if seq in seen:
            at = seen[seq] + 1
        else:
            faults.append(LineFault(min(at, length + 1), seq, f"removed: journal record {seq} is not in the file"))
    return faults
