"""Glyphs: one set for Unicode terminals, one for those that have ASCII only.

Belongs here: the two sets and the choice. Not here: which state has which glyph (each pane says so).
Every glyph is one cell wide in each set, so that a change of set moves nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Signs:
    """Glyphs by meaning. `spark` rises from low to high."""

    done: str = "✓"
    running: str = "▶"
    waiting: str = "·"
    failed: str = "✗"
    reused: str = "↻"
    critical: str = "●"
    major: str = "○"
    minor: str = "◇"
    paused: str = "⏸"
    clock: str = "⏱"
    dot: str = "·"
    arrow: str = "→"
    more: str = "…"
    bar: str = "│"
    spark: str = "▁▂▃▄▅▆▇█"


UNICODE = Signs()
ASCII = Signs(done="v", running=">", waiting=".", failed="x", reused="=", critical="@", major="o", minor="-",
              paused="#", clock="T", dot="-", arrow=">", more="~", bar="|", spark="_.-:=+*#")  # fmt: skip


def choose(environment: Mapping[str, str]) -> Signs:
    """The set for a terminal: ASCII where the locale is not UTF-8, on the bare console, or by COCKPIT_ASCII."""
    if environment.get("COCKPIT_ASCII"):
        return ASCII
    locale = environment.get("LC_ALL") or environment.get("LC_CTYPE") or environment.get("LANG") or ""
    named = locale.partition(".")[2].lower().replace("-", "")
    if (named and not named.startswith("utf8")) or environment.get("TERM", "") in ("linux", "vt100", "dumb"):
        return ASCII
    return UNICODE
