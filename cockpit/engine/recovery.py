"""Taking up a run again: lock, leftovers of git, torn tail, missing commits, stray files.

Belongs here: the first steps of every start, in their order (`durability.md`, resume). Not here: going
on with stages (`engine.py`). Every step may be cut off and repeated.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field

from cockpit.engine.keeper import Keeper, ends_something
from cockpit.engine.recorder import Publish, Recorder
from cockpit.journal.history import History
from cockpit.journal.lock import RunLock
from cockpit.journal.places import RunFolder
from cockpit.journal.segments import Journal
from cockpit.journal.trees import WorkTree
from cockpit.kernel import events as e
from cockpit.kernel.protocols import Clock
from cockpit.kernel.stages import BY_NUMBER, owns


@dataclass
class TakenUp:
    """A run that is locked, healed and ready to go on; `did` says what was mended."""

    folder: RunFolder
    lock: RunLock
    history: History
    journal: Journal
    recorder: Recorder
    keeper: Keeper
    tree: WorkTree
    did: list[str] = field(default_factory=list)

    def close(self) -> None:
        """Let go of everything."""
        self.journal.close()
        self.history.close()
        self.lock.release()


async def take_up(folder: RunFolder, clock: Clock, publish: Publish) -> TakenUp:
    """Lock and heal the run in `folder`.

    Raises:
        RunInUse: another cockpit has it.
        DamagedJournal: it cannot be trusted; nothing was changed.
    """
    lock = RunLock(folder.cockpit)
    try:
        history = History(folder.root, lock.children)
        did = [f"removed git's {name}" for name in history.heal()]
        journal = Journal.open(folder.cockpit)
    except BaseException:
        lock.release()
        raise
    if journal.cut:
        did.append(f"cut a torn tail of {journal.cut} bytes off the journal")
    recorder = Recorder(journal, publish)
    keeper = Keeper(folder, recorder, history, clock)
    run = TakenUp(folder, lock, history, journal, recorder, keeper, WorkTree(folder.root), did)
    await _make_up(run)
    _clear_strays(run)
    return run


async def _make_up(run: TakenUp) -> None:
    made = run.keeper.make_up()
    run.did += [f"made the missing commit {commit[:8]}" for commit in made]
    if not ends_something(run.journal.open_records):
        return
    for record in run.journal.open_records:
        if isinstance(record.event, e.WentBack) or (isinstance(record.event, e.RoundClosed) and record.event.entry):
            target = record.event.target if isinstance(record.event, e.WentBack) else record.event.entry
            assert target is not None
            run.keeper.clear(run.tree, target)
    commit = await run.keeper.commit(everything=True)
    run.did.append(f"made the commit {commit[:8]} that was due")


def _clear_strays(run: TakenUp) -> None:
    """Files that an unfinished stage had put into the tree go to `recovered/`; tracked ones are set back."""
    view = run.recorder.view
    numbers = {view.position.stage} if view.position else set()
    if view.heading:
        numbers.add(view.heading.position.stage)
    stages = [BY_NUMBER[n] for n in sorted(numbers) if n in BY_NUMBER]
    dirty = run.history.dirty()
    phases = tuple(f"{s.phase}/" for s in stages)
    strays = [p for p in dirty if any(owns(s, p) for s in stages) or p.startswith(("ledger/", "progress.json"))
              or (p.startswith(phases) and p.rsplit("/", 1)[-1] in ("report.json", "report.md", "work_plan.md"))
              or (p.startswith(phases) and "/stages/" in p)]  # fmt: skip
    if not strays:
        return
    tracked = set(run.history.names("HEAD"))
    place = run.folder.recovered / f"{view.seq:06}"
    for path in strays:
        source = run.folder.root / path
        if source.exists() or source.is_symlink():
            (place / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.move(source, place / path)
    run.history.discard([p for p in strays if p in tracked])
    run.did.append(f"set aside {len(strays)} half-made files of an unfinished stage")
