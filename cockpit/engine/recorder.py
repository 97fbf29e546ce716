"""The single writer of run state: appends events, folds them, replays what an unfinished stage left.

Belongs here: journal + view + the leftovers of a crash. Not here: what happens next (`engine.py`).

After a crash the records of the unfinished stage part are set aside as *leftovers*. The stage runs
again from its beginning; what it records again is matched with a leftover and not written twice; a
reply it asks for again is recalled. So the journal of a killed run reads like one that was not.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from cockpit.journal.records import Record
from cockpit.journal.segments import Journal
from cockpit.kernel import events as e
from cockpit.kernel.fold import fold
from cockpit.kernel.ids import CallPath, JobId, Position, Seq
from cockpit.kernel.model import canonical, sha256
from cockpit.kernel.view import RunView

Publish = Callable[[RunView, Sequence[tuple[Seq, e.AnyEvent]]], None]
BOUNDARIES = (e.RunCreated, e.StageReused, e.StageDone, e.StageFailed, e.WentBack, e.RoundClosed, e.RunFinished)
ACTS = (e.CallIntended, e.CallReplied, e.CallFailed, e.EffectRecorded)
# what a stage records while it works; everything else is a person's or the engine's and stands as it is
OF_A_STAGE = (*ACTS, e.JobsPlanned, e.JobStarted, e.JobFinished, e.RepairMade, e.PlanFrozen, e.ResultsSeen, e.AuditRan,
              e.ReviewReceived, e.VerificationReceived, e.ObligationOpened, e.ObligationSeen,
              e.ObligationDisappeared, e.ObligationReappeared, e.PartProvisionallyMet, e.PartClosed,
              e.ObligationSuperseded, e.ObligationReopened, e.TurnSpoken, e.GateJudged)  # fmt: skip


@dataclass
class Leftovers:
    """Records of an unfinished stage part, by what finds them again."""

    by_digest: dict[str, list[Record]] = field(default_factory=lambda: defaultdict(list))
    by_path: dict[CallPath, list[Record]] = field(default_factory=lambda: defaultdict(list))

    def add(self, record: Record) -> None:
        if isinstance(record.event, ACTS):
            self.by_path[record.event.path].append(record)
        else:
            self.by_digest[digest(record.event)].append(record)

    def remaining(self) -> list[Record]:
        """Everything not taken yet, in order."""
        groups = (*self.by_digest.values(), *self.by_path.values())
        return sorted((r for group in groups for r in group), key=lambda r: r.seq)


class Recorder:
    """Journal and view of a live run."""

    def __init__(self, journal: Journal, publish: Publish) -> None:
        self.journal, self._publish = journal, publish
        self.view = RunView()
        self.leftovers = Leftovers()
        self.acts: dict[CallPath, list[Record]] = defaultdict(list)  # of the present stage part
        self.finished_jobs: dict[JobId, e.JobFinished] = {}
        self.entered: e.StageEntered | None = None  # of an unfinished stage instance
        self._load()

    def _load(self) -> None:
        records = list(self.journal.records())
        boundary = max((i for i, r in enumerate(records) if isinstance(r.event, BOUNDARIES)), default=-1)
        for index, record in enumerate(records):
            if index > boundary and isinstance(record.event, OF_A_STAGE):
                self.leftovers.add(record)
                if isinstance(record.event, ACTS):
                    self.acts[record.event.path].append(record)
            else:
                self.view = fold(self.view, Seq(record.seq), record.event)
            self._remember(record.event)

    def _remember(self, event: e.AnyEvent) -> None:
        match event:
            case e.JobFinished():
                self.finished_jobs[event.job] = event
            case e.StageEntered():
                self.entered = event
            case e.StageDone(part="draft"):
                pass
            case e.StageDone() | e.StageReused() | e.StageFailed():
                self.entered = None
            case _:
                pass

    def record(self, event: e.AnyEvent, *, sync: bool = True) -> Seq:
        """Append `event` durably (or match it with a leftover), fold and publish it. Returns its seq.

        Raises:
            OSError: it is not on disk; nothing may rely on it.
        """
        record = self._leftover(event) or self.journal.append(event, sync=sync)
        self._take(record)
        return Seq(record.seq)

    def _take(self, record: Record) -> None:
        self._remember(record.event)
        self.view = fold(self.view, Seq(record.seq), record.event)
        self._publish(self.view, [(Seq(record.seq), record.event)])

    def _leftover(self, event: e.AnyEvent) -> Record | None:
        if isinstance(event, ACTS) or not self.leftovers.by_digest:
            return None
        same = self.leftovers.by_digest.get(digest(event))
        return same.pop(0) if same else None

    def recall(self, path: CallPath) -> e.CallReplied | e.EffectRecorded | None:
        """The journalled reply or effect at `path` of this stage part; its leftovers are folded now."""
        for record in self.leftovers.by_path.pop(path, []):
            self._take(record)
        for record in reversed(self.acts.get(path, [])):
            if isinstance(record.event, e.CallReplied | e.EffectRecorded):
                return record.event
        return None

    def attempts(self, path: CallPath) -> int:
        """How many attempts at `path` were intended in this stage part."""
        return sum(isinstance(r.event, e.CallIntended) for r in self.acts.get(path, []))

    def seq_of(self, path: CallPath) -> Seq | None:
        """Seq of the reply or effect at `path` of this stage part, None when there is none yet."""
        for record in reversed(self.acts.get(path, [])):
            if isinstance(record.event, e.CallReplied | e.EffectRecorded):
                return Seq(record.seq)
        return None

    def started_job(self, job: JobId) -> e.JobStarted | None:
        """A leftover start of `job`, so that it can be adopted."""
        for group in self.leftovers.by_digest.values():
            for record in group:
                if isinstance(record.event, e.JobStarted) and record.event.job.id == job:
                    return record.event
        return None

    def open_jobs(self) -> dict[str, str]:
        """job → handle of every job that was started and has not ended, as far as the journal knows."""
        started = [j for j in self.view.jobs.values() if j.receipt is None]
        known = {str(j.job): j.handle for j in started}
        for record in self.leftovers.remaining():
            if isinstance(record.event, e.JobStarted):
                known[record.event.job.id] = record.event.handle
        return {job: handle for job, handle in known.items() if job not in self.finished_jobs}

    def absorb_job(self, job: JobId) -> None:
        """Fold the leftovers about `job` now (it was adopted or recalled)."""
        for group in self.leftovers.by_digest.values():
            mine = [r for r in group if _about(r.event, job)]
            for record in mine:
                group.remove(record)
                self._take(record)

    def end_part(self) -> int:
        """A stage part is over: fold what was not asked for again. Returns how many of those it must have repeated."""
        rest = self.leftovers.remaining()
        self.leftovers = Leftovers()
        for record in rest:
            self._take(record)
        self.acts.clear()
        return sum(not isinstance(r.event, (*ACTS, e.JobStarted, e.JobFinished)) for r in rest)

    def note_act(self, seq: Seq, event: e.AnyEvent) -> None:
        """Remember a call or effect just recorded, for `recall` and `attempts` within the part."""
        if isinstance(event, ACTS):
            self.acts[event.path].append(Record(seq, "", event, ""))


def digest(event: e.AnyEvent) -> str:
    """What two recordings of the same fact have in common: everything but the time and the job's handle."""
    doc = json.loads(event.model_dump_json(exclude={"at", "handle"}))
    return sha256(canonical(doc))


def _about(event: e.AnyEvent, job: JobId) -> bool:
    match event:
        case e.JobStarted():
            return event.job.id == job
        case e.JobFinished():
            return event.job == job
        case _:
            return False


def unfinished(view: RunView) -> Position | None:
    """The stage instance that was begun and not ended, if any."""
    if view.position is None:
        return None
    instance = view.instances.get(str(view.position))
    return view.position if instance is not None and instance.status == "running" else None
