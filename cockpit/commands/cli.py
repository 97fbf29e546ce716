"""The command line: one group, one file a command, errors as a person wants to read them.

Belongs here: registration and the last catch. Not here: any command's own options.
`cockpit IDEA.md …` is `cockpit run IDEA.md …`.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from cockpit.kernel.exits import CockpitError, Exit

COMMANDS = ("run", "resume", "runs", "status", "log", "diff", "show", "ledger", "gate", "verify", "pause", "hold",
            "continue", "step", "pivot", "guide", "approve", "reject", "abort", "stage", "lint", "lambda", "export",
            "doctor", "family")  # fmt: skip
MODULES = {"continue": "continue_", "lambda": "lambda_"}


class Lazy(click.Group):
    """Loads a command's module when it is called; a first word that is no command is an idea file."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [name for name in COMMANDS if _module(name) is not None]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        name = _module(cmd_name) if cmd_name in COMMANDS else None
        return importlib.import_module(name).command if name else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and _looks_like_an_idea(args[0]):
            args = ["run", *args]
        return super().resolve_command(ctx, args)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        options_first = args and args[0].startswith("-") and args[0] not in ("--help", "--version", "--idea-template")
        return super().parse_args(ctx, ["run", *args] if options_first else args)


def _module(name: str) -> str | None:
    module = f"cockpit.commands.{MODULES.get(name, name)}"
    path = Path(__file__).parent / f"{MODULES.get(name, name)}.py"
    return module if path.exists() else None


def _looks_like_an_idea(word: str) -> bool:
    return "/" in word or "." in word or Path(word).exists()


def _template(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value:
        from cockpit.commission import TEMPLATE

        click.echo(TEMPLATE, nl=False)
        ctx.exit()


def _version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value:
        from importlib.metadata import version

        click.echo(f"cockpit {version('research-cockpit')}")
        ctx.exit()


@click.group(cls=Lazy, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Print the version."
)
@click.option("--idea-template", is_flag=True, is_eager=True, expose_value=False, callback=_template,
              help="Print an idea file to fill in.")  # fmt: skip
def cli() -> None:
    """A terminal cockpit for autonomous research.

    \b
    cockpit IDEA.md           open the cockpit on a new run of that idea
    cockpit IDEA.md --auto    fly without a screen; read `git log` in the morning
    cockpit resume last       go on with a run
    """


def main(args: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit code of `interfaces.md`. What a person can mend is printed here; bugs are not."""
    try:
        result: Any = cli.main(
            prog_name="cockpit", args=list(args) if args is not None else None, standalone_mode=False
        )
    except click.exceptions.Abort:
        click.echo("cockpit: interrupted", err=True)
        return Exit.INTERRUPTED
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return Exit.USAGE
    except click.ClickException as error:
        click.echo(f"cockpit: {error.format_message()}", err=True)
        context = getattr(error, "ctx", None)
        if context is not None:
            click.echo(f"  `{context.command_path} --help` shows what it takes.", err=True)
        return Exit.USAGE
    except CockpitError as error:
        click.echo(str(error), err=True)
        return error.code
    return int(result) if isinstance(result, int) else Exit.DONE
