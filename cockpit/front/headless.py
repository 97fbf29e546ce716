"""The face without a screen: one line an event for people on standard error, JSON lines for scripts on standard output.

Belongs here: printing, and waiting for the engine. Not here: the words (`sentences.py`). The engine's
thread never waits for whoever reads: a thread prints. JSON is never dropped; lines for people are,
counted, when nobody takes them.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO

from cockpit.front import crash, farewell, signals
from cockpit.front.sentences import line_of
from cockpit.front.session import EngineHandle, StartEngine
from cockpit.kernel.events import AnyEvent, RunFinished
from cockpit.kernel.exits import CockpitError, Exit
from cockpit.kernel.hints import Hint
from cockpit.kernel.ids import Seq
from cockpit.kernel.view import RunView

KEPT_LINES = 20_000  # for people, while nobody reads
LAST_WRITES_S = 5.0  # at the end, for what is still queued
STOP_S = 15.0
LOG = "run.log"  # in the run's .cockpit: where 0 to 2 go when the terminal does


class Printer:
    """Writes to two streams on a thread of its own. A stream that breaks is written to no more."""

    def __init__(self, people: IO[str], scripts: IO[str] | None) -> None:
        self._people, self._scripts = people, scripts
        self._queue: queue.SimpleQueue[tuple[IO[str], str] | None] = queue.SimpleQueue()
        self._broken: set[int] = set()
        self.dropped = 0
        self._thread = threading.Thread(target=self._run, name="printer", daemon=True)
        self._thread.start()

    def say(self, line: str) -> None:
        """A line for people."""
        if self._queue.qsize() > KEPT_LINES:
            self.dropped += 1
        else:
            self._queue.put((self._people, line + "\n"))

    def record(self, line: str) -> None:
        """A line for scripts."""
        if self._scripts is not None:
            self._queue.put((self._scripts, line + "\n"))

    def close(self) -> None:
        """Write what is left, but do not wait for ever."""
        self._queue.put(None)
        self._thread.join(LAST_WRITES_S)

    def _run(self) -> None:
        while (item := self._queue.get()) is not None:
            stream, text = item
            if id(stream) in self._broken:
                continue
            try:
                stream.write(text)
                if self._queue.empty():
                    stream.flush()
            except (OSError, ValueError):  # a closed pipe: the run goes on without a reader
                self._broken.add(id(stream))
        for last in (self._people, self._scripts):
            if last is not None and id(last) not in self._broken:
                try:
                    last.flush()
                except (OSError, ValueError):
                    self._broken.add(id(last))


class HeadlessFace:
    """Prints facts; hints are not for a log."""

    def __init__(self, printer: Printer) -> None:
        self._printer = printer
        self.end: tuple[Seq, RunFinished] | None = None

    def facts(self, view: RunView, events: Sequence[tuple[Seq, AnyEvent]]) -> None:
        for seq, event in events:
            self._printer.say(line_of(event, view))
            if isinstance(event, RunFinished):
                self.end = (seq, event)  # printed last, with the run folder, whatever is written after it
            else:
                self._printer.record(json_of(seq, event))

    def hint(self, hint: Hint) -> None:
        del hint


def json_of(seq: Seq, event: AnyEvent) -> str:
    """A record as one JSON line; the run's secret is left out, since it lets one forge markers."""
    data = event.model_dump(mode="json")
    data.pop("secret", None)
    return json.dumps({"seq": seq, **data}, ensure_ascii=False)


def end_of(handle: EngineHandle, end: tuple[Seq, RunFinished] | None, code: int) -> str:
    """The last line: how it ended, with which exit code, at what cost, where. Interrupted when the run is not over."""
    seq, event = end if end else (handle.view.seq, None)
    data = event.model_dump(mode="json") if event else {
        "kind": "run-finished", "at": None, "outcome": "interrupted", "exit_code": code,
        "cost_usd": handle.view.spending.usd, "reason": handle.view.failure or "the cockpit let go of the run",
        "next": f"cockpit resume {handle.folder.root.name}",
    }  # fmt: skip
    return json.dumps({"seq": seq, **data, "run_folder": str(handle.folder.root)}, ensure_ascii=False)


def run_headless(start_engine: StartEngine, *, as_json: bool = False, people: IO[str] | None = None,
                 scripts: IO[str] | None = None) -> int:  # fmt: skip
    """Fly a run without a screen; returns the exit code.

    TERM and INT stop it in an orderly way, a second one at once; HUP moves output to the run's log.
    """
    printer = Printer(people or sys.stderr, (scripts or sys.stdout) if as_json else None)
    return fly(start_engine, HeadlessFace(printer), printer)


def fly(start_engine: StartEngine, face: HeadlessFace, printer: Printer,
        listen: Callable[[EngineHandle], None] = lambda handle: None) -> int:  # fmt: skip
    """Start the engine, wait for its end, print the last words; `listen` is called once it flies."""
    descriptor = signals.install()
    try:
        handle = start_engine(face)
    except CockpitError as fault:
        printer.say(str(fault))
        printer.close()
        return int(fault.code)
    handle.started.wait()
    _Watch(handle).attach(descriptor)
    listen(handle)
    _wait(handle)
    code = _say_end(printer, handle, int(Exit.BUG) if handle.exit_code is None else handle.exit_code)
    printer.record(end_of(handle, face.end, code))
    printer.close()
    return code


def _wait(handle: EngineHandle) -> None:
    """On the main thread, in pieces: a wait without a limit would not let signals be seen on every system."""
    while not handle.finished.wait(3600.0):
        continue


def _say_end(printer: Printer, handle: EngineHandle, code: int) -> int:
    fault = handle.error
    if isinstance(fault, CockpitError):
        printer.say(str(fault))
        return int(fault.code)
    if fault is not None:
        import traceback

        story = crash.keep("".join(traceback.format_exception(fault)))
        printer.say(f"cockpit: internal error: {fault}\n  That is a bug of ours; the run can be resumed. See {story}")
        return int(Exit.BUG)
    for line in farewell.lines_of(handle.view, handle.folder.root):
        printer.say(line)
    return code


class _Watch:
    """Signals of a run without a screen."""

    def __init__(self, handle: EngineHandle) -> None:
        self._handle, self._count = handle, 0

    def attach(self, descriptor: int) -> None:
        loop = self._handle.loop
        if loop is None:
            return
        try:
            loop.call_soon_threadsafe(signals.attach, loop, descriptor, self._take)
        except RuntimeError:  # it has ended already
            return

    def _take(self, number: int) -> None:
        match number:
            case signal.SIGTERM | signal.SIGINT:
                self._count += 1
                if self._count > 1:
                    os._exit(Exit.INTERRUPTED)  # the journal is durable as it stands
                self._handle.stop(f"interrupted by {signal.Signals(number).name}")
            case signal.SIGHUP:
                to_log(self._handle.folder.root / ".cockpit" / LOG)
            case _:
                return


def to_log(path: Path) -> None:
    """Move standard input to nowhere, and output and error to the run's log: the terminal is gone."""
    null = os.open(os.devnull, os.O_RDONLY)
    log = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    os.dup2(null, 0)
    for fd in (1, 2):
        if os.isatty(fd):  # a file or a pipe outlives the terminal
            os.dup2(log, fd)
    os.close(null)
    os.close(log)
