"""Can this run folder be trusted? Journal, ledger, evidence, receipts and commits against each other.

Belongs here: which records the folder must show, and the commits. Not here: the comparison of files with records
(`gates/verify.py`), rules about papers (gates).
"""

from __future__ import annotations

from cockpit.journal.history import History
from cockpit.journal.places import RunFolder
from cockpit.journal.records import Record
from cockpit.journal.segments import read_journal, read_sealed
from cockpit.journal.trees import WorkTree
from cockpit.kernel import events as e
from cockpit.kernel.exits import CockpitError
from cockpit.kernel.ledger_lines import LEDGER_FILE


def faults(folder: RunFolder) -> list[str]:
    """Sentences about everything that does not fit; empty = the folder is what its journal says."""
    from gates.verify import verify

    try:
        records = read_journal(folder.cockpit)
    except CockpitError as error:
        return [f"{error.what} ({error.where})"]
    kept = [str(difference) for difference in verify(WorkTree(folder.root), _committed(folder, records))]
    return kept + _commits(folder, records)


def ledger_faults(folder: RunFolder, records: list[Record] | None = None) -> tuple[object, ...]:
    """Lines of the ledger that are not the journal's, each naming its line."""
    from gates.verify import ledger

    records = records if records is not None else read_journal(folder.cockpit)
    return ledger(WorkTree(folder.root), _committed(folder, records))


def _committed(folder: RunFolder, records: list[Record]) -> list[tuple[int, e.AnyEvent]]:
    """The records that files in the folder tell of: those up to the last commit, or to the ledger's last line.

    A stage part at work has recorded more than the folder shows; a crash may have come between files and commit.
    """
    from gates.projection import line_seq

    path = folder.root / LEDGER_FILE
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines() if path.exists() else []
    written = max((seq for line in lines if (seq := line_seq(line)) is not None), default=0)
    sealed = max((s.records[-1].seq for s in read_sealed(folder.cockpit) if s.records), default=0)
    return [(r.seq, r.event) for r in records if r.seq <= max(written, sealed)]


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
