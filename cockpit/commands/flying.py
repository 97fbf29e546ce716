"""Flying a run folder behind a face; what `run` and `resume` share.

Belongs here: choosing the face. Not here: a command (this file registers none), the faces themselves.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

from cockpit import launch
from cockpit.journal.places import RunFolder
from cockpit.kernel.protocols import Face
from cockpit.steer import person_token


def fly(folder: RunFolder, *, auto: bool, as_json: bool = False, plain_face: bool = False,
        changes: Mapping[str, str] | None = None) -> int:  # fmt: skip
    """Fly `folder` to its end, or until its face is left; `changes` as a resume makes them. Returns the exit code."""
    from cockpit.commission import load
    from cockpit.front.configuration import who
    from cockpit.front.terminal import dumb

    view = load(folder)
    settings = view.run.settings if view.run else None
    screen = not auto and not plain_face and sys.stdout.isatty() and not dumb(os.environ)

    def start(face: Face) -> launch.Flight:
        flight = launch.Flight(folder, launch.real_rooms(), face, present=not auto, token=person_token(),
                               changes=changes)  # fmt: skip
        return flight.start()

    if screen:
        from cockpit.front.cockpit_face import run_face

        return run_face(start, who=who(), theme=settings.theme if settings else "auto", view=view)
    if auto or as_json:
        from cockpit.front.headless import run_headless

        return run_headless(start, as_json=as_json)
    from cockpit.front.plain import run_plain

    return run_plain(start, who=who())
