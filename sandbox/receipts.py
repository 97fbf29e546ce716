"""What came out of a job, taken with suspicion: outputs by rule, hashed; the receipt; the kept result.

Belongs here: collecting and reading outputs, receipts, the tail of a log. Not here: running
(backends), what results mean (gates).
"""

from __future__ import annotations

import errno
import fnmatch
import hashlib
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from cockpit.kernel.ids import Instant, Sha256
from cockpit.kernel.model import Model, pretty
from cockpit.kernel.results import EndReason, JobReceipt, JobResult, JobSpec, Usage
from sandbox.folder import loosen
from sandbox.signature import signature

MIB = 1 << 20
MOST_FILES = 10_000
TAIL_LINES, TAIL_BYTES = 60, 32 * 1024
NAME_LIMIT = 240
FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
PLAIN = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class Kept(Model):
    """A collected result as it stays in the job's folder, for whoever asks again with the same handle."""

    handle: str
    result: JobResult


@dataclass(frozen=True)
class Ending:
    """How a job ended, as its backend saw it. Times in wall seconds since the epoch."""

    reason: EndReason
    exit_code: int | None
    started_s: float
    ended_s: float
    usage: Usage
    why: str = ""


@dataclass(frozen=True)
class Backing:
    """Who ran a job: the words that its receipt carries."""

    backend: str
    isolated: bool
    image: str


@dataclass(frozen=True)
class Outputs:
    """Hashes by path within the job's folder, and a sentence for each thing that was not taken."""

    hashes: dict[str, Sha256]
    refused: tuple[str, ...]


def instant(seconds: float) -> Instant:
    """Wall seconds as an instant."""
    return Instant(datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"))


def make_result(spec: JobSpec, block: str, backing: Backing, ending: Ending, folder: Path) -> JobResult:
    """Collect what `spec` names from `folder/work` and say how it went."""
    outputs = collect(folder / "work", spec)
    receipt = JobReceipt(
        job=spec.id, kind=spec.kind, condition=spec.condition, seed=spec.seed, block=block,
        condition_hash=spec.condition_hash, backend=backing.backend, isolated=backing.isolated,
        image=backing.image, command=spec.command, inputs=dict(sorted(spec.files.items())),
        outputs=outputs.hashes, reason=ending.reason, exit_code=ending.exit_code,
        started_at=instant(ending.started_s), ended_at=instant(ending.ended_s),
        started_s=round(ending.started_s, 3), ended_s=round(ending.ended_s, 3), usage=ending.usage,
    )  # fmt: skip
    notes = [f"[cockpit: {note}]" for note in (ending.why, *outputs.refused) if note]
    tail = tail_of(folder / "log")
    named = signature(ending.reason, ending.exit_code, tail)
    return JobResult(receipt=receipt, tail=(*tail, *notes), signature=named)


def keep(folder: Path, handle: str, result: JobResult) -> None:
    """Store the result durably; from now on the same handle gets these bytes."""
    target, fresh = folder / "receipt.json", folder / "receipt.json.tmp"
    with fresh.open("w") as file:
        file.write(pretty(Kept(handle=handle, result=result)))
        file.flush()
        os.fsync(file.fileno())
    fresh.rename(target)


def kept(folder: Path, handle: str | None = None) -> JobResult | None:
    """The result kept in `folder` (for `handle`, if given)."""
    try:
        found = Kept.model_validate_json((folder / "receipt.json").read_bytes())
    except FileNotFoundError:
        return None
    return found.result if handle is None or found.handle == handle else None


def collect(work: Path, spec: JobSpec) -> Outputs:
    """Hash the regular files under `work` that match `spec.outputs`; links, devices and the too big are refused."""
    hashes: dict[str, Sha256] = {}
    refused: list[str] = []
    room = spec.limits.disk_mb * MIB
    loosen(work)
    try:
        root = os.open(work, FOLDER)
    except OSError:
        return Outputs({}, ("the job's folder is gone",))
    try:
        for path in sorted(_matching(root, spec.outputs, refused)):
            try:
                digest, size = _hash(root, path, room)
            except (ValueError, OSError) as error:
                refused.append(f"{path}: {error}")
                continue
            hashes[path] = digest
            room -= size
    finally:
        os.close(root)
    return Outputs(hashes, tuple(refused))


def read_output(folder: Path, receipt: JobReceipt, path: str) -> bytes:
    """An output of an ended job. Raises FileNotFoundError when the receipt has none, ValueError when it changed."""
    if path not in receipt.outputs:
        raise FileNotFoundError(f"{receipt.job} left no {path}")
    root = os.open(folder / "work", FOLDER)
    try:
        with os.fdopen(_open(root, path), "rb") as file:
            data = file.read()
    finally:
        os.close(root)
    if hashlib.sha256(data).hexdigest() != receipt.outputs[path]:
        raise ValueError(f"{path} of {receipt.job} is not what its receipt says")
    return data


def tail_of(log: Path) -> tuple[str, ...]:
    """The last lines of a log. A folder or a missing log has none."""
    try:
        with log.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - TAIL_BYTES))
            text = file.read().decode("utf-8", errors="replace")
    except (FileNotFoundError, IsADirectoryError):
        return ()
    lines = text.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    return tuple(line.rstrip("\r") for line in (lines[1:] if size > TAIL_BYTES else lines)[-TAIL_LINES:])


