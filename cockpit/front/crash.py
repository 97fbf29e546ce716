"""The crash file: where the whole story of a bug of ours is kept, so that the screen shows one line.

Belongs here: keeping it. Not here: deciding what is a bug.
"""

from __future__ import annotations

import tempfile
from pathlib import Path


def keep(story: str) -> Path:
    """Write `story` to a file of its own (readable by its owner only) and say where."""
    with tempfile.NamedTemporaryFile("w", prefix="cockpit-crash-", suffix=".txt", delete=False) as file:
        file.write(story)
    return Path(file.name)
