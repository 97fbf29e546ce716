"""Screens that show one thing at length: help, an obligation, a stage, the whole ledger.

Belongs here: their text and the two screens that show it. Not here: asking (`asking.py`).
"""

from __future__ import annotations

from collections.abc import Callable

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.screen import ModalScreen

from cockpit.front.keys import reading_bindings
from cockpit.front.moving import move
from cockpit.front.screens.listing import Listing
from cockpit.front.terminal import copy
from cockpit.kernel.findings import Obligation
from cockpit.kernel.stages import BY_NUMBER
from cockpit.kernel.view import RunView
from panes.dialogue import Turns
from panes.ledger import OUTCOME_INKS, OUTCOME_WORDS, fix_of, in_order, sign_of, tally, where
from panes.line import Line, Row, Span, cut, say, spread
from panes.signs import Signs
from panes.stages import jobs_of, state_of
from panes.text import clean, clean_lines, wrap
from panes.times import seconds_between, short
from themes.tokens import Ink

Compose = Callable[[RunView, int], list[Line]]


class Reading(ModalScreen[None]):
    """A text over the panes: `lines(view, width)` is asked again whenever the run goes on."""

    BINDINGS = [*reading_bindings(), Binding("escape,q,enter", "leave", "leave")]

    def __init__(self, title: str, lines: Compose, view: RunView) -> None:
        super().__init__()
        self._title, self._lines, self._view = title, lines, view
        self._laid: list[Line] = []

    def compose(self) -> ComposeResult:
        self.turns = Turns(id="text")
        with Vertical(id="box", classes="-tall") as box:
            box.border_title = Text(clean(self._title))
            box.border_subtitle = Text("j k move, y copy, esc leaves")
            yield self.turns

    def on_mount(self) -> None:
        self.turns.focus()

    def on_resize(self) -> None:
        self.call_after_refresh(self.lay)

    def lay(self) -> None:
        """Lay the text out for the width there is, from its top."""
        self._laid = self._lines(self._view, max(20, self.turns.size.width))
        self.turns.restart(self._laid)
        self.turns.ends(last=False)

    def show(self, view: RunView) -> None:
        """The run has gone on: say it again if it reads differently now, and stay where the person reads."""
        self._view = view
        if self.turns.size.width and (lines := self._lines(view, max(20, self.turns.size.width))) != self._laid:
            first = self.turns.first
            self._laid = lines
            self.turns.restart(lines)
            self.turns.ends(last=False)
            self.turns.move(first - self.turns.first)

    def action_do(self, action: str) -> None:
        if not move(self.turns, action) and action == "copy":
            copy(self.app, self.turns.current)

    def action_leave(self) -> None:
        self.dismiss(None)


def ledger_screen(view: RunView, signs: Signs) -> Listing:
    """All obligations in full width; Enter opens one."""

    def opened(key: str, now: RunView) -> Reading | None:
        found = now.ledger.numbered(key)
        return obligation_screen(found.number, now, signs) if found is not None else None

    return Listing("ledger", lambda now, width: ledger_rows(now, width, signs), opened, view)


