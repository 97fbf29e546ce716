"""A scripted run: events as the real engine would write them, and an engine that plays them.

Used by the tests of panes and faces, and by hand: `python tests/front/demo_engine.py --play`.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from cockpit.journal.places import RunFolder
from cockpit.kernel import commands as c
from cockpit.kernel import events as e
from cockpit.kernel.findings import Finding, GateReason, GateVerdict, Obligation, ObligationPart, Span
from cockpit.kernel.fold import fold, fold_all
from cockpit.kernel.hints import JobSample, LogLines, Tokens
from cockpit.kernel.ids import Actor, Position, Seq
from cockpit.kernel.protocols import Face
from cockpit.kernel.results import JobReceipt, JobSpec, Usage
from cockpit.kernel.reviews import Family, Score
from cockpit.kernel.settings import RehearsalSettings, Settings
from cockpit.kernel.stages import BY_NUMBER
from cockpit.kernel.view import RunView

ME = Actor(user="mira", terminal="pts/3", host="box")
SHA = "0" * 64


class Clock:
    """Instants that go on by themselves, from a fixed one."""

    def __init__(self, start: int = 0) -> None:
        self.s = start

    def at(self, plus: int = 0) -> str:
        self.s += plus
        return f"2026-11-30T{18 + self.s // 3600:02}:{self.s // 60 % 60:02}:{self.s % 60:02}Z"


def created(clock: Clock, **settings: Any) -> e.RunCreated:
    base: dict[str, Any] = {"rounds": 5, "budget_usd": 10.0, "rehearsal": RehearsalSettings(on=True)}
    return e.RunCreated(
        at=clock.at(),
        run="20261130-182207-ridge-small-n",
        secret="ab" * 16,
        idea_sha256=SHA,
        title="ridge-small-n",
        settings=Settings(**(base | settings)),
        assurance_cap="polished",
        caps=("rehearsal: at most polished",),
        sandbox="docker, image 1f3a, no network",
        version="0.1.0",
    )


def stage(
    clock: Clock,
    number: int,
    took: int,
    summary: str,
    *,
    round: int = 1,
    ordinal: int = 1,
    outputs: dict[str, str] | None = None,
) -> list[Any]:
    where = Position(round=round, stage=number, ordinal=ordinal)
    entered = e.StageEntered(at=clock.at(1), position=where, because="first", inputs={}, input_hash=SHA)
    done = e.StageDone(at=clock.at(took), position=where, input_hash=SHA, outputs=outputs or {}, summary=summary)
    return [
        entered,
        done,
        e.CommitMade(at=clock.at(), commit="5ab3e1" + "0" * 34, subject=f"r{round} s{number:02}: {summary}"),
    ]


def job(
    clock: Clock,
    where: Position,
    condition: str,
    seed: int,
    *,
    took: int | None = 2,
    code: int = 0,
    signature: str = "",
) -> list[Any]:
    """A job's start, and unless `took` is None its end."""
    name = f"{condition}.seed-{seed}.{'ff00' if code else 'ab12'}cd34"
    spec = JobSpec(id=name, kind="main", condition=condition, seed=seed, command=("python", "main.py"))
    found: list[Any] = [e.JobStarted(at=clock.at(1), position=where, job=spec, block="exploration", handle="pid:1")]
    if took is not None:
        start, end = clock.at(), clock.at(took)
        receipt = JobReceipt(
            job=name,
            kind="main",
            condition=condition,
            seed=seed,
            backend="docker",
            isolated=True,
            image="1f3a",
            command=(),
            reason="finished" if code == 0 else "failed",
            exit_code=code,
            started_at=start,
            ended_at=end,
            usage=Usage(wall_s=took),
        )
        found.append(e.JobFinished(at=end, position=where, job=name, receipt=receipt, signature=signature))
    return found


def obligation(
    number: int,
    severity: str,
    title: str,
    where: Position,
    *,
    file: str = "06_paper_writing/artifacts/paper.tex",
    line: int = 120,
    text: str = "91.4",
    parts: Sequence[str] = (),
    owner: int = 17,
    auditor: str = "numbers",
) -> Obligation:
    finding = Finding(
        auditor=auditor,
        pattern="number-unsupported",
        severity=severity,
        title=title,
        owner=owner,
        spans=(Span(file=file, line=line, text=text),),
        evidence=("rmse/ridge-n20/test/mean = 0.4127",),
    )
    texts = parts or (title,)
    return Obligation(
        number=number,
        fingerprint=f"{number:016x}",
        finding=finding,
        opened=where,
        last_seen=where,
        parts=tuple(ObligationPart(text=t) for t in texts),
    )


