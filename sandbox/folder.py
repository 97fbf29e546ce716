"""A job's folder: what stands where, and laying it out for a new attempt.

Belongs here: paths, inputs, the record of a launch, the launcher's files as read. Not here: starting
and ending (backends), outputs (`receipts.py`).

`work/` is the job's own, `checkpoints/` outlives attempts, `log` is its output, `launch.json` says what
the cockpit started, `job.json`, `exit.json` and `live` are the launcher's, `receipt.json` the result as
it was collected, `claim.N` a door that only one may pass.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from cockpit.kernel.ids import JobId, Sha256
from cockpit.kernel.model import Model, canonical, pretty, sha256
from cockpit.kernel.results import EndReason, JobSpec

VOLATILE = ("log", "live", "job.json", "exit.json", "receipt.json", "launch.json")
Record = TypeVar("Record", bound=Model)


class Launch(Model):
    """What the cockpit started in a folder, for itself or for the next cockpit."""

    attempt: int
    job: JobId
    digest: Sha256  # of the specification
    asked_s: float  # wall seconds when it was started
    backend: str
    isolated: bool
    image: str
    handle: str = ""


class Running(Model):
    """`job.json`: who runs an attempt. Process ids count only together with ticks and boot."""

    attempt: int
    pid: int
    ticks: int
    init: int
    init_ticks: int
    boot: str
    group: str


class Ended(Model):
    """`exit.json`: the launcher's last word."""

    attempt: int
    boot: str
    code: int | None
    reason: EndReason
    why: str
    started_s: float
    ended_s: float
    wall_s: float
    cpu_s: float
    peak_mb: float
    swept: int
    synced: bool
    dropped: int


class Live(Model):
    """`live`: the launcher's last sample. `at` is monotonic seconds."""

    at: float
    cpu_s: float
    mb: float
    tasks: int
    held: bool


class BadInput(Exception):
    """A specification that cannot be laid out."""


def digest_of(spec: JobSpec) -> Sha256:
    """Names a specification by its content."""
    return Sha256(sha256(canonical(spec)))


def read(path: Path, kind: type[Record]) -> Record | None:
    """A record of the folder; None when it is absent or was not written whole."""
    try:
        return kind.model_validate(json.loads(path.read_bytes()))
    except (FileNotFoundError, NotADirectoryError, ValueError, ValidationError):
        return None


def write(path: Path, record: Model) -> None:
    """Write a record whole or not at all."""
    fresh = path.with_name(path.name + ".tmp")
    fresh.write_text(pretty(record))
    fresh.rename(path)


def lay_out(folder: Path, spec: JobSpec, blobs: Callable[[Sha256], bytes]) -> None:
    """An empty `work` with the inputs in it; checkpoints stay. Raises BadInput for inputs that cannot be put."""
    work = folder / "work"
    if work.is_symlink():
        work.unlink()
    elif work.is_dir():
        loosen(work)
        shutil.rmtree(work)
    for name in VOLATILE:
        (folder / name).unlink(missing_ok=True)
    work.mkdir(parents=True)
    (folder / "checkpoints").mkdir(exist_ok=True)
    for path in sorted(spec.files):
        parts = path.split("/")
        if not path or any(part in ("", ".", "..") for part in parts) or "\0" in path:
            raise BadInput(f"{path!r} is not a path inside the job's folder")
        try:
            content = blobs(spec.files[path])
        except (FileNotFoundError, KeyError) as error:
            raise BadInput(f"the input {path} is not in store") from error
        if hashlib.sha256(content).hexdigest() != spec.files[path]:
            raise BadInput(f"the input {path} is not what the specification names")
        target = work.joinpath(*parts)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)


def claim(folder: Path, attempt: int) -> bool:
    """Close the door on an attempt whose launcher was never seen. False: a launcher has passed it."""
    try:
        os.close(os.open(folder / f"claim.{attempt}", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644))
    except FileExistsError:
        return False
    return True


def next_attempt(folder: Path) -> int:
    """A number that no earlier attempt in this folder had."""
    used = [int(path.suffix[1:]) for path in folder.glob("claim.*") if path.suffix[1:].isdigit()]
    launch = read(folder / "launch.json", Launch)
    return 1 + max([*used, launch.attempt if launch else 0])


def loosen(work: Path) -> None:
    """Make folders passable that a job left without permissions, so that they can be read and taken away."""
    for path, names, _ in os.walk(work):
        for name in names:
            inner = Path(path, name)
            if not inner.is_symlink():
                inner.chmod(0o755)


def own(folder: Path, user: str) -> None:
    """Give a job's folders to `uid:gid`. Only root can, and only then a container runs as somebody else."""
    if os.geteuid() != 0:
        return
    uid, gid = map(int, user.split(":"))
    for top in (folder / "work", folder / "checkpoints"):
        for path, names, files in os.walk(top):
            for entry in [path, *(f"{path}/{name}" for name in (*names, *files))]:
                os.chown(entry, uid, gid, follow_symlinks=False)
