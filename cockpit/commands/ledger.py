"""`cockpit ledger RUN`: obligations, and a person's waiver or resolution.

Belongs here: options and the list. Not here: who may close what (gates), recording (engine).
"""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import click

from cockpit.commands.options import AS_JSON, plain, print_json, run_argument, the_run
from cockpit.commission import load
from cockpit.front.configuration import who
from cockpit.kernel.commands import Resolve, Waive
from cockpit.kernel.exits import CockpitError
from cockpit.kernel.findings import FixType, Obligation
from cockpit.steer import deliver

SIGNS = {"open": "●", "resolved": "✓", "waived": "~", "superseded": "·"}


@click.command("ledger")
@run_argument
@click.option("--waive", metavar="#N", help="Live with an obligation; needs --why.")
@click.option("--resolve", metavar="#N", help="Close a part by hand; needs --fix, --evidence and --why.")
@click.option("--part", type=int, default=1, show_default=True, help="Which part, from 1.")
@click.option("--fix", type=click.Choice(get_args(FixType)), help="What kind of mend it is.")
@click.option("--evidence", help="A file of the run that shows it.")
@click.option("--why", default="", help="The reason, journalled with your name.")
@AS_JSON
def command(run: str, where: Path | None, waive: str | None, resolve: str | None, part: int, fix: FixType | None,
            evidence: str | None, why: str, as_json: bool) -> None:  # fmt: skip
    """List obligations; waive or resolve one with your name.

    \b
    Example: cockpit ledger last --waive '#6' --why "known limitation, stated in section 6"
    """
    folder = the_run(run, where)
    if waive or resolve:
        if not why:
            raise CockpitError("a reason is needed", hint='Add --why "…".')
        by = who()
        if waive:
            click.echo(deliver(folder, Waive(by=by, obligation=waive, why=why)))
            return
        if not (fix and evidence):
            raise CockpitError("a resolution needs its kind and its evidence", hint="Add --fix KIND --evidence PATH.")
        click.echo(deliver(folder, Resolve(by=by, obligation=resolve or "", part=part - 1, fix=fix, evidence=evidence,
                                           why=why)))  # fmt: skip
        return
    obligations = tuple(load(folder).ledger.obligations.values())
    if as_json:
        rows = [o.model_dump(mode="json") for o in obligations]
        print_json({"schema": "cockpit.ledger/1", "run": folder.run, "obligations": rows})
        return
    for obligation in obligations:
        for line in lines(obligation):
            click.echo(line)
    if not obligations:
        click.echo("The ledger is empty.", err=True)


def lines(o: Obligation) -> list[str]:
    """One obligation for people: head, places, parts with what closed them."""
    gone = "  (vanished from the reports, still open)" if o.vanished and o.is_open else ""
    what = f"{o.finding.pattern}: {plain(o.finding.title)}"
    head = f"{SIGNS[o.state]} #{o.number} {o.finding.severity:8} {o.state:10} {what}"
    out = [f"{head}  opened {o.opened.label}, owner s{o.finding.owner:02}{gone}"]
    out += [f"     at {plain(str(span))}" for span in o.finding.spans]
    for part in o.parts:
        by = f" by {plain(part.closer)} ({part.fix})" if part.state == "closed" else ""
        out.append(f"     {'✓' if part.state == 'closed' else '○'} {plain(part.text)}: {part.state}{by}")
        out += [f"         evidence {plain(ev.path)} {ev.sha256[:12]} at {ev.position.label}" for ev in part.evidence]
    if o.waived_by is not None:
        out.append(f"     waived by {plain(o.waived_by.user)}: {plain(o.waived_why)}")
    return out
