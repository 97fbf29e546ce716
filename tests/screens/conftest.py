"""Fixtures of the screens' tests: a cockpit on a screen of a given size, with a run folded in."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from screen import Cockpit, Open, demo

from cockpit.kernel.view import RunView


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
