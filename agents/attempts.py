"""One try at a call as the journal sees it: intended, then replied or failed.

Belongs here: making those three records, in the one order that loses nothing. Not here: the wire,
whether to try again (`gateway.py`).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

from agents import money
from agents.calls import CallRequest, Served
from agents.faults import Fault
from agents.streaming import Reply
from cockpit.kernel.events import CallFailed, CallIntended, CallReplied
from cockpit.kernel.hints import Tokens
from cockpit.kernel.ids import Sha256
from cockpit.kernel.model import JsonObject
from cockpit.kernel.protocols import Clock, Desk
from cockpit.kernel.reviews import Family
from cockpit.kernel.settings import ModelRole, Price

READ = ("timeout", "cut", "cancelled")


@dataclass(frozen=True)
class Plan:
    """A call as it is to leave: to which model, at what price, at most how long and how dear."""

    role: ModelRole
    price: Price
    messages: list[dict[str, str]]
    prompt_sha256: Sha256
    max_tokens: int
    worst_usd: float


@dataclass(frozen=True)
class Attempt:
    """Try number `number` (from 1, over all starts of the program) at `request`."""

    desk: Desk
    clock: Clock
    request: CallRequest
    plan: Plan
    number: int

    def hint(self, text: str) -> None:
        """Show a piece of the reply."""
        self.desk.hint(Tokens(self.request.path, self.request.speaker, self.plan.role.model, text))

    async def intended(self) -> None:
        """Durable before anything leaves."""
        event = CallIntended(
            at=self.clock.now(),
            position=self.desk.position,
            path=self.request.path,
            attempt=self.number,
            role=self.request.role,
            model=self.plan.role.model,
            purpose=self.request.purpose,
            prompt_sha256=self.plan.prompt_sha256,
            reserved_usd=self.plan.worst_usd,
        )
        await self.desk.record(event)

    async def replied(self, reply: Reply, family: Family, *, sent: JsonObject, took_s: float) -> Served:
        """Durable before anyone uses it. `sent` are the parameters as sent, without key."""
        body = await self.desk.keep({"request": self._asked(sent), "reply": asdict(reply)})
        event = CallReplied(
            at=self.clock.now(),
            position=self.desk.position,
            path=self.request.path,
            attempt=self.number,
            role=self.request.role,
            purpose=self.request.purpose,
            prompt_sha256=self.plan.prompt_sha256,
            body=body,
            asked_model=self.plan.role.model,
            reported_model=reply.reported_model,
            family=family,
            response_id=reply.response_id,
            tokens_in=reply.tokens_in,
            tokens_out=reply.tokens_out,
            tokens_cached=reply.tokens_cached,
            usage_source=reply.usage_source,
            cost_usd=self.cost(reply),
            finish=reply.finish,
            took_s=round(took_s, 3),
        )
        return Served(event, await self.desk.record(event), reply.text)

    async def failed(self, fault: Fault, *, final: bool) -> None:
        """An attempt that gave nothing; what it may have cost is charged."""
        if fault.discarded:
            request = self.request
            self.desk.hint(Tokens(request.path, request.speaker, self.plan.role.model, "", discard=True))
        read = fault.kind in READ  # the provider has the prompt, and may charge for it
        partial = money.worst_cost(self.plan.price, self.plan.messages, fault.discarded) if read else 0.0
        event = CallFailed(
            at=self.clock.now(),
            position=self.desk.position,
            path=self.request.path,
            attempt=self.number,
            fault=fault.kind,
            message=fault.message,
            discarded=fault.discarded,
            cost_usd=min(fault.cost_usd or partial, self.plan.worst_usd),
            final=final,
        )
        await self.desk.record(event)

    def cost(self, reply: Reply) -> float:
        """USD of a whole reply."""
        return money.cost(
            self.plan.price,
            tokens_in=reply.tokens_in,
            tokens_out=reply.tokens_out,
            tokens_cached=reply.tokens_cached,
            estimated=reply.usage_source == "estimate",
        )

    def _asked(self, sent: JsonObject) -> JsonObject:
        request = self.request
        return {
            "role": request.role,
            "purpose": request.purpose,
            "template_sha256": request.template_sha256,
            "messages": request.messages,
            "parameters": sent,
        }
