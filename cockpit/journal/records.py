"""One journal record a line: checksum, sequence number, hash of the record before, event.

Belongs here: the form of a line and the chain. Not here: files (`segments.py`), meaning (kernel fold).
Line: 8 hex digits of CRC-32 of the body, a space, the body as JSON, LF. The body's SHA-256 is the
`prev` of the next record, so that a record edited, removed or moved breaks the chain.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256

from cockpit.kernel.events import AnyEvent, read_event
from cockpit.kernel.exits import CockpitError, Exit

GENESIS = "0" * 64
VERSION = 1
_LINE = re.compile(rb"([0-9a-f]{8}) (\{.*\})")


@dataclass(frozen=True, slots=True)
class Record:
    """A record as kept; `digest` is what the next one names as `prev`."""

    seq: int
    prev: str
    event: AnyEvent
    digest: str


@dataclass(frozen=True, slots=True)
class Head:
    """The end of a chain: what the next record continues."""

    seq: int = 0
    digest: str = GENESIS


class DamagedJournal(CockpitError):
    """A record that is not the last one cannot be read or breaks the chain."""

    def __init__(self, name: str, line: int, what: str) -> None:
        super().__init__(
            f"the journal is damaged: {what}",
            where=f"{name} line {line}",
            hint="Look at it with `cockpit status RUN` (read-only); earlier commits of the run hold earlier journals.",
            code=Exit.RUN_FOLDER,
        )


def encode(event: AnyEvent, head: Head) -> tuple[bytes, Record]:
    """The line for `event` after `head`, and the record it will be read as."""
    seq = head.seq + 1
    doc = {"v": VERSION, "seq": seq, "prev": head.digest, "event": event.model_dump(mode="json")}
    body = json.dumps(doc, separators=(",", ":"), ensure_ascii=False).encode()
    record = Record(seq, head.digest, event, sha256(body).hexdigest())
    return b"%08x %s\n" % (zlib.crc32(body), body), record


def split_whole(data: bytes) -> tuple[list[bytes], int]:
    """The whole lines of `data` whose checksum holds, from the start, and the length they take.

    What follows that length is a torn tail, if no good line follows it.
    """
    lines: list[bytes] = []
    at = 0
    while (end := data.find(b"\n", at)) >= 0:
        body = _body(data[at:end])
        if body is None:
            break
        lines.append(body)
        at = end + 1
    return lines, at


def good_line_after(data: bytes, at: int) -> bool:
    """Is there a readable record after position `at`? Then `at` is damage in the middle, no torn tail."""
    return any(_body(line) is not None for line in data[at:].split(b"\n")[1:])


def decode(bodies: Iterable[bytes], head: Head, name: str) -> Iterator[Record]:
    """Records of `bodies`, chained after `head`.

    Raises:
        DamagedJournal: a record does not continue the chain or cannot be understood.
    """
    for number, body in enumerate(bodies, 1):
        record = _decode(body, head, name, number)
        head = Head(record.seq, record.digest)
        yield record


def _decode(body: bytes, head: Head, name: str, line: int) -> Record:
    doc = json.loads(body)
    if doc.get("v", 0) > VERSION:
        raise DamagedJournal(name, line, f"written by a newer cockpit (journal version {doc['v']})")
    if doc["prev"] != head.digest or doc["seq"] != head.seq + 1:
        raise DamagedJournal(name, line, f"record {doc['seq']} does not follow record {head.seq}")
    try:
        event = read_event(doc["event"])
    except ValueError as error:
        raise DamagedJournal(
            name, line, f"record {doc['seq']} has an unknown form ({error.__class__.__name__})"
        ) from error
    return Record(doc["seq"], doc["prev"], event, sha256(body).hexdigest())


def _body(line: bytes) -> bytes | None:
    match = _LINE.fullmatch(line)
    if match is None or zlib.crc32(match[2]) != int(match[1], 16):
        return None
    return match[2]
