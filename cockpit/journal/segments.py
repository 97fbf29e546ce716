"""The append-only journal on disk: one open segment, sealed ones beside it.

Belongs here: appending, sealing, reading back, the torn tail. Not here: the run's git (`history.py`),
who may write (`lock.py`: hold it before `Journal.open`).
`.cockpit/open.jsonl` is ignored by git; at a stage's end it becomes `.cockpit/journal/NNNNNN.jsonl`,
which is in that stage's commit.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cockpit.journal.files import append_durably, sync_folder
from cockpit.journal.records import DamagedJournal, Head, Record, decode, encode, good_line_after, split_whole
from cockpit.kernel.events import AnyEvent


@dataclass(frozen=True, slots=True)
class Segment:
    """A sealed segment: its name (`000007.jsonl`) and records."""

    name: str
    records: tuple[Record, ...]


class Journal:
    """The writer. One per run, under the run's lock."""

    def __init__(self, folder: Path, sealed: list[Segment], records: list[Record], cut: int) -> None:
        """Use `Journal.open`. `cut` = bytes of a torn tail that were removed."""
        self.folder, self.sealed, self.open_records, self.cut = folder, sealed, records, cut
        last = records[-1] if records else next((s.records[-1] for s in reversed(sealed) if s.records), None)
        self.head = Head(last.seq, last.digest) if last else Head()
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
        self._fd = os.open(self._open_path, flags, 0o644)

    @classmethod
    def open(cls, folder: Path) -> Journal:
        """Read everything, cut a torn tail, be ready to append. `folder` is the run's `.cockpit`.

        Raises:
            DamagedJournal: damage that is not a torn tail.
        """
        (folder / "journal").mkdir(parents=True, exist_ok=True)
        sealed = list(read_sealed(folder))
        head = _head(sealed)
        path = folder / "open.jsonl"
        data = path.read_bytes() if path.exists() else b""
        bodies, whole = split_whole(data)
        if whole < len(data):
            if good_line_after(data, whole):
                raise DamagedJournal(path.name, len(bodies) + 1, "a record in the middle is unreadable")
            with path.open("r+b") as file:
                file.truncate(whole)
                os.fsync(file.fileno())
        records = list(decode(bodies, head, path.name))
        return cls(folder, sealed, records, len(data) - whole)

    @property
    def _open_path(self) -> Path:
        return self.folder / "open.jsonl"

    def append(self, event: AnyEvent, *, sync: bool = True) -> Record:
        """Append `event`; with `sync` it is durable when this returns.

        Raises:
            OSError: nothing may rely on the event (no space: pause; I/O error: stop).
        """
        line, record = encode(event, self.head)
        before = os.fstat(self._fd).st_size
        try:
            if sync:
                append_durably(self._fd, line)
            else:
                os.write(self._fd, line)
        except OSError:
            os.ftruncate(self._fd, before)
            raise
        self.head = Head(record.seq, record.digest)
        self.open_records.append(record)
        return record

    def seal(self) -> str:
        """Close the open segment under the next number; returns its name."""
        name = f"{len(self.sealed) + 1:06}.jsonl"
        os.fsync(self._fd)
        os.close(self._fd)
        self._open_path.rename(self.folder / "journal" / name)
        sync_folder(self.folder / "journal")
        sync_folder(self.folder)
        self.sealed.append(Segment(name, tuple(self.open_records)))
        self.open_records = []
        self._fd = os.open(self._open_path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
        return name

    def records(self) -> Iterator[Record]:
        """All records, oldest first."""
        for segment in self.sealed:
            yield from segment.records
        yield from self.open_records

    def close(self) -> None:
        """Let go of the file."""
        os.close(self._fd)


def read_sealed(folder: Path) -> Iterator[Segment]:
    """Sealed segments in order, chain checked.

    Raises:
        DamagedJournal: a segment is missing, or a record is unreadable or out of chain.
    """
    head = Head()
    for number, path in enumerate(sorted((folder / "journal").glob("[0-9]*.jsonl")), 1):
        if path.name != f"{number:06}.jsonl":
            raise DamagedJournal(path.name, 1, f"segment {number:06}.jsonl is missing")
        segment = read_segment(path.name, path.read_bytes(), head)
        head = Head(segment.records[-1].seq, segment.records[-1].digest) if segment.records else head
        yield segment


def read_segment(name: str, data: bytes, head: Head) -> Segment:
    """A sealed segment from its bytes, chained after `head`.

    Raises:
        DamagedJournal: as `read_sealed`.
    """
    bodies, whole = split_whole(data)
    if whole != len(data):
        raise DamagedJournal(name, len(bodies) + 1, "a record is unreadable")
    return Segment(name, tuple(decode(bodies, head, name)))


def read_journal(folder: Path) -> list[Record]:
    """All whole records of a run, for readers without the lock: a torn or growing tail is left alone.

    Raises:
        DamagedJournal: damage before the tail.
    """
    for _ in range(3):  # a seal may happen between our two reads
        sealed = list(read_sealed(folder))
        head = _head(sealed)
        path = folder / "open.jsonl"
        data = path.read_bytes() if path.exists() else b""
        bodies, _whole = split_whole(data)
        try:
            tail = list(decode(bodies, head, path.name))
        except DamagedJournal as error:
            last = error
            continue
        return [r for s in sealed for r in s.records] + tail
    raise last


def _head(sealed: list[Segment]) -> Head:
    last = next((s.records[-1] for s in reversed(sealed) if s.records), None)
    return Head(last.seq, last.digest) if last else Head()