def opened(clock: Clock, number: int, severity: str, title: str, where: Position, **how: Any) -> e.ObligationOpened:
    return e.ObligationOpened(
        at=clock.at(), position=where, obligation=obligation(number, severity, title, where, **how)
    )


def closed(clock: Clock, number: int, where: Position, fix: str = "citation-replaced", part: int = 0) -> e.PartClosed:
    return e.PartClosed(
        at=clock.at(),
        position=where,
        fingerprint=f"{number:016x}",
        part=part,
        fix=fix,
        closer="citations 1.0",
        evidence=(),
    )


def turn(
    clock: Clock,
    where: Position,
    speaker: str,
    text: str,
    *,
    kind: str = "review",
    family: str = "openai",
    thread: str = "7f3a",
    about: str = "",
    path: str = "review/1",
) -> e.TurnSpoken:
    return e.TurnSpoken(
        at=clock.at(1),
        position=where,
        path=path,
        turn=kind,
        speaker=speaker,
        family=family,
        model="m",
        grade="reported",
        thread=thread,
        about=about,
        text=text,
    )


def called(clock: Clock, where: Position, path: str, landed: bool = True) -> list[Any]:
    found: list[Any] = [
        e.CallIntended(
            at=clock.at(),
            position=where,
            path=path,
            attempt=1,
            role="reviewer",
            model="m",
            purpose="review",
            prompt_sha256=SHA,
            reserved_usd=0.02,
        )
    ]
    if landed:
        found.append(
            e.CallReplied(
                at=clock.at(1),
                position=where,
                path=path,
                attempt=1,
                role="reviewer",
                purpose="review",
                prompt_sha256=SHA,
                body=SHA,
                asked_model="m",
                reported_model="m",
                family=Family(families=("openai",), grade="reported"),
                response_id="r",
                tokens_in=900,
                tokens_out=200,
                usage_source="provider",
                cost_usd=0.31,
                finish="stop",
                took_s=1.0,
            )
        )
    return found


def judged(
    clock: Clock, where: Position, outcome: str, score: float, *, criticals: int = 0, majors: int = 0
) -> e.GateJudged:
    reasons = (GateReason(code="open-critical", severity="block", text="#4 is open and critical"),) if criticals else ()
    return e.GateJudged(
        at=clock.at(),
        position=where,
        score=Score(value=score),
        verdict=GateVerdict(outcome=outcome, reasons=reasons, criticals=criticals, majors=majors),
    )


EXEC = "04_experiment_execution/artifacts"
WRITING = "06_paper_writing/artifacts"


def first_round(clock: Clock) -> Iterator[Any]:
    """Round 1 of a run that blocks: a crash that is repaired, findings, a score of 0.35."""
    yield created(clock)
    yield e.EngineStarted(at=clock.at(1), pid=1, host="box", resumed=False)
    yield e.ControlChanged(at=clock.at(), control="running")
    for number, took in ((1, 20), (2, 20), (3, 30), (4, 130), (5, 50), (6, 30), (7, 10), (8, 41), (9, 25)):
        yield from stage(clock, number, took, f"{BY_NUMBER[number].name} as planned")
    yield from stage(clock, 10, 62, "4 scripts, all conditions probed", outputs={f"{EXEC}/scripts/main.py": SHA})
    yield from stage(clock, 11, 3, "25 jobs planned")
    where = Position(round=1, stage=12)
    yield e.StageEntered(at=clock.at(1), position=where, because="first", inputs={}, input_hash=SHA)
    yield from job(clock, where, "ridge", 1, code=1, signature="ValueError: shapes (20,8) and (9,) not aligned")
    yield e.RepairMade(
        at=clock.at(), position=where, signature="ValueError", attempt=1, strategy="mend", files=("main.py",)
    )
    for seed in (1, 2, 3):
        yield from job(clock, where, "ridge", seed)
    yield e.StageDone(at=clock.at(1), position=where, input_hash=SHA, outputs={}, summary="3 of 3 jobs finished")
    for number in (13, 14, 15, 16):
        yield from stage(clock, number, 12, f"{BY_NUMBER[number].name} done")
    where = Position(round=1, stage=17)
    yield e.StageEntered(at=clock.at(1), position=where, because="first", inputs={}, input_hash=SHA)
    yield from called(clock, where, "draft/sections/intro/try-1")
    yield opened(clock, 1, "critical", "right number in the wrong row", where, line=118, text="0.52")
    yield opened(clock, 2, "major", "reference has no record", where, text="smith2019", line=31, auditor="citations")
    yield opened(clock, 4, "critical", "number not in results", where)
    yield e.StageDone(
        at=clock.at(40),
        position=where,
        part="mended",
        input_hash=SHA,
        outputs={f"{WRITING}/paper.tex": SHA},
        summary="Table 2 mended from results",
    )
    yield closed(clock, 1, where, "corrected-from-results")
    where = Position(round=1, stage=18)
    yield e.StageEntered(at=clock.at(1), position=where, because="first", inputs={}, input_hash=SHA)
    yield from called(clock, where, "review/1")
    yield turn(
        clock,
        where,
        "reviewer",
        "Soundness 2/4. The abstract claims a gain that Table 2 does not show, and no ablation "
        "of the penalty is reported.\nQuestions: how was λ chosen?",
        about="§5 Table 2",
    )
    yield opened(
        clock,
        6,
        "major",
        "no ablation of λ",
        where,
        text="",
        line=0,
        owner=9,
        auditor="review:reviewer",
        parts=("an ablation of the penalty", "its row in Table 2"),
    )
    yield e.StageDone(at=clock.at(30), position=where, input_hash=SHA, outputs={}, summary="2 reviews in fresh threads")
    where = Position(round=1, stage=19)
    yield turn(
        clock,
        where,
        "executor",
        "Fixed: the table now comes from the results; the claim is withdrawn.",
        kind="answer",
        family="anthropic",
        thread="11c0",
        path="revise/1",
    )
    yield from stage(clock, 19, 20, "claim withdrawn, citation replaced")
    yield closed(clock, 2, where)
    where = Position(round=1, stage=20)
    yield judged(clock, where, "BLOCK", 0.35, criticals=1, majors=1)
    yield from stage(clock, 20, 15, "score 0.35, experiment missing")
    yield e.RoundClosed(at=clock.at(), round=1, score=0.35, criticals=1, entry=9, why="soundness")


