"""`cockpit abort RUN`: stop the run at once; it stays resumable.

Belongs here: options. Not here: delivery (`cockpit/steer.py`), obeying (engine).
"""

from __future__ import annotations

from pathlib import Path

import click

from cockpit.commands.options import run_argument, the_run
from cockpit.front.configuration import who
from cockpit.kernel.commands import Abort
from cockpit.steer import deliver


@click.command("abort")
@run_argument
@click.option("--why", default="", help="A reason, for the journal.")
def command(run: str, where: Path | None, why: str) -> None:
    """Stop the run at once; it stays resumable.

    \b
    Example: cockpit abort last
    """
    click.echo(deliver(the_run(run, where), Abort(by=who(), why=why)))
