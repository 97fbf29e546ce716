"""`cockpit runs`: what is there.

Belongs here: the list. Not here: reading a run (`cockpit/commission.py`).
"""

from __future__ import annotations

from pathlib import Path

import click

from cockpit.commands.options import AS_JSON, RUNS_DIR, plain, print_json, runs_dir
from cockpit.commission import load
from cockpit.journal.lock import is_locked
from cockpit.journal.places import RunFolder, all_runs
from cockpit.kernel.exits import CockpitError


@click.command("runs")
@RUNS_DIR
@AS_JSON
def command(where: Path | None, as_json: bool) -> None:
    """List runs, oldest first.

    \b
    Example: cockpit runs
    """
    place = runs_dir(where)
    rows = [_row(folder) for folder in all_runs(place)]
    if as_json:
        print_json({"schema": "cockpit.runs/1", "runs": rows})
        return
    if not rows:
        click.echo(f"No runs in {place}. `cockpit IDEA.md` starts one.", err=True)
    for row in rows:
        score = "–" if row["score"] is None else f"{row['score']:.2f}"
        click.echo(
            f"{row['run']:44} {row['state']:16} r{row['round']} s{row['stage']:02}  score {score}  {row['title']}"
        )


def _row(folder: RunFolder) -> dict[str, object]:
    try:
        view = load(folder)
    except CockpitError as error:
        return {"run": folder.run, "title": error.what, "state": "damaged", "round": 0, "stage": 0, "score": None}
    state: str = view.control if is_locked(folder.cockpit) else "stopped"
    if view.finished is not None:
        state = view.finished.outcome
    return {
        "run": folder.run,
        "title": plain(view.title),
        "state": state,
        "round": view.round,
        "stage": view.position.stage if view.position else 0,
        "score": view.score.value if view.score else None,
    }
