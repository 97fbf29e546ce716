"""Fixtures of the screens' tests: a cockpit on a screen of a given size, with a run folded in."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "front"))

import demo_engine as demo
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
        await self.press(*("space" if ch == " " else ch for ch in text))

    async def hear(self, *events: Any, hints: list[Any] | None = None) -> None:
        """What the bus would bring."""
        view = demo.view_of(events, self.app.view)
        facts = [Batch(view, tuple(enumerate(events, view.seq)))] if events else []
        self.app.take(facts, hints or [])  # type: ignore[arg-type]
        await self.pilot.pause()


Open = Callable[..., AbstractAsyncContextManager[Cockpit]]


@pytest.fixture
def cockpit(monkeypatch: pytest.MonkeyPatch) -> Open:
    """`async with cockpit(size=(120, 36), view=…) as it:`."""
    for name in ("NO_COLOR", "SSH_CONNECTION", "TMUX", "COLORFGBG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("LANG", "C.UTF-8")

    @asynccontextmanager
    async def opened(
        size: tuple[int, int] = (120, 36), view: RunView | None = None, **options: Any
    ) -> AsyncIterator[Cockpit]:
        it = Cockpit(demo.view_of(demo.story()) if view is None else view, **options)
        async with it.app.run_test(size=size, notifications=True) as pilot:
            it.pilot = pilot
            await pilot.pause()
            await pilot.pause()
            yield it

    return opened
