"""The product is not tied to rehearsal: a whole run through the real client, against a server with ordinary manners.

The rehearsal package cannot be imported in the cockpit's process; prose around JSON, fences, one truncated
reply and one 429 come over the wire.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bench import kills
from cockpit.commission import load
from cockpit.journal.places import all_runs
from cockpit.journal.segments import read_journal
from cockpit.kernel import events as e

ROOT = Path(__file__).resolve().parent.parent.parent
WITHOUT_REHEARSAL = """
import sys
sys.modules["agents.rehearsal"] = None
from cockpit.commands.cli import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_run_with_played_models_and_no_rehearsal_finishes(tmp_path: Path) -> None:
    log = tmp_path / "asked.jsonl"
    manners = ("--manners", "prose,fences,truncated-once,429-once")
    with kills.models("micro", 3, log, *manners) as base:
        words = kills.command("micro", base, tmp_path / "runs")
        command = [sys.executable, "-c", WITHOUT_REHEARSAL, *words[3:]]
        env = {**os.environ, "BENCH_KEY": "sk-none", "PYTHONPATH": str(ROOT)}
        done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=280, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    folder = all_runs(tmp_path / "runs")[-1]
    view = load(folder)
    assert view.finished is not None
    assert view.finished.outcome == "accepted"
    assert [r.entry for r in view.rounds] == [9, None]
    assert view.run is not None
    assert not view.run.settings.rehearsal.on
    events = [r.event for r in read_journal(folder.cockpit)]
    assert [event.fault for event in events if isinstance(event, e.CallFailed)] == ["rate-limited"]
    assert [event.finish for event in events if isinstance(event, e.CallReplied)].count("length") == 1
    asked = [json.loads(line) for line in log.read_text().splitlines()]
    assert len(asked) == view.spending.calls + view.spending.failures
