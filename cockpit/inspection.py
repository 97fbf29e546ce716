"""Can this run folder be trusted? Journal, ledger, evidence, receipts and commits against each other.

Belongs here: comparing what is kept twice. Not here: rules about papers (gates).
"""

from __future__ import annotations

from cockpit.engine.keeper import receipt_path
from cockpit.journal.history import History
from cockpit.journal.places import RunFolder
from cockpit.journal.records import Record
from cockpit.journal.segments import read_journal, read_sealed
from cockpit.kernel import events as e
from cockpit.kernel.exits import CockpitError
from cockpit.kernel.fold import fold_all
from cockpit.kernel.ledger_lines import LEDGER_FILE
from cockpit.kernel.model import pretty, sha256


def faults(folder: RunFolder) -> list[str]:
    """Sentences about everything that does not fit; empty = the folder is what its journal says."""
    try:
        records = read_journal(folder.cockpit)
    except CockpitError as error:
        return [f"{error.what} ({error.where})"]
    found = [str(fault) for fault in ledger_faults(folder, records)]
    found += _evidence(folder, records)
    found += _receipts(folder, records)
    found += _commits(folder, records)
    return found


def ledger_faults(folder: RunFolder, records: list[Record] | None = None) -> tuple[object, ...]:
    """Lines of the ledger that are not the journal's, each naming its line."""
    from gates.projection import line_seq, verify_lines

    records = records if records is not None else read_journal(folder.cockpit)
    path = folder.root / LEDGER_FILE
    lines = path.read_text().splitlines() if path.exists() else []
    written = max((seq for line in lines if (seq := line_seq(line)) is not None), default=0)
    upto = max(written, _last_sealed(folder))
    return tuple(verify_lines(lines, [(r.seq, r.event) for r in records if r.seq <= upto]))


def _last_sealed(folder: RunFolder) -> int:
    """Seq of the last committed record: the ledger file may lag behind the open segment."""
    return max((s.records[-1].seq for s in read_sealed(folder.cockpit) if s.records), default=0)


def _evidence(folder: RunFolder, records: list[Record]) -> list[str]:
    wanted = {ev.sha256: ev.path for r in records if isinstance(r.event, e.PartClosed) for ev in r.event.evidence}
    found = []
    for digest, source in sorted(wanted.items()):
        copy = folder.root / "ledger" / "evidence" / digest
        if copy.exists() and sha256(copy.read_bytes()) != digest:
            found.append(f"ledger/evidence/{digest}: the copy of {source} was changed")
    return found


def _receipts(folder: RunFolder, records: list[Record]) -> list[str]:
    found = []
    for receipt in fold_all((r.seq, r.event) for r in records).receipts:
        path = folder.root / receipt_path(receipt)
        if path.exists() and path.read_text() != pretty(receipt):
            found.append(f"{receipt_path(receipt)}: not the receipt in the journal (edited)")
    return found


def _commits(folder: RunFolder, records: list[Record]) -> list[str]:
    """Each commit's Chain trailer must be the digest of the record it names, and none may be missing or made again."""
    history = History(folder.root)
    digests = {str(r.seq): r.digest[:16] for r in records}
    form = "--format=%h%x00%(trailers:key=Seq,valueonly,separator=)%x00%(trailers:key=Chain,valueonly,separator=)"
    found = []
    for line in history.git("log", form).splitlines():
        commit, seq, chain = [*line.split("\0"), "", ""][:3]
        if seq and digests.get(seq) != chain:
            found.append(
                f"commit {commit}: its trailers (Seq {seq}) are not the journal's (amended, or journal changed)"
            )
    found += _lost_commits(history, records)
    found += _changed_since(history)
    try:
        history.git("fsck", "--strict", "--no-dangling")
    except CockpitError as error:
        found.append(f"git fsck: {error.what}")
    return found


def _lost_commits(history: History, records: list[Record]) -> list[str]:
    """The first commit that the journal tells of and the history lacks, and what stands in its place."""
    made = [r.event for r in records if isinstance(r.event, e.CommitMade)]
    log = history.git("log", "--reverse", "--format=%H %P").splitlines()
    there = {line.split()[0]: line.split()[1:] for line in log}
    lost = [commit for commit in made if commit.commit not in there]
    if not lost:
        return []
    before = made[made.index(lost[0]) - 1].commit if made[0] is not lost[0] else ""
    instead = next((commit for commit, parents in there.items() if parents == [before]), "")
    said = f"; {instead[:7]} stands in its place" if instead else ""
    more = f" (and {len(lost) - 1} after it)" if len(lost) > 1 else ""
    return [f"commit {lost[0].commit[:7]} ({lost[0].subject}) is not in the history any more{more}{said}: "
            "amended, rebased or dropped"]  # fmt: skip


def _changed_since(history: History) -> list[str]:
    """Journal, calls, ledger and package must be on disk as they were committed."""
    kept = (".cockpit/", "ledger/", "final/")
    return [f"{path}: differs from what was committed" for path in history.dirty() if path.startswith(kept)]
