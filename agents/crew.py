"""The agents as the engine calls them: each stage's work goes to the module named after its agent.

Belongs here: dispatch and putting the agents' tools together. Not here: any agent's own work,
what comes next (engine).
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import TYPE_CHECKING

from agents.kit import Kit
from cockpit.kernel.findings import GateVerdict
from cockpit.kernel.protocols import Clock, Desk, Route, StageReport
from cockpit.kernel.settings import Settings

if TYPE_CHECKING:
    from agents.calls import Door


class Crew:
    """Implements `Workers`: `agents/<agent>.py` has `async def work(desk, kit) -> StageReport`."""

    def __init__(self, kit: Kit) -> None:
        self.kit = kit

    async def work(self, desk: Desk) -> StageReport:
        """Do `desk.stage` (and `desk.part`)."""
        module = importlib.import_module(f"agents.{desk.stage.agent.replace('-', '_')}")
        report: StageReport = await module.work(desk, self.kit)
        return report

    async def brief(self, desk: Desk, verdict: GateVerdict, route: Route) -> StageReport:
        """Stage 20's second half: the orchestrator's revision brief."""
        module = importlib.import_module("agents.orchestrator")
        report: StageReport = await module.brief(desk, self.kit, verdict, route)
        return report

    def warm(self) -> None:
        """Begin the slow imports of the models' thread now (after first paint); returns at once."""
        self.kit.door.warm()

    async def close(self) -> None:
        """Let go of the models' loop and of HTTP."""
        await self.kit.door.close()
        await self.kit.literature.close()


def hire(settings: Settings, clock: Clock, *, library: Path | None = None, door: Door | None = None) -> Crew:
    """The agents of a run. `library` is a resolved path to a .jsonl or .bib file; `door` stands in for the gateway.

    Raises:
        StageError: a model has no known price, or the library cannot be read (before anything is spent).
    """
    from agents import rosters
    from agents.literature.catalogue import shelves

    if door is None:
        from agents.gateway import Gateway

        door = Gateway(settings, clock)
    crew = Crew(Kit(door, shelves(settings, library), settings, rosters.load(), clock))
    crew.warm()
    return crew
