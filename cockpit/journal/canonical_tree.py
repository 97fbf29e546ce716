"""What two runs must have in common: the tree of a run without what depends on when and where.

Belongs here: the one list of what is dropped, and the hash. Not here: making artifacts.
Two runs of one idea with one configuration and equal replies have one canonical tree.
"""

from __future__ import annotations

import json
import re
from typing import Any

from cockpit.kernel.model import canonical, sha256
from cockpit.kernel.protocols import Tree

DROPPED_PATHS = ("ledger/receipts/", "progress.json", "cockpit.yml")
DROPPED_FOLDERS = ("logs", ".cockpit")
DROPPED_NAMES = ("hardware.json",)
DROPPED_FIELDS = ("run", "seq", "chain", "commit", "nonce", "response_id", "receipt", "host", "at")
DROPPED_ENDINGS = ("_at", "_s", "_usd")
EFFICIENCY_FROM_RECEIPTS = "raw_results/efficiency/"
_PDF_NOISE = re.compile(rb"/(CreationDate|ModDate|ID|PTEX\.[A-Za-z.]+|Producer|Creator)[^\n]*")


def explain() -> str:
    """The rules as `cockpit verify --tree --explain` prints them."""
    return "\n".join(
        [
            "dropped paths:   .cockpit/, " + ", ".join(DROPPED_PATHS) + ", any logs/ folder, hardware.json,",
            f"                 {EFFICIENCY_FROM_RECEIPTS} (measured time and memory)",
            "dropped fields (in every JSON and JSON lines file): " + ", ".join(DROPPED_FIELDS),
            "                 and names that end in " + ", ".join(DROPPED_ENDINGS),
            "PDF files:       without dates, ids and producer",
        ]
    )


def canonical_files(tree: Tree) -> dict[str, str]:
    """path → SHA-256 of the canonical content of every file that counts."""
    return {path: sha256(_content(path, tree.read(path))) for path in tree.list() if counts(path)}


def tree_hash(tree: Tree) -> str:
    """One hash for the whole canonical tree."""
    return sha256(canonical(canonical_files(tree)))


def counts(path: str) -> bool:
    """Is `path` part of the canonical tree?"""
    parts = path.split("/")
    if path.startswith(DROPPED_PATHS) or parts[-1] in DROPPED_NAMES:
        return False
    return not any(p in DROPPED_FOLDERS for p in parts[:-1]) and EFFICIENCY_FROM_RECEIPTS not in path


def _content(path: str, data: bytes) -> bytes:
    if path.endswith(".json"):
        return _json(data)
    if path.endswith(".jsonl"):
        return b"\n".join(_json(line) for line in data.splitlines())
    if path.endswith(".pdf"):
        return _PDF_NOISE.sub(b"", data)
    return data


def _json(data: bytes) -> bytes:
    try:
        return canonical(_without(json.loads(data)))
    except ValueError:
        return data


def _without(value: Any) -> Any:
    if isinstance(value, dict):
        kept = {k: v for k, v in value.items() if k not in DROPPED_FIELDS and not k.endswith(DROPPED_ENDINGS)}
        return {k: _without(v) for k, v in kept.items()}
    if isinstance(value, list):
        return [_without(v) for v in value]
    return value
