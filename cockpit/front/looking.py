"""Looking and moving: everything a key does that asks nothing of the engine.

Belongs here: focus, search, zoom, copy, help. Not here: steering.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from textual.widgets import Input

from cockpit.front import run_files
from cockpit.front.footer import help_of
from cockpit.front.moving import find, move
from cockpit.front.screens.reading import Reading, ledger_screen, obligation_screen, stage_lines
from cockpit.front.terminal import copy
from panes.rows import Rows
from panes.sandbox import Output
from panes.tail import Tail
from themes.choice import PALETTES

if TYPE_CHECKING:
    from cockpit.front.app import CockpitApp


def do(app: CockpitApp, id: str) -> None:
    """Do an action of looking, moving or of the face itself."""
    body = app.active.body
    if move(body, id):
        app.draw()
    elif id.startswith("pane-"):
        app.activate(app.panes[int(id[-1]) - 1])
    else:
        DOING[id](app)


def _turn(app: CockpitApp, by: int) -> None:
    app.activate(app.panes[(app.panes.index(app.active) + by) % len(app.panes)])


def open_row(app: CockpitApp, key: str) -> None:
    """Open an obligation or a stage by its row's key."""
    kind, _, name = key.partition(":")
    if key.startswith("#"):
        obligation = app.view.ledger.numbered(key)
        if obligation is not None:
            app.push_screen(obligation_screen(obligation.number, app.view, app.signs))
    elif kind == "stage":
        number = int(name)
        app.push_screen(
            Reading(f"stage {number:02}", lambda view, width: stage_lines(view, number, width, app.signs), app.view)
        )


def _open(app: CockpitApp) -> None:
    body = app.active.body
    if isinstance(body, Rows) and body.key:
        open_row(app, body.key)


def _search(app: CockpitApp) -> None:
    box = app.query_one("#search", Input)
    box.add_class("-open")
    box.value = ""
    box.focus()


def searched(app: CockpitApp, needle: str) -> None:
    """A needle was typed: to the nearest match in the pane that had the focus."""
    close_search(app)
    app.needle = needle
    if needle and not find(app.active.body, needle):
        app.say(f"no “{needle}” here", "warning")
    app.draw()


def close_search(app: CockpitApp) -> None:
    """Put the search line away."""
    app.query_one("#search", Input).remove_class("-open")
    app.active.body.focus()


def _again(app: CockpitApp, *, back: bool) -> None:
    if not app.needle:
        app.say("search first with /", "warning")
    elif not find(app.active.body, app.needle, back=back):
        app.say(f"no other “{app.needle}” that way", "warning")
    app.draw()


def _follow(app: CockpitApp) -> None:
    body = app.active.body
    if isinstance(body, Tail):
        app.say("following the end" if body.follow() else "standing still; f follows again")
    else:
        body.touched = not body.touched
        app.say("the cursor follows the run" if not body.touched else "the cursor stays")
    app.draw()


def _times(app: CockpitApp) -> None:
    output: Output = app.sandbox.output
    output.times = not output.times
    output.refresh()


def _zoom(app: CockpitApp) -> None:
    app.zoomed = not app.zoomed
    app.activate(app.active)


def _copy(app: CockpitApp) -> None:
    copy(app, app.active.body.current)  # type: ignore[arg-type]


def _leave(app: CockpitApp) -> None:
    body = app.active.body
    if isinstance(body, Tail) and (body.pattern is not None or body.top is not None):
        body.pattern = None
        body.ends(last=True)
    elif app.zoomed:
        _zoom(app)
    app.draw()


def _theme(app: CockpitApp) -> None:
    names = list(PALETTES)
    now = names.index(app.theme.removeprefix("cockpit-"))
    following = names[(now + 1) % len(names)]
    app.theme = f"cockpit-{following}"
    app.say(f"colours: {following}")


def _help(app: CockpitApp) -> None:
    app.push_screen(Reading("help", help_of, app.view))


def _ledger(app: CockpitApp) -> None:
    app.push_screen(ledger_screen(app.view, app.signs))


def _diff(app: CockpitApp) -> None:
    app.run_worker(_read_diff(app), group="files", exclusive=True)


async def _read_diff(app: CockpitApp) -> None:
    from cockpit.front.screens.changes import diff_screen

    folder, rounds = app.folder(), len(app.view.rounds)
    changes = await asyncio.to_thread(run_files.changes_of, folder, rounds) if folder is not None else None
    if len(app.screen_stack) > 1:  # the person has gone on to something else meanwhile
        return
    if changes is None:
        app.say("diff: this run's rounds cannot be compared yet", "warning")
    else:
        app.push_screen(diff_screen(changes, app.view))


def _evidence(app: CockpitApp) -> None:
    app.run_worker(_read_evidence(app), group="files", exclusive=True)


async def _read_evidence(app: CockpitApp) -> None:
    from cockpit.front.screens.evidence import evidence_screen

    if (folder := app.folder()) is None:
        app.say("evidence: there is no run folder yet", "warning")
        return
    evidence = await asyncio.to_thread(run_files.Evidence, folder)
    if len(app.screen_stack) == 1:
        app.push_screen(evidence_screen(evidence, app.view, app.signs))


def _suspend(app: CockpitApp) -> None:
    if app.stop_face is None:
        app.say("to the shell: there is no shell to go back to; q detaches", "warning")
    else:
        app.stop_face()


def _interrupt(app: CockpitApp) -> None:
    if selected := app.screen.get_selected_text():
        copy(app, selected)  # type: ignore[arg-type]
    else:
        app.action_do("quit")


DOING: dict[str, Callable[[CockpitApp], object]] = {
    "next-pane": partial(_turn, by=1),
    "last-pane": partial(_turn, by=-1),
    "diff": _diff,
    "evidence": _evidence,
    "ledger": _ledger,
    "open": _open,
    "search": _search,
    "next": partial(_again, back=False),
    "previous": partial(_again, back=True),
    "follow": _follow,
    "times": _times,
    "zoom": _zoom,
    "copy": _copy,
    "leave": _leave,
    "theme": _theme,
    "help": _help,
    "palette": lambda app: app.action_command_palette(),
    "suspend": _suspend,
    "interrupt": _interrupt,
}
