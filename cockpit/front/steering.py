"""From an action to a command: asks what the command needs, and posts it.

Belongs here: the steering keys and leaving. Not here: keys and reasons (`actions.py`), acting (engine).
"""

from __future__ import annotations

import os
import shlex
import subprocess
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from cockpit.front.screens import asking
from cockpit.front.screens.asking import Choice, Option
from cockpit.front.screens.reading import approval_lines
from cockpit.kernel.commands import Approve, Continue, Guide, Hold, Pivot, Quiesce, Reject, Step
from cockpit.kernel.view import RunView
from panes.line import Line

if TYPE_CHECKING:
    from cockpit.front.app import CockpitApp

EDITABLE = (".md", ".json", ".jsonl", ".yaml", ".yml", ".tex", ".bib", ".py", ".txt")
KEPT_FROM_HAND = ("/raw_results/", "/logs/", "current_results.json")  # measured, not written


def do(app: CockpitApp, id: str) -> None:
    """Do a steering action; `why_not` has been asked already."""
    match id:
        case "pause":
            pause(app)
        case "hold":
            app.post(Hold(by=app.who))
        case "step":
            app.post(Step(by=app.who))
        case "pivot":
            app.push_screen(asking.pivot_form(app.view), partial(pivoted, app))
        case "approve":
            above = partial(_above, app)
            app.push_screen(asking.approve_form(app.view, above), partial(approved, app))
        case "reject":
            above = partial(_above, app)
            app.push_screen(asking.reject_form(app.view, above), partial(rejected, app))
        case "guide":
            app.push_screen(asking.guide_form(app.view), partial(guided, app))
        case "edit":
            edit(app)
        case "quit":
            leave(app)


def _above(app: CockpitApp, width: int) -> list[Line]:
    return approval_lines(app.view, width, app.signs)


def pause(app: CockpitApp) -> None:
    """Space: quiesce what runs, continue what does not."""
    still = app.view.control in ("paused", "quiescing", "holding")
    app.leaving = False
    app.post(Continue(by=app.who) if still else Quiesce(by=app.who))


def pivoted(app: CockpitApp, answer: dict[str, str] | None) -> None:
    if answer:
        app.post(Pivot(by=app.who, target=asking.stage_number(answer["target"]), reason=answer["reason"]))


def approved(app: CockpitApp, answer: dict[str, str] | None) -> None:
    if answer is not None:
        app.clear_notifications()
        app.post(Approve(by=app.who, reason=answer["reason"]))


def rejected(app: CockpitApp, answer: dict[str, str] | None) -> None:
    if answer:
        app.clear_notifications()
        target = asking.stage_number(answer["target"]) if answer["target"] else None
        app.post(Reject(by=app.who, reason=answer["reason"], target=target))


def guided(app: CockpitApp, answer: dict[str, str] | None) -> None:
    if answer:
        app.post(Guide(by=app.who, stage=int(answer["stage"]), text=answer["text"]))
        app.say("Noted; the next stages must honour it.")


def busy(view: RunView) -> bool:
    """Would leaving now cut something off?"""
    if not view.live:
        return False
    return view.control != "paused" or bool(view.jobs_running)


def leave(app: CockpitApp) -> None:
    """Q: at once when nothing runs, else by a choice."""
    if app.ended() or app.view.run is None or not app.view.live:
        app.exit("finished" if app.view.control == "finished" else "stop")
    elif not busy(app.view):
        app.exit("stop")
    else:
        app.push_screen(asking.quit_dialog(), partial(left, app))


def left(app: CockpitApp, how: str | None) -> None:
    match how:
        case "detach":
            app.exit("detach")
        case "abort":
            app.exit("abort")
        case "stop":
            app.leaving = True
            app.post(Quiesce(by=app.who, why="pause and quit"))
            app.say("Leaving as soon as nothing is in flight; space stays.")
        case _:
            return


def editable(view: RunView) -> list[str]:
    """Text files that the present stage and those before it wrote, newest stage first; nothing measured."""
    if view.position is None:
        return []
    paths: dict[str, None] = {}
    for number in sorted((n for n in view.stages if n <= view.position.stage), reverse=True):
        for path in sorted(view.stages[number].outputs):
            if path.endswith(EDITABLE) and not any(part in path for part in KEPT_FROM_HAND):
                paths[path] = None
    return list(paths)


def edit(app: CockpitApp) -> None:
    """E: choose an artifact, open it; the engine notices what changed and commits it as the person's."""
    folder, paths = app.folder(), editable(app.view)
    if folder is None or not paths:
        app.say("edit: there is no artifact yet that could be edited", "warning")
        return
    keys = "abcdfghilmnopqrstuvwxyz"
    options = [Option(key, path, path.rpartition("/")[2], path.rpartition("/")[0])
               for key, path in zip(keys, paths, strict=False)]  # fmt: skip
    app.push_screen(Choice("Edit which artifact?", options), partial(chosen, app, folder))


def chosen(app: CockpitApp, folder: Path, path: str | None) -> None:
    """Run the editor on the terminal; only the screen waits, the engine's thread goes on."""
    if not path:
        return
    editor = shlex.split(os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi")
    app.in_editor(True)
    try:
        with app.suspend():
            subprocess.run([*editor, str(folder / path)], check=False)
    except OSError as fault:
        app.say(f"{editor[0]}: {fault.strerror}; set $EDITOR", "error")
    finally:
        app.in_editor(False)
    app.refresh(layout=True)
