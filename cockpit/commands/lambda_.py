"""`cockpit lambda`: the roster as the λ-expression of the design it began with.

Belongs here: the rendering. Not here: the roster.
"""

from __future__ import annotations

import click

from cockpit.kernel.levels import EFFORTS, SCORE_THRESHOLD
from cockpit.kernel.stages import STAGES

ARGUMENTS = {"idea-analyst": "idea", "lit-searcher": "idea feasibility", "exp-planner": "idea papers",
             "exp-executor": "plan", "result-analyzer": "results papers", "paper-writer": "idea papers analysis",
             "data-verifier": "results draft", "paper-reviewer": "verified"}  # fmt: skip
NAMES = {"idea-analyst": "feasibility", "lit-searcher": "papers", "exp-planner": "plan", "exp-executor": "results",
         "result-analyzer": "analysis", "paper-writer": "draft", "data-verifier": "verified",
         "paper-reviewer": "review"}  # fmt: skip


@click.command("lambda")
def command() -> None:
    """Print who does what, in which loop, as a λ-expression.

    \b
    Example: cockpit lambda
    """
    click.echo(expression())


def expression() -> str:
    """The fixed point over rounds, with each agent's stages and loops."""
    from agents import rosters

    loaded = rosters.load()
    lines = [f"Research = Y_{EFFORTS['balanced'].rounds}(λself. λidea."]
    for agent, arguments in ARGUMENTS.items():
        roster = loaded.of(agent)
        duties = " >> ".join(f"s{n}:{roster.stages[n].loop}" for n in sorted(roster.stages))
        lines.append(f"  let {NAMES[agent]:11} = {_camel(agent)}[{duties}] {arguments} in")
    lines += [f"  IF review.score ≥ {SCORE_THRESHOLD} ∧ gate ≠ BLOCK", "    THEN (draft, review)",
              "    ELSE self(Orchestrator.brief idea review))"]  # fmt: skip
    lines.append(f"-- {len(STAGES)} stages; the engine routes, the orchestrator only proposes")
    return "\n".join(lines)


def _camel(agent: str) -> str:
    return "".join(word.capitalize() for word in agent.split("-"))
