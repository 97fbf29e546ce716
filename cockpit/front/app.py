"""The cockpit on a full terminal: hosts the panes, draws what the bus brings, turns keys into actions.

Belongs here: layout, focus, drawing, dispatch. Not here: what an action asks of the engine
(`steering.py`), what a pane says (panes), the terminal's life and death (`cockpit_face.py`).
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Literal

from textual import events
from textual.app import ComposeResult, SystemCommand
from textual.containers import Horizontal, Vertical
from textual.css.query import NoMatches
from textual.screen import Screen
from textual.widgets import Input

import panes
import themes
from cockpit.front import looking, steering
from cockpit.front.actions import ACTIONS, BY_ID
from cockpit.front.bus import Batch, Bus
from cockpit.front.footer import footer_of
from cockpit.front.keys import bindings
from cockpit.front.terminal import title
from cockpit.front.typed import OrderedApp
from cockpit.kernel.commands import AnyCommand
from cockpit.kernel.events import AnyEvent, JobFinished, Noticed, PauseReached, RunFinished, StageFailed
from cockpit.kernel.hints import Hint, JobSample, LogLines, Tokens
from cockpit.kernel.ids import Actor, Instant, Seq
from cockpit.kernel.view import RunView
from panes import header, signs, times
from panes.dialogue import DialoguePane
from panes.inked import Bar
from panes.ledger import LedgerPane
from panes.line import Line, Span
from panes.pane import Pane
from panes.rows import Rows
from panes.sandbox import SandboxPane
from panes.stages import StagesPane
from themes.choice import PALETTES, choose, textual_theme, variables
from themes.tokens import Palette

NARROW, WIDE, LOW, TALL = 100, 160, 30, 50  # cells and lines at which the layout changes
CLOCK_S = 60  # a live run repaints its clock this often; an idle one never
Leave = Literal["detach", "stop", "abort", "finished"]
ANIMATION: Literal["none"] = "none"


class CockpitApp(OrderedApp[Leave], inherit_bindings=False):
    """The face. Draws `view`; every request goes out through `post`."""

    CSS_PATH = [
        Path(themes.__path__[0]) / "base.tcss",
        Path(panes.__path__[0]) / "pane.tcss",
        Path(__file__).with_name("app.tcss"),
    ]
    BINDINGS = [*bindings()]
    ENABLE_COMMAND_PALETTE = True
    COMMAND_PALETTE_BINDING = "ctrl+p"
    TITLE = "cockpit"

    def __init__(self, view: RunView, post: Callable[[AnyCommand], None], who: Actor, hz: float, *,
                 theme: str = "auto", folder: Callable[[], Path | None] = lambda: None,
                 ended: Callable[[], bool] = lambda: False,
                 clock: Callable[[], Instant] = times.present) -> None:  # fmt: skip
        environment = dict(os.environ)  # Textual takes NO_COLOR out of its own copy; children keep it
        self._palette: Palette = choose(theme, environment)
        self.signs = signs.choose(environment)
        # without colour Textual picks its filter before it knows the theme: it must be told here
        super().__init__(ansi_color=True if environment.get("NO_COLOR") else None)
        self.animation_level = ANIMATION
        for palette in PALETTES.values():
            self.register_theme(textual_theme(palette))
        self.theme = f"cockpit-{self._palette.name}"
        self.view, self.post, self.who, self.hz = view, post, who, hz
        self.folder, self.ended, self.clock = folder, ended, clock
        self.bus: Bus | None = None
        self.leaving = False  # pause and quit: leave once PAUSED is reached
        self.waking = False  # is an engine on its way? set by who runs the app
        self.zoomed = False
        self.columns = NARROW
        self.needle = ""
        self.mounted: Callable[[], None] = lambda: None  # set by who runs the app: the engine may start
        self.stop_face: Callable[[], None] | None = None  # ctrl+z; None where there is no shell to go back to
        self.in_editor: Callable[[bool], None] = lambda inside: None
        self._named = ""

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return variables(self._palette)

    def compose(self) -> ComposeResult:
        self.header = Bar(id="header")
        self.tabs = Bar(id="tabs")
        self.footer = Bar(id="footer")
        self.stages = StagesPane("stages", 1, self.signs)
        self.dialogue = DialoguePane("dialogue", 2, self.signs)
        self.ledger = LedgerPane("ledger", 3, self.signs)
        self.sandbox = SandboxPane("sandbox", 4, self.signs)
        yield self.header
        yield self.tabs
        with Horizontal(id="board"):
            yield self.stages
            with Vertical(id="side", classes="group"):
                with Horizontal(id="talk", classes="group"):
                    yield self.dialogue
                    yield self.ledger
                yield self.sandbox
        yield Input(id="search", placeholder="search")
        yield self.footer

    @property
    def panes(self) -> tuple[Pane, ...]:
        """In the order of their numbers."""
        return (self.stages, self.dialogue, self.ledger, self.sandbox)

    def on_mount(self) -> None:
        self.set_class(self.signs is signs.ASCII, "-ascii")
        self.bus = Bus(asyncio.get_running_loop(), self.take, self.hz)
        self.set_interval(CLOCK_S, self.tick)
        self.active: Pane = self.stages
        self.activate(self.stages)
        self.draw()
        self.call_after_refresh(self.mounted)

    # what comes in

    def take(self, facts: list[Batch], hints: list[Hint]) -> None:
        """A frame's worth of news. Hints first: a reply that has landed must not leave a ghost behind."""
        self.dialogue.hear([h for h in hints if isinstance(h, Tokens)])
        output = [h for h in hints if isinstance(h, (LogLines, JobSample))]
        if output:
            self.sandbox.hear(output, self.clock())
        for batch in facts:
            for _, event in batch.events:
                self.announce(event)
        if facts:
            self.view = facts[-1].view
            self.waking = self.waking and not self.view.live and self.view.finished is None
        self.draw()
        if facts and self.leaving and not self.view.jobs_running and self.view.control in ("paused", "stopped"):
            self.exit("stop")

    def announce(self, event: AnyEvent) -> None:
        """Say what a person must not miss: a decision, trouble, the end."""
        match event:
            case PauseReached(decision=True):
                self.say(f"Stage {event.position.stage} waits for you: A approves, X rejects.", bell=True)
            case RunFinished():
                self.say(f"{event.outcome}: {event.reason}", bell=True)
            case JobFinished():
                self.sandbox.end(event)
            case StageFailed():
                self.say(f"{event.code}: {event.message}", "error", bell=True)
            case Noticed(level="warning" | "error"):
                self.say(event.text, "warning" if event.level == "warning" else "error")
            case _:
                return

    def say(self, text: str, severity: Literal["information", "warning", "error"] = "information", *,
            bell: bool = False) -> None:  # fmt: skip
        """A toast; plain text whatever is in it."""
        from panes.text import clean

        self.notify(clean(text), severity=severity, markup=False)
        if bell:
            self.bell()

    # drawing

    def tick(self) -> None:
        """Once a minute: a live run's times go on; an idle screen sends nothing."""
        if self.view.live and self.view.control != "paused":
            self.draw()

    def draw(self) -> None:
        """Draw what is in sight."""
        now = self.clock()
        width = self.size.width
        self.header.show(self._header(now))
        self.footer.show(footer_of(self.view, width))
        self.tabs.show(self._tabs())
        for pane in self.panes:
            if pane.room > 1 and (pane is self.active or not self.single):
                pane.show(self.view, now)
        for screen in self.screen_stack[1:]:
            if (show := getattr(screen, "show", None)) is not None:
                show(self.view)
        self._name_window()

    def _header(self, now: Instant) -> Line:
        return header.line_of(self.view, self.size.width, now, self.signs, waking=self.waking)

    def _tabs(self) -> Line:
        spans = [Span(" ")]
        for pane in self.panes:
            here = pane is self.active
            spans += [Span(f" {pane.number} {pane.id} ", "banner" if here else "dim"), Span(" ")]
        return tuple(spans)

    def _name_window(self) -> None:
        view = self.view
        where = f"s{view.position.stage:02}" if view.position else "starting"
        state = f"{view.control} {where}" if view.run else where
        words = f"cockpit: {state} {view.title}".rstrip()
        if words != self._named and self._driver is not None and not self.is_headless:
            self._named = words
            self._driver.write(title(words))

    def on_resize(self, event: events.Resize) -> None:
        width, height = event.size
        self.columns = width
        for name, on in (
            ("-narrow", width < NARROW),
            ("-wide", width > WIDE),
            ("-low", height < LOW),
            ("-tall", height >= TALL),
        ):
            self.set_class(on, name)
        self._arrange()

    def on_pane_resized(self, message: Pane.Resized) -> None:
        """A pane knows its width only now."""
        if message.pane.room > 1:
            message.pane.show(self.view, self.clock())
            self.header.show(self._header(self.clock()))
            self.footer.show(footer_of(self.view, self.size.width))

    # focus

    @property
    def single(self) -> bool:
        """Is there one pane on the screen?"""
        return self.zoomed or self.columns < NARROW

    def activate(self, pane: Pane) -> None:
        """Give a pane the focus, and where there is room for one only, the screen."""
        self.active = pane
        self._arrange()
        pane.body.focus()

    def _arrange(self) -> None:
        if not hasattr(self, "active"):
            return
        self.set_class(self.single, "-single")
        for pane in self.panes:
            pane.set_class(pane is self.active, "-active")
        for group in self.query(".group"):
            group.set_class(self.active in group.query(Pane), "-active")
        self.call_after_refresh(self.draw)

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        for pane in self.panes:
            if event.widget is pane.body and pane is not self.active:
                self.active = pane
                self.tabs.show(self._tabs())

    # what goes out

    def action_do(self, id: str) -> None:
        """Do an action, or say why not."""
        action = BY_ID[id]
        if why := action.why_not(self.view):
            self.say(f"{action.label}: {'the engine is starting' if self.waking else why}", "warning")
            return
        if action.group == "steer" or id == "quit":
            steering.do(self, id)
        else:
            looking.do(self, id)

    def action_focus_next(self) -> None:
        """Tab: to the next pane; in a dialog to its next line."""
        if len(self.screen_stack) > 1:
            self.screen.focus_next()
        else:
            self.action_do("next-pane")

    def action_focus_previous(self) -> None:
        if len(self.screen_stack) > 1:
            self.screen.focus_previous()
        else:
            self.action_do("last-pane")

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        for action in ACTIONS:
            if action.id in ("palette", "open") or action.group == "move":
                continue
            why = action.why_not(self.view)
            text = action.help + (f" Not now: {why}." if why else "")
            key = f" ({action.key})" if action.key else ""
            yield SystemCommand(f"{action.label}{key}", text, partial(self.action_do, action.id))

    def on_rows_opened(self, message: Rows.Opened) -> None:
        looking.open_row(self, message.key)

    def on_input_submitted(self, message: Input.Submitted) -> None:
        if message.input.id == "search":
            looking.searched(self, message.value)

    def on_key(self, event: events.Key) -> None:
        if event.key == "escape" and self.searching:
            looking.close_search(self)

    @property
    def searching(self) -> bool:
        try:
            return self.query_one("#search", Input).has_class("-open")
        except NoMatches:
            return False


class AppFace:
    """The app as the engine sees it: a `Face` that may be called from the engine's thread."""

    def __init__(self, app: CockpitApp) -> None:
        self._app = app

    def facts(self, view: RunView, events: Sequence[tuple[Seq, AnyEvent]]) -> None:
        if self._app.bus is not None:
            self._app.bus.facts(view, events)

    def hint(self, hint: Hint) -> None:
        if self._app.bus is not None:
            self._app.bus.hint(hint)

    def close(self) -> None:
        """Take nothing more: the face is gone."""
        if self._app.bus is not None:
            self._app.bus.close()
