"""The models' own event loop in its own thread, one a process, started when first needed.

Belongs here: thread and loop. Not here: litellm (`gateway.py`), which is imported inside this thread,
so that neither a screen nor the engine waits for its seconds.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")


class ModelsLoop:
    """`prepare` runs first in the thread; what is submitted meanwhile waits for it."""

    def __init__(self, prepare: Callable[[], None]) -> None:
        self._prepare = prepare
        self._loop = asyncio.new_event_loop()
        self._loop.set_exception_handler(self._complaint)
        self._failure: Exception | None = None
        self.complaints: list[str] = []  # of the client library; kept off the terminal
        self._thread = threading.Thread(target=self._run, name="models", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._prepare()
        except Exception as error:  # noqa: BLE001 - whatever it is, each caller gets it
            self._failure = error
        self._loop.run_forever()

    def _complaint(self, _loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        self.complaints.append(str(context.get("message")))

    def submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Run `work` on the models' loop; cancelling the future cancels it there."""
        return asyncio.run_coroutine_threadsafe(self._after_preparing(work), self._loop)

    async def _after_preparing(self, work: Coroutine[Any, Any, T]) -> T:
        if self._failure is not None:
            work.close()
            raise self._failure
        return await work

    def stop(self, seconds: float) -> None:
        """End loop and thread; waits at most `seconds`."""
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(seconds)
