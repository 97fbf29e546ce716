"""The base of all facts, and the small vocabularies they share.

Belongs here: `Event`. Not here: any fact.
"""

from __future__ import annotations

from typing import Literal

from cockpit.kernel.ids import Instant
from cockpit.kernel.model import Model

EnterReason = Literal["first", "routed", "revised", "resumed", "repair"]
FaultClass = Literal["rate-limited", "server", "connection", "timeout", "cut", "truncated", "empty", "refused",
                     "overflow", "auth", "not-found", "wrong-model", "bad-request", "cancelled", "unknown"]  # fmt: skip
TurnKind = Literal["review", "confirmation", "verification", "answer", "debate", "note", "decision"]


class Event(Model):
    """Base of all facts. `at` is wall time for show; order is the journal's seq."""

    at: Instant
