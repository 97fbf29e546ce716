"""`cockpit log RUN`: the night as git tells it.

Belongs here: options. Not here: wording of commits (`cockpit/engine/commits.py`).
"""

from __future__ import annotations

from pathlib import Path

import click

from cockpit.commands.options import plain, run_argument, the_run
from cockpit.journal.history import History


@click.command("log")
@run_argument
@click.option("--full", is_flag=True, help="Whole messages with trailers.")
@click.option("--reverse", is_flag=True, help="Oldest first.")
def command(run: str, where: Path | None, full: bool, reverse: bool) -> None:
    """Show a run's commits, newest first.

    \b
    Example: cockpit log last --reverse
    """
    form = ["--format=medium"] if full else ["--oneline", "--decorate=short"]
    history = History(the_run(run, where).root)
    click.echo(plain(history.git("log", "--no-color", *form, *(["--reverse"] if reverse else []))))