def second_round(clock: Clock) -> Iterator[Any]:
    """The start of round 2, up to running jobs and a review in flight."""
    yield from stage(clock, 9, 30, "plan v2 with the ablation", round=2)
    yield from stage(clock, 10, 20, "ablation added", round=2, outputs={f"{EXEC}/scripts/main.py": SHA})
    yield from stage(clock, 11, 2, "25 jobs planned", round=2)
    where = Position(round=2, stage=12)
    yield e.StageEntered(at=clock.at(1), position=where, because="revised", inputs={}, input_hash=SHA)
    for seed in (4, 5):
        yield from job(clock, where, "ridge-n20", seed)
    yield from job(clock, where, "ridge-n20", 6, took=None)


def story(until: str = "second") -> list[Any]:
    """The events of the demo: `first` round only, or into the `second`."""
    clock = Clock()
    events = list(first_round(clock))
    return events + list(second_round(clock)) if until == "second" else events


def view_of(events: Sequence[Any], view: RunView | None = None) -> RunView:
    """The run after `events`."""
    start = view.seq if view else 0
    return fold_all(enumerate(events, start + 1), view)


class DemoEngine:
    """Plays a story on a loop of its own; obeys the controls as a real engine would, without doing anything."""

    def __init__(
        self,
        face: Face,
        events: Sequence[Any],
        *,
        folder: Path | None = None,
        lines: int = 0,
        tick_file: Path | None = None,
        ends: bool = False,
    ) -> None:
        self.folder = RunFolder(folder or Path("runs/demo"))
        self.face, self.script, self.lines, self.tick_file = face, list(events), lines, tick_file
        self.view = RunView()
        self.finished = threading.Event()
        self.exit_code: int | None = None
        self.error: BaseException | None = None
        self.posted: list[c.AnyCommand] = []
        self.ends, self.stopped_why = ends, ""
        self.loop = asyncio.new_event_loop()
        self.started = threading.Event()
        self.thread = threading.Thread(target=self._run, name="engine", daemon=True)
        self.thread.start()
        self.started.wait(10)

    def post(self, command: c.AnyCommand) -> None:
        self.loop.call_soon_threadsafe(self._obey, command)

    def stop(self, why: str) -> None:
        self.stopped_why = why
        self.loop.call_soon_threadsafe(self._halt, why)

    def _halt(self, why: str) -> None:
        self.exit_code = 130
        self.tell(e.EngineStopped(at=self._at(), why=why))
        self.loop.call_soon(self.loop.stop)

    def tell(self, *events: Any) -> None:
        told = []
        for event in events:
            self.view = fold(self.view, Seq(self.view.seq + 1), event)
            told.append((Seq(self.view.seq), event))
        self.face.facts(self.view, told)

    def _at(self) -> str:
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())

    def _obey(self, command: c.AnyCommand) -> None:
        self.posted.append(command)
        match command:
            case c.Quiesce():
                self.tell(e.ControlChanged(at=self._at(), control="quiescing", by=command.by))
                self.loop.call_later(0.05, self._pause)
            case c.Hold():
                self.tell(e.ControlChanged(at=self._at(), control="holding", by=command.by))
            case c.Continue() | c.Step():
                control = "stepping" if isinstance(command, c.Step) else "running"
                self.tell(e.ControlChanged(at=self._at(), control=control, by=command.by))
            case c.Approve():
                self.tell(
                    e.Decided(at=self._at(), what="approved", position=self.view.position, by=command.by),
                    e.ControlChanged(at=self._at(), control="running", by=command.by),
                )
            case c.Abort():
                self.tell(e.ControlChanged(at=self._at(), control="aborting", by=command.by))
                self._end("aborted", 130)
            case _:
                return

    def _pause(self) -> None:
        where = self.view.position or Position(round=1, stage=1)
        for running in self.view.jobs_running:
            receipt = JobReceipt(
                job=running.job,
                kind="main",
                backend="docker",
                isolated=True,
                image="",
                command=(),
                reason="finished",
                exit_code=0,
                started_at=self._at(),
                ended_at=self._at(),
                usage=Usage(wall_s=1),
            )
            self.tell(e.JobFinished(at=self._at(), position=running.position, job=running.job, receipt=receipt))
        self.tell(e.PauseReached(at=self._at(), position=where, why="you asked", decision=False))

    def _end(self, outcome: str, code: int) -> None:
        self.exit_code = code
        self.tell(
            e.RunFinished(
                at=self._at(),
                outcome=outcome,
                exit_code=code,
                cost_usd=1.24,
                reason=f"{outcome} by demo",
                next="cockpit resume last",
            )
        )
        self.loop.call_soon(self.loop.stop)

    def _run(self) -> None:
        asyncio.set_event_loop(self.loop)
        self.tell(*self.script)
        if self.lines:
            self.loop.call_soon(self._print)
        if self.tick_file:
            self.loop.call_soon(self._tick)
        if self.ends:
            self.loop.call_later(0.3, self._end, "accepted", 0)
        self.started.set()
        self.loop.run_forever()
        self.exit_code = 130 if self.exit_code is None else self.exit_code
        self.finished.set()

    def _print(self, n: int = 0) -> None:
        """`lines` a second, in hundredths."""
        burst = max(1, self.lines // 100)
        name = next(iter(job.job for job in self.view.jobs_running), "ridge")
        self.face.hint(LogLines(name, tuple(f"line {n + i} cond=ridge n=20 seed=3 rmse=0.4127" for i in range(burst))))
        if n // burst % 50 == 0:
            self.face.hint(JobSample(name, 0.97, 41.0, 0.0))
            self.face.hint(Tokens("review/9", "reviewer", "m", "streamed words "))
        self.loop.call_later(0.01, self._print, n + burst)

    def _tick(self, n: int = 0) -> None:
        assert self.tick_file is not None
        self.tick_file.write_text(str(n))
        self.loop.call_later(0.05, self._tick, n + 1)


def main() -> int:
    """The face on a terminal, played by the demo engine."""
    options = argparse.ArgumentParser()
    options.add_argument("--lines", type=int, default=0)
    options.add_argument("--folder", type=Path, default=Path("runs/demo"))
    options.add_argument("--ticks", type=Path)
    options.add_argument("--until", default="second")
    options.add_argument("--ends", action="store_true")
    options.add_argument("--slow", type=float, default=0)
    options.add_argument("--theme", default="auto")
    options.add_argument("--fail", action="store_true")
    options.add_argument("--crash", action="store_true")  # of the screen
    options.add_argument("--life", type=float, default=60.0)  # seconds, so that nothing is left behind by a test
    chosen = options.parse_args()

    from cockpit.front.cockpit_face import run_face
    from cockpit.kernel.exits import CockpitError, Exit

    def start(face: Face) -> DemoEngine:
        time.sleep(chosen.slow)
        if chosen.fail:
            raise CockpitError(
                "no model is configured", where="./cockpit.yml line 3", hint="Try --rehearsal.", code=Exit.MODELS
            )
        engine = DemoEngine(
            face,
            story(chosen.until),
            folder=chosen.folder,
            lines=chosen.lines,
            tick_file=chosen.ticks,
            ends=chosen.ends,
        )
        if chosen.crash:
            app = vars(face)["_app"]
            app.call_from_thread(app.set_timer, 1.0, lambda: 1 // 0)
        engine.loop.call_soon_threadsafe(engine.loop.call_later, chosen.life, engine.loop.stop)
        return engine

    return run_face(start, who=ME, theme=chosen.theme)


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    from cockpit.front import shim

    shim.split()
    sys.exit(main())
