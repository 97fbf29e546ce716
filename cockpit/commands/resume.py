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
from cockpit.kernel.settings import Settings


@click.command("resume")
@run_argument
@click.option("--budget", metavar="USD", help="A new ceiling, or +USD on top of the old one.")
@click.option("--model", "models", multiple=True, metavar="ROLE=MODEL", help="Another model for a role.")
@click.option("--auto", is_flag=True, help="No screen, no waiting.")
@click.option("--plain", "plain_face", is_flag=True, help="No full-screen face; lines on standard error.")
@click.option("--json", "as_json", is_flag=True, help="With --auto: events as JSON lines on standard output.")
def command(run: str, where: Path | None, budget: str | None, models: tuple[str, ...], auto: bool, plain_face: bool,
            as_json: bool) -> int:  # fmt: skip
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
    changes = changes_of(settings, budget, models)
    return fly(
        folder, changes=changes, auto=auto or bool(settings and settings.auto), as_json=as_json, plain_face=plain_face
    )


def changes_of(settings: Settings | None, budget: str | None, models: tuple[str, ...]) -> dict[str, str]:
    """What the options change, as the journal keeps it.

    Raises:
        CockpitError: not a number, not ROLE=MODEL.
    """
    changes: dict[str, str] = {}
    if budget is not None:
        try:
            value = float(budget)
        except ValueError:
            raise CockpitError(f"--budget {budget} is not an amount", hint="`--budget 20` or `--budget +5`") from None
        base = (settings.budget_usd or 0.0) if settings and budget.startswith("+") else 0.0
        changes["budget_usd"] = str(base + value)
    for text in models:
        role, equals, model = text.partition("=")
        if not (equals and role and model):
            raise CockpitError(f"--model {text} is not ROLE=MODEL", hint="`--model reviewer=openai/NAME`")
        changes[f"models.{role}"] = model
    return changes
