"""The linear face: one line an event, numbered prompts; for dumb terminals and screen readers.

Belongs here: prompts and reading answers. Not here: the sentences. Nothing is ever redrawn.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import IO

from cockpit.front.headless import HeadlessFace, Printer, fly
from cockpit.front.session import EngineHandle, StartEngine
from cockpit.kernel.commands import AnyCommand, Approve, Continue, Guide, Quiesce, Reject, Step
from cockpit.kernel.events import (
    AnyEvent,
    CallIntended,
    CallReplied,
    ControlChanged,
    EffectRecorded,
    EngineStarted,
    PauseReached,
)
from cockpit.kernel.ids import Actor, Seq
from cockpit.kernel.view import RunView

CHATTER = (CallIntended, CallReplied, EffectRecorded)  # a line for each would bury what a listener waits for
Offer = tuple[str, str]  # id, words
WORKING: tuple[Offer, ...] = (
    ("pause", "pause"),
    ("step", "one stage, then pause"),
    ("guide", "guide"),
    ("quit", "quit"),
)
PAUSED: tuple[Offer, ...] = (("continue", "continue"), ("step", "one stage"), ("guide", "guide"), ("quit", "quit"))
DECIDING: tuple[Offer, ...] = (("approve", "approve"), ("reject", "reject"), ("guide", "guide"), ("quit", "quit"))


def offers_of(view: RunView) -> tuple[Offer, ...]:
    """What can be typed now."""
    if view.pause is not None and view.pause.decision:
        return DECIDING
    return PAUSED if view.control in ("paused", "quiescing", "holding") else WORKING


def prompt_of(view: RunView) -> str:
    """`Type 1 to approve, 2 to reject, … then Enter.`"""
    listed = ", ".join(f"{n} {words}" for n, (_, words) in enumerate(offers_of(view), 1))
    return f"Type a number, then Enter: {listed}."


class PlainFace(HeadlessFace):
    """Facts as lines; a prompt when what can be typed has changed."""

    def __init__(self, printer: Printer) -> None:
        super().__init__(printer)
        self.view = RunView()

    def facts(self, view: RunView, events: Sequence[tuple[Seq, AnyEvent]]) -> None:
        self.view = view
        super().facts(view, [(seq, event) for seq, event in events if not isinstance(event, CHATTER)])
        if any(isinstance(event, (PauseReached, ControlChanged, EngineStarted)) for _, event in events):
            self._printer.say(prompt_of(view))


def command_of(id: str, who: Actor, ask: Callable[[str], str]) -> AnyCommand | str:
    """The command for an answer; a sentence when it lacks what it needs, "quit" to leave."""
    match id:
        case "pause":
            return Quiesce(by=who)
        case "continue":
            return Continue(by=who)
        case "step":
            return Step(by=who)
        case "approve":
            return Approve(by=who)
        case "reject":
            reason = ask("Why? The stage that mends it will read this.")
            return Reject(by=who, reason=reason) if reason else "Nothing was rejected: a reason is needed."
        case "guide":
            text = ask("What must the following stages honour?")
            return Guide(by=who, text=text) if text else "No guidance was given."
        case _:
            return "quit"


def run_plain(
    start_engine: StartEngine, *, who: Actor, lines: IO[str] | None = None, people: IO[str] | None = None
) -> int:
    """Fly a run with a linear face; returns the exit code. End of input: the run goes on, unattended."""
    printer = Printer(people or sys.stderr, None)
    face = PlainFace(printer)

    def listen(handle: EngineHandle) -> None:
        reader = threading.Thread(target=_listen, args=(lines or sys.stdin, face, printer, handle, who), daemon=True)
        reader.start()

    return fly(start_engine, face, printer, listen)


def _listen(lines: IO[str], face: PlainFace, printer: Printer, handle: EngineHandle, who: Actor) -> None:
    typed: Iterator[str] = (line.strip() for line in lines)

    def ask(question: str) -> str:
        printer.say(question)
        return next(typed, "")

    for answer in typed:
        offers = offers_of(face.view)
        if not answer.isdigit() or not 1 <= int(answer) <= len(offers):
            printer.say(prompt_of(face.view))
            continue
        command = command_of(offers[int(answer) - 1][0], who, ask)
        if command == "quit":
            handle.stop(f"left by {who.user}")
            return
        if isinstance(command, str):
            printer.say(command)
        else:
            handle.post(command)
