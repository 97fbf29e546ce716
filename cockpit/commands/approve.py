"""`cockpit approve RUN`: answer the present pause with yes, or sign the finished package.

Belongs here: options. Not here: delivery (`cockpit/steer.py`), obeying (engine).
"""

from __future__ import annotations

from pathlib import Path

import click

from cockpit.commands.options import run_argument, the_run
from cockpit.front.configuration import who
from cockpit.kernel.commands import Approve, SignOff
from cockpit.steer import deliver


@click.command("approve")
@run_argument
@click.option("--sign-off", is_flag=True, help="Sign the package with your name (assurance submission).")
@click.option("--why", default="", help="A reason, for the journal.")
def command(run: str, where: Path | None, sign_off: bool, why: str) -> None:
    """Approve what the run waits for.

    \b
    Example: cockpit approve last
    """
    by = who()
    folder = the_run(run, where)
    click.echo(deliver(folder, SignOff(by=by, reason=why) if sign_off else Approve(by=by, reason=why)))
