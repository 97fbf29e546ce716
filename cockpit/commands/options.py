"""What commands share: the RUN argument, where runs are, JSON output.

Belongs here: click decorators and small printing. Not here: any command.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from cockpit.journal.places import RunFolder, find_run

F = TypeVar("F", bound=Callable[..., Any])

RUNS_DIR = click.option("--runs-dir", "where", type=click.Path(path_type=Path), default=None,
                        help="Where runs are (default: $COCKPIT_RUNS_DIR or ./runs).")  # fmt: skip
AS_JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON document on standard output.")


def run_argument(function: F) -> F:
    """RUN: a path, an id, a unique prefix, a slug, or `last`."""
    return RUNS_DIR(click.argument("run", metavar="RUN")(function))


def runs_dir(given: Path | None) -> Path:
    """The folder of runs."""
    return given or Path(os.environ.get("COCKPIT_RUNS_DIR", "runs"))


def the_run(text: str, given: Path | None) -> RunFolder:
    """The run folder a person named."""
    return find_run(text, runs_dir(given))


def print_json(document: Any) -> None:
    """One JSON document, for scripts."""
    click.echo(json.dumps(document, ensure_ascii=False, indent=2))


def plain(text: str) -> str:
    """Foreign text for a terminal: control characters made visible, so that nothing is obeyed."""
    return "".join(c if c in "\n\t" or (c.isprintable() and c != "\x7f") else repr(c)[1:-1] for c in text)
