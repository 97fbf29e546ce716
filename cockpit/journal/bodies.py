"""Bodies of calls and effects: whole prompts, replies and answers, by hash, durable before use.

Belongs here: `.cockpit/calls/<sha256>.json`. Not here: what refers to them (events).
"""

from __future__ import annotations

import json
from pathlib import Path

from cockpit.journal.files import write_durably
from cockpit.kernel.exits import CockpitError, Exit
from cockpit.kernel.ids import Sha256
from cockpit.kernel.model import JsonObject, canonical, sha256


class Bodies:
    """A folder of JSON documents named by their hash."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def keep(self, body: JsonObject) -> Sha256:
        """Store `body`; it is on disk when this returns.

        Raises:
            OSError: it could not be made durable.
        """
        content = canonical(body)
        name = Sha256(sha256(content))
        path = self._folder / f"{name}.json"
        if not path.exists():
            write_durably(path, content)
        return name

    def read(self, name: Sha256) -> JsonObject:
        """The document of that hash.

        Raises:
            CockpitError: missing or changed.
        """
        path = self._folder / f"{name}.json"
        try:
            content = path.read_bytes()
        except OSError as error:
            raise _damaged(path, "is missing") from error
        if sha256(content) != name:
            raise _damaged(path, "was changed")
        body: JsonObject = json.loads(content)
        return body


def _damaged(path: Path, what: str) -> CockpitError:
    return CockpitError(f"a stored reply {what}", where=str(path), code=Exit.RUN_FOLDER,
                        hint="`git -C RUN checkout -- .cockpit/calls` brings back what was committed.")  # fmt: skip
