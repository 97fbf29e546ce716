"""The real clock, and one that tests can set.

Belongs here: the only reading of time. Not here: who may use it (agents and gates get `desk.at`).
"""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

from cockpit.kernel.ids import Instant


class SystemClock:
    """Wall time for show, monotonic time for durations; `skew_s` shifts wall time (tests)."""

    def __init__(self, skew_s: float = 0) -> None:
        self._skew = timedelta(seconds=skew_s)

    def now(self) -> Instant:
        return Instant((datetime.now(UTC) + self._skew).strftime("%Y-%m-%dT%H:%M:%SZ"))

    def monotonic(self) -> float:
        return time.monotonic()
