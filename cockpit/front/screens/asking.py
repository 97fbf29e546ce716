"""Screens that ask: a choice by one key, a form of lines.

Belongs here: the two shapes and the dialogs made of them. Not here: what an answer does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from cockpit.front.moving import move
from cockpit.kernel.stages import BY_NUMBER, stage
from cockpit.kernel.view import RunView
from panes.dialogue import Turns
from panes.line import Line, Row, Span
from panes.rows import Rows
from panes.text import clean

TYPED = (5, 9, 20)  # the gates, where a rejection must be typed out
Check = Callable[[str], str | None]


@dataclass(frozen=True)
class Option:
    """One answer of a choice."""

    key: str
    id: str
    label: str
    help: str


@dataclass(frozen=True)
class Field:
    """A line to fill in; `check` says what is wrong with a value, or None."""

    id: str
    label: str
    value: str = ""
    check: Check = lambda text: None


class Choice(ModalScreen[str | None]):
    """Pick one by its letter, or by cursor and Enter; esc leaves."""

    def __init__(self, title: str, options: list[Option]) -> None:
        super().__init__()
        self._title, self._options = title, options
        for option in options:
            self._bindings.bind(option.key, f"pick('{option.id}')", option.label)

    BINDINGS = [
        Binding("escape", "leave", "leave"),
        Binding("j,down", "move('down')", "down"),
        Binding("k,up", "move('up')", "up"),
        Binding("enter", "chosen", "choose"),
    ]

    def compose(self) -> ComposeResult:
        self.rows = Rows(id="options")
        self.rows.add_class("-fitted")
        self.rows.styles.height = len(self._options)
        with Vertical(id="box") as box:
            box.border_title = Text(clean(self._title))
            box.border_subtitle = Text("esc goes back")
            yield self.rows

    def on_mount(self) -> None:
        width = max(len(option.label) for option in self._options)
        self.rows.show([
            Row(o.id, (Span(f" {o.key} ", "accent"), Span(f"{o.label:<{width}}  ", "strong"), Span(o.help, "dim")))
            for o in self._options
        ])  # fmt: skip
        self.rows.focus()

    def action_move(self, way: str) -> None:
        move(self.rows, way)

    def action_pick(self, id: str) -> None:
        self.dismiss(id)

    def action_chosen(self) -> None:
        self.dismiss(self.rows.key)

    def on_rows_opened(self, message: Rows.Opened) -> None:
        message.stop()
        self.dismiss(message.key)

    def action_leave(self) -> None:
        self.dismiss(None)


class Form(ModalScreen[dict[str, str] | None]):
    """Some lines to read, some to fill in; Enter goes on and, on the last line, answers; esc leaves."""

    BINDINGS = [Binding("escape", "leave", "leave"), Binding("ctrl+d,pagedown", "move('half-down')", "down"),
                Binding("ctrl+u,pageup", "move('half-up')", "up")]  # fmt: skip

    def __init__(self, title: str, fields: list[Field], above: Callable[[int], list[Line]] | None = None) -> None:
        super().__init__()
        self._title, self._fields, self._above = title, fields, above

    def compose(self) -> ComposeResult:
        with Vertical(id="box") as box:
            box.border_title = Text(clean(self._title))
            box.border_subtitle = Text("enter answers, esc goes back")
            if self._above:
                self.above = Turns(id="above")
                self.above.can_focus = False
                self.above.add_class("-fitted")
                yield self.above
            for field in self._fields:
                yield Static(field.label, classes="label", markup=False)
                yield Input(field.value, id=f"field-{field.id}", select_on_focus=False)
            yield Static("", classes="fault", id="fault", markup=False)

    def on_mount(self) -> None:
        self.query(Input).first().focus()

    def on_resize(self) -> None:
        if self._above:
            lines = self._above(max(20, min(80, self.size.width - 8)))
            room = max(3, self.size.height * 94 // 100 - 4 - 3 * len(self._fields))
            self.above.styles.height = min(len(lines), room)
            self.above.restart(lines)
            self.call_after_refresh(self.above.ends, False)

    def action_move(self, way: str) -> None:
        if self._above:
            move(self.above, way)

    def on_input_submitted(self, message: Input.Submitted) -> None:
        message.stop()
        inputs = list(self.query(Input))
        at = inputs.index(message.input)
        if at + 1 < len(inputs) and not self._fault_of(self._fields[at], message.value):
            inputs[at + 1].focus()
            return
        values = {field.id: widget.value.strip() for field, widget in zip(self._fields, inputs, strict=True)}
        for field, widget in zip(self._fields, inputs, strict=True):
            if fault := self._fault_of(field, widget.value):
                self.query_one("#fault", Static).update(fault)
                widget.focus()
                return
        self.dismiss(values)

    def _fault_of(self, field: Field, value: str) -> str | None:
        return field.check(value.strip())

    def action_leave(self) -> None:
        self.dismiss(None)


def needed(what: str) -> Check:
    """A check that something was typed."""
    return lambda text: None if text else f"Please say {what}."


def stage_before(view: RunView) -> Check:
    """A check that a stage was named which is not after the present one."""
    here = view.position.stage if view.position else 1

    def check(text: str) -> str | None:
        try:
            number = stage(text.lower().removeprefix("s").lstrip("0") if text[:1] in "sS0123456789" else text).number
        except KeyError:
            return f"“{text}” is no stage: a number from 1 to {here}, or a name such as {BY_NUMBER[min(8, here)].name}."
        return None if number <= here else f"Stage {number} comes after the present one ({here})."

    return check


def stage_number(text: str) -> int:
    """The number of a stage that `stage_before` has let through."""
    return stage(text.lower().removeprefix("s").lstrip("0") if text[:1] in "sS0123456789" else text).number


def quit_dialog() -> Choice:
    """How to leave while something runs."""
    return Choice("The run is at work. Leave how?", [
        Option("d", "detach", "detach", "the run goes on, the shell comes back"),
        Option("p", "stop", "pause and quit", "finish what is in flight, then leave; resumable"),
        Option("a", "abort", "abort", "cancel what is in flight and leave; resumable"),
    ])  # fmt: skip


def pivot_form(view: RunView) -> Form:
    """Where to, and why."""
    target = "8" if view.position and view.position.stage >= 8 else "1"
    return Form("Pivot: go back with another direction", [
        Field("target", "To which stage (number or name)", target, stage_before(view)),
        Field("reason", "Why, and what should be different", "", needed("why")),
    ])  # fmt: skip


def reject_form(view: RunView, above: Callable[[int], list[Line]]) -> Form:
    """A reason; at the gates 5, 9 and 20 the rejection is typed out."""
    number = view.pause.position.stage if view.pause else 0
    back = BY_NUMBER[number].back if number in BY_NUMBER else 1
    fields = [
        Field("reason", "Why (the stage that mends it will read this)", "", needed("why")),
        Field("target", f"Back to which stage (empty: {back:02} {BY_NUMBER[back].name})", "",
              lambda text: stage_before(view)(text) if text else None),
    ]  # fmt: skip
    if number in TYPED:
        words = f"reject {number}"
        fields.append(Field("typed", f"Type “{words}” to confirm", "",
                            lambda text: None if text == words else f"Type exactly: {words}"))  # fmt: skip
    return Form(f"Reject stage {number}", fields, above)


def approve_form(view: RunView, above: Callable[[int], list[Line]]) -> Form:
    """A look at what was made; a remark if one likes."""
    number = view.pause.position.stage if view.pause else 0
    return Form(f"Approve stage {number}", [Field("reason", "Remark (may be empty); Enter approves")], above)


def guide_form(view: RunView) -> Form:
    """Advice, and from which stage on."""
    here = view.position.stage if view.position else 0

    def check(text: str) -> str | None:
        return (
            None if text.isdigit() and int(text) <= max(BY_NUMBER) else "A stage number from 0 to 23 (0: the next one)."
        )

    return Form("Guide the run", [
        Field("text", "What the following stages must honour", "", needed("what they should honour")),
        Field("stage", f"From which stage on (0: the next; it is at {here})", "0", check),
    ])  # fmt: skip
