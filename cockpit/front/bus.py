"""From the engine's thread to the screen's loop: facts never dropped, hints capped and counted.

Belongs here: the two queues and the one wake-up a frame. Not here: what is drawn. One producer
thread, one consumer loop; a frame is `1 / hz` seconds; an idle engine wakes nobody.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from cockpit.kernel.events import AnyEvent
from cockpit.kernel.hints import Hint
from cockpit.kernel.ids import Seq
from cockpit.kernel.view import RunView

HINT_CAP = 8_000  # above 20,000 a second at 4 Hz


@dataclass(frozen=True, slots=True)
class Batch:
    """Events that came together, and the run as it stood after them."""

    view: RunView
    events: tuple[tuple[Seq, AnyEvent], ...]


Show = Callable[[list[Batch], list[Hint]], None]


class Bus:
    """Carries facts and hints to `show`, at most `hz` times a second."""

    def __init__(self, loop: asyncio.AbstractEventLoop, show: Show, hz: float, cap: int = HINT_CAP) -> None:
        self._loop, self._show, self._gap, self._last = loop, show, 1 / hz, 0.0
        self._facts: deque[Batch] = deque()
        self._hints: deque[Hint] = deque(maxlen=cap)
        self._armed = False
        self.dropped = 0
        self.open = True

    def facts(self, view: RunView, events: Sequence[tuple[Seq, AnyEvent]]) -> None:
        """From the engine's thread."""
        if self.open:
            self._facts.append(Batch(view, tuple(events)))
            self._arm()

    def hint(self, hint: Hint) -> None:
        """From the engine's thread; the oldest makes room."""
        if self.open:
            self.dropped += len(self._hints) == self._hints.maxlen
            self._hints.append(hint)
            self._arm()

    def close(self) -> None:
        """The face is gone: take nothing more."""
        self.open = False
        self._facts.clear()
        self._hints.clear()

    def _arm(self) -> None:
        if self._armed:
            return
        self._armed = True
        try:
            self._loop.call_soon_threadsafe(self._wake)
        except RuntimeError:  # the screen's loop has been closed: detached or gone
            self.close()

    def _wake(self) -> None:
        self._loop.call_later(max(0.0, self._last + self._gap - time.monotonic()), self._flush)

    def _flush(self) -> None:
        self._armed = False  # disarm first, then drain: nothing is left behind
        self._last = time.monotonic()
        facts = [self._facts.popleft() for _ in range(len(self._facts))]
        hints = [self._hints.popleft() for _ in range(len(self._hints))]  # full, an append takes one and gives one
        if self.open:
            self._show(facts, hints)
