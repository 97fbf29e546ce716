"""`cockpit gate RUN`: the policy, recomputed from what is on disk now.

Belongs here: printing reasons. Not here: any rule (gates). A stored verdict is never read.
"""

from __future__ import annotations

from pathlib import Path

import click

from cockpit.commands.options import AS_JSON, plain, print_json, run_argument, the_run
from cockpit.commission import load
from cockpit.front.configuration import who
from cockpit.inspection import ledger_faults
from cockpit.journal.places import RunFolder
from cockpit.journal.trees import WorkTree
from cockpit.kernel.commands import Acknowledge
from cockpit.kernel.exits import Exit
from cockpit.kernel.findings import GateReason, GateVerdict
from cockpit.steer import deliver


@click.command("gate")
@run_argument
@click.option("--ack", is_flag=True, help="Acknowledge the WARNs with your name first.")
@AS_JSON
def command(run: str, where: Path | None, ack: bool, as_json: bool) -> int:
    """Judge a run's bytes and ledger again. Exit 3 when it blocks, 4 when only a person's word is missing.

    \b
    Example: cockpit gate last
    """
    folder = the_run(run, where)
    if ack:
        click.echo(deliver(folder, Acknowledge(by=who())), err=as_json)
    verdict = judge(folder)
    if as_json:
        print_json({"schema": "cockpit.gate/1", "run": folder.run, **verdict.model_dump(mode="json")})
    else:
        click.echo(f"{verdict.outcome}  {verdict.criticals} critical, {verdict.majors} major open")
        for reason in verdict.reasons:
            click.echo(f"  {reason.severity:8} {reason.code}: {plain(reason.text)}{_place(reason)}")
    if verdict.outcome == "BLOCK":
        return Exit.BLOCKED
    return Exit.PERSON if verdict.pending else Exit.DONE


def judge(folder: RunFolder) -> GateVerdict:
    """The policy on the work tree; a ledger that is not the journal's blocks by line."""
    from gates.judge import Gates

    view, tree = load(folder), WorkTree(folder.root)
    verdict = Gates().decide(tree, view, view.score)
    faults = tuple(GateReason(code="ledger-tampered", severity="block", text=str(f)) for f in ledger_faults(folder))
    if not faults:
        return verdict
    return verdict.model_copy(update={"outcome": "BLOCK", "reasons": (*faults, *verdict.reasons)})


def _place(reason: GateReason) -> str:
    return f"  [{plain(str(reason.span))}]" if reason.span else ""
