"""`cockpit diff RUN`: what a round changed.

Belongs here: choosing the two tags. Not here: git.
"""

from __future__ import annotations

from pathlib import Path

import click

from cockpit.commands.options import plain, run_argument, the_run
from cockpit.journal.history import History
from cockpit.kernel.exits import CockpitError
from cockpit.kernel.stages import WRITING

PAPER = (f"{WRITING}/artifacts/paper.tex", f"{WRITING}/artifacts/sections")


@click.command("diff")
@run_argument
@click.argument("rounds", nargs=-1, type=int)
@click.option("--path", "paths", multiple=True, default=PAPER, show_default=True, help="Files of the run.")
@click.option("--words", is_flag=True, help="By word, for prose.")
def command(run: str, where: Path | None, rounds: tuple[int, ...], paths: tuple[str, ...], words: bool) -> None:
    """Show what changed between two rounds (default: the last two).

    \b
    Example: cockpit diff last 1 2 --words
    """
    history = History(the_run(run, where).root)
    tags = sorted((t for t in history.tags() if t.startswith("round-")), key=lambda t: int(t.split("-")[1]))
    wanted = [f"round-{n}" for n in rounds] or tags[-2:]
    missing = [tag for tag in wanted if tag not in tags]
    if missing or len(wanted) != 2:
        have = ", ".join(tags) or "none yet"
        raise CockpitError("there are no two rounds to compare", where=f"rounds of this run: {have}",
                           hint="`cockpit diff RUN 1 2` compares round 1 with round 2.")  # fmt: skip
    style = ["--word-diff=plain"] if words else []
    click.echo(plain(history.git("diff", "--no-color", *style, *wanted, "--", *paths)))
