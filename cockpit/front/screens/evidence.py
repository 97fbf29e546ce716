"""The screens of evidence: every number of the paper, and what stands behind one: key, result files, jobs, logs.

Belongs here: their rows and lines. Not here: reading files (`run_files.py`), verdicts (gates).
"""

from __future__ import annotations

from functools import partial

from cockpit.front.run_files import Behind, Evidence, Printed
from cockpit.front.screens.listing import Listing
from cockpit.front.screens.reading import Reading, words
from cockpit.kernel.view import RunView
from panes.line import Line, Row, Span, cut, say, spread
from panes.signs import Signs
from themes.tokens import Ink

GOOD = ("exact", "rounding", "derived")
NEUTRAL = ("constant", "cited", "structural")
MEANS = {
    "exact": "as it was measured", "rounding": "a rounding of what was measured", "derived": "computed from results",
    "constant": "a constant of the plan or the method", "cited": "from a source that is cited",
    "structural": "counts or names something, measures nothing", "mismatch": "not what was measured",
    "wrong-place": "a value of another place", "unsupported": "in no result", "ambiguous": "may mean several results",
}  # fmt: skip


def evidence_screen(evidence: Evidence, view: RunView, signs: Signs) -> Listing:
    """All numbers of the paper; Enter opens one."""
    return Listing(
        "evidence: every number of the paper",
        lambda now, width: number_rows(evidence, width, signs),
        lambda key, now: _opened(evidence, int(key), now, signs),
        view,
    )


def _opened(evidence: Evidence, index: int, view: RunView, signs: Signs) -> Reading:
    number = evidence.numbers[index]
    lines = partial(_lines, number, evidence, signs)
    return Reading(f"evidence for {number.text}", lines, view)


def _lines(number: Printed, evidence: Evidence, signs: Signs, view: RunView, width: int) -> list[Line]:
    return number_lines(number, evidence, view, width, signs)


def number_rows(evidence: Evidence, width: int, signs: Signs) -> list[Row]:
    """A tally, then what is wrong, what was measured, what measures nothing; each in the paper's order."""
    if not evidence.numbers:
        return [Row("", (Span("no number of a paper has been traced yet", "dim"),))]
    traced = sum(n.verdict in GOOD for n in evidence.numbers)
    wrong = sum(_rank(n) == 0 for n in evidence.numbers)
    tally = (Span(f"{traced} rest on results", "good"), Span(f"  {wrong} do not hold", "bad" if wrong else "dim"),
             Span(f"  {len(evidence.numbers) - traced - wrong} measure nothing", "dim"))  # fmt: skip
    rows = [Row("", cut(tally, width, signs.more)), Row("", ())]
    places = [f"{n.file.rpartition('/')[2]}:{n.line}" for n in evidence.numbers]
    room = max(len(place) for place in places)
    for index, number in sorted(enumerate(evidence.numbers), key=lambda item: (_rank(item[1]), item[0])):
        left = (_sign(number, signs), say(f" {number.text:<9} ", "strong"), say(f"{places[index]:<{room}}  ", "dim"),
                say(f"{number.verdict:<11} "), say(number.key or MEANS.get(number.verdict, "")))  # fmt: skip
        right = (say(_short(number.value), "dim"),) if number.value else ()
        rows.append(Row(str(index), spread(left, right, width, signs.more)))
    return rows


def _short(value: str) -> str:
    try:
        return f"{float(value):.6g}"
    except ValueError:
        return value


def number_lines(number: Printed, evidence: Evidence, view: RunView, width: int, signs: Signs) -> list[Line]:
    """The walk of one number: sentence, verdict, keys, result files, jobs, logs."""
    lines: list[Line] = [(say(number.text, "strong"), say(f"  {number.file}:{number.line} ({number.where})", "dim"))]
    lines += words(number.context, width, "text", 2)
    means = MEANS.get(number.verdict, "")
    why = f" ({number.rule})" if number.rule else ""
    lines += [(), (_sign(number, signs), say(f" {number.verdict}: {means}{why}"))]
    if number.value:
        lines += words(f"{number.key} = {number.value}", width, "text", 2)
    for key in number.keys:
        lines += [(), (Span("key ", "dim"), say(key, "strong"), Span("  metric/condition/split/aggregate", "dim"))]
        behind = evidence.behind(key)
        if not behind:
            lines.append((Span("  no result file of this condition counts now", "warn"),))
        for found in behind:
            lines += _behind(found, view, width)
    return lines


def _behind(found: Behind, view: RunView, width: int) -> list[Line]:
    result = found.result
    lines: list[Line] = [(Span(f"  seed {result.seed}  "), say(found.value, "strong"))]
    lines += words(f"file  {result.file} (sha256 {result.sha256[:12]})", width, "dim", 4)
    lines += words(f"job   {result.job}: {_job(view, found)}", width, "dim", 4)
    lines += words(f"code  {result.condition_hash[:12]}, block {result.block}", width, "dim", 4)
    return lines + (words(f"log   {found.log}", width, "dim", 4) if found.log else [])


def _job(view: RunView, found: Behind) -> str:
    job = view.jobs.get(found.result.job)
    if job is None or job.receipt is None:
        return "its receipt is not in this journal"
    receipt = job.receipt
    code = "" if receipt.exit_code is None else f", exit {receipt.exit_code}"
    return f"{receipt.reason}{code}, {receipt.usage.wall_s:.1f} s, {receipt.backend}, at {job.position.label}"


def _rank(number: Printed) -> int:
    return 1 if number.verdict in GOOD else 2 if number.verdict in NEUTRAL else 0


def _sign(number: Printed, signs: Signs) -> Span:
    sign, ink = ((signs.failed, "bad"), (signs.done, "good"), (signs.dot, "dim"))[_rank(number)]
    inks: dict[str, Ink] = {"bad": "bad", "good": "good", "dim": "dim"}
    return Span(sign, inks[ink])
