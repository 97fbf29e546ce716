"""`cockpit hold RUN`: freeze the run's jobs now.

Belongs here: options. Not here: delivery (`cockpit/steer.py`), obeying (engine).
"""

from __future__ import annotations

from pathlib import Path

import click

from cockpit.commands.options import run_argument, the_run
from cockpit.front.configuration import who
from cockpit.kernel.commands import Hold
from cockpit.steer import deliver


@click.command("hold")
@run_argument
@click.option("--why", default="", help="A reason, for the journal.")
def command(run: str, where: Path | None, why: str) -> None:
    """Freeze the run's jobs now.

    \b
    Example: cockpit hold last
    """
    click.echo(deliver(the_run(run, where), Hold(by=who(), why=why)))
