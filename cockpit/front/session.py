"""What a face needs of an engine: the seam to the launch.

Belongs here: the protocol that the composition root implements. Not here: faces, engine.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from cockpit.kernel.commands import AnyCommand
from cockpit.kernel.protocols import Face
from cockpit.kernel.view import RunView


class Place(Protocol):
    """A run's folder."""

    @property
    def root(self) -> Path: ...


class EngineHandle(Protocol):
    """A run in flight on its own thread and loop."""

    @property
    def folder(self) -> Place: ...

    @property
    def view(self) -> RunView:
        """The run as it stands; may be read from any thread (frozen)."""

    @property
    def started(self) -> threading.Event:
        """Set once `loop` is there and commands are obeyed; also when it could not start."""

    @property
    def finished(self) -> threading.Event:
        """Set when the engine has let go of the run: finished, stopped, failed."""

    @property
    def loop(self) -> asyncio.AbstractEventLoop | None:
        """The engine's loop: signals and the shim's link are read there. None before `started`."""

    @property
    def exit_code(self) -> int | None:
        """None while it flies."""

    @property
    def error(self) -> BaseException | None:
        """What broke the engine itself: a bug of ours, or a CockpitError that a person can mend."""

    def post(self, command: AnyCommand) -> None:
        """Hand a command to the engine; from any thread, never blocks."""

    def stop(self, why: str) -> None:
        """End soon (cancel what runs) and stay resumable; from any thread, never blocks."""


# Called on a thread of its own after the first paint: imports what is heavy, opens the run, starts the engine's
# thread and returns its handle (started or not yet). Raises CockpitError for what a person can mend; the face closes
# and prints it. From then on the engine calls `face.facts` and `face.hint` from its own thread.
StartEngine = Callable[[Face], EngineHandle]
