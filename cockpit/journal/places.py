"""Where things are: the run folder's paths, making one, finding one by what people type.

Belongs here: names and look-ups. Not here: content.
"""

from __future__ import annotations

import re
import shutil
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from cockpit.journal.lock import is_locked
from cockpit.kernel.exits import CockpitError, Exit
from cockpit.kernel.ids import Instant, RunId

HALF_MADE = ".half-made-"


@dataclass(frozen=True, slots=True)
class RunFolder:
    """A run's folder and the places in it."""

    root: Path

    @property
    def run(self) -> RunId:
        return RunId(self.root.name)

    @property
    def cockpit(self) -> Path:
        return self.root / ".cockpit"

    @property
    def calls(self) -> Path:
        return self.cockpit / "calls"

    @property
    def jobs(self) -> Path:
        return self.cockpit / "jobs"

    @property
    def blobs(self) -> Path:
        return self.cockpit / "blobs"

    @property
    def control(self) -> Path:
        return self.cockpit / "control"

    @property
    def recovered(self) -> Path:
        return self.cockpit / "recovered"

    @property
    def large(self) -> Path:
        return self.cockpit / "large"

    @property
    def exists(self) -> bool:
        return (self.cockpit / "journal").is_dir()


def slug(text: str) -> str:
    """A short folder name for an idea: ASCII words, or `idea` when nothing is left of it."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    words = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")
    return words[:40].strip("-") or "idea"


def make_run(runs: Path, name: str, at: Instant, fill: Callable[[RunFolder], None]) -> RunFolder:
    """Make `runs/<date>-<time>-<name>`; `fill` writes journal and first commit before it gets its name.

    Raises:
        CockpitError: the folder cannot be written (read-only, full disk).
    """
    try:
        runs.mkdir(parents=True, exist_ok=True)
        ignore = runs / ".gitignore"
        if not ignore.exists():
            ignore.write_text("*\n")
        for left_over in runs.glob(f"{HALF_MADE}*"):
            if not _in_use(left_over):
                shutil.rmtree(left_over, ignore_errors=True)
        stamp = at.replace("-", "").replace(":", "").replace("T", "-").rstrip("Z")
        final = _free(runs / f"{stamp}-{name}")
        half = RunFolder(runs / f"{HALF_MADE}{final.name}")
        half.cockpit.mkdir(parents=True)
        fill(half)
        half.root.rename(final)
    except OSError as error:
        raise CockpitError(f"cannot make a run folder: {error.strerror or error}", where=str(error.filename or runs),
                           hint="Choose another place with `--set runs_dir=PATH`, or make room.",
                           code=Exit.RUN_FOLDER) from error  # fmt: skip
    return RunFolder(final)


def all_runs(runs: Path) -> list[RunFolder]:
    """Runs in `runs`, oldest first (names begin with date and time)."""
    if not runs.is_dir():
        return []
    found = (RunFolder(p) for p in sorted(runs.iterdir()) if p.is_dir() and not p.name.startswith("."))
    return [run for run in found if run.exists]


def find_run(text: str, runs: Path) -> RunFolder:
    """The run that `text` names: a path, an id, a unique prefix, a slug, or `last`.

    Raises:
        CockpitError: none, or several.
    """
    path = Path(text).expanduser()
    if path.is_dir() and RunFolder(path).exists:
        return RunFolder(path.resolve())
    known = all_runs(runs)
    if text == "last" and known:
        return RunFolder(known[-1].root.resolve())
    fits = [r for r in known if r.run == text] or [r for r in known if r.run.startswith(text)]
    fits = fits or [r for r in known if r.run.split("-", 2)[-1] == text]
    if len(fits) == 1 or (fits and all(r.run.split("-", 2)[-1] == text for r in fits)):
        return RunFolder(fits[-1].root.resolve())
    if fits:
        names = "\n".join(r.run for r in fits[:8])
        raise CockpitError(f"{text} fits several runs", where=names, hint="Type more of the name.")
    hint = (
        f"`cockpit runs` lists them; the newest is {known[-1].run}."
        if known
        else "No run is there yet: `cockpit IDEA.md`."
    )
    raise CockpitError(f"no run is called {text}", where=str(runs.resolve()), hint=hint)


def _free(path: Path) -> Path:
    number = 2
    free = path
    while free.exists():
        free = path.with_name(f"{path.name}-{number}")
        number += 1
    return free


def _in_use(folder: Path) -> bool:
    return is_locked(folder / ".cockpit")
