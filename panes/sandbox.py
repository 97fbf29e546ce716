"""The sandbox pane: jobs that run now with their samples, and what jobs print.

Belongs here: job lines, log lines, samples, the widget. Not here: the whole log (each job's folder).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from textual.app import ComposeResult

from cockpit.kernel.events import JobFinished
from cockpit.kernel.hints import JobSample, LogLines
from cockpit.kernel.ids import Instant, JobId
from cockpit.kernel.view import JobView, RunView
from panes.dialogue import below
from panes.line import Line, Row, Span, say, spread
from panes.pane import Pane
from panes.rows import Rows
from panes.signs import UNICODE, Signs
from panes.tail import Tail
from panes.text import clean, fit
from panes.times import seconds_between, short

JOB_LINES = 3  # of running jobs, above the log
SAMPLES = 8  # of CPU, drawn as a line of blocks
SILENT_S = 60  # seconds without output from which a job is called silent


@dataclass(frozen=True, slots=True)
class Printed:
    """A line of a job's output as it came, or a line of ours (`job` "") about a job."""

    job: str
    text: str
    at: str
    ok: bool | None = None


class Samples:
    """The last CPU samples of each job, in shares of a core."""

    def __init__(self) -> None:
        self._cpu: dict[JobId, deque[float]] = {}
        self._last: dict[JobId, JobSample] = {}

    def take(self, sample: JobSample) -> None:
        """Remember a sample."""
        self._cpu.setdefault(sample.job, deque(maxlen=SAMPLES)).append(sample.cpu)
        self._last[sample.job] = sample

    def forget(self, running: Sequence[JobId]) -> None:
        """Drop the samples of jobs that have ended."""
        for job in [job for job in self._last if job not in running]:
            del self._last[job], self._cpu[job]

    def line(self, job: JobId, signs: Signs) -> Line:
        """`▁▂▅▇ 98% cpu  41 MiB`, and `silent 90 s` when it prints nothing."""
        sample = self._last.get(job)
        if sample is None:
            return ()
        top = len(signs.spark) - 1
        blocks = "".join(signs.spark[min(top, max(0, round(cpu * top)))] for cpu in self._cpu[job])
        silent = f"silent {short(sample.silent_s)}  " if sample.silent_s >= SILENT_S else ""
        return (Span(silent, "warn"), Span(blocks, "accent"),
                Span(f" {sample.cpu * 100:3.0f}% cpu {sample.memory_mb:4.0f} MiB", "dim"))  # fmt: skip


def rows_of(
    view: RunView, samples: Samples, width: int, now: Instant | None = None, signs: Signs = UNICODE
) -> list[Row]:
    """A line for each running job: condition, seed, time, sample."""
    rows = []
    running = view.jobs_running if view.live else ()
    for job in running[: JOB_LINES if len(running) <= JOB_LINES else JOB_LINES - 1]:
        left = (
            Span(f"{signs.running} ", "busy"),
            *_named(job),
            Span(f"  {short(seconds_between(job.since, now))}", "dim"),
        )
        rows.append(Row("", spread(left, samples.line(job.job, signs), width, signs.more)))
    if len(running) > JOB_LINES:
        rows.append(Row("", (Span(f"  and {len(running) - len(rows)} more jobs running", "dim"),)))
    return rows


def _named(job: JobView) -> Line:
    seed = f" seed {job.seed}" if job.seed is not None else ""
    return (say(job.condition or job.kind, "strong"), Span(seed), Span(f" {job.kind}" if job.condition else "", "dim"))


def ended_line(job: JobView, signs: Signs = UNICODE) -> Printed | None:
    """What is said in the log when a job ends; None while it runs."""
    receipt = job.receipt
    if receipt is None:
        return None
    ok = receipt.reason == "finished" and receipt.exit_code == 0
    code = f" exit {receipt.exit_code}" if receipt.exit_code not in (0, None) else ""
    why = f" {signs.dot} {clean(job.signature)}" if job.signature else ""
    name = job.condition or job.kind
    seed = f" seed {job.seed}" if job.seed is not None else ""
    word = receipt.reason if ok or receipt.reason != "finished" else "failed"
    return Printed("", f"{name}{seed} {word}{code} in {receipt.usage.wall_s:.1f} s{why}", receipt.ended_at, ok)


class Output(Tail[Printed]):
    """What jobs print, cleaned when painted; `names` and `times` are a person's choice."""

    def __init__(self, id: str | None = None, signs: Signs = UNICODE) -> None:
        super().__init__(id=id)
        self.signs, self.names, self.times = signs, False, False

    def line_of(self, entry: Printed) -> Line:
        time = Span(f"{entry.at[11:19]} ", "dim") if self.times else Span("")
        if not entry.job:
            sign = Span(f"{self.signs.done} ", "good") if entry.ok else Span(f"{self.signs.failed} ", "bad")
            return (time, sign, Span(clean(entry.text), "dim" if entry.ok else "bad"))
        name = (
            Span(f"{fit(clean(entry.job), 18, self.signs.more)} {self.signs.bar} ", "dim") if self.names else Span("")
        )
        return (time, name, Span(clean(entry.text)))


class SandboxPane(Pane):
    """Running jobs and the tail of what they print."""

    def compose(self) -> ComposeResult:
        self.jobs = Rows(id="sandbox-jobs")
        self.jobs.can_focus = False
        self.output = Output(id="sandbox-output", signs=self.signs)
        self.samples = Samples()
        self._ended: set[JobId] = set()
        self._printed: set[JobId] = set()
        self._lines = -1  # rows of running jobs that the layout has room for
        yield self.jobs
        yield self.output

    @property
    def body(self) -> Tail[Printed]:
        return self.output

    def hear(self, hints: Sequence[LogLines | JobSample], at: Instant) -> None:
        """Take output and samples; the ring is bounded, the files have everything."""
        lines: list[Printed] = []
        for hint in hints:
            if isinstance(hint, JobSample):
                self.samples.take(hint)
            else:
                self._printed.add(hint.job)
                lines += [Printed(hint.job, text, at) for text in hint.lines]
        self.output.add(lines)

    def end(self, ended: JobFinished) -> None:
        """A job that failed before its output could be seen: its last words are in the journal."""
        if ended.receipt.exit_code != 0 and ended.job not in self._printed:
            self.output.add(Printed(ended.job, text, ended.at) for text in ended.tail)

    def show(self, view: RunView, now: Instant | None) -> None:
        running = view.jobs_running if view.live else ()
        self.output.names = self.output.names or len(running) > 1
        fresh = [job for job in view.jobs.values() if job.receipt is not None and job.job not in self._ended]
        self._ended.update(job.job for job in fresh)
        self.output.add(line for job in fresh if (line := ended_line(job, self.signs)))
        self.samples.forget([job.job for job in running])
        rows = rows_of(view, self.samples, self.room, now, self.signs)
        if self._lines != len(rows):
            self._lines = len(rows)
            self.jobs.styles.height = len(rows)
        self.jobs.show(rows)
        self.entitle(self._heading(view, running), below(self.output))  # type: ignore[arg-type]

    def _heading(self, view: RunView, running: Sequence[JobView]) -> str:
        dot = f" {self.signs.dot} "
        backend = clean(view.run.sandbox.split(",")[0]) if view.run else ""
        ended = len(self._ended)
        what = running[0].job if len(running) == 1 else f"{len(running)} running" if running else ""
        return dot.join(part for part in ("sandbox", backend, clean(what), f"{ended} ended" if ended else "") if part)
