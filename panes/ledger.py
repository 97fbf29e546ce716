"""The ledger pane: obligations, open ones first and worst first, and what the gate says.

Belongs here: rows of obligations, the gate's line, the widget. Not here: who may close what.
"""

from __future__ import annotations

from textual.app import ComposeResult

from cockpit.kernel.findings import SEVERITIES, Obligation
from cockpit.kernel.findings import Span as Place
from cockpit.kernel.ids import Instant
from cockpit.kernel.view import LedgerView, RunView
from panes.inked import Bar
from panes.line import Line, Row, Span, cut, say, spread
from panes.pane import Pane
from panes.rows import Rows
from panes.signs import UNICODE, Signs
from panes.text import clean
from themes.tokens import Ink

BOTH_FROM = 46  # cells: from here on a settled obligation shows its title beside the fix
OUTCOME_INKS: dict[str, Ink] = {"BLOCK": "bad", "WARN": "warn", "NO_NEW_BLOCKER": "good"}
OUTCOME_WORDS = {"BLOCK": "BLOCK", "WARN": "WARN", "NO_NEW_BLOCKER": "no new blocker"}


def rows_of(view: RunView, width: int, signs: Signs = UNICODE) -> list[Row]:
    """The tally, then each obligation: open ones by severity and number, then those that are settled."""
    ledger = view.ledger
    if not ledger.obligations:
        return [Row("", (Span(f"{signs.done} nothing on the books", "dim"),))]
    rows = [Row("", cut(tally(ledger, signs), width, signs.more))]
    for obligation in in_order(ledger):
        rows += _rows(obligation, width, signs)
    return rows


def in_order(ledger: LedgerView) -> list[Obligation]:
    """Open ones first (critical before major, then by number), then settled ones, latest first."""
    everything = list(ledger.obligations.values())
    is_open = sorted(
        (o for o in everything if o.is_open), key=lambda o: (-SEVERITIES.index(o.finding.severity), o.number)
    )
    settled = sorted((o for o in everything if not o.is_open), key=lambda o: -o.number)
    return is_open + settled


def tally(ledger: LedgerView, signs: Signs) -> Line:
    """`● critical 1  ○ major 2  ◇ minor 1`."""
    minors = sum(o.finding.severity in ("minor", "info") for o in ledger.open)
    settled = len(ledger.obligations) - len(ledger.open)
    return (
        Span(f"{signs.critical} critical {ledger.criticals}", "bad" if ledger.criticals else "dim"),
        Span(f"  {signs.major} major {ledger.majors}", "warn" if ledger.majors else "dim"),
        Span(f"  {signs.minor} minor {minors}" if minors else "", "dim"),
        Span(f"  {signs.done} {settled}" if settled else "", "good"),
    )


def sign_of(o: Obligation, signs: Signs) -> Span:
    """The glyph of an obligation: by severity while open, ✓ when resolved."""
    match o.state:
        case "resolved":
            return Span(signs.done, "good")
        case "waived":
            return Span(signs.dot, "warn")
        case "superseded":
            return Span(signs.dot, "dim")
        case "open":
            match o.finding.severity:
                case "critical":
                    return Span(signs.critical, "bad")
                case "major":
                    return Span(signs.major, "warn")
                case _:
                    return Span(signs.minor, "dim")


def fix_of(o: Obligation) -> str:
    """How it was settled, in words."""
    if o.state in ("waived", "superseded"):
        return o.state
    fixes = dict.fromkeys(part.fix.replace("-", " ") for part in o.parts if part.fix)
    return ", ".join(fixes)


def place_of(o: Obligation) -> str:
    """`paper.tex:120 “91.4”`: the file's name, its line, the words there; the auditor when it has no place."""
    if not o.finding.spans:
        return o.finding.auditor
    return where(o.finding.spans[0])


def where(span: Place) -> str:
    """A place without its folders."""
    name = span.file.rpartition("/")[2]
    at = f"{name}:{span.line}" if span.line else name
    return f"{at} “{clean(span.text)}”" if span.text else at


def _rows(o: Obligation, width: int, signs: Signs) -> list[Row]:
    key = f"#{o.number}"
    head = (sign_of(o, signs), Span(f" {key} ", "strong" if o.is_open else "dim"))
    if not o.is_open:
        both = f"{o.finding.title} {signs.dot} {fix_of(o)}" if width >= BOTH_FROM else fix_of(o) or o.finding.title
        return [Row(key, spread((*head, say(both, "dim")), (Span(f"r{o.last_seen.round}", "dim"),), width, signs.more))]
    first = cut((*head, say(o.finding.title, "text")), width, signs.more)
    note = "vanished, still open  " if o.vanished else f"reopened {o.reopened}x  " if o.reopened else ""
    met = sum(part.state != "open" for part in o.parts)
    parts = f"{met}/{len(o.parts)} parts  " if len(o.parts) > 1 else ""
    left = (Span("  "), say(place_of(o), "dim"))
    right = (Span(note, "warn"), Span(parts, "dim"), Span(f"r{o.opened.round}", "dim"))
    return [Row(key, first), Row("", spread(left, right, width, signs.more))]


def gate_of(view: RunView, width: int, signs: Signs = UNICODE) -> Line:
    """`gate  BLOCK (1 critical)`, with the score; says so when the gate has not been asked."""
    verdict = view.verdict
    if verdict is None:
        return cut((Span("gate  ", "dim"), Span("not judged yet", "dim")), width, signs.more)
    counts = [f"{n} {word}" for n, word in ((verdict.criticals, "critical"), (verdict.majors, "major")) if n]
    if verdict.pending:
        counts.append(f"{len(verdict.pending)} pending")
    why = f" ({', '.join(counts)})" if counts else f" ({verdict.reasons[0].code})" if verdict.reasons else ""
    outcome = verdict.outcome
    return cut(
        (Span("gate  ", "dim"), Span(OUTCOME_WORDS[outcome], OUTCOME_INKS[outcome]), Span(why)), width, signs.more
    )


class LedgerPane(Pane):
    """Obligations of this run. Draws `view.ledger` and `view.verdict`; knows nothing else."""

    def compose(self) -> ComposeResult:
        self.rows = Rows(id="ledger-rows")
        self.gate = Bar(id="ledger-gate")
        yield self.rows
        yield self.gate

    @property
    def body(self) -> Rows:
        return self.rows

    def show(self, view: RunView, now: Instant | None) -> None:
        self.entitle(f"ledger {self.signs.dot} {len(view.ledger.open)} open")
        self.rows.show(rows_of(view, self.room, self.signs))
        self.gate.show(gate_of(view, self.room, self.signs))
