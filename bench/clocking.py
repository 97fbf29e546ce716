"""Wall time of a whole run, less the union of its job intervals by receipts.

Belongs here: the clock. Not here: any limit (the README states figures with the machine they were taken on).
"""

from __future__ import annotations

import argparse
import importlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

from cockpit import commission, launch
from cockpit.front import configuration
from cockpit.journal.places import RunFolder, all_runs
from cockpit.kernel.results import JobReceipt
from cockpit.kernel.stages import STAGES

ROOT = Path(__file__).resolve().parent.parent


def union_s(receipts: Iterable[JobReceipt]) -> float:
    """Seconds during which at least one job ran."""
    total = end = 0.0
    for start, stop in sorted((r.started_s, r.ended_s) for r in receipts):
        total += max(0.0, stop - max(start, end))
        end = max(end, stop)
    return total


def as_process(idea: Path, runs: Path) -> float:
    """Fly `idea` as a user would; seconds."""
    words = [sys.executable, "-m", "cockpit", str(idea), "--auto", "--set", f"runs_dir={runs}"]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    start = time.monotonic()
    subprocess.run(words, check=True, cwd=ROOT, env=env, stderr=subprocess.DEVNULL)
    return time.monotonic() - start


def imported(idea: Path, runs: Path) -> float:
    """Fly `idea` in this process after importing what it needs; seconds."""
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    names = {f"agents.{s.agent.replace('-', '_')}" for s in STAGES}
    for name in ("litellm", "git", "gates.judge", "sandbox.choose", "agents.crew", *sorted(names)):
        importlib.import_module(name)
    start = time.monotonic()
    read = commission.read_idea(idea)
    flags = {"auto": True, "mode": "full-auto"}
    settings = configuration.resolve([f"runs_dir={runs}"], flags, environment={}).settings
    folder = commission.create(read, commission.decide(read, settings, level_asked=False))
    flight = launch.Flight(folder, launch.real_rooms(), launch.NoFace(), present=False).start()
    flight.join()
    if flight.error is not None:
        raise flight.error
    return time.monotonic() - start


def main() -> int:
    """Print wall, jobs and the difference in seconds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--imported", action="store_true")
    parser.add_argument("--idea", type=Path, default=ROOT / "examples" / "ridge-small-n.md")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pace-") as place:
        wall = (imported if given.imported else as_process)(given.idea, Path(place))
        print(line(all_runs(Path(place))[-1], wall))
    return 0


def line(folder: RunFolder, wall: float) -> str:
    """The figures of one run."""
    view = commission.load(folder)
    jobs = union_s(view.receipts)
    outcome = view.finished.outcome if view.finished else "unfinished"
    return (f"{outcome}, {len(view.rounds)} rounds, {view.spending.calls} calls: wall {wall:.1f} s, "
            f"jobs {jobs:.1f} s, not experiments {wall - jobs:.1f} s")  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
