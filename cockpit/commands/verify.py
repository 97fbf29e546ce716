"""`cockpit verify RUN`: is the folder what its journal says; with `--tree` the canonical tree's hash.

Belongs here: printing. Not here: comparing (`cockpit/inspection.py`), the canonical form (journal).
"""

from __future__ import annotations

from pathlib import Path

import click

from cockpit.commands.options import AS_JSON, plain, print_json, run_argument, the_run
from cockpit.inspection import faults
from cockpit.journal.canonical_tree import canonical_files, explain, tree_hash
from cockpit.journal.history import History
from cockpit.kernel.exits import Exit


@click.command("verify")
@run_argument
@click.option("--tree", is_flag=True, help="Print the hash of the canonical tree of HEAD.")
@click.option("--explain", "explained", is_flag=True, help="With --tree: what is dropped, and each file's hash.")
@AS_JSON
def command(run: str, where: Path | None, tree: bool, explained: bool, as_json: bool) -> int:
    """Check journal, ledger, evidence, receipts and commits against one another.

    \b
    Example: cockpit verify last
    """
    folder = the_run(run, where)
    if tree:
        files = History(folder.root).tree("HEAD")
        if explained:
            click.echo(explain())
            for path, digest in canonical_files(files).items():
                click.echo(f"{digest[:16]}  {plain(path)}")
        click.echo(tree_hash(files))
        return Exit.DONE
    found = faults(folder)
    if as_json:
        print_json({"schema": "cockpit.verify/1", "run": folder.run, "faults": found})
    else:
        click.echo(
            "\n".join(plain(f) for f in found) if found else "journal, ledger, evidence, receipts and commits agree"
        )
    return Exit.BLOCKED if found else Exit.DONE
