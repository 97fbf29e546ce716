"""`cockpit pause RUN`: start nothing new; what is in flight finishes, then the run is safe to leave.

Belongs here: options. Not here: delivery (`cockpit/steer.py`), obeying (engine).
"""

from __future__ import annotations

from pathlib import Path

import click

from cockpit.commands.options import run_argument, the_run
from cockpit.front.configuration import who
from cockpit.kernel.commands import Quiesce
from cockpit.steer import deliver


@click.command("pause")
@run_argument
@click.option("--why", default="", help="A reason, for the journal.")
def command(run: str, where: Path | None, why: str) -> None:
    """Start nothing new; what is in flight finishes, then the run is safe to leave.

    \b
    Example: cockpit pause last
    """
    click.echo(deliver(the_run(run, where), Quiesce(by=who(), why=why)))
