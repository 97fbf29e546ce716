"""The life of the full-screen face: first paint, then the engine; detach, quit, hang-up, end.

Belongs here: who starts, waits for and outlives whom. Not here: the screen (`app.py`), the engine.
The screen's loop is the main thread's; the engine has a thread and a loop of its own and never
waits for the screen.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from pathlib import Path

from cockpit.front import crash, farewell, shim, signals, terminal
from cockpit.front.app import AppFace, CockpitApp
from cockpit.front.detach import SignalRules, Terminal
from cockpit.front.session import EngineHandle, StartEngine
from cockpit.front.writer import PatientWriter, replace_writer
from cockpit.kernel.commands import AnyCommand
from cockpit.kernel.exits import CockpitError, Exit
from cockpit.kernel.ids import Actor
from cockpit.kernel.view import RunView

STOP_S = 15.0  # the engine cancels within 10; after that nobody waits for it
LAST_COMMIT_S = 60.0
LOOK_S = 2.0  # between looks whether the terminal is still there
LAST_WRITES_S = 0.7  # between the engine's end and ours, once the face was abandoned


def run_face(start_engine: StartEngine, *, who: Actor, theme: str = "auto", view: RunView | None = None) -> int:
    """Open the cockpit, start the engine behind it, stay until a person leaves or the terminal does.

    Returns the exit code. After a detach it does not return: the process ends with the run.
    `start_engine` is called on a thread once the screen is up (see `session.py`).
    """
    replace_writer()
    if shim.LINK is not None:
        shim.LINK.touched = True
    host = Host(start_engine, who, signals.install(), Terminal(shim.LINK))
    rate = terminal.rate(os.environ)
    app = CockpitApp(view or RunView(), host.post, who, rate, theme=theme, folder=host.folder, ended=host.ended)
    host.adopt(app)
    leave = app.run()
    return host.after(leave, crashed=app.return_code != 0 and leave is None)


class Host:
    """Holds engine and face together. `fault` is why the engine could not start."""

    def __init__(self, start_engine: StartEngine, who: Actor, signal_fd: int, hold: Terminal) -> None:
        self._start_engine, self._who, self._signal_fd, self._terminal = start_engine, who, signal_fd, hold
        self._lock = threading.Lock()
        self._waiting: list[AnyCommand] = []  # asked for before the engine was there
        self._handle: EngineHandle | None = None
        self._launched = threading.Event()
        self._interrupts = 0
        self.fault: CockpitError | None = None
        self.bug = ""
        self._rules = SignalRules(hold, hang_up=self.hang_up, interrupt=self.interrupt)

    def adopt(self, app: CockpitApp) -> None:
        """Take an app that has not run yet."""
        self._app, self._face = app, AppFace(app)
        app.mounted, app.waking = self._mounted, True
        app.in_editor = self._rules.in_editor
        if self._terminal.link is not None:
            app.stop_face = lambda: self._terminal.stop_face(app)

    def _mounted(self) -> None:
        """The first paint is out: heavy imports and the engine may come."""
        self._ui = asyncio.get_running_loop()
        signals.take_over_stopping()
        PatientWriter.thawed = lambda: self._on_screen(lambda: self._app.refresh(layout=True))
        self._app.set_interval(LOOK_S, self._look_at_terminal)
        threading.Thread(target=self._launch, name="launch", daemon=True).start()

    def _launch(self) -> None:
        try:
            handle = self._start_engine(self._face)
        except CockpitError as fault:
            self.fault = fault
        except Exception:  # noqa: BLE001 - a bug of ours; kept whole and shown after the screen has closed
            self.bug = traceback.format_exc()
        else:
            handle.started.wait()
            with self._lock:
                self._handle = handle
                waiting, self._waiting = self._waiting, []
            for command in waiting:
                handle.post(command)
            if (loop := handle.loop) is not None:
                self._on_engine(lambda: self._rules.attach(loop, self._signal_fd))
        self._launched.set()
        if self._handle is None:
            self._on_screen(lambda: self._app.exit("stop"))
        else:
            self._handle.finished.wait()
            broken = self._handle.error is not None
            self._on_screen(lambda: self._app.exit("stop") if broken else self._look_on())

    def _look_at_terminal(self) -> None:
        """A terminal may go without a signal; its key thread would then spin on end of file for ever."""
        if self._terminal.detached or self._terminal.stopped or terminal.there():
            return
        if self._handle is None or self.ended():
            self.hang_up()
        else:
            self._on_engine(self.hang_up)

    def _look_on(self) -> None:
        """The engine and its loop are gone, the screen stays: a closed terminal is now ours to notice."""
        self._rules.attach(self._ui, self._signal_fd)
        self._app.draw()

    def _on_screen(self, call: Callable[[], object]) -> None:
        try:
            self._ui.call_soon_threadsafe(call)
        except RuntimeError:  # the screen's loop is closed
            return

    def _on_engine(self, call: Callable[[], object]) -> None:
        loop = self._handle.loop if self._handle is not None else None
        if loop is None:
            return
        try:
            loop.call_soon_threadsafe(call)
        except RuntimeError:  # the engine's loop is closed: it has ended already
            return

    def post(self, command: AnyCommand) -> None:
        """From the screen's thread."""
        with self._lock:
            if self._handle is None:
                self._waiting.append(command)
                return
        try:
            self._handle.post(command)
        except RuntimeError:  # the engine's loop closed just now: there is nothing left to steer
            return

    def folder(self) -> Path | None:
        return self._handle.folder.root if self._handle else None

    def ended(self) -> bool:
        """Has the engine let go of the run?"""
        return self._handle is not None and self._handle.finished.is_set()

    # on the engine's thread

    def hang_up(self) -> None:
        """The terminal is gone: the run goes on without a face, which is never waited for."""
        driver = self._app._driver
        if driver is not None and hasattr(driver, "exit_event"):
            driver.exit_event.set()  # before 0 becomes /dev/null, or the key thread spins
        self._face.close()
        if self._terminal.abandon():
            self._on_screen(lambda: self._app.exit("detach"))
            threading.Thread(target=self._outlive, name="outlive", daemon=True).start()

    def _outlive(self) -> None:
        self._leave_with_run(LAST_WRITES_S)

    def interrupt(self, number: int) -> None:
        """TERM or INT: the first stops the run in an orderly way, the second at once."""
        self._interrupts += 1
        if self._interrupts > 1:
            os._exit(Exit.INTERRUPTED)  # the journal is durable as it stands; the shim heals the terminal
        if self._handle is not None:
            self._handle.stop(f"interrupted by {signal.Signals(number).name}")
        if self._terminal.detached:
            return
        self._on_screen(lambda: self._app.exit("abort"))

    # on the main thread, once the screen has closed

    def after(self, leave: str | None, *, crashed: bool) -> int:
        """What is left to do when the face has gone. Returns the exit code, or ends the process with the run."""
        self._face.close()
        if self._terminal.detached:
            self._leave_with_run(0)
        if not PatientWriter.stuck:
            self._terminal.say_restored()
        if leave == "detach" or (crashed and not self.ended()):
            self._detach(crashed)
        if self.fault is None and not self.bug:
            self._stop()
        return self._report()

    def _detach(self, crashed: bool) -> None:
        self._launched.wait()
        if self._handle is None:
            return
        if crashed:
            _print(["cockpit: the screen failed, which is a bug of ours; the run goes on without it"])
        _print(farewell.lines_of(self._handle.view, self._handle.folder.root, detached=True))
        self._terminal.abandon()
        self._leave_with_run(0)

    def _leave_with_run(self, pause: float) -> None:
        self._launched.wait()
        if self._handle is None:
            os._exit(self.fault.code if self.fault else Exit.BUG)
        self._handle.finished.wait()
        time.sleep(pause)
        os._exit(exit_code_of(self._handle))

    def _stop(self) -> None:
        """Let the engine go, if it has not gone."""
        self._launched.wait(STOP_S)
        if self._handle is not None and self._handle.view.finished is not None:
            self._handle.finished.wait(LAST_COMMIT_S)  # the run is over; only its last commit may be on its way
        if self._handle is not None and not self.ended():
            self._handle.stop(f"left by {self._who.user}")
            self._handle.finished.wait(STOP_S)

    def _report(self) -> int:
        if self.fault is not None:
            _print(str(self.fault).splitlines())
            return int(self.fault.code)
        broken = self._handle.error if self._handle is not None else None
        if isinstance(broken, CockpitError):
            _print(str(broken).splitlines())
            return int(broken.code)
        if broken is not None:
            self.bug = "".join(traceback.format_exception(broken))
        if self.bug or self._handle is None:
            _print([f"cockpit: internal error: {self.bug.rstrip().rpartition(chr(10))[2]}",
                    "  That is a bug of ours; nothing that was shown is lost, and the run can be resumed.",
                    f"  The whole story is in {crash.keep(self.bug)}"])  # fmt: skip
            return int(Exit.BUG)
        _print(farewell.lines_of(self._handle.view, self._handle.folder.root))
        return exit_code_of(self._handle)


def exit_code_of(handle: EngineHandle) -> int:
    """The engine's code; interrupted, if it has not let go in time."""
    return int(Exit.INTERRUPTED) if handle.exit_code is None else handle.exit_code


def _print(lines: list[str]) -> None:
    """On standard error, unless the terminal reads nothing."""
    if not PatientWriter.stuck:
        sys.stderr.write("".join(f"{line}\n" for line in lines))
        sys.stderr.flush()
