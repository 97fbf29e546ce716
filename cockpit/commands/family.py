"""`cockpit family MODEL…`: who made a model, how well that is known, and why.

Belongs here: printing. Not here: the table (`gates/families.py`).
"""

from __future__ import annotations

from pathlib import Path

import click

from cockpit.commands.options import AS_JSON, print_json
from cockpit.kernel.exits import CockpitError


@click.command("family")
@click.argument("models", nargs=-1)
@click.option("--file", "file", type=click.Path(path_type=Path, dir_okay=False), help="One model a line.")
@AS_JSON
def command(models: tuple[str, ...], file: Path | None, as_json: bool) -> None:
    """Print a model's family. Two families in one name are both; no hit is unknown.

    \b
    Example: cockpit family anthropic/claude-opus-4-6 openai/gpt-oss-120b
    """
    from gates.families import model_family

    names = list(models)
    if file is not None:
        try:
            lines = file.read_text().splitlines()
        except OSError as error:
            raise CockpitError(f"cannot read {file}: {error.strerror}", hint="One model name a line.") from error
        names += [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    if not names:
        raise CockpitError("no model is named", hint="`cockpit family openai/gpt-5` or `--file NAMES.txt`.")
    rows = [{"model": name, **model_family(name).model_dump(mode="json")} for name in names]
    if as_json:
        print_json({"schema": "cockpit.family/1", "models": rows})
        return
    for row in rows:
        click.echo(f"{row['model']:44} {', '.join(row['families']) or 'unknown':24} {row['grade']:10} {row['why']}")
