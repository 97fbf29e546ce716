"""Keys one at a time: the next one waits until the one before has had its effect.

Belongs here: order among what is typed. Not here: what a key does. Textual hands every key to the widget that has the
focus when it comes; over a slow line keys come in bursts, and what is typed after a key that opens a form
or goes to the next line would land in the old place, where a letter may mean a command.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import TypeVar

from textual import events
from textual.app import App
from textual.message_pump import MessagePump

T = TypeVar("T")
PASSES = 3  # key and action; what the action posted (a submitted line); what that led to (a screen, its focus)
PATIENCE_S = 0.25  # a widget that goes away takes what was in its queue with it


class OrderedApp(App[T], inherit_bindings=False):
    """An app that obeys keys and pastes strictly in order."""

    def __init__(self, *, ansi_color: bool | None = None) -> None:
        super().__init__(ansi_color=ansi_color)
        self._typed: deque[events.Event] = deque()
        self._obeying = 0  # number of the key that is being obeyed; 0 = none
        self._keys = 0

    async def on_event(self, event: events.Event) -> None:
        if isinstance(event, (events.Key, events.Paste)) and not event.is_forwarded:
            self._typed.append(event)
            if not self._obeying:
                await self._obey()
        else:
            await super().on_event(event)

    async def _obey(self) -> None:
        """Let the next key go its way, and follow it."""
        if not self._typed:
            self._obeying = 0
            return
        self._keys += 1
        self._obeying = number = self._keys
        asyncio.get_running_loop().call_later(PATIENCE_S, self.call_later, self._obeyed, number)
        await super().on_event(self._typed.popleft())
        self._follow(PASSES, lambda: self._obeyed(number))

    async def _obeyed(self, number: int) -> None:
        if number == self._obeying:
            await self._obey()

    def _follow(self, passes: int, then: Callable[[], object]) -> None:
        """Call `then` behind all that the key has put into the queues between the focus and the app."""
        if passes:
            self._hop(self.focused or self.screen, lambda: self._follow(passes - 1, then))
        else:
            self.call_later(then)

    def _hop(self, pump: MessagePump | None, then: Callable[[], object]) -> None:
        above = pump._parent if pump is not None else None
        if pump is None or pump is self:
            self.call_later(then)
        elif not pump.call_later(self._hop, above, then):  # it is closing
            self._hop(above, then)
