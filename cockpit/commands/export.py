"""`cockpit export RUN`: the run in another form.

Belongs here: options, copying a tag's tree. Not here: the package in `final/` (stage 22).
"""

from __future__ import annotations

from pathlib import Path

import click

from cockpit.commands.options import run_argument, the_run
from cockpit.journal.history import History
from cockpit.kernel.exits import CockpitError
from cockpit.kernel.stages import FINAL, PHASES


@click.command("export")
@run_argument
@click.argument("destination", type=click.Path(path_type=Path, file_okay=False))
@click.option("--layout", type=click.Choice(["rounds"]), default="rounds", show_default=True,
              help="rounds: one folder a round, as round_N/<phase>/…")  # fmt: skip
def command(run: str, where: Path | None, destination: Path, layout: str) -> None:
    """Write a run's rounds side by side into DESTINATION, which must not exist yet.

    \b
    Example: cockpit export last ./rounds
    """
    history = History(the_run(run, where).root)
    tags = sorted(t for t in history.tags() if t.startswith("round-"))
    if not tags:
        raise CockpitError("no round of this run is over yet", hint="`cockpit status RUN` says where it is.")
    if destination.exists():
        raise CockpitError(f"{destination} exists already", hint="Name a folder that does not.")
    count = sum(_write(history, tag, destination / tag.replace("-", "_"), PHASES) for tag in tags)
    count += _write(history, "HEAD", destination, (FINAL, "idea.md", "project_plan.md", "progress.json"))
    click.echo(f"{count} files, {len(tags)} rounds in {destination}")
    del layout  # there is one yet


def _write(history: History, commit: str, to: Path, prefixes: tuple[str, ...]) -> int:
    tree = history.tree(commit)
    paths = [p for prefix in prefixes for p in tree.list(prefix)]
    for path in paths:
        target = to / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(tree.read(path))
    return len(paths)
