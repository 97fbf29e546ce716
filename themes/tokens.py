"""Inks: the names by which panes ask for colour, and what a palette has to say about each.

Belongs here: token names and the palette's shape. Not here: colour values (one file a palette).
Colour is never the only sign: each state that has an ink also has a glyph or a word.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Ink = Literal[
    "text", "dim", "strong", "good", "bad", "warn", "busy", "accent", "reviewer", "executor", "debate", "banner",
    "match",
]  # fmt: skip
INKS: tuple[Ink, ...] = (
    "text", "dim", "strong", "good", "bad", "warn", "busy", "accent", "reviewer", "executor", "debate", "banner",
    "match",
)  # fmt: skip


@dataclass(frozen=True)
class Look:
    """A colour (hex or `ansi_*`) and a text style (`bold`, `reverse`, `none`)."""

    color: str
    style: str = "none"


@dataclass(frozen=True)
class Palette:
    """All colours of a face. `native` = the terminal's own sixteen, nothing else is sent."""

    name: str
    dark: bool
    native: bool
    ground: str
    raised: str
    frame: str
    frame_focus: str
    cursor: str  # background of the row under the cursor
    cursor_style: str
    inks: Mapping[Ink, Look]
