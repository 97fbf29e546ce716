"""`cockpit step RUN`: do one stage, then pause.

Belongs here: options. Not here: delivery (`cockpit/steer.py`), obeying (engine).
"""

from __future__ import annotations

from pathlib import Path

import click

from cockpit.commands.options import run_argument, the_run
from cockpit.front.configuration import who
from cockpit.kernel.commands import Step
from cockpit.steer import deliver


@click.command("step")
@run_argument
def command(run: str, where: Path | None) -> None:
    """Do one stage, then pause.

    \b
    Example: cockpit step last
    """
    click.echo(deliver(the_run(run, where), Step(by=who())))
