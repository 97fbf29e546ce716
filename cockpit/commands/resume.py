"""`cockpit resume RUN`: go on from the last finished step, after anything.

Belongs here: options that may change what ended the run. Not here: recovery (engine).
"""

from __future__ import annotations

from pathlib import Path

import click

from cockpit.commands.options import plain, run_argument, the_run
from cockpit.commission import at_its_end, load
from cockpit.journal.lock import is_locked
from cockpit.kernel.exits import CockpitError, Exit


@click.command("resume")
@run_argument
@click.option("--auto", is_flag=True, help="No screen, no waiting.")
@click.option("--plain", "plain_face", is_flag=True, help="No full-screen face; lines on standard error.")
@click.option("--json", "as_json", is_flag=True, help="With --auto: events as JSON lines on standard output.")
def command(run: str, where: Path | None, auto: bool, plain_face: bool, as_json: bool) -> int:
    """Go on with a run. A finished one prints its end and exits with its code.

    \b
    Example: cockpit resume last
    """
    from cockpit.commands import status
    from cockpit.commands.flying import fly

    folder = the_run(run, where)
    view = load(folder)
    if is_locked(folder.cockpit):
        for line in status.lines(folder, view, live=True):
            click.echo(line, err=True)
        hint = "Steer it with `cockpit pause|continue|step|approve RUN`, look with `cockpit status RUN`."
        raise CockpitError(f"another cockpit flies {folder.run}", hint=hint, code=Exit.RUN_FOLDER)
    if at_its_end(view) and view.finished is not None:
        click.echo(f"{view.finished.outcome}: {plain(view.finished.reason)}", err=True)
        click.echo(f"next: {view.finished.next}", err=True)
        return view.finished.exit_code
    settings = view.run.settings if view.run else None
    return fly(folder, auto=auto or bool(settings and settings.auto), as_json=as_json, plain_face=plain_face)
