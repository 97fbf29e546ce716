"""A literature card: its YAML front matter.

Belongs here: reading it. Not here: making cards (agents), what must be in them (contract of 6, `passages.py`).
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

import yaml

_FRONT = re.compile(r"---\s*\n(.*?)\n---\s*(?:\n|$)", re.DOTALL)
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def front_matter(text: str) -> dict[str, Any] | None:
    """The fields between the first two `---` lines; None when there are none."""
    match = _FRONT.match(text)
    return dict(found) if match and (found := _fields(match[1])) is not None else None


@lru_cache(maxsize=512)
def _fields(front: str) -> dict[str, Any] | None:
    try:
        value = yaml.load(front, Loader=_Loader)
    except (yaml.YAMLError, ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
