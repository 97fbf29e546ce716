"""A run's files in a dict, behind the kernel's `Tree`: what every test without a folder reads from."""

from __future__ import annotations

from dataclasses import dataclass, field

from cockpit.kernel.ids import Sha256
from cockpit.kernel.model import sha256


@dataclass
class DictTree:
    """A tree in memory: path → bytes. Shares the dict it is given, so that it sees what is put there later."""

    files: dict[str, bytes] = field(default_factory=dict)

    def list(self, prefix: str = "") -> list[str]:
        return sorted(path for path in self.files if path.startswith(prefix))

    def read(self, path: str) -> bytes:
        if path not in self.files:
            raise FileNotFoundError(path)
        return self.files[path]

    def sha(self, path: str) -> Sha256:
        return Sha256(sha256(self.read(path)))

    def exists(self, path: str) -> bool:
        return path in self.files

    def put(self, path: str, text: str) -> None:
        self.files[path] = text.encode()
