"""`cockpit reject RUN`: answer the present pause with no; work goes back.

Belongs here: options. Not here: delivery (`cockpit/steer.py`), obeying (engine).
"""

from __future__ import annotations

from pathlib import Path

import click

from cockpit.commands.options import run_argument, the_run
from cockpit.front.configuration import who
from cockpit.kernel.commands import Reject
from cockpit.steer import deliver


@click.command("reject")
@run_argument
@click.option("--why", required=True, help="The reason; the stage gets it.")
@click.option("--to", "target", type=click.IntRange(1, 23), default=None, help="Stage to go back to.")
def command(run: str, where: Path | None, why: str, target: int | None) -> None:
    """Answer the present pause with no; work goes back.

    \b
    Example: cockpit reject last --why "the baseline is too weak"
    """
    click.echo(deliver(the_run(run, where), Reject(by=who(), reason=why, target=target)))
