"""`cockpit guide RUN`: give advice that the following stages honour.

Belongs here: options. Not here: delivery (`cockpit/steer.py`), obeying (engine).
"""

from __future__ import annotations

from pathlib import Path

import click

from cockpit.commands.options import run_argument, the_run
from cockpit.front.configuration import who
from cockpit.kernel.commands import Guide
from cockpit.steer import deliver


@click.command("guide")
@run_argument
@click.argument("text")
@click.option("--stage", type=click.IntRange(1, 23), default=None, help="From this stage on (default: the next).")
def command(run: str, where: Path | None, text: str, stage: int | None) -> None:
    """Give advice that the following stages honour.

    \b
    Example: cockpit guide last "report medians too"
    """
    click.echo(deliver(the_run(run, where), Guide(by=who(), stage=stage or 0, text=text)))
