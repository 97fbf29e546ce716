"""`cockpit continue RUN`: go on after a pause.

Belongs here: options. Not here: delivery (`cockpit/steer.py`), obeying (engine).
"""

from __future__ import annotations

from pathlib import Path

import click

from cockpit.commands.options import run_argument, the_run
from cockpit.front.configuration import who
from cockpit.kernel.commands import Continue
from cockpit.steer import deliver


@click.command("continue")
@run_argument
def command(run: str, where: Path | None) -> None:
    """Go on after a pause.

    \b
    Example: cockpit continue last
    """
    click.echo(deliver(the_run(run, where), Continue(by=who())))
