"""`cockpit stage [N]`: the table of the 23 stages, or one of them.

Belongs here: printing the kernel's table. Not here: the table.
"""

from __future__ import annotations

import click

from cockpit.commands.options import AS_JSON, print_json
from cockpit.kernel.exits import CockpitError
from cockpit.kernel.stages import STAGES, Stage, stage


@click.command("stage")
@click.argument("which", required=False)
@AS_JSON
def command(which: str | None, as_json: bool) -> None:
    """List the stages, or show what one reads, writes and where a rejection of it goes.

    \b
    Example: cockpit stage 12
    """
    try:
        chosen = STAGES if which is None else (stage(which),)
    except KeyError:
        raise CockpitError(
            f"there is no stage {which}", hint="Stages are 1 to 23; `cockpit stage` lists them."
        ) from None
    if as_json:
        print_json({"schema": "cockpit.stages/1", "stages": [_row(s) for s in chosen]})
        return
    for s in chosen:
        click.echo(f"{s.number:2} {s.name:20} {s.agent:16} {s.phase}{'  gate' if s.gate else ''}")
    if which is not None:
        s = chosen[0]
        click.echo("  reads   " + ", ".join(s.inputs))
        click.echo("  writes  " + ", ".join((*s.owns, *s.revises)))
        click.echo(f"  back to {s.back}   error code {s.code}")


def _row(s: Stage) -> dict[str, object]:
    return {"number": s.number, "name": s.name, "phase": s.phase, "agent": s.agent, "gate": s.gate,
            "reads": s.inputs, "writes": (*s.owns, *s.revises), "back": s.back}  # fmt: skip
