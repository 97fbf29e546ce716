"""The base of every record that is kept: frozen, strict about unknown fields.

Belongs here: the base class and the canonical JSON form. Not here: any record of its own.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

from pydantic import BaseModel, ConfigDict
from pydantic_core import to_json

JsonObject = dict[str, Any]  # as read from disk


class Model(BaseModel):
    """A frozen record; an unknown field is an error, not noise."""

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="strings")


def canonical(value: Any) -> bytes:
    """`value` as canonical JSON: sorted keys, no spaces, UTF-8. Two equal values give equal bytes."""
    if isinstance(value, BaseModel):
        value = value.model_dump(mode="json")
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def pretty(value: Any) -> str:
    """`value` as JSON for people and diffs: two spaces, sorted keys, one final newline."""
    if isinstance(value, BaseModel):
        value = value.model_dump(mode="json")
    return to_json(_sorted(value), indent=2, inf_nan_mode="constants").decode() + "\n"


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value)}
    if isinstance(value, list | tuple):
        return [_sorted(item) for item in value]
    return value


def sha256(data: bytes | str) -> str:
    """Hex digest of `data` (text is hashed as UTF-8)."""
    return hashlib.sha256(data.encode() if isinstance(data, str) else data).hexdigest()
