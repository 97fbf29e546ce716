"""The bus: facts are never dropped, hints are capped and counted, an idle engine wakes nobody."""

from __future__ import annotations

import asyncio
import threading

from cockpit.front.bus import Batch, Bus
from cockpit.kernel.hints import Hint, LogLines
from cockpit.kernel.view import RunView


async def until(condition: object, limit: float = 5.0) -> None:
    async with asyncio.timeout(limit):
        while not condition():  # type: ignore[operator]  # noqa: ASYNC110 - another thread changes it
            await asyncio.sleep(0.005)


async def test_a_thread_s_facts_all_arrive_in_order_while_hints_are_capped() -> None:
    seen: list[Batch] = []
    hints: list[Hint] = []

    def show(facts: list[Batch], more: list[Hint]) -> None:
        seen.extend(facts)
        hints.extend(more)

    bus = Bus(asyncio.get_running_loop(), show, hz=50, cap=100)

    def produce() -> None:
        for n in range(5000):
            bus.facts(RunView(seq=n), [])
            bus.hint(LogLines("job", (str(n),)))

    thread = threading.Thread(target=produce)
    thread.start()
    await until(lambda: len(seen) == 5000 and not thread.is_alive())
    await until(lambda: len(hints) + bus.dropped == 5000)

    assert [batch.view.seq for batch in seen] == list(range(5000))
    assert bus.dropped > 0
    assert hints[-1] == LogLines("job", ("4999",))


async def test_frames_come_no_oftener_than_asked_and_none_when_idle() -> None:
    frames: list[float] = []
    loop = asyncio.get_running_loop()
    bus = Bus(loop, lambda facts, hints: frames.append(loop.time()), hz=20)
    end = loop.time() + 0.5
    while loop.time() < end:
        bus.hint(LogLines("job", ("x",)))
        await asyncio.sleep(0.001)
    await asyncio.sleep(0.1)
    count = len(frames)
    await asyncio.sleep(0.2)

    assert 5 <= count <= 13
    assert len(frames) == count


async def test_a_closed_loop_closes_the_bus_instead_of_raising() -> None:
    loop = asyncio.new_event_loop()
    bus = Bus(loop, lambda facts, hints: None, hz=4)
    loop.close()
    bus.facts(RunView(), [])

    assert bus.open is False
