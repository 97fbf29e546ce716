"""What panes say about a run, without a screen: the demo story folded, lines asserted."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "front"))

import demo_engine as demo

from cockpit.kernel import events as e
from cockpit.kernel.ids import Position
from cockpit.kernel.view import RunView
from panes import dialogue, header, ledger, sandbox, stages
from panes.line import plain, size
from panes.signs import ASCII, UNICODE

NOW = "2026-11-30T18:16:07Z"
VIEW = demo.view_of(demo.story())


def lines(rows: list) -> list[str]:
    return [plain(row.line).rstrip() for row in rows]


def test_stages_show_every_phase_and_stage_with_state_and_time() -> None:
    rows = lines(stages.rows_of(VIEW, 30, NOW))

    assert len(rows) == 9 + 23
    assert rows[0] == "✓ 01 idea analysis        0:40"
    assert " ✓ 10 code generation     0:20" in rows
    assert " · 13 iterative refine" in rows
    assert any(row.startswith("▶ 04 experiment execution") for row in rows)


def test_the_running_stage_counts_its_jobs() -> None:
    assert stages.jobs_of(VIEW, 12) == "2+1"
    assert " ▶ 12 experiment run       2+1" in lines(stages.rows_of(VIEW, 30, NOW))


def test_planned_jobs_are_counted_out_of_how_many() -> None:
    planned = e.JobsPlanned(at=NOW, position=Position(round=2, stage=12), total=25)
    view = demo.view_of([planned], VIEW)

    assert stages.jobs_of(view, 12) == "2/25"
    assert " ▶ 12 experiment run      2/25" in lines(stages.rows_of(view, 30, NOW))


def test_a_wide_stage_list_spells_the_state_out() -> None:
    rows = lines(stages.rows_of(VIEW, 60, NOW))

    assert any(row.endswith("running") and "2+1 jobs" in row for row in rows)
    assert sum(row.endswith("waiting") for row in rows) > 8


def test_a_stage_whose_cockpit_is_gone_is_called_stopped() -> None:
    gone = demo.view_of([e.EngineStopped(at=NOW, why="killed")], VIEW)

    assert any("stopped" in row for row in lines(stages.rows_of(gone, 60, NOW)))


def test_every_line_fits_its_width_in_both_sets_of_signs() -> None:
    for width in (12, 24, 30, 46, 80):
        for signs in (UNICODE, ASCII):
            samples = sandbox.Samples()
            rows = [r.line for r in stages.rows_of(VIEW, width, NOW, signs)]
            rows += [r.line for r in ledger.rows_of(VIEW, width, signs)]
            rows += [r.line for r in sandbox.rows_of(VIEW, samples, width, now=NOW, signs=signs)]
            rows += dialogue.rows_of(VIEW, width, signs)
            rows += [ledger.gate_of(VIEW, width, signs), header.line_of(VIEW, width, NOW, signs)]
            assert max(size(line) for line in rows) <= width


def test_ascii_signs_leave_only_ascii_of_ours() -> None:
    text = "\n".join([*lines(stages.rows_of(VIEW, 60, NOW, ASCII)), plain(header.line_of(VIEW, 120, NOW, ASCII))])

    assert text.isascii()


def test_the_ledger_lists_open_ones_first_and_worst_first() -> None:
    rows = lines(ledger.rows_of(VIEW, 33))

    assert rows[0] == "● critical 1  ○ major 1  ✓ 2"
    assert rows[1] == "● #4 number not in results"
    assert rows[2].startswith("  paper.tex:120 “91.4”")
    assert rows[2].endswith("r1")
    assert rows[3] == "○ #6 no ablation of λ"
    assert "0/2 parts" in rows[4]
    assert rows[5].startswith("✓ #2 citation replaced")


def test_a_vanished_obligation_stays_open_and_says_so() -> None:
    vanished = e.ObligationDisappeared(at=NOW, position=Position(round=2, stage=18), fingerprint=f"{4:016x}")
    view = demo.view_of([vanished], VIEW)

    assert any("vanished, still open" in row for row in lines(ledger.rows_of(view, 60)))
    assert len(view.ledger.open) == 2


def test_the_gate_line_says_outcome_and_counts() -> None:
    assert plain(ledger.gate_of(VIEW, 40)) == "gate  BLOCK (1 critical, 1 major)"
    assert plain(ledger.gate_of(RunView(), 40)) == "gate  not judged yet"


def test_a_turn_names_family_grade_and_fresh_thread() -> None:
    text = "\n".join(plain(line) for line in dialogue.rows_of(VIEW, 80))

    assert "reviewer · openai (reported) · fresh thread 7f3a · about §5 Table 2" in text
    assert "executor · anthropic (reported) · thread 11c0" in text


def test_streams_grow_are_discarded_and_settle() -> None:
    from cockpit.kernel.hints import Tokens

    streams = dialogue.Streams()
    streams.take(Tokens("review/1", "reviewer", "m", "Sound"))
    streams.take(Tokens("review/1", "reviewer", "m", "ness 2"))
    assert plain(streams.lines(40)[1]) == " Soundness 2"
    streams.take(Tokens("review/1", "reviewer", "m", "Again", discard=True))
    assert plain(streams.lines(40)[1]) == " Again"
    streams.settle(["review/1"])
    assert streams.lines(40)
    streams.settle([])
    assert streams.lines(40) == []


def test_the_header_keeps_title_rehearsal_and_control_at_any_width() -> None:
    paused = demo.view_of([e.ControlChanged(at=NOW, control="quiescing")], VIEW)
    for width in (60, 80, 120):
        text = plain(header.line_of(paused, width, NOW))
        assert "ridge-small-n REHEARSAL" in text
        assert "PAUSING · 1 in flight" in text


def test_the_header_at_full_width() -> None:
    text = plain(header.line_of(VIEW, 150, NOW))

    for part in (
        "round 2/5",
        "s12 experiment_run ▶ 4:59",
        "score 0.35 → …",
        "$0.62 / $10",
        "⏱ 15:41",
        "co-pilot",
        "docker",
    ):
        assert part in text


def test_the_header_says_who_must_act_and_how_it_ended() -> None:
    where = Position(round=2, stage=9)
    decide = demo.view_of([e.PauseReached(at=NOW, position=where, why="gate", decision=True)], VIEW)
    ended = demo.view_of(
        [e.RunFinished(at=NOW, outcome="accepted", exit_code=0, cost_usd=1.0, reason="score 0.62")], VIEW
    )

    assert "PAUSED · decide: A or X" in plain(header.line_of(decide, 120, NOW))
    assert "✓ accepted" in plain(header.line_of(ended, 120, NOW))


def test_a_failure_is_named_as_long_as_the_run_waits() -> None:
    where = Position(round=2, stage=12)
    failed = e.StageFailed(at=NOW, position=where, code="E12_EXPERIMENT_RUN", message="no job ran", exit_code=8)
    waits = e.PauseReached(at=NOW, position=where, why="failed", decision=False)

    text = plain(header.line_of(demo.view_of([failed, waits], VIEW), 120, NOW))
    assert "⏸ PAUSED · ✗ E12_EXPERIMENT_RUN · safe to quit" in text


def test_running_jobs_show_condition_seed_sample_and_silence() -> None:
    from cockpit.kernel.hints import JobSample

    samples = sandbox.Samples()
    job = VIEW.jobs_running[0].job
    samples.take(JobSample(job, 0.5, 41, 0))
    samples.take(JobSample(job, 1.0, 41, 70))
    (row,) = lines(sandbox.rows_of(VIEW, samples, 90, now=NOW))

    assert row.startswith("▶ ridge-n20 seed 6 main  4:52")
    assert row.endswith("silent 1:10  ▅█ 100% cpu   41 MiB")


def test_a_failed_job_says_exit_code_and_signature() -> None:
    failed = next(job for job in VIEW.jobs.values() if job.signature)
    printed = sandbox.ended_line(failed)

    assert printed is not None
    assert printed.ok is False
    assert printed.text == "ridge seed 1 failed exit 1 in 2.0 s · ValueError: shapes (20,8) and (9,) not aligned"
