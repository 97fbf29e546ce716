"""SIGKILL at random instants of whole runs: same canonical tree, nothing paid twice.

Belongs here: the harness and its figures. Not here: the product. Models are behind a loopback HTTP server
that outlives the cockpit and logs every request, so what was asked twice is counted by somebody else.
Per killed run must hold: it resumes to exit code and canonical tree of the undisturbed run, `git fsck` and
`git status` are clean, and at most the calls in flight at the kills were asked twice.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from cockpit.journal.canonical_tree import canonical_files, tree_hash
from cockpit.journal.history import History
from cockpit.journal.places import RunFolder, all_runs
from cockpit.journal.segments import read_journal
from cockpit.kernel import events as e

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = {"micro": "micro.md", "shrinkage": "ridge-small-n.md", "bootstrap": "bootstrap-coverage.md",
            "schedules": "lr-schedules.md"}  # fmt: skip
LIMIT_S = 600.0
KILLS = 8  # at most, in one run


@dataclass
class Outcome:
    """One killed run. `in_flight`: calls intended in the journal that never came back."""

    number: int
    kills: int = 0
    code: int | None = None
    clean: bool = False
    asked_twice: int = 0  # requests more than the undisturbed run needed
    in_flight: int = 0
    differing: tuple[str, ...] = ()

    @property
    def good(self) -> bool:
        return not self.differing and self.clean and self.asked_twice <= self.in_flight


@contextmanager
def models(study: str, seed: int, log: Path, *more: str) -> Iterator[str]:
    """A model server on loopback, with `more` options of its own; yields its base URL."""
    words = [sys.executable, "-m", "tests.models_server.server", "--port", "0", "--study", study, "--seed", str(seed),
             "--log", str(log), *more]  # fmt: skip
    with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        port = json.loads(server.stdout.readline())["port"]
        try:
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            server.terminate()


def command(study: str, base: str, runs: Path) -> list[str]:
    """The command line of a run whose models are at `base`."""
    sets = [f"runs_dir={runs}", "offline=true"]
    for role, name in (("executor", "gpt-played"), ("reviewer", "claude-played")):
        sets += [f"models.{role}.model=openai/{name}", f"models.{role}.api_base={base}",
                 f"models.{role}.api_key_env=BENCH_KEY",
                 f"models.{role}.price=free"]  # fmt: skip
    options = [word for text in sets for word in ("--set", text)]
    idea = ROOT / "examples" / EXAMPLES[study]
    return [sys.executable, "-m", "cockpit", str(idea), "--auto", "--unsafe-no-isolation", *options]


def fly(words: list[str], seconds: float) -> int | None:
    """Exit code of the command, or None when it was killed (with SIGKILL) after `seconds`."""
    env = {**os.environ, "BENCH_KEY": "sk-none", "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(words, cwd=ROOT, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          start_new_session=True) as process:  # fmt: skip
        try:
            return process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
            return None


def disturbed(
    number: int, rng: random.Random, words: list[str], runs: Path, log: Path, whole: tuple[float, int]
) -> Outcome:
    """Fly with kills until the run ends by itself. `whole`: seconds and requests of the undisturbed run."""
    whole_s, base_requests = whole
    outcome = Outcome(number)
    start = time.monotonic()
    while time.monotonic() - start < LIMIT_S:
        outcome.code = fly(words, rng.uniform(0.15, 0.6) * whole_s if outcome.kills < KILLS else LIMIT_S)
        if outcome.code is not None:
            break
        outcome.kills += 1
    folder = all_runs(runs)[-1]
    outcome.asked_twice = len(log.read_text().splitlines()) - base_requests
    outcome.in_flight = lost_calls(folder)
    history = History(folder.root)
    outcome.clean = history.dirty() == [] and history.git("fsck", "--strict", "--no-dangling") == ""
    return outcome


def lost_calls(folder: RunFolder) -> int:
    """Calls that were intended and never came back: in flight at a kill."""
    intended: Counter[str] = Counter()
    for record in read_journal(folder.cockpit):
        event = record.event
        if isinstance(event, e.CallIntended):
            intended[f"{event.position}/{event.path}"] += 1
        elif isinstance(event, e.CallReplied | e.CallFailed):
            intended[f"{event.position}/{event.path}"] -= 1
    return sum(intended.values())


def main() -> int:
    """Run the bench; prints a line a run and the sum; exit 0 when all held."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("-n", type=int, default=20, help="killed runs")
    parser.add_argument("--study", choices=sorted(EXAMPLES), default="micro")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="faults-") as place:
        return bench(Path(place), given.seed, given.n, given.study)


def bench(place: Path, seed: int, count: int, study: str) -> int:
    """`count` killed runs against one undisturbed run of that seed."""
    rng = random.Random(seed)
    with models(study, seed, place / "whole.log") as base:
        start = time.monotonic()
        code = fly(command(study, base, place / "whole"), LIMIT_S)
        whole_s = time.monotonic() - start
    requests = len((place / "whole.log").read_text().splitlines())
    tree = History(all_runs(place / "whole")[-1].root).tree("HEAD")
    whole = canonical_files(tree)
    print(f"undisturbed: exit {code}, {whole_s:.1f} s, {requests} requests, tree {tree_hash(tree)[:16]}", flush=True)
    held = kills = 0
    for number in range(1, count + 1):
        runs, log = place / f"runs-{number}", place / f"asked-{number}.log"
        log.touch()
        with models(study, seed, log) as base:
            outcome = disturbed(number, rng, command(study, base, runs), runs, log, (whole_s, requests))
        files = canonical_files(History(all_runs(runs)[-1].root).tree("HEAD"))
        outcome.differing = tuple(sorted(p for p in {*files, *whole} if files.get(p) != whole.get(p)))
        held += outcome.good and outcome.code == code
        kills += outcome.kills
        print(line(outcome), flush=True)
    print(f"{held} of {count} held; {kills} kills")
    return 0 if held == count else 1


def line(o: Outcome) -> str:
    """One run in a line."""
    differs = f", differs in {', '.join(o.differing[:4])}" if o.differing else ""
    return (f"run {o.number}: {o.kills} kills, exit {o.code}, same tree {not o.differing}, clean {o.clean}, "
            f"asked twice {o.asked_twice} (in flight {o.in_flight}){differs}")  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
