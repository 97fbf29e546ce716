"""One model call as agents speak of it: what is asked, what came back, and the door it goes through.

Belongs here: the request, the reply, the protocol. Not here: making the call (`gateway.py`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from pydantic import BaseModel

from cockpit.kernel.events import CallReplied
from cockpit.kernel.ids import CallPath, Seq
from cockpit.kernel.model import JsonObject
from cockpit.kernel.protocols import Desk

T = TypeVar("T", bound=BaseModel)
V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class CallRequest:
    """What to ask whom, at which path of the stage instance. The path alone finds the reply again."""

    path: CallPath
    role: str  # executor, reviewer, reviewer-2, ...
    messages: list[dict[str, str]]
    purpose: str  # the step: exp-planner/plan
    speaker: str = ""
    temperature: float | None = None
    schema: JsonObject | None = None  # asked for natively where the provider can
    schema_name: str = ""
    max_tokens_factor: int = 1  # > 1 after a truncated reply
    template_sha256: str = ""
    extra: dict[str, Any] = field(default_factory=dict)  # kept beside the call, never sent


class Served(NamedTuple):
    """A durable reply: its record, the record's seq, the text without reasoning."""

    call: CallReplied
    seq: Seq
    text: str


class Answer(NamedTuple, Generic[V]):
    """A parsed reply with the record it was parsed from."""

    value: V
    call: CallReplied
    seq: Seq


class Door(Protocol):
    """The only way to a model."""

    async def ask(self, desk: Desk, request: CallRequest) -> Served:
        """The journalled reply at `request.path`, or a new one, made durable first.

        Raises:
            CallError: the provider failed or refused for good.
            BudgetSpent: the call does not fit into the budget.
            ReplayMismatch: the journal holds another prompt at that path.
        """

    def warm(self) -> None:
        """Begin what takes long before the first call; returns at once."""

    async def close(self) -> None: ...
