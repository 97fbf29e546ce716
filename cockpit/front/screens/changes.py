"""The screen of what a round changed: word by word, taken out and put in.

Belongs here: its lines. Not here: reading git (`run_files.py`). Colour is not the only sign: [-out-] {+in+}, as git
writes it.
"""

from __future__ import annotations

from cockpit.front.run_files import Change, Changes
from cockpit.front.screens.reading import Reading
from cockpit.kernel.stages import FINAL, PHASES
from cockpit.kernel.view import RunView
from panes.line import Line, Span, say, size
from panes.text import clean
from themes.tokens import Ink

MOST_LINES = 400  # of one file
KEPT_WORDS = 12  # of what stayed, beside what changed
MARKS: dict[str, tuple[str, str, Ink]] = {"-": ("[-", "-]", "bad"), "+": ("{+", "+}", "good"), " ": ("", "", "text")}


def diff_screen(changes: Changes, view: RunView) -> Reading:
    """What the last two rounds differ in."""
    after = "now" if changes.after == "HEAD" else changes.after.replace("-", " ")
    title = f"diff · {changes.before.replace('-', ' ')} to {after}"
    return Reading(title, lambda now, width: diff_lines(changes, now, width), view)


def diff_lines(changes: Changes, view: RunView, width: int) -> list[Line]:
    """Scores, files by phase, then the words of plan, code and paper."""
    lines: list[Line] = []
    scores = [f"{r.score:.2f}" if r.score is not None else "none" for r in view.rounds[-2:]]
    if scores:
        lines.append((Span("score ", "dim"), Span(" → ".join(scores), "strong")))
    order = {name: n for n, name in enumerate((*PHASES, FINAL))}
    counted = sorted(changes.phases.items(), key=lambda item: (order.get(item[0], len(order)), item[0]))
    files = ", ".join(f"{name} {count}" for name, count in counted)
    lines += flow([(f"files that differ: {files or 'none'}", "dim")], width)
    if not changes.changes:
        return [*lines, (), (Span("Plan, code and paper are the same.", "dim"),)]
    for change in changes.changes:
        lines += [(), (say(change.path, "accent"),), *_words(change, width)]
    return lines


def _words(change: Change, width: int) -> list[Line]:
    lines: list[Line] = []
    said: list[tuple[str, Ink]] = []
    for word in change.words:
        if word.startswith("@@ "):
            lines.append((Span(f"  line {word.partition('+')[2].partition(' ')[0].partition(',')[0]}", "dim"),))
        elif word == "~":
            lines += flow(said, width, 2)
            said = []
        elif word[:1] in MARKS:
            said.append(_marked(word[0], clean(word[1:])))
        if len(lines) > MOST_LINES:
            return [*lines, (Span("  … more: `cockpit diff RUN` has all of it", "warn"),)]
    return [*lines, *flow(said, width, 2)]


def _marked(sign: str, text: str) -> tuple[str, Ink]:
    before, after, ink = MARKS[sign]
    words = text.split(" ")
    if sign == " " and len(words) > 2 * KEPT_WORDS + 2:
        text = " ".join([*words[:KEPT_WORDS], "…", *words[-KEPT_WORDS:]])
    return f"{before}{text}{after}", ink


def flow(said: list[tuple[str, Ink]], width: int, indent: int = 0) -> list[Line]:
    """Pieces of text in their inks, broken into lines of at most `width` cells at spaces."""
    lines: list[Line] = []
    line: list[Span] = [Span(" " * indent)]
    for text, ink in said:
        for number, word in enumerate(text.split(" ")):
            span = Span(f" {word}" if number else word, ink)
            if len(line) > 1 and size((*line, span)) > width:
                lines.append(tuple(line))
                line, span = [Span(" " * indent)], Span(word, ink)
            line.append(span)
    return [*lines, tuple(line)] if len(line) > 1 else lines
