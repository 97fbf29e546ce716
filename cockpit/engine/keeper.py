"""Sealing and committing: projections written, segment sealed, one commit, tags.

Belongs here: the last steps of the write order, and making up for them after a crash. Not here: stages.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping

from cockpit.engine import commits, outputs, reports
from cockpit.engine.recorder import Recorder
from cockpit.journal.history import NOBODY, History
from cockpit.journal.places import RunFolder
from cockpit.journal.records import Record
from cockpit.journal.trees import WorkTree
from cockpit.kernel import events as e
from cockpit.kernel.fold import fold_all
from cockpit.kernel.ledger_lines import LEDGER_FILE, ledger_lines
from cockpit.kernel.model import pretty
from cockpit.kernel.protocols import Clock
from cockpit.kernel.results import JobReceipt


class Keeper:
    """Turns what was recorded into a commit."""

    def __init__(self, folder: RunFolder, recorder: Recorder, history: History, clock: Clock) -> None:
        self._folder, self._recorder, self._history, self._clock = folder, recorder, history, clock
        self._ours: set[str] = set()  # changed by us since the last commit; all else is a person's
        self._bodies: set[str] | None = None  # committed ones

    def put(self, files: Mapping[str, bytes | None]) -> None:
        """Move files into the tree (None takes one out); they are in the next commit."""
        outputs.move_in(self._folder, files)
        self._ours |= set(files)

    def clear(self, tree: WorkTree, target: int) -> None:
        """Take out what the stages from `target` on own, on the way back to it."""
        self._ours |= set(outputs.take_out(self._folder, tree, target))

    def project(self) -> None:
        """Write ledger, evidence, receipts and progress as the journal has them; projections, never sources."""
        files: dict[str, bytes | None] = {"progress.json": reports.progress(self._recorder.view)}
        lines = self._ledger_lines()
        if lines:
            files[LEDGER_FILE] = ("\n".join(lines) + "\n").encode()
        for receipt in self._recorder.view.receipts:
            path = receipt_path(receipt)
            if not (self._folder.root / path).exists():
                files[path] = pretty(receipt).encode()
        files |= outputs.evidence_copies(self._recorder.view, WorkTree(self._folder.root))
        self.put(files)

    def _ledger_lines(self) -> list[str]:
        return ledger_lines((r.seq, r.event) for r in self._recorder.journal.records())

    async def commit(self, *, tag: str = "", author: str = NOBODY, everything: bool = False) -> str:
        """Seal the open segment and commit what is ours (`everything`: and all else); `tag` is set at it."""
        self.project()
        records = list(self._recorder.journal.open_records)
        segment = f"{len(self._recorder.journal.sealed) + 1:06}.jsonl"
        head = commits.ledger_head(self._ledger_lines())
        subject, text = commits.of_records(records, self._recorder.view, segment, head)
        self._recorder.journal.seal()
        commit = await asyncio.to_thread(self._commit, text, tag, author, None if everything else self._due(segment))
        self._ours.clear()
        made = e.CommitMade(at=self._clock.now(), commit=commit, subject=subject, tag=tag)
        self._recorder.record(made, sync=False)
        return commit

    def _due(self, segment: str) -> list[str]:
        """Our changed paths, the new segment, bodies that no commit has yet."""
        if self._bodies is None:
            self._bodies = {path.rsplit("/", 1)[-1] for path in self._history.known(".cockpit/calls")}
        fresh = {p.name for p in self._folder.calls.glob("*.json")} - self._bodies
        self._bodies |= fresh
        return [*self._ours, f".cockpit/journal/{segment}", *(f".cockpit/calls/{name}" for name in fresh)]

    def _commit(self, text: str, tag: str, author: str, paths: list[str] | None) -> str:
        commit = self._history.commit(text, author=author, paths=paths)
        if tag:
            self._history.tag(tag)
        return commit

    def make_up(self) -> list[str]:
        """Commit sealed segments that no commit names: a crash came between seal and commit."""
        committed = set(self._history.trailer_values("Segment"))
        made = []
        for index, segment in enumerate(self._recorder.journal.sealed):
            if segment.name in committed or not segment.records:
                continue
            before = [r for s in self._recorder.journal.sealed[: index + 1] for r in s.records]
            made.append(self._history.commit(self._message(before, list(segment.records), segment.name)))
        return made

    def _message(self, upto: list[Record], records: list[Record], segment: str) -> str:
        view = fold_all((r.seq, r.event) for r in upto)
        head = commits.ledger_head(ledger_lines((r.seq, r.event) for r in upto))
        return commits.of_records(records, view, segment, head)[1]


def receipt_path(receipt: JobReceipt) -> str:
    """Where a job's receipt is projected to."""
    return f"ledger/receipts/{receipt.job}.json"


def ends_something(records: Iterable[Record]) -> bool:
    """Do these unsealed records end with something that a commit is due for?"""
    due = (e.StageDone, e.StageReused, e.StageFailed, e.WentBack, e.RoundClosed, e.RunFinished, e.PersonEdited,
           e.RunCreated)  # fmt: skip
    return any(isinstance(r.event, due) for r in records)
