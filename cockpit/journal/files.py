"""Durable file operations: a file is whole or not there.

Belongs here: write, rename and sync. Not here: what is written. Source of the order: temp in the same
folder, fsync, rename, fsync of the folder.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path


def sync_folder(folder: Path) -> None:
    """Make renames in `folder` durable."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def write_durably(path: Path, content: bytes, *, sync: bool = True) -> None:
    """Put `content` at `path` atomically; a reader sees the old or the new bytes, never a part.

    `sync=False` skips the folder's fsync, for many files in one folder: the caller syncs it once.

    Raises:
        OSError: no space, read-only, I/O error; `path` is then as before.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temp = path.with_name(f".{path.name}.tmp")
    try:
        fd = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o644)
        try:
            _write_all(fd, content)
            os.fsync(fd)
        finally:
            os.close(fd)
        temp.rename(path)
    except OSError:
        temp.unlink(missing_ok=True)
        raise
    if sync:
        sync_folder(path.parent)


def write_many(contents: Mapping[Path, bytes]) -> None:
    """Put many files at their paths, each atomically, all durable when this returns.

    Everything is written before anything is synced, so that the disk's journal is flushed about once, and
    synced before anything is renamed, so that no name ever stands for half a file.

    Raises:
        OSError: as `write_durably`; some of the files may be in place, each whole.
    """
    temps: list[tuple[Path, Path]] = []
    try:
        for path, content in contents.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            temp = path.with_name(f".{path.name}.tmp")
            temps.append((temp, path))
            temp.write_bytes(content)
        for temp, _path in temps:
            _sync(temp)
        for temp, path in temps:
            temp.rename(path)
        for folder in sorted({path.parent for path in contents}):
            sync_folder(folder)
    except OSError:
        for temp, _path in temps:
            temp.unlink(missing_ok=True)
        raise


def _sync(path: Path) -> None:
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def append_durably(fd: int, content: bytes) -> None:
    """Append `content` to an open file and fsync it.

    Raises:
        OSError: the append may be torn; the caller must not go on as if it were written.
    """
    _write_all(fd, content)
    os.fsync(fd)


def _write_all(fd: int, content: bytes) -> None:
    view = memoryview(content)
    while view:
        view = view[os.write(fd, view) :]