def _matching(root: int, patterns: tuple[str, ...], refused: list[str]) -> Iterator[str]:
    """Paths below `root` that match a pattern; folders that are links are not entered."""
    seen = 0
    todo = [""]
    while todo:
        folder = todo.pop()
        fd = _open_folder(root, folder)
        try:
            entries = sorted(os.scandir(fd), key=lambda entry: os.fsencode(entry.name))
            for entry in entries:
                seen += 1
                if seen > MOST_FILES:
                    refused.append(f"more than {MOST_FILES} files; the rest is not looked at")
                    return
                path = f"{folder}/{entry.name}" if folder else entry.name
                if entry.is_dir(follow_symlinks=False):
                    todo.append(path)
                elif any(_matches(path, pattern) for pattern in patterns):
                    if _is_plain_name(path):
                        yield path
                    else:
                        refused.append(f"{path!r}: not a plain name")
        finally:
            os.close(fd)


def _matches(path: str, pattern: str) -> bool:
    """Shell pattern by path parts; a part `**` matches any number of folders."""
    return _parts_match(path.split("/"), pattern.split("/"))


def _parts_match(path: list[str], pattern: list[str]) -> bool:
    if not pattern:
        return not path
    if pattern[0] == "**":
        return any(_parts_match(path[skip:], pattern[1:]) for skip in range(len(path) + 1))
    return bool(path) and fnmatch.fnmatchcase(path[0], pattern[0]) and _parts_match(path[1:], pattern[1:])


def _is_plain_name(path: str) -> bool:
    return path.isprintable() and len(path) <= NAME_LIMIT and "\\" not in path


def _open_folder(root: int, path: str) -> int:
    """A folder below `root`, no part of the way being a link."""
    fd = os.dup(root)
    for part in path.split("/") if path else ():
        try:
            inner = os.open(part, FOLDER, dir_fd=fd)
        finally:
            os.close(fd)
        fd = inner
    return fd


def _open(root: int, path: str) -> int:
    """A regular file below `root`. Raises ValueError for anything else."""
    parent, _, name = path.rpartition("/")
    folder = _open_folder(root, parent)
    try:
        fd = os.open(name, PLAIN, dir_fd=folder)
    except OSError as error:
        raise ValueError("a link" if error.errno == errno.ELOOP else error.strerror or "cannot be opened") from error
    finally:
        os.close(folder)
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise ValueError("not a regular file")
    return fd


def _hash(root: int, path: str, room: int) -> tuple[Sha256, int]:
    """Digest and size. The file is made durable first: its hash will be in the journal."""
    with os.fdopen(_open(root, path), "rb") as file:
        size = os.fstat(file.fileno()).st_size
        if size > room:
            raise ValueError(f"{size} bytes are more than the job may leave")
        os.fsync(file.fileno())
        return Sha256(hashlib.file_digest(file, "sha256").hexdigest()), size
