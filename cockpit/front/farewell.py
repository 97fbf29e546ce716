"""The lines that stay on the terminal after a face has closed.

Belongs here: their text. Not here: printing them.
"""

from __future__ import annotations

from pathlib import Path

from cockpit.kernel.view import RunView
from panes.text import clean


def lines_of(view: RunView, folder: Path | None, *, detached: bool = False) -> list[str]:
    """Five lines: state, open obligations, cost, run folder, the line to come back."""
    if view.run is None:
        return []
    ledger = view.ledger
    named = folder.name if folder else view.run.run
    worst = [f"{n} {word}" for n, word in ((ledger.criticals, "critical"), (ledger.majors, "major")) if n]
    spent = view.spending
    rehearsal = "  REHEARSAL" if view.run.settings.rehearsal.on else ""
    return [
        f"state        {_state(view, detached)}{rehearsal}",
        f"obligations  {len(ledger.open)} open{f' ({chr(44).join(worst)})' if worst else ''}".replace(",", ", "),
        f"cost         ${spent.usd:.2f} in {spent.calls} calls",
        f"run          {folder or view.run.run}",
        f"come back    {_next(view, named, detached)}",
    ]


def _state(view: RunView, detached: bool) -> str:
    where = f" at r{view.position.round} s{view.position.stage:02}" if view.position else ""
    if view.finished is not None:
        return clean(f"{view.finished.outcome}: {view.finished.reason}")
    if detached:
        return f"goes on without a terminal{where}"
    if view.failure:
        return clean(view.failure)
    return f"stopped{where}, resumable"


def _next(view: RunView, named: str, detached: bool) -> str:
    if detached:
        return f"cockpit resume {named}"
    if view.finished is not None and view.finished.next:
        return clean(view.finished.next)
    return f"cockpit status {named}" if view.finished is not None else f"cockpit resume {named}"
