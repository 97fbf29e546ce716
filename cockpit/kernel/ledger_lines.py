"""The ledger's file: one line a ledger record, canonical JSON with the record's seq.

Belongs here: the form of `ledger/obligations.jsonl`, which the engine writes, resume repairs and gates
compare. Not here: writing it (engine), comparing it (`gates/projection.py`).
"""

from __future__ import annotations

from collections.abc import Iterable

from cockpit.kernel.events import LEDGER_KINDS, AnyEvent
from cockpit.kernel.model import canonical

LEDGER_FILE = "ledger/obligations.jsonl"
EVIDENCE_FOLDER = "ledger/evidence/"  # copies, named by sha256


def ledger_line(seq: int, event: AnyEvent) -> str:
    """One record as its line: canonical JSON with the record's seq, no newline."""
    return canonical({"seq": seq, **event.model_dump(mode="json")}).decode()


def ledger_lines(records: Iterable[tuple[int, AnyEvent]]) -> list[str]:
    """The lines of all ledger records, in journal order; other records are passed over."""
    return [ledger_line(seq, event) for seq, event in records if event.kind in LEDGER_KINDS]
