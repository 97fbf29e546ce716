"""Several asks at once, their answers in the order of the asks.

Belongs here: running together, ending together. Not here: how many at once (the gateway's bound).
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping
from typing import Any, TypeVar

T = TypeVar("T")


async def parallel(asks: Mapping[str, Coroutine[Any, Any, T]]) -> dict[str, T]:
    """The results by name, in the order of `asks`. When one fails the others are cancelled.

    Raises:
        The failure itself, not a group; of several at once the first in the order of `asks`.
    """
    tasks: dict[str, asyncio.Task[T]] = {}
    try:
        async with asyncio.TaskGroup() as group:
            for name, ask in asks.items():
                tasks[name] = group.create_task(ask, name=name)
    except* Exception as failures:  # noqa: BLE001 - raised again, without the group around it
        known = [task.exception() for task in tasks.values() if task.done() and not task.cancelled()]
        raise next(error for error in (*known, *failures.exceptions) if error is not None) from None
    return {name: task.result() for name, task in tasks.items()}
