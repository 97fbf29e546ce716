"""The journal keeps whole records and names damage: torn tails are cut, the middle never."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cockpit.journal.records import DamagedJournal, Head, decode, encode, good_line_after, split_whole
from cockpit.journal.segments import Journal, read_journal
from cockpit.kernel.events import Noticed
from cockpit.kernel.ids import Instant

AT = Instant("2026-11-30T18:00:00Z")


def notice(text: str) -> Noticed:
    return Noticed(at=AT, level="info", text=text)


def written(folder: Path, texts: list[str], *, seal_after: int = 0) -> bytes:
    journal = Journal.open(folder)
    for number, text in enumerate(texts, 1):
        journal.append(notice(text))
        if number == seal_after:
            journal.seal()
    journal.close()
    return (folder / "open.jsonl").read_bytes()


@given(st.lists(st.text(), max_size=8))
@settings(max_examples=60, deadline=None)
def test_what_is_appended_is_read_back(texts: list[str]) -> None:
    data, head, records = b"", Head(), []
    for text in texts:
        line, record = encode(notice(text), head)
        data, head = data + line, Head(record.seq, record.digest)
        records.append(record)
    bodies, length = split_whole(data)
    assert length == len(data)
    assert list(decode(bodies, Head(), "x")) == records


def test_a_journal_cut_at_every_byte_keeps_its_whole_records(tmp_path: Path) -> None:
    data = written(tmp_path, ["one", "two", "drei ü"])
    ends = [i + 1 for i, byte in enumerate(data) if byte == 0x0A]
    for cut in range(len(data) + 1):
        (tmp_path / "open.jsonl").write_bytes(data[:cut])
        journal = Journal.open(tmp_path)
        assert len(journal.open_records) == sum(end <= cut for end in ends)
        assert (tmp_path / "open.jsonl").stat().st_size == max([0, *(e for e in ends if e <= cut)])
        journal.append(notice("after"))
        journal.close()
        assert len(read_journal(tmp_path)) == sum(end <= cut for end in ends) + 1


def test_every_bit_flip_is_a_torn_tail_or_named_damage(tmp_path: Path) -> None:
    data = written(tmp_path, ["a", "b"])
    first_end = data.index(b"\n") + 1
    for at in range(len(data)):
        for bit in range(8):
            flipped = bytearray(data)
            flipped[at] ^= 1 << bit
            bodies, whole = split_whole(bytes(flipped))
            if good_line_after(bytes(flipped), whole):
                assert at < first_end
            else:
                assert len(bodies) < 2


def test_damage_in_the_middle_stops_and_changes_nothing(tmp_path: Path) -> None:
    data = bytearray(written(tmp_path, ["a", "b", "c"]))
    data[20] ^= 1
    (tmp_path / "open.jsonl").write_bytes(bytes(data))
    with pytest.raises(DamagedJournal, match=r"open\.jsonl line 1"):
        Journal.open(tmp_path)
    assert (tmp_path / "open.jsonl").read_bytes() == bytes(data)


@pytest.mark.parametrize("change", ["edit", "remove", "swap"])
def test_a_sealed_record_edited_removed_or_moved_breaks_the_chain(tmp_path: Path, change: str) -> None:
    written(tmp_path, ["a", "b", "c", "d"], seal_after=4)
    path = tmp_path / "journal" / "000001.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    match change:
        case "edit":
            line, _ = encode(notice("B"), Head(1, "0" * 64))
            lines[1] = line
        case "remove":
            del lines[1]
        case _:
            lines[1], lines[2] = lines[2], lines[1]
    path.write_bytes(b"".join(lines))
    with pytest.raises(DamagedJournal, match=r"000001\.jsonl line \d"):
        read_journal(tmp_path)


def test_a_missing_segment_is_named(tmp_path: Path) -> None:
    journal = Journal.open(tmp_path)
    for text in ("a", "b", "c"):
        journal.append(notice(text))
        journal.seal()
    journal.close()
    (tmp_path / "journal" / "000002.jsonl").unlink()
    with pytest.raises(DamagedJournal, match="000002"):
        Journal.open(tmp_path)


def test_a_newer_journal_is_refused(tmp_path: Path) -> None:
    data = written(tmp_path, ["a"]).replace(b'"v":1', b'"v":9')
    body = data.split(b" ", 1)[1].rstrip(b"\n")
    import zlib

    (tmp_path / "open.jsonl").write_bytes(b"%08x %s\n" % (zlib.crc32(body), body))
    with pytest.raises(DamagedJournal, match="newer cockpit"):
        Journal.open(tmp_path)
