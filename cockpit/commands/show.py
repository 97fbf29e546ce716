"""`cockpit show RUN WHAT`: an obligation, a number of the paper, a stage, a file.

Belongs here: choosing what is meant, printing. Not here: binding numbers (gates).
"""

from __future__ import annotations

import json
from pathlib import Path

import click

from cockpit.commands import ledger as ledger_command
from cockpit.commands.options import plain, run_argument, the_run
from cockpit.commission import load
from cockpit.journal.trees import WorkTree
from cockpit.kernel.exits import CockpitError
from cockpit.kernel.stages import VER_A, stage

NUMBER_MAP = f"{VER_A}/number_map.json"


@click.command("show")
@run_argument
@click.argument("what")
def command(run: str, where: Path | None, what: str) -> None:
    """Show an obligation (#4), a number of the paper (0.413) with its source, a stage (s12), or a file.

    \b
    Example: cockpit show last 0.413
    """
    folder = the_run(run, where)
    view, tree = load(folder), WorkTree(folder.root)
    if what.startswith("#") and (obligation := view.ledger.numbered(what)) is not None:
        click.echo("\n".join(ledger_command.lines(obligation)))
        return
    if tree.exists(what):
        click.echo(plain(tree.read(what).decode(errors="replace")), nl=False)
        return
    if (name := what.removeprefix("s")).isdigit() and 1 <= int(name) <= 23 and what.startswith("s"):
        report = stage(int(name)).report
        click.echo(plain(tree.read(report).decode()) if tree.exists(report) else f"stage {name} has no report yet")
        return
    numbers = [n for n in _numbers(tree) if n.get("text") == what]
    if not numbers:
        raise CockpitError(f"nothing in this run is called {what}",
                           hint="Try an obligation (#4), a number as printed (0.413), a stage (s12).")  # fmt: skip
    for number in numbers:
        click.echo(plain(_trace(number)))


def _numbers(tree: WorkTree) -> list[dict[str, object]]:
    if not tree.exists(NUMBER_MAP):
        return []
    document = json.loads(tree.read(NUMBER_MAP))
    rows: list[dict[str, object]] = document["numbers"] if isinstance(document, dict) else document
    return rows


def _trace(number: dict[str, object]) -> str:
    source = number.get("source")
    lines = [f"{number.get('text')} at {number.get('file')}:{number.get('line')}: {number.get('verdict')}"]
    if isinstance(source, dict):
        lines += [f"  key    {source.get('key')}", f"  value  {source.get('value')}", f"  file   {source.get('file')}"]
    if number.get("formula"):
        lines.append(f"  formula {number['formula']}")
    if number.get("rule"):
        lines.append(f"  rule   {number['rule']}")
    return "\n".join(lines)
