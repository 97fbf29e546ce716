"""Whole runs for scenario tests: flown in this process or as a person would type them, and what is left of them.

Not here: anything a test asserts.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from cockpit import commission, launch
from cockpit.front import configuration
from cockpit.journal.canonical_tree import canonical_files
from cockpit.journal.history import History
from cockpit.journal.places import RunFolder, all_runs
from cockpit.journal.segments import read_journal
from cockpit.kernel import events as e
from cockpit.kernel.view import RunView

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
MICRO = EXAMPLES / "micro.md"
LIMIT_S = 240.0
TEX = ("latexmk", "pdflatex", "xelatex", "lualatex", "bibtex")


@dataclass(frozen=True)
class Flown:
    """A run that came to an end, by itself or not."""

    folder: RunFolder
    code: int | None

    @property
    def root(self) -> Path:
        return self.folder.root

    @property
    def view(self) -> RunView:
        return commission.load(self.folder)

    @property
    def events(self) -> list[e.AnyEvent]:
        return [record.event for record in read_journal(self.folder.cockpit)]

    def git(self, *words: str) -> str:
        return History(self.root).git(*words)

    def git_bytes(self, commit: str, path: str) -> bytes:
        """A file as it was in a commit; empty if it was not there."""
        words = ["git", "-C", str(self.root), "show", f"{commit}:{path}"]
        return subprocess.run(words, capture_output=True, check=False).stdout

    def text(self, path: str, at: str = "") -> str:
        """A file of the work tree, or of a commit or tag."""
        return self.git("show", f"{at}:{path}") if at else (self.root / path).read_text(encoding="utf-8")

    def canonical(self) -> dict[str, str]:
        """path → hash of what two runs of one idea must have in common."""
        return canonical_files(History(self.root).tree("HEAD"))

    def copy(self, to: Path) -> Flown:
        """The same run where it may be spoiled."""
        place = to / self.root.name
        shutil.copytree(self.root, place, symlinks=True, copy_function=_copied)
        return Flown(RunFolder(place), self.code)


def _copied(source: str, target: str) -> str:
    """Git's objects are never written again, so a second name for them is a copy."""
    if "/.git/objects/" in source:
        os.link(source, target)
        return target
    return str(shutil.copy2(source, target))


def fly(idea: Path, runs: Path, *sets: str, until: int | None = None, limit: float = LIMIT_S) -> Flown:
    """A run in this process, with `--auto --rehearsal`, jobs without containers, and these settings."""
    flags = {"auto": True, "mode": "full-auto", "rehearsal.on": True, "sandbox.backend": "process",
             "runs_dir": str(runs), "until_stage": until}  # fmt: skip
    settings = configuration.resolve(sets, flags).settings
    read = commission.read_idea(idea)
    folder = commission.create(read, commission.decide(read, settings, level_asked=False))
    return go_on(folder, limit)


def go_on(folder: RunFolder, limit: float = LIMIT_S) -> Flown:
    """Fly a run folder to its end, in this process."""
    flight = launch.Flight(folder, launch.real_rooms(), launch.NoFace(), present=False).start()
    assert flight.finished.wait(limit), f"{folder.root} did not end in {limit:.0f} s"
    flight.join(30)
    if flight.error is not None:
        raise flight.error
    return Flown(folder, flight.exit_code)


def fly_apart(idea: Path, runs: Path, *words: str, env: Mapping[str, str] | None = None) -> Flown:
    """A run as typed, in a process of its own; what it said is beside the runs folder."""
    typed = cockpit(idea, "--auto", "--rehearsal", "--json", "--set", f"runs_dir={runs}", *words, env=env)
    Path(f"{runs}.out").write_text(typed.stdout)
    Path(f"{runs}.err").write_text(typed.stderr)
    return Flown(all_runs(runs)[-1], typed.returncode)


def cockpit(*words: str | Path, here: Path | None = None, env: Mapping[str, str] | None = None,
            limit: float = LIMIT_S) -> subprocess.CompletedProcess[str]:  # fmt: skip
    """`cockpit …` as typed, in the folder `here`."""
    return subprocess.run(
        [*command(), *map(str, words)],
        cwd=here or ROOT,
        env=surroundings(env),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=limit,
        check=False,
    )


def command() -> list[str]:
    return [sys.executable, "-m", "cockpit"]


def surroundings(env: Mapping[str, str] | None = None) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), **(env or {})}


def without_tex(bin_folder: Path) -> str:
    """A PATH that has every program of this machine's but those of TeX: a PDF takes longer than the rest of a run."""
    bin_folder.mkdir(parents=True, exist_ok=True)
    for folder in os.environ["PATH"].split(os.pathsep):
        for program in sorted(Path(folder).glob("*")) if Path(folder).is_dir() else ():
            link = bin_folder / program.name
            if program.name not in TEX and not link.is_symlink():
                link.symlink_to(program)
    return str(bin_folder)
