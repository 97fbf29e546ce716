"""What a commit says: subject, body, trailers, so that `git log --oneline` tells the night's story.

Belongs here: wording of commits. Not here: making them (`cockpit/journal/history.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

from cockpit.journal.history import message
from cockpit.journal.records import Record
from cockpit.kernel import events as e
from cockpit.kernel.ids import Part, Position
from cockpit.kernel.stages import stage
from cockpit.kernel.view import RunView

LINE = 100  # characters of a sentence in a subject


def stage_subject(position: Position, part: Part, summary: str) -> str:
    """`r2 s12 experiment_run: 25 of 25 jobs finished`."""
    name = stage(position.stage).name
    return f"{position.label} {name}: {_line(summary)}" + (" (draft)" if part == "draft" else "")


def of_records(records: Sequence[Record], view: RunView, segment: str, ledger_head: str) -> tuple[str, str]:
    """Subject and whole message of the commit that carries `records`, as they stand in `view`.

    The last record that ends something decides; only records are read, so that a commit missing
    after a crash is made with the same words.
    """
    subject, body, position = _words(records, view)
    spent = [r.event for r in records if isinstance(r.event, e.CallReplied)]
    models = sorted({c.reported_model or c.asked_model for c in spent})
    last = records[-1]
    trailers = {
        "Round": str(view.round),
        "Stage": f"{view.position.stage} {stage(view.position.stage).name}" if view.position else "",
        "Agent": stage(view.position.stage).agent if view.position else "",
        "Model": ", ".join(models) or "–",
        "Cost-USD": f"{sum(c.cost_usd for c in spent):.4f}",
        "Tokens": str(sum(c.tokens_in + c.tokens_out for c in spent)),
        "Gate": view.verdict.outcome if view.verdict else "",
        "Position": position,
        "Seq": str(last.seq),
        "Chain": last.digest[:16],
        "Ledger": ledger_head[:16],
        "Segment": segment,
    }
    if view.run and view.run.settings.rehearsal.on:
        nearest = "" if view.run.settings.rehearsal.fits else " The idea fits no built-in study; the nearest is done."
        body = f"{body}\n\nREHEARSAL: built-in models, no research result.{nearest}".strip()
    return subject, message(subject, body, trailers)


def _words(records: Sequence[Record], view: RunView) -> tuple[str, str, str]:
    for record in reversed(records):
        if (words := _words_of(record.event, view)) is not None:
            return words
    return "journal", "", ""


def _words_of(event: e.AnyEvent, view: RunView) -> tuple[str, str, str] | None:
    match event:
        case e.StageDone() | e.StageReused() | e.StageFailed():
            return _stage_words(event)
        case e.WentBack():
            subject = f"{event.position.label} back to {stage(event.target).name}: {event.why}, {_line(event.reason)}"
            return subject, event.reason, _back(view)
        case e.RoundClosed():
            return _round_words(event, view)
        case e.RunFinished():
            return f"run finished: {event.outcome}, {_line(event.reason)}", event.reason, "end"
        case e.PersonEdited():
            return f"{event.by.user} edited {_line(', '.join(event.paths))}", "", ""
        case e.RunCreated():
            return f"run created: {_line(event.title)}", "\n".join((*event.caps, *event.notices)), "start"
        case _:
            return None


def _stage_words(event: e.StageDone | e.StageReused | e.StageFailed) -> tuple[str, str, str]:
    position = event.position
    match event:
        case e.StageDone():
            return stage_subject(position, event.part, event.summary), event.body, f"{position}/{event.part}"
        case e.StageReused():
            summary = f"unchanged since {event.source.label}, reused"
            return stage_subject(position, "whole", summary), "", f"{position}/whole"
        case e.StageFailed():
            summary = f"failed, {_line(event.message)}"
            return stage_subject(position, "whole", summary), f"{event.code}: {event.message}", f"{position}/failed"


def _round_words(closed: e.RoundClosed, view: RunView) -> tuple[str, str, str]:
    score = "no score" if closed.score is None else f"score {closed.score:.2f}"
    if closed.entry is None:
        subject = f"r{closed.round} rounds over: {closed.outcome}, {score}"
    else:
        subject = f"r{closed.round} back to {stage(closed.entry).name}: {score}, {closed.criticals} critical open"
    return subject, closed.why, _back(view)


def _back(view: RunView) -> str:
    return f"{view.heading.position}/back" if view.heading else ""


def ledger_head(lines: Sequence[str]) -> str:
    """A hash of the ledger's lines, for the commit's trailer."""
    return sha256("\n".join(lines).encode()).hexdigest()


def _line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LINE else line[: LINE - 1].rstrip() + "…"
