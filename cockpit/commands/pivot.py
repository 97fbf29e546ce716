"""`cockpit pivot RUN`: send the run back in another direction.

Belongs here: options. Not here: delivery (`cockpit/steer.py`), obeying (engine).
"""

from __future__ import annotations

from pathlib import Path

import click

from cockpit.commands.options import run_argument, the_run
from cockpit.front.configuration import who
from cockpit.kernel.commands import Pivot
from cockpit.steer import deliver


@click.command("pivot")
@run_argument
@click.option("--why", required=True, help="The reason; the debate gets it.")
@click.option("--to", "target", type=click.IntRange(1, 20), default=8, show_default=True, help="Stage to go back to.")
def command(run: str, where: Path | None, why: str, target: int) -> None:
    """Send the run back in another direction.

    \b
    Example: cockpit pivot last --to 8 --why "no effect at n=20"
    """
    click.echo(deliver(the_run(run, where), Pivot(by=who(), reason=why, target=target)))
