"""The composition root: makes a run folder, takes one up, puts the rooms together, flies it.

Belongs here: wiring. Not here: any rule. Agents, gates and sandbox are imported when the engine starts,
after first paint.
"""

from __future__ import annotations

import asyncio
import secrets
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from cockpit.engine.clock import SystemClock
from cockpit.engine.controls import Controls
from cockpit.engine.desk import Room
from cockpit.engine.engine import Ending, Engine
from cockpit.engine.jobs import JobRunner
from cockpit.engine.keeper import Keeper
from cockpit.engine.part import House
from cockpit.engine.people import People
from cockpit.engine.recorder import Recorder
from cockpit.engine.recovery import TakenUp, take_up
from cockpit.journal.bodies import Bodies
from cockpit.journal.history import History
from cockpit.journal.lock import RunLock
from cockpit.journal.places import RunFolder
from cockpit.journal.segments import Journal
from cockpit.kernel import events as e
from cockpit.kernel.commands import AnyCommand
from cockpit.kernel.exits import CockpitError, Exit
from cockpit.kernel.hints import Hint
from cockpit.kernel.ids import Seq
from cockpit.kernel.protocols import Clock, Face, Judge, Sandbox, Workers
from cockpit.kernel.settings import Settings, changed
from cockpit.kernel.view import RunView


@dataclass(frozen=True)
class Rooms:
    """Makers of the rooms, so that tests can put scripted ones in. Called on the engine's thread."""

    workers: Callable[[Settings, Clock], Workers]
    judge: Callable[[], Judge]
    sandbox: Callable[[Settings, Path], Sandbox]  # the path is where jobs' folders are


class Flight:
    """A run in flight on its own thread and loop; the handle that faces hold."""

    def __init__(self, folder: RunFolder, rooms: Rooms, face: Face, *, present: bool, clock: Clock | None = None,
                 token: str = "", changes: Mapping[str, str] | None = None) -> None:  # fmt: skip
        self._changes = dict(changes or {})
        self.folder, self._rooms, self._face, self._present = folder, rooms, face, present
        self._clock: Clock = clock or SystemClock()
        self._token = token
        self.finished = threading.Event()
        self.started = threading.Event()
        self.error: BaseException | None = None
        self.ending: Ending | None = None
        self.loop: asyncio.AbstractEventLoop | None = None
        self._view = RunView()
        self._engine: Engine | None = None
        self._people: People | None = None
        self._why_stop = ""
        self._thread = threading.Thread(target=self._main, name="engine", daemon=True)

    def start(self) -> Flight:
        """Begin; returns at once."""
        self._thread.start()
        return self

    @property
    def view(self) -> RunView:
        return self._view

    @property
    def exit_code(self) -> int | None:
        """None while it flies; 1 when the engine itself broke (see `error`)."""
        if self.ending is not None:
            return int(self.ending.code)
        return int(Exit.BUG) if self.error is not None else None

    def wait_until_started(self) -> None:
        """Block until the engine works or could not begin.

        Raises:
            CockpitError: it could not begin (in use, damaged, no sandbox …).
        """
        self.started.wait()
        if isinstance(self.error, CockpitError):
            raise self.error

    def post(self, command: AnyCommand) -> None:
        """Ask something of the engine, from any thread; the terminal's own confirmation was given."""
        people, loop = self._people, self.loop
        if people is not None and loop is not None and not self.finished.is_set():
            loop.call_soon_threadsafe(people.post, command)

    def stop(self, why: str) -> None:
        """End soon and stay resumable, from any thread."""
        self._why_stop = why
        engine, loop = self._engine, self.loop
        if engine is not None and loop is not None and not self.finished.is_set():
            loop.call_soon_threadsafe(engine.stop, why)

    def join(self, timeout: float | None = None) -> None:
        self._thread.join(timeout)

    def _main(self) -> None:
        try:
            asyncio.run(self._fly())
        except BaseException as error:  # noqa: BLE001  kept and shown by whoever waits for `finished`
            self.error = error
        finally:
            self.finished.set()
            self.started.set()

    async def _fly(self) -> None:
        self.loop = asyncio.get_running_loop()
        run = await take_up(self.folder, self._clock, self._publish)
        try:
            self._view = run.recorder.view
            if self._view.finished is not None and self._view.finished.outcome not in ("failed", "partial"):
                end = self._view.finished
                self.ending = Ending(end.exit_code, end.reason, finished=True)
                return
            await self._with_rooms(run)
        finally:
            run.close()

    async def _with_rooms(self, run: TakenUp) -> None:
        created = run.recorder.view.run
        assert created is not None
        settings = changed(created.settings, self._changes)
        sandbox = self._rooms.sandbox(settings, self.folder.jobs)
        run.did += [f"ended the stray job {job}" for job in await sandbox.reap(run.recorder.open_jobs())]
        workers = self._rooms.workers(settings, self._clock)
        try:
            controls = Controls(run.recorder, self._clock, sandbox)
            jobs = JobRunner(self.folder, run.recorder, sandbox, controls, self._clock, settings.sandbox.parallel,
                             self._face.hint)  # fmt: skip
            bodies = Bodies(self.folder.calls)
            room = Room(self.folder, run.recorder, controls, jobs, bodies, self._clock, settings, created.secret,
                        self._face.hint)  # fmt: skip
            house = House(room, run.tree, run.history, run.keeper, workers, self._rooms.judge())
            self._people = People(controls, run.recorder, house.judge, self._clock, self.folder.control,
                                  present=self._present, token=self._token)  # fmt: skip
            self._engine = Engine(house, self._people, run.did, resumed=run.recorder.view.position is not None,
                                  changes=self._changes)  # fmt: skip
            self._face.facts(run.recorder.view, [])
            self.started.set()
            if self._why_stop:
                self._engine.stop(self._why_stop)
            self.ending = await self._engine.fly()
        finally:
            await workers.close()
            await sandbox.close()

    def _publish(self, view: RunView, events: Sequence[tuple[Seq, e.AnyEvent]]) -> None:
        self._view = view
        self._face.facts(view, events)


