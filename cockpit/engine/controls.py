"""What a person asked for: the queue of commands, the door that holds back new work, waiting.

Belongs here: quiesce, hold, step and the wait for a decision. Not here: where work goes after a
decision (`engine.py`), reading keys (front), reading control files (`inbox.py`).
"""

from __future__ import annotations

import asyncio
from collections import deque

from cockpit.engine.recorder import Recorder
from cockpit.kernel import commands as c
from cockpit.kernel import events as e
from cockpit.kernel.ids import Actor, Position
from cockpit.kernel.protocols import Clock, Sandbox


class Controls:
    """State of the door. Lives on the engine's loop."""

    def __init__(self, recorder: Recorder, clock: Clock, sandbox: Sandbox) -> None:
        self._recorder, self._clock, self._sandbox = recorder, clock, sandbox
        self._door = asyncio.Event()
        self._door.set()
        self._changed = asyncio.Event()
        self._answers: deque[c.Approve | c.Reject | c.Pivot | c.Continue | c.Step] = deque()
        self.in_flight = 0
        self.step_left: int | None = None
        self._over: Position | None = None  # done already when the step was asked for: it is not that stage

    async def clear(self) -> None:
        """Wait until new work may start."""
        await self._door.wait()

    @property
    def is_open(self) -> bool:
        return self._door.is_set()

    def begin(self) -> None:
        """A call or job has left."""
        self.in_flight += 1

    def end(self) -> None:
        """A call or job is back."""
        self.in_flight -= 1
        if self.in_flight == 0 and not self._door.is_set() and self._recorder.view.control == "quiescing":
            self._say("paused", None, "")

    def quiesce(self, by: Actor, why: str) -> None:
        """Start nothing new."""
        if not self._door.is_set():
            return
        self._door.clear()
        self._say("quiescing" if self.in_flight else "paused", by, why)

    async def hold(self, by: Actor, why: str) -> None:
        """Freeze jobs now; calls in flight finish into the journal."""
        self._door.clear()
        self._say("holding", by, why)
        await self._sandbox.hold()

    async def go_on(self, by: Actor | None, *, step: bool = False) -> None:
        """Open the door; with `step` close it again after one stage."""
        if self._recorder.view.control == "holding":
            await self._sandbox.release()
        self.step_left = 1 if step else None
        view = self._recorder.view
        here = view.instances.get(str(view.position))
        self._over = view.position if here is not None and here.status in ("done", "reused") else None
        self._say("stepping" if step else "running", by, "")
        self._door.set()

    def stage_over(self) -> None:
        """Count a stage for `step`."""
        if self.step_left is not None and self._recorder.view.position != self._over:
            self.step_left -= 1
            if self.step_left <= 0:
                self.step_left = None
                self._door.clear()
                self._say("paused", None, "one stage done")

    def answer(self, command: c.Approve | c.Reject | c.Pivot | c.Continue | c.Step) -> None:
        """Hand a decision to whoever waits for it."""
        self._answers.append(command)
        self._changed.set()

    async def decision(self) -> c.Approve | c.Reject | c.Pivot | c.Continue | c.Step:
        """Wait for a person."""
        while not self._answers:
            self._changed.clear()
            await self._changed.wait()
        return self._answers.popleft()

    def take_pivot(self) -> c.Pivot | None:
        """A pivot asked for outside a pause."""
        for command in self._answers:
            if isinstance(command, c.Pivot):
                self._answers.remove(command)
                return command
        return None

    def _say(self, control: str, by: Actor | None, why: str) -> None:
        event = e.ControlChanged.model_validate({"at": self._clock.now(), "control": control, "by": by, "why": why})
        self._recorder.record(event)
