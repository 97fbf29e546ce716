"""Files of a run at some moment, behind the kernel's `Tree`: work tree, commit, overlay.

Belongs here: reading. Not here: writing (engine), meaning (gates, agents).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from cockpit.kernel.ids import Sha256
from cockpit.kernel.model import sha256
from cockpit.kernel.protocols import Tree

HIDDEN = (".git", ".cockpit")


class WorkTree:
    """The run folder as it is on disk; hashes are remembered by size and mtime_ns."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._known: dict[str, tuple[tuple[int, int, int], Sha256]] = {}

    def list(self, prefix: str = "") -> list[str]:
        root = str(self.root)
        top = prefix.rpartition("/")[0]
        found = []
        for folder, folders, files in os.walk(f"{root}/{top}" if top else root):  # strings: this is asked for often
            folders[:] = [f for f in folders if f not in HIDDEN]
            rel = folder[len(root) + 1 :]
            base = f"{rel}/" if rel else ""
            found += [base + f for f in files if (base + f).startswith(prefix) and not f.endswith(".tmp")]
        return sorted(found)

    def read(self, path: str) -> bytes:
        try:
            return (self.root / path).read_bytes()
        except (IsADirectoryError, NotADirectoryError):
            raise FileNotFoundError(path) from None

    def sha(self, path: str) -> Sha256:
        try:
            stat = os.stat(f"{self.root}/{path}")  # noqa: PTH116  as above
        except NotADirectoryError:
            raise FileNotFoundError(path) from None
        mark = (stat.st_size, stat.st_mtime_ns, stat.st_ino)
        known = self._known.get(path)
        if known is None or known[0] != mark:
            known = (mark, Sha256(sha256(self.read(path))))
            self._known[path] = known
        return known[1]

    def exists(self, path: str) -> bool:
        return os.path.isfile(f"{self.root}/{path}")  # noqa: PTH113  as above


class CommitTree:
    """A commit's files. `names` = path → blob id; `blob` reads one."""

    def __init__(self, names: Mapping[str, str], blob: Callable[[str], bytes]) -> None:
        self._names = {p: b for p, b in names.items() if p.split("/", 1)[0] not in HIDDEN}
        self._blob = blob

    def list(self, prefix: str = "") -> list[str]:
        return sorted(p for p in self._names if p.startswith(prefix))

    def read(self, path: str) -> bytes:
        if path not in self._names:
            raise FileNotFoundError(path)
        return self._blob(self._names[path])

    def sha(self, path: str) -> Sha256:
        return Sha256(sha256(self.read(path)))

    def exists(self, path: str) -> bool:
        return path in self._names


class OverlayTree:
    """`base` with files changed on top; None = taken away. The overlay may grow while it is read."""

    def __init__(self, base: Tree, changes: Mapping[str, bytes | None]) -> None:
        self._base, self._changes = base, changes

    def list(self, prefix: str = "") -> list[str]:
        names = set(self._base.list(prefix))
        for path, content in self._changes.items():
            if path.startswith(prefix):
                names.discard(path) if content is None else names.add(path)
        return sorted(names)

    def read(self, path: str) -> bytes:
        if path in self._changes:
            content = self._changes[path]
            if content is None:
                raise FileNotFoundError(path)
            return content
        return self._base.read(path)

    def sha(self, path: str) -> Sha256:
        if path in self._changes:
            return Sha256(sha256(self.read(path)))
        return self._base.sha(path)

    def exists(self, path: str) -> bool:
        if path in self._changes:
            return self._changes[path] is not None
        return self._base.exists(path)
