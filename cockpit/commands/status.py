"""`cockpit status RUN`: where it stands, from the journal alone.

Belongs here: the printed summary. Not here: the fold.
"""

from __future__ import annotations

from pathlib import Path

import click

from cockpit.commands.options import AS_JSON, plain, print_json, run_argument, the_run
from cockpit.commission import load
from cockpit.journal.lock import is_locked
from cockpit.journal.places import RunFolder
from cockpit.kernel.stages import stage
from cockpit.kernel.view import RunView


@click.command("status")
@run_argument
@AS_JSON
def command(run: str, where: Path | None, as_json: bool) -> None:
    """Say where a run stands: stage, round, score, gate, open obligations, cost.

    \b
    Example: cockpit status last
    """
    folder = the_run(run, where)
    view = load(folder)
    live = is_locked(folder.cockpit)
    if as_json:
        print_json(document(folder, view, live=live))
        return
    for line in lines(folder, view, live=live):
        click.echo(line)


def document(folder: RunFolder, view: RunView, *, live: bool) -> dict[str, object]:
    """`cockpit.status/1`."""
    return {
        "schema": "cockpit.status/1",
        "run": folder.run,
        "folder": str(folder.root),
        "title": view.title,
        "live": live,
        "control": view.control if live else ("finished" if view.finished else "stopped"),
        "waits_for": _waits(view) or None,
        "outcome": view.finished.outcome if view.finished else None,
        "exit_code": view.finished.exit_code if view.finished else None,
        "round": view.round,
        "stage": view.position.stage if view.position else None,
        "stages": {n: s.status for n, s in sorted(view.stages.items())},
        "score": view.score.value if view.score else None,
        "gate": view.verdict.model_dump(mode="json") if view.verdict else None,
        "rounds": [r.model_dump(mode="json") for r in view.rounds],
        "open": [o.number for o in view.ledger.open],
        "calls": view.spending.calls,
        "cost_usd": view.spending.usd,
        "notices": [text for _level, text in view.notices],
        "failure": view.failure,
        "assurance": view.run.settings.assurance if view.run else None,
    }


def lines(folder: RunFolder, view: RunView, *, live: bool) -> list[str]:
    """The same for people."""
    out = [f"{folder.run} · {plain(view.title)}"]
    out += [
        f"  ! {plain(text)}"
        for level, text in view.notices
        if level != "info" or "REHEARSAL" in text or "no TeX" in text
    ]
    state = f"{_waits(view) or view.control} (a cockpit is on it)" if live else "stopped"
    if view.finished is not None:
        state = f"{view.finished.outcome} (exit {view.finished.exit_code}): {plain(view.finished.reason)}"
    out.append(f"state     {state}")
    if view.position is not None:
        now = view.stages.get(view.position.stage)
        name = stage(view.position.stage).name
        out.append(f"stage     round {view.round}, s{view.position.stage:02} {name}: {now.status if now else ''}")
    if view.failure:
        out.append(f"failure   {plain(view.failure)}")
    score = "none yet" if view.score is None or view.score.value is None else f"{view.score.value:.2f}"
    out.append(f"score     {score}   gate {view.verdict.outcome if view.verdict else 'not judged yet'}")
    ledger = view.ledger
    out.append(f"ledger    {len(ledger.open)} open ({ledger.criticals} critical, {ledger.majors} major) "
               f"of {len(ledger.obligations)}")  # fmt: skip
    out.append(f"spent     {view.spending.calls} calls, ${view.spending.usd:.2f}")
    out.append(f"folder    {folder.root}")
    if view.finished is not None and view.finished.next:
        out.append(f"next      {view.finished.next}")
    elif follow := _next(folder.run, view, live=live):
        out.append(f"next      {follow}")
    return out


def _waits(view: RunView) -> str:
    """What it waits for, when it waits for a person."""
    if view.pause is None:
        return ""
    what = "a decision" if view.pause.decision else "a person"
    return f"waits for {what} after s{view.pause.position.stage:02}: {plain(view.pause.why)}"


def _next(run: str, view: RunView, *, live: bool) -> str:
    """What to type; nothing while it works."""
    if not live:
        return f"cockpit resume {run}"
    if view.pause is not None and view.pause.decision:
        return f"cockpit approve {run}, or cockpit reject {run} --why '…'"
    if view.control in ("paused", "holding"):
        return f"cockpit continue {run}, or cockpit step {run}"
    return ""
