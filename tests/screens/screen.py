"""A cockpit under test on a screen of a given size: what it shows, what it asks for, news for it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "front"))

import demo_engine as demo
from textual.events import Paste
from textual.pilot import Pilot

from cockpit.front.app import CockpitApp
from cockpit.front.bus import Batch
from cockpit.kernel.commands import AnyCommand
from cockpit.kernel.view import RunView

NOW = "2026-11-30T18:16:07Z"


class Cockpit:
    """An app under test: its picture as lines, what it asked for, news for it."""

    def __init__(self, view: RunView, **options: Any) -> None:
        self.posted: list[AnyCommand] = []
        self.app = CockpitApp(view, self.posted.append, demo.ME, 4, clock=lambda: NOW, **options)
        self.pilot: Pilot[Any]

    @property
    def lines(self) -> list[str]:
        """The picture, a line each, as a person sees it."""
        strips = self.app.screen._compositor.render_strips()
        return ["".join(segment.text for segment in strip).rstrip() for strip in strips]

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.pilot.pause()

    async def type(self, text: str) -> None:
        """Into the line that has the focus, at once."""
        self.app.screen.focused.post_message(Paste(text))  # type: ignore[union-attr]
        await self.pilot.pause()

    async def hear(self, *events: Any, hints: list[Any] | None = None) -> None:
        """What the bus would bring."""
        view = demo.view_of(events, self.app.view)
        facts = [Batch(view, tuple(enumerate(events, view.seq)))] if events else []
        self.app.take(facts, hints or [])  # type: ignore[arg-type]
        await self.pilot.pause()


Open = Callable[..., AbstractAsyncContextManager[Cockpit]]
