"""`cockpit lint`: the roster files and prompts, checked.

Belongs here: printing. Not here: the checks (`agents/rosters.py`).
"""

from __future__ import annotations

from pathlib import Path

import click

from cockpit.kernel.exits import CockpitError, Exit
from cockpit.kernel.stages import STAGES

FOREIGN_READERS = ("lit-searcher",)  # read foreign text: no tool beside it may write or run
WRITING_TOOLS = ("write_file", "python_exec", "shell_exec")


@click.command("lint")
def command() -> int:
    """Check the nine roster files: owners, verifier's temperature, tools beside foreign text, prompts.

    \b
    Example: cockpit lint
    """
    problems = faults()
    for problem in problems:
        click.echo(problem, err=True)
    click.echo(f"{len(problems)} problems" if problems else "9 agents, 23 stages: clean")
    return Exit.USAGE if problems else Exit.DONE


def faults() -> list[str]:
    """Sentences about what is wrong with the roster."""
    from agents import rosters

    try:
        loaded = rosters.load()
    except (ValueError, OSError) as error:
        raise CockpitError("a roster file cannot be read", where=str(error)) from error
    found = []
    if loaded.of("data-verifier").temperature != 0:
        found.append("data-verifier.yml: temperature must be 0.0")
    missing = [s for s in STAGES if s.number not in loaded.of(s.agent).stages]
    found += [f"{s.agent}.yml: stage {s.number} {s.name} is missing" for s in missing]
    for agent, roster in loaded.agents.items():
        for number, duty in roster.stages.items():
            beside = [t for t in duty.tools if t in WRITING_TOOLS]
            if agent in FOREIGN_READERS and beside:
                found.append(f"{agent}.yml: stage {number} reads foreign text beside {', '.join(beside)}")
            found += [
                f"{agent}.yml: stage {number} step {s} has no prompt" for s in duty.steps if not _prompt(agent, s)
            ]
    return found


def _prompt(agent: str, step: str) -> bool:
    from agents.rosters import FOLDER

    return (Path(FOLDER).parent / "prompts" / agent / f"{step}.md.j2").exists()