def ledger_rows(view: RunView, width: int, signs: Signs) -> list[Row]:
    """One line an obligation: number, state, severity, title, place, owner, round."""
    rows = [Row("", cut(tally(view.ledger, signs), width)), Row("", ())]
    if not view.ledger.obligations:
        rows.append(Row("", (Span("nothing on the books", "dim"),)))
    for o in in_order(view.ledger):
        state = o.finding.severity if o.is_open else o.state
        left = (
            sign_of(o, signs),
            Span(f" #{o.number:<3} {state:<10} ", "text" if o.is_open else "dim"),
            say(o.finding.title),
        )
        right = (say(where(o.finding.spans[0]) if o.finding.spans else o.finding.auditor, "dim"),
                 Span(f"  s{o.finding.owner:02} r{o.opened.round}", "dim"))  # fmt: skip
        rows.append(Row(f"#{o.number}", spread(left, cut(right, width // 2), width, signs.more)))
    return rows


def obligation_screen(number: int, view: RunView, signs: Signs) -> Reading:
    """The screen of one obligation, kept up to date."""

    def lines(now: RunView, width: int) -> list[Line]:
        found = now.ledger.numbered(f"#{number}")
        return obligation_lines(found, width, signs) if found else [(Span("it is not on the books", "dim"),)]

    return Reading(f"obligation #{number}", lines, view)


def obligation_lines(o: Obligation, width: int, signs: Signs) -> list[Line]:
    """What is accused, where, by whom, in which parts, and what became of each."""
    lines = words(o.finding.title, width, "strong")
    fixed = f"{o.state} ({fix_of(o)})" if fix_of(o) else o.state
    how = f" {signs.dot} ".join((fixed, o.finding.severity, o.finding.pattern))
    by = f"by {o.finding.auditor}{f' ({o.finding.family})' if o.finding.family else ''}"
    proof = "by program" if o.finding.deterministic else "a model's word"
    lines += [
        (sign_of(o, signs), Span(" "), say(how)),
        (say(f"  {by}, {proof}; stage {o.finding.owner:02} mends it", "dim"),),
    ]
    lines.append((say(f"  opened {o.opened.label}, last seen {o.last_seen.label}", "dim"),))
    lines += [(Span("  vanished from a later report; that closes nothing", "warn"),)] if o.vanished else []
    lines += [(Span(f"  reopened {o.reopened} times", "warn"),)] if o.reopened else []
    if o.waived_by:
        lines += words(f"waived by {o.waived_by.user}: {o.waived_why}", width, "warn", 2)
    lines += _listing(
        "Where", [f"{s.file}:{s.line}" + (f" “{s.text}”" if s.text else "") for s in o.finding.spans], width
    )
    lines += _listing("Evidence", list(o.finding.evidence), width)
    lines += [(), (Span("Parts", "strong"),)]
    for n, part in enumerate(o.parts, 1):
        sign = Span(signs.done, "good") if part.state == "closed" else Span(signs.major, "warn")
        lines.append((Span("  "), sign, Span(f" {n}. {part.state}", "text")))
        lines += words(part.text, width, "text", 5)
        if part.closer:
            fix = f"{part.fix}, " if part.fix else ""
            lines += words(f"{fix}by {part.closer}{f': {part.note}' if part.note else ''}", width, "dim", 5)
        for evidence in part.evidence:
            lines += words(
                f"{evidence.path} ({evidence.sha256[:12]}, {evidence.position.label}) {evidence.note}", width, "dim", 5
            )
    return lines


def stage_lines(view: RunView, number: int, width: int, signs: Signs) -> list[Line]:
    """How a stage stands: times, jobs, what it said, what it wrote, what it reads and owns."""
    row, now = BY_NUMBER[number], view.stages.get(number)
    sign, word, ink = state_of(view, number)
    took = short(seconds_between(now.since, now.ended)) if now else ""
    lines: list[Line] = [
        (
            Span(f"{getattr(signs, sign)} {word}", ink),
            Span(f"  {took}" if took else ""),
            say(f"  {jobs_of(view, number)}", "dim"),
        ),
        (say(f"  {row.agent}, {row.phase}; a rejection goes to stage {row.back:02}", "dim"),),
    ]
    if now and now.summary:
        lines += [(), *words(now.summary, width, "text")]
    lines += _listing("Wrote", sorted(now.outputs) if now else [], width)
    lines += _listing("Reads", list(row.inputs), width)
    lines += _listing("Owns", list(row.owns), width)
    mine = [a for a in view.audits if a.position.stage == number and a.position.round == view.round]
    verdicts = [
        f"{a.run.auditor} {a.run.verdict}{f' ({a.run.reason})' if a.run.reason else ''}, {a.run.findings} findings"
        for a in mine
    ]
    return lines + _listing("Audits", verdicts, width)


def approval_lines(view: RunView, width: int, signs: Signs) -> list[Line]:
    """What a person should have seen before saying yes: what was made, what the gates say, what is open."""
    number = view.pause.position.stage if view.pause else view.position.stage if view.position else 0
    if number not in BY_NUMBER:
        return [(Span("no stage has run yet", "dim"),)]
    lines: list[Line] = [
        (Span(f"stage {number:02} {BY_NUMBER[number].name}", "strong"), Span(f"  round {view.round}", "dim"))
    ]
    if view.pause and view.pause.why:
        lines += words(f"waits because: {view.pause.why}", width, "dim")
    stage = view.stages.get(number)
    if stage and stage.summary:
        lines += words(stage.summary, width, "text")
    lines += _listing(
        "It wrote",
        [path.partition("/artifacts/")[2] or path for path in sorted(stage.outputs)] if stage else [],
        width,
        6,
    )
    lines += _gate_lines(view, width)
    worst = in_order(view.ledger)[:6]
    still = [o for o in worst if o.is_open]
    if still:
        lines += [(), (Span(f"Open obligations: {len(view.ledger.open)}", "strong"),)]
        lines += [
            cut((Span("  "), sign_of(o, signs), Span(f" #{o.number} "), say(o.finding.title)), width, signs.more)
            for o in still
        ]
    return lines


def _gate_lines(view: RunView, width: int) -> list[Line]:
    if view.verdict is None:
        return [(), (Span("The gate has not been judged yet.", "dim"),)]
    score = f", score {view.score.value:.2f}" if view.score and view.score.value is not None else ""
    outcome = view.verdict.outcome
    lines: list[Line] = [
        (),
        (Span("Gate: ", "strong"), Span(OUTCOME_WORDS[outcome], OUTCOME_INKS[outcome]), Span(score)),
    ]
    for reason in view.verdict.reasons[:8]:
        lines += words(f"{reason.severity}: {reason.text}", width, "text", 2)
    return lines


def _listing(title: str, items: list[str], width: int, most: int = 40) -> list[Line]:
    if not items:
        return []
    lines: list[Line] = [(), (Span(title, "strong"),)]
    for item in items[:most]:
        lines += words(item, width, "text", 2)
    return [*lines, (Span(f"  and {len(items) - most} more", "dim"),)] if len(items) > most else lines


def words(text: str, width: int, ink: Ink, indent: int = 0) -> list[Line]:
    """`text` wrapped to `width` cells, each line indented."""
    parts = [part for line in clean_lines(text) for part in wrap(line, max(10, width - indent))]
    return [(Span(" " * indent), say(part, ink)) for part in parts]
