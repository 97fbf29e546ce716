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


class EngineHandle(Protocol):
    """A started engine on its own thread and loop."""

    @property
    def view(self) -> RunView:
        """The run as it stands; may be read from any thread (frozen)."""

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        """The engine's loop: signals and the shim's link are read there."""

    @property
    def finished(self) -> threading.Event:
        """Set when the engine has let go of the run (finished, paused and stopped, aborted, failed)."""

    @property
    def exit_code(self) -> int:
        """Meaningful once `finished` is set."""

    @property
    def folder(self) -> Path | None:
        """The run folder, absolute; None as long as there is none."""

    def post(self, command: AnyCommand) -> None:
        """Hand a command to the engine; from any thread, never blocks."""


# Called on a thread of its own after the first paint: imports what is heavy, opens the run, starts the engine's
# thread and returns its handle. Raises CockpitError for what a person can mend; the face closes and prints it.
# From then on the engine calls `face.facts` and `face.hint` from its own thread.
StartEngine = Callable[[Face], EngineHandle]
