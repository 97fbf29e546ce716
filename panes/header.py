"""The header: which run, where it stands, what it costs, whether it is paused.

Belongs here: the header's line. Not here: a widget of its own (it is a `Bar`). What matters most
goes last when room is short: title and control state stay at any width.
"""

from __future__ import annotations

from typing import NamedTuple

from cockpit.kernel.ids import Instant
from cockpit.kernel.levels import EFFORTS
from cockpit.kernel.stages import BY_NUMBER
from cockpit.kernel.view import RunView
from panes.line import Line, Span, cut, say, size, spread
from panes.signs import UNICODE, Signs
from panes.times import seconds_between, short, worked
from themes.tokens import Ink

TITLE_CELLS = 24  # of the title, before REHEARSAL


class Item(NamedTuple):
    """A piece of the header; the highest `weight` is left out first."""

    weight: int
    line: Line


def line_of(
    view: RunView, width: int, now: Instant | None = None, signs: Signs = UNICODE, *, waking: bool = False
) -> Line:
    """One line of `width` cells; `waking` = an engine is on its way to this run."""
    left, right = _left(view, now, signs, waking), _right(view, now, signs)
    between = Span(f" {signs.dot} ", "dim")
    while True:
        lines = tuple(_run(items, mark) for items, mark in ((left, between), (right, Span("  "))))
        heaviest = max((item.weight for item in (*left, *right)), default=0)
        if size(lines[0]) + size(lines[1]) + 3 <= width or heaviest == 0:
            return cut(spread((Span(" "), *lines[0]), (*lines[1], Span(" ")), width, signs.more), width, signs.more)
        left, right = ([i for i in items if i.weight < heaviest] for items in (left, right))


def _run(items: list[Item], between: Span) -> Line:
    out: list[Span] = []
    for item in items:
        if item.line:
            out += ([between] if out else []) + list(item.line)
    return tuple(out)


def rounds_of(view: RunView) -> int:
    """How many rounds this run may have."""
    if view.run is None:
        return 0
    return view.run.settings.rounds or EFFORTS[view.run.settings.effort].rounds


def _left(view: RunView, now: Instant | None, signs: Signs, waking: bool) -> list[Item]:
    if view.run is None:
        return [Item(0, (Span("cockpit", "strong"),)), Item(0, (Span(f"starting{signs.more}", "dim"),))]
    control = (Span(f"starting{signs.more}", "accent"),) if waking and not view.live else control_of(view, signs)
    title: Line = (say(view.title, "strong"),)
    if view.run.settings.rehearsal.on:  # said at any width, since nothing on this screen is a real model's work
        title = (*cut(title, TITLE_CELLS, signs.more), Span(" "), Span("REHEARSAL", "banner"))
    return [
        Item(0, title),
        Item(1, (Span(f"round {view.round}/{rounds_of(view)}"),)),
        Item(0, control),
        Item(0 if not control else 3, _stage(view, now, signs)),
    ]


def _stage(view: RunView, now: Instant | None, signs: Signs) -> Line:
    if view.position is None or view.finished:
        return ()
    number = view.position.stage
    stage = view.stages.get(number)
    name = f"s{number:02} {BY_NUMBER[number].name}"
    if stage is None or stage.status != "running":
        return (Span(name),)
    took = short(seconds_between(stage.since, now))
    sign = signs.running if view.live else signs.paused
    return (Span(name), Span(f" {sign} {took}".rstrip(), "busy" if view.live else "warn"))


def control_of(view: RunView, signs: Signs = UNICODE) -> Line:
    """What stands between the run and going on; nothing while it simply runs."""
    flying = len(view.spending.in_flight) + len(view.jobs_running)
    match view.control:
        case "running":
            return ()
        case "stepping":
            return (Span("stepping", "accent"),)
        case "quiescing":
            return (Span(f"{signs.paused} PAUSING {signs.dot} {flying} in flight", "warn"),)
        case "holding":
            return (Span(f"{signs.paused} HELD", "warn"),)
        case "paused":
            why = "decide: A or X" if view.pause and view.pause.decision else "safe to quit"
            failed = (Span(f" {signs.dot} "), say(f"{signs.failed} {_code(view)}", "bad")) if view.failure else ()
            return (Span(f"{signs.paused} PAUSED", "warn"), *failed, Span(f" {signs.dot} {why}"))
        case "aborting":
            return (Span(f"{signs.failed} STOPPING {signs.dot} {flying} in flight", "bad"),)
        case "stopped":
            return (Span(f"{signs.paused} STOPPED", "warn"), Span(" resumable", "dim"))
        case "finished":
            outcome = view.finished.outcome if view.finished else "finished"
            ink: Ink = "good" if outcome in ("accepted", "negative-result", "until") else "warn"
            return (Span(f"{signs.done if ink == 'good' else signs.failed} {outcome}", ink),)


def _right(view: RunView, now: Instant | None, signs: Signs) -> list[Item]:
    if view.run is None:
        return []
    settings = view.run.settings
    return [
        Item(4, _score(view, signs)),
        Item(5, _money(view)),
        Item(6, (Span(f"{signs.clock} {short(worked(view, now))}", "dim"),)),
        Item(8, (Span("auto" if settings.auto else settings.mode, "dim"),)),
        Item(7, (say(view.run.sandbox.split(",")[0], "dim"),)),
    ]


def _code(view: RunView) -> str:
    """`E10_CODE_GENERATION` of a failure."""
    return view.failure.partition(":")[0]


def _score(view: RunView, signs: Signs) -> Line:
    scores = [f"{r.score:.2f}" if r.score is not None else "none" for r in view.rounds]
    now = view.score.value if view.score else None
    if now is not None and view.round > len(view.rounds) and 20 in view.stages:
        scores.append(f"{now:.2f}")
    if not scores:
        return ()
    more = f" {signs.arrow} {signs.more}" if view.rounds and len(scores) < view.round and not view.finished else ""
    return (Span("score ", "dim"), Span(f" {signs.arrow} ".join(scores[-3:]) + more, "strong"))


def _money(view: RunView) -> Line:
    spent = f"${view.spending.usd:.2f}"
    budget = view.run.settings.budget_usd if view.run else None
    ink: Ink = "warn" if budget and view.spending.usd + view.spending.reserved_usd > 0.9 * budget else "text"
    return (Span(spent, ink), Span(f" / ${budget:g}" if budget is not None else "", "dim"))
