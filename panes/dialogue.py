"""The dialogue pane: what reviewers, the executor and debaters said, and what is being said now.

Belongs here: turns as lines, streaming pieces as a live turn, the widget. Not here: whole replies
(the run's `calls/`). A turn names family, how well the family is known, and its thread, since that
is what makes a review count.
"""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import ComposeResult

from cockpit.kernel.events import TurnKind, TurnSpoken
from cockpit.kernel.hints import Tokens
from cockpit.kernel.ids import CallPath, Instant
from cockpit.kernel.view import RunView
from panes.line import Line, Span, cut, plain, say
from panes.pane import Pane
from panes.signs import UNICODE, Signs
from panes.tail import Tail
from panes.text import clean, clean_lines, wrap
from themes.tokens import Ink

KEPT_TURNS = 400  # laid out again after a change of width
LIVE_LINES = 8  # of a reply that is still coming, per call
ASKED = 4  # calls that have said nothing yet, by their paths
LIVE_CHARS = 4_000  # more than LIVE_LINES of the widest terminal hold
VERDICTS: tuple[TurnKind, ...] = ("review", "confirmation", "verification")


def rows_of(view: RunView, width: int, signs: Signs = UNICODE) -> list[Line]:
    """All turns of the run, wrapped to `width`."""
    return [line for turn in view.dialogue for line in turn_lines(turn, width, signs)]


def ink_of(speaker: str) -> Ink:
    """Reviewers, the executor and debaters each have an ink; their names say it too."""
    if speaker.startswith(("reviewer", "verifier")):
        return "reviewer"
    if speaker.startswith(("executor", "writer", "planner", "orchestrator")):
        return "executor"
    return "debate"


def turn_lines(turn: TurnSpoken, width: int, signs: Signs = UNICODE) -> list[Line]:
    """A heading (who, family and grade, thread, about what), the words indented by one, a blank line."""
    between = f" {signs.dot} "
    family = f"{turn.family} ({turn.grade})" if turn.grade else turn.family
    thread = f"{'fresh ' if turn.turn in VERDICTS else ''}thread {turn.thread}" if turn.thread else ""
    about = f"about {turn.about}" if turn.about else ""
    kind = "" if turn.turn in ("review", "answer", "note") else turn.turn
    rest = between.join(clean(part) for part in (kind, family, thread, about) if part)
    lines = _heading(clean(turn.speaker), rest, ink_of(turn.speaker), width, between)
    lines += [
        (Span(" "), Span(piece)) for text in clean_lines(turn.text.strip("\n")) for piece in wrap(text, width - 1)
    ]
    return [*lines, ()]


def _heading(speaker: str, rest: str, ink: Ink, width: int, between: str) -> list[Line]:
    whole = wrap(f"{speaker}{between}{rest}" if rest else speaker, width - 1)
    first: Line = (Span(speaker, ink), Span(whole[0][len(speaker) :], "dim"))
    if not whole[0].startswith(speaker):  # a speaker wider than the pane
        first = (Span(whole[0], ink),)
    return [first, *((Span(f" {line}", "dim"),) for line in whole[1:])]


class Streams:
    """Replies that are still coming, by call path. Pieces may be lost; the kept turn replaces them."""

    def __init__(self) -> None:
        self._said: dict[CallPath, Tokens] = {}

    def take(self, piece: Tokens) -> None:
        """Add a piece; `discard` forgets what came on its path so far."""
        before = self._said.get(piece.path)
        text = piece.text if before is None or piece.discard else before.text + piece.text
        self._said[piece.path] = Tokens(piece.path, piece.speaker, piece.model, text[-LIVE_CHARS:])

    def settle(self, in_flight: Sequence[CallPath]) -> None:
        """Forget replies that have landed."""
        for path in [path for path in self._said if path not in in_flight]:
            del self._said[path]

    def lines(self, width: int, signs: Signs = UNICODE, in_flight: Sequence[CallPath] = ()) -> list[Line]:
        """The last lines of each reply, under a heading that says it is not finished; then what is only asked."""
        silent = [path for path in in_flight if path not in self._said or not self._said[path].text]
        found = [
            cut((Span(f"{signs.running} ", "busy"), say(path, "dim")), width, signs.more) for path in silent[:ASKED]
        ]
        if len(silent) > ASKED:
            found.append((Span(f"  and {len(silent) - ASKED} more asked", "dim"),))
        for piece in self._said.values():
            if not piece.text:
                continue
            heading = f" {signs.dot} {clean(piece.model)} {signs.dot} {clean(piece.path)} {signs.more}"
            found += [(Span(clean(piece.speaker), ink_of(piece.speaker)), Span(heading, "dim"))]
            words = [part for text in clean_lines(piece.text) for part in wrap(text, width - 1)]
            found += [(Span(" "), Span(part, "dim")) for part in words[-LIVE_LINES:]]
        return found


class Turns(Tail[Line]):
    """Lines of turns, laid out already."""

    def line_of(self, entry: Line) -> Line:
        return entry


class DialoguePane(Pane):
    """Turns as they were spoken, newest at the end, and live replies under them."""

    def compose(self) -> ComposeResult:
        self.turns = Turns(id="dialogue-turns")
        self.streams = Streams()
        self._laid, self._width = 0, 0
        yield self.turns

    @property
    def body(self) -> Tail[Line]:
        return self.turns

    def hear(self, pieces: Sequence[Tokens]) -> None:
        """Take streamed pieces; painted by the next `show`."""
        for piece in pieces:
            self.streams.take(piece)

    def show(self, view: RunView, now: Instant | None) -> None:
        self.streams.settle(view.spending.in_flight)
        if self._width != self.room:
            self._width = self.room
            kept = view.dialogue[-KEPT_TURNS:]
            self.turns.restart([line for turn in kept for line in turn_lines(turn, self.room, self.signs)])
        elif len(view.dialogue) > self._laid:
            fresh = view.dialogue[self._laid :]
            self.turns.add([line for turn in fresh for line in turn_lines(turn, self.room, self.signs)])
        self._laid = len(view.dialogue)
        self.turns.set_live(self.streams.lines(self.room, self.signs, view.spending.in_flight))
        calls = len(view.spending.in_flight)
        self.entitle("dialogue" + (f" {self.signs.dot} {calls} in flight" if calls else ""), below(self.turns))

    @property
    def heard(self) -> list[str]:
        """The live lines, as text."""
        return [plain(line) for line in self.turns.live]


def below(tail: Tail[Line]) -> str:
    """`+37 below` while a person reads further up."""
    return f"+{tail.below} below" if tail.below else ""
