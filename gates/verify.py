"""`cockpit verify`: what in the run's folder is not what the journal says.

Belongs here: ledger lines, evidence copies, job receipts and review receipts against journal records. Not
here: the hash chain and the commits (journal), reading either from disk, the policy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cockpit.kernel.events import (
    AnyEvent,
    CallReplied,
    JobFinished,
    ObligationOpened,
    PartClosed,
    ReviewReceived,
    VerificationReceived,
)
from cockpit.kernel.ledger_lines import EVIDENCE_FOLDER, LEDGER_FILE, ledger_lines
from cockpit.kernel.model import pretty, sha256
from cockpit.kernel.protocols import Tree
from cockpit.kernel.reviews import ReviewReceipt
from gates.artifacts import text_of
from gates.projection import verify_lines

RECEIPTS = "ledger/receipts/"
Records = Sequence[tuple[int, AnyEvent]]


@dataclass(frozen=True)
class Difference:
    """One thing that does not hold: where (`line` from 1, 0 = the file), which record (0 = none), what."""

    path: str
    line: int
    seq: int
    what: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.what}" if self.line else f"{self.path}: {self.what}"


def verify(tree: Tree, records: Records) -> tuple[Difference, ...]:
    """All differences between the tree and the journal's records, in a stable order; empty = none."""
    return (*ledger(tree, records), *evidence(tree, records), *jobs(tree, records), *answers(records))


def ledger(tree: Tree, records: Records) -> tuple[Difference, ...]:
    """Lines of the ledger that were edited, added, removed or moved, by number."""
    expected = ledger_lines(records)
    text = text_of(tree, LEDGER_FILE)
    if text.value is None:
        return (Difference(LEDGER_FILE, 0, 0, text.problem),) if expected or tree.exists(LEDGER_FILE) else ()
    faults = verify_lines(text.value.splitlines(), records)
    return tuple(Difference(LEDGER_FILE, f.line, f.seq, f.what) for f in faults)


def evidence(tree: Tree, records: Records) -> tuple[Difference, ...]:
    """Copies that a resolution rests on, which are missing or have other bytes."""
    numbers = {e.obligation.fingerprint: e.obligation.number for _, e in records if isinstance(e, ObligationOpened)}
    found: dict[str, Difference] = {}
    closings = [(seq, event) for seq, event in records if isinstance(event, PartClosed)]
    for seq, event in closings:
        for proof in event.evidence:
            path = f"{EVIDENCE_FOLDER}{proof.sha256}"
            closed = f"which closed #{numbers.get(event.fingerprint, '?')}"
            if not tree.exists(path):
                found.setdefault(path, Difference(path, 0, seq, f"{closed}, is missing"))
            elif sha256(tree.read(path)) != proof.sha256:
                found.setdefault(path, Difference(path, 0, seq, f"{closed}, has other bytes"))
    return tuple(found[path] for path in sorted(found))


def jobs(tree: Tree, records: Records) -> tuple[Difference, ...]:
    """Receipts of jobs on disk that are not the journal's."""
    expected = {f"{RECEIPTS}{e.job}.json": (seq, pretty(e.receipt)) for seq, e in records if isinstance(e, JobFinished)}
    found = []
    for path in sorted({*expected, *tree.list(RECEIPTS)}):
        seq, said = expected.get(path, (0, ""))
        if not said:
            found.append(Difference(path, 0, 0, "no such job ended, as the journal says"))
        elif not tree.exists(path):
            found.append(Difference(path, 0, seq, f"the receipt of journal record {seq} is missing"))
        elif tree.read(path) != said.encode():
            found.append(Difference(path, 0, seq, f"differs from journal record {seq}"))
    return tuple(found)


def answers(records: Records) -> tuple[Difference, ...]:
    """Reviews and verifications whose receipt names no model call of the journal, or another one."""
    calls = {seq: event for seq, event in records if isinstance(event, CallReplied)}
    found = []
    for seq, event in records:
        match event:
            case ReviewReceived():
                name, receipt = f"review by {event.review.reviewer}", event.review.receipt
            case VerificationReceived():
                name, receipt = f"verification of {event.verification.obligation}", event.verification.receipt
            case _:
                continue
        wrong = _call_fault(receipt, calls.get(receipt.seq))
        if wrong:
            found.append(Difference("journal", seq, seq, f"{name}: {wrong}"))
    return tuple(found)


def _call_fault(receipt: ReviewReceipt, call: CallReplied | None) -> str:
    if call is None:
        return f"record {receipt.seq} is no reply of a model"
    pairs = (
        ("call", receipt.call, call.path), ("position", receipt.position, call.position),
        ("prompt", receipt.prompt_sha256, call.prompt_sha256), ("reply", receipt.reply_sha256, call.body),
        ("response id", receipt.response_id, call.response_id), ("model", receipt.reported_model, call.reported_model),
        ("family", receipt.family, call.family),
    )  # fmt: skip
    lost = [name for name, claimed, real in pairs if claimed != real]
    return f"its receipt differs from record {receipt.seq} in {', '.join(lost)}" if lost else ""
