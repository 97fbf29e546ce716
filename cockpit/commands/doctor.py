"""`cockpit doctor`: what this machine has, and what to type for what it lacks.

Belongs here: the probes' printing. Not here: mending a run.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import click

from cockpit.commands.options import AS_JSON, print_json
from cockpit.kernel.exits import Exit

GIT_OLDEST = (2, 31)


@click.command("doctor")
@AS_JSON
def command(as_json: bool) -> int:
    """Look at Python, git, sandbox, TeX, terminal and configured models. Sends nothing anywhere.

    \b
    Example: cockpit doctor
    """
    rows = probes()
    if as_json:
        print_json({"schema": "cockpit.doctor/1", "probes": rows})
    else:
        for row in rows:
            click.echo(f"{'✓' if row['ok'] else '✗'} {row['name']:12} {row['detail']}")
            if row["hint"]:
                click.echo(f"  {row['hint']}")
    needed = ("python", "git")
    return Exit.DONE if all(row["ok"] for row in rows if row["name"] in needed) else Exit.USAGE


def probes() -> list[dict[str, object]]:
    """Each probe: name, ok, detail, hint."""
    return [_python(), _git(), *_sandboxes(), _tex(), _terminal(), *_models()]


def _row(name: str, ok: bool, detail: str, hint: str = "") -> dict[str, object]:
    return {"name": name, "ok": ok, "detail": detail, "hint": hint}


def _python() -> dict[str, object]:
    version = ".".join(map(str, sys.version_info[:3]))
    return _row("python", sys.version_info >= (3, 11), version, "" if sys.version_info >= (3, 11) else "3.11 or later")


def _git() -> dict[str, object]:
    path = shutil.which("git")
    if path is None:
        return _row("git", False, "not found", "Install git.")
    said = subprocess.run([path, "--version"], capture_output=True, text=True, check=False).stdout.split()
    version = said[2] if len(said) > 2 else "0"
    numbers = tuple(int(n) for n in version.split(".")[:2] if n.isdigit())
    old = numbers < GIT_OLDEST
    return _row("git", not old, version, f"{GIT_OLDEST[0]}.{GIT_OLDEST[1]} or later is needed." if old else "")


def _sandboxes() -> list[dict[str, object]]:
    from sandbox.choose import probe

    return [_row(p.name, p.ok, p.detail, p.hint) for p in probe()]


def _tex() -> dict[str, object]:
    from agents import typesetting

    lacking = typesetting.missing("en")
    detail = f"no {lacking}: no PDF is made" if lacking else f"{' and '.join(typesetting.programs('en'))} are there"
    return _row("tex", not lacking, detail, "Install TeX Live; everything else works without." if lacking else "")


def _terminal() -> dict[str, object]:
    term = os.environ.get("TERM", "")
    dumb = term in ("", "dumb")
    return _row("terminal", not dumb, term or "none", "The cockpit falls back to plain lines." if dumb else "")


def _models() -> list[dict[str, object]]:
    from cockpit.front import configuration

    settings = configuration.resolve().settings
    rows = []
    for role in ("executor", "reviewer"):
        model = settings.models.get(role)
        if model is None:
            rows.append(
                _row(role, False, "no model configured", f"models.{role}.model in ./cockpit.yml, or --rehearsal")
            )
            continue
        absent = model.api_key_env and not os.environ.get(model.api_key_env)
        hint = f"`export {model.api_key_env}=…`" if absent else ""
        rows.append(_row(role, not absent, model.model, hint))
    return rows
