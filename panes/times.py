"""Durations and instants as panes write them.

Belongs here: formatting of seconds and differences of instants. Not here: clocks.
"""

from __future__ import annotations

from datetime import UTC, datetime

from cockpit.kernel.ids import Instant
from cockpit.kernel.view import RunView


def seconds_between(start: Instant | None, end: Instant | None) -> float | None:
    """Wall seconds from `start` to `end`, never negative; None if one is missing or unreadable."""
    if not start or not end:
        return None
    try:
        return max(0.0, (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds())
    except (ValueError, TypeError):
        return None


def short(seconds: float | None) -> str:
    """`0:41`, `4:10`, `1h42`, `3d04h`; nothing for None."""
    if seconds is None:
        return ""
    whole = int(seconds)
    if whole < 3600:
        return f"{whole // 60}:{whole % 60:02}"
    if whole < 86400 * 2:
        return f"{whole // 3600}h{whole % 3600 // 60:02}"
    return f"{whole // 86400}d{whole % 86400 // 3600:02}h"


def worked(view: RunView, now: Instant | None) -> float:
    """Seconds in which stages ran, summed over all instances; a run that lay still overnight gains nothing."""
    total = 0.0
    for stage in view.instances.values():
        running = stage.status == "running" and view.live
        total += seconds_between(stage.since, stage.ended or (now if running else None)) or 0.0
    return total


def present() -> Instant:
    """The wall clock, for show."""
    return Instant(datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"))
