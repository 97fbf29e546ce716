"""The stages pane: phases and their stages, how each stands, how long it took, its jobs.

Belongs here: rows of stages and the widget. Not here: what a stage may do next.
"""

from __future__ import annotations

from textual.app import ComposeResult

from cockpit.kernel.ids import Instant
from cockpit.kernel.stages import FINAL, PHASES, STAGES, Stage
from cockpit.kernel.view import RunView, StageView
from panes.line import Line, Row, Span, spread
from panes.pane import Pane
from panes.rows import Rows
from panes.signs import UNICODE, Signs
from panes.times import seconds_between, short
from themes.tokens import Ink

WORDS_FROM = 40  # cells: from here on the state is also spelled out


def rows_of(view: RunView, width: int, now: Instant | None = None, signs: Signs = UNICODE) -> list[Row]:
    """All phases and stages, in the order of the folders; `now` measures the running one."""
    rows: list[Row] = []
    for phase in (*PHASES, FINAL):
        mine = [stage for stage in STAGES if stage.phase == phase]
        rows.append(Row(f"phase:{phase}", _phase(view, phase, width, now, signs)))
        rows += [Row(f"stage:{stage.number}", _stage(view, stage, width, now, signs)) for stage in mine]
    return rows


def state_of(view: RunView, number: int) -> tuple[str, str, Ink]:
    """Name in `Signs`, word and ink for a stage as it stands."""
    stage = view.stages.get(number)
    if stage is None:
        return "waiting", "waiting", "dim"
    if stage.stale:
        return "reused", "stale", "warn"
    match stage.status:
        case "waiting":
            return "waiting", "waiting", "dim"
        case "running":
            return ("running", "running", "busy") if view.live else ("paused", "stopped", "warn")
        case "done":
            return "done", "done", "good"
        case "reused":
            return "reused", "reused", "good"
        case "failed":
            return "failed", "failed", "bad"


def jobs_of(view: RunView, number: int) -> str:
    """`12/25` jobs of the stage's present instance (`12+2` = 2 running, while nobody knows how many come)."""
    stage = view.stages.get(number)
    if stage is None or stage.position is None:
        return ""
    mine = [job for job in view.jobs.values() if job.position == stage.position]
    ended = sum(job.receipt is not None for job in mine)
    if stage.jobs_planned:
        return f"{ended}/{stage.jobs_planned}"
    if not mine:
        return ""
    running = len(mine) - ended
    return f"{ended}+{running}" if running else f"{ended}/{len(mine)}"


def _took(stage: StageView | None, now: Instant | None) -> float | None:
    if stage is None or stage.status in ("waiting", "reused"):
        return None
    return seconds_between(stage.since, stage.ended or now)


def _stage(view: RunView, stage: Stage, width: int, now: Instant | None, signs: Signs) -> Line:
    sign, word, ink = state_of(view, stage.number)
    entry = view.stages.get(stage.number)
    name = stage.name.replace("_", " ")
    busy = sign in ("running", "paused")
    left = (Span(" "), Span(f"{getattr(signs, sign)} ", ink), Span(f"{stage.number:02} {name}", _name_ink(sign)))
    jobs = jobs_of(view, stage.number)
    time = short(_took(entry, now)) or ("" if word in ("done", "waiting", "running") else word)
    if width < WORDS_FROM:
        return spread(left, (Span(jobs if busy and jobs else time, ink if busy else "dim"),), width, signs.more)
    right = (Span(f"{jobs} jobs  " if jobs else "", "dim"), Span(short(_took(entry, now)).rjust(6), "text"),
             Span(f"  {word:<7}", ink))  # fmt: skip
    return spread(left, right, width, signs.more)


def _name_ink(sign: str) -> Ink:
    return "strong" if sign in ("running", "paused", "failed") else "dim" if sign == "waiting" else "text"


def _phase(view: RunView, phase: str, width: int, now: Instant | None, signs: Signs) -> Line:
    mine = [stage for stage in STAGES if stage.phase == phase]
    title = phase.replace("_", " ") if phase != FINAL else "09 final"
    if not mine:
        return _audits(view, title, width, signs)
    states = [state_of(view, stage.number) for stage in mine]
    total = sum(_took(view.stages.get(stage.number), now) or 0.0 for stage in mine)
    sign, word, ink = _together(states)
    right = short(total) if total else ""
    left = (Span(f"{getattr(signs, sign)} ", ink), Span(title, "dim" if sign == "waiting" else "strong"))
    if width < WORDS_FROM:
        return spread(left, (Span(right, "dim"),), width, signs.more)
    return spread(left, (Span(right.rjust(6), "dim"), Span(f"  {word:<7}", ink)), width, signs.more)


def _together(states: list[tuple[str, str, Ink]]) -> tuple[str, str, Ink]:
    """One state for a phase: the worst news, else what is going on, else done."""
    for sign in ("failed", "running", "paused"):
        if found := next((s for s in states if s[0] == sign), None):
            return found
    if all(s[0] in ("done", "reused") for s in states):
        return "done", "done", "good"
    if any(s[0] != "waiting" for s in states):
        return "waiting", "partly", "text"
    return "waiting", "waiting", "dim"


def _audits(view: RunView, title: str, width: int, signs: Signs) -> Line:
    """Phase 07 has no stage of its own: its audits run at the ends of 17 and 19."""
    ran = sum(a.position.round == view.round and a.position.stage in (17, 19) for a in view.audits)
    sign, ink = (signs.done, "good") if ran else (signs.waiting, "dim")
    left = (Span(f"{sign} ", "good" if ran else "dim"), Span(title, "strong" if ran else "dim"))
    noun = "audit" if ran == 1 else "audits"
    pad = "  done   " if width >= WORDS_FROM and ran else ""
    return spread(left, (Span(f"{ran} {noun}" if ran else "", "dim"), Span(pad, "good" if ink == "good" else "dim")),
                  width, signs.more)  # fmt: skip


class StagesPane(Pane):
    """Phases and stages of the present round; the cursor follows the running one until a person moves it."""

    def compose(self) -> ComposeResult:
        self.rows = Rows(id="stages-rows")
        yield self.rows

    @property
    def body(self) -> Rows:
        return self.rows

    def show(self, view: RunView, now: Instant | None) -> None:
        lead = f"stage:{view.position.stage}" if view.position else ""
        self.entitle(f"stages {self.signs.dot} round {view.round}")
        self.rows.show(rows_of(view, self.room, now, self.signs), lead)