class NoFace:
    """Nobody watches."""

    def facts(self, view: RunView, events: Sequence[tuple[Seq, e.AnyEvent]]) -> None:
        del view, events

    def hint(self, hint: Hint) -> None:
        del hint


def lay_out(folder: RunFolder, idea: bytes, created: e.RunCreated, config: str) -> None:
    """Fill a new run folder: idea, configuration, first record, first commit."""
    (folder.root / "idea.md").write_bytes(idea)
    (folder.root / "cockpit.yml").write_text(config)
    for place in (folder.control, folder.calls):
        place.mkdir(parents=True, exist_ok=True)
    asyncio.run(_first_commit(folder, created))


async def _first_commit(folder: RunFolder, created: e.RunCreated) -> None:
    lock = RunLock(folder.cockpit)
    history = History(folder.root, lock.children)
    history.create()
    journal = Journal.open(folder.cockpit)
    try:
        recorder = Recorder(journal, NoFace().facts)
        recorder.record(created)
        await Keeper(folder, recorder, history, SystemClock()).commit(everything=True)
    finally:
        journal.close()
        history.close()
        lock.release()


def new_secret() -> str:
    """Random, hex; the first record of a run."""
    return secrets.token_hex(32)


def our_version() -> str:
    """Version of the cockpit, as installed."""
    try:
        return version("research-cockpit")
    except PackageNotFoundError:
        return "0+unknown"


def real_rooms() -> Rooms:
    """Agents, gates and sandbox as they ship."""

    def workers(settings: Settings, clock: Clock) -> Workers:
        from agents.crew import hire

        return hire(settings, clock, library=Path(settings.library) if settings.library else None)

    def judge() -> Judge:
        from gates.judge import Gates

        return Gates()

    def sandbox(settings: Settings, jobs: Path) -> Sandbox:
        from sandbox.choose import choose

        return choose(settings.sandbox, rehearsal=settings.rehearsal.on, jobs=jobs)

    return Rooms(workers, judge, sandbox)
