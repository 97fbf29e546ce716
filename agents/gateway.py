"""The only door to models, and the only module that imports litellm.

Belongs here: one durable call: journal first, then the wire, then the journal again, then its use;
and the guards without which the library is not to be trusted. Not here: fault classes and patience
(`faults.py`), prices (`money.py`), the records (`attempts.py`), the meaning of a reply
(`structured.py`).

Facts about litellm 1.110 that shaped this: both its retry arguments must be 0; in streams the served
model's name stands in hidden parameters of content chunks only; it fills in missing usage unmarked;
it fetches a price map at import unless told not to.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
from dataclasses import dataclass, field
from typing import Any

from agents import money
from agents.attempts import Attempt, Plan
from agents.calls import CallRequest, Served
from agents.errors import CallError, StageError
from agents.faults import Breaker, Fault, Patience
from agents.models_loop import ModelsLoop
from agents.streaming import Pieces, Reply, collect
from cockpit.kernel.events import CallReplied
from cockpit.kernel.ids import Sha256
from cockpit.kernel.model import JsonObject, canonical, pretty, sha256
from cockpit.kernel.protocols import Clock, Desk, ReplayMismatch
from cockpit.kernel.reviews import Family
from cockpit.kernel.settings import Deadlines, ModelRole, Settings
from gates.families import families_in, model_family

LOST_ASKS = 3  # a paid call that crashes left unanswered is sent at most this often
CANCEL_S = 0.2
CLOSE_S = 2.0
NO_KEY = "no-key"  # the library insists on one; an own server needs none
ENVIRONMENT = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "REPEATED_STREAMING_CHUNK_LIMIT": "1000000",
               "LITELLM_LOG": "ERROR", "LITELLM_TELEMETRY": "False"}  # fmt: skip
LOGGERS = ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy", "httpx", "openai")
HINTS: dict[str, str] = {
    "auth": "Check the key: the variable that models.<role>.api_key_env names, and the account behind it.",
    "not-found": "Check models.<role>.model and models.<role>.api_base.",
    "overflow": "The prompt does not fit this model: give the role one with a longer context.",
    "refused": "The model declined. Reword the idea, or give the role another model of the same family.",
    "wrong-model": "The provider answered with another model than the one asked for; name the one you mean.",
}
GO_ON = "What is done is kept. When the provider is well again: cockpit resume RUN."


@dataclass
class Manners:
    """What a model turned out not to take; remembered for the life of the process."""

    ladder: list[str] = field(default_factory=lambda: ["json_schema", "json_object", "prompt"])
    temperature: bool = True

    def adapted(self, fault: Fault) -> bool:
        """Was this refusal about something that can be left out? From now on it is."""
        said = fault.message.lower()
        if fault.kind != "bad-request":
            return False
        if len(self.ladder) > 1 and any(word in said for word in ("response_format", "json_schema", "json_object")):
            self.ladder.pop(0)
            return True
        if self.temperature and "temperature" in said:
            self.temperature = False
            return True
        return False


class Gateway:
    """A run's door. Lives on the engine's loop; calls run on the models' loop.

    Raises:
        StageError: a configured model has no known price.
    """

    def __init__(self, settings: Settings, clock: Clock, patience: Patience | None = None) -> None:
        self.settings, self.clock, self.patience = settings, clock, patience or Patience()
        self._manners: dict[str, Manners] = {}
        self._breakers: dict[str, Breaker] = {}
        self._slots: asyncio.Semaphore | None = None
        self._pending_usd = 0.0
        for name, role in settings.models.items():
            _priced(name, role)

    def warm(self) -> None:
        """Begin to import litellm in the models' thread; returns at once."""
        _Library.users.add(id(self))
        _models()

    def role(self, name: str, settings: Settings | None = None) -> ModelRole:
        """The model of a role; `reviewer-2` falls back to `reviewer`, any other one to `executor`.

        Raises:
            StageError: no model is configured (exit 7).
        """
        settings = settings or self.settings
        models = settings.models
        found = models.get(name) or models.get("reviewer" if name.startswith("reviewer") else "executor")
        if found is None:
            raise StageError(
                f"no model is configured for the role {name}",
                hint=f"Set models.{name}.model in cockpit.yml, or rehearse with built-in models: --rehearsal",
            )
        if found.model.startswith(money.REHEARSAL) and not settings.rehearsal.on:
            raise StageError(
                f"{found.model} is a built-in model, and this run is no rehearsal", hint="Type --rehearsal"
            )
        return found

    async def ask(self, desk: Desk, request: CallRequest) -> Served:
        """See `Door.ask`."""
        prompt_sha256 = Sha256(sha256(canonical(request.messages)))
        if (known := _recalled(desk, request, prompt_sha256)) is not None:
            return known
        role = self.role(request.role, desk.settings)  # models and budget may be changed while a run lives
        price, room = money.price_of(role), role.max_tokens * request.max_tokens_factor
        worst = money.worst_cost(price, request.messages, room)
        plan = Plan(role, price, request.messages, prompt_sha256, room, worst)
        self._slots = self._slots or asyncio.Semaphore(self.settings.concurrency)
        tried = 0
        while True:
            tried += 1
            await self._breaker(role).wait()
            try:
                async with self._slots:
                    return await self._attempt(desk, request, plan, tried)
            except Fault as fault:
                if fault.adapted:
                    tried -= 1  # asked in another way, which is no repetition; the ladder is short
                elif self.patience.again(fault, tried):
                    await self.patience.sleep(self.patience.delay(fault, tried, request.path))
                else:
                    raise _given_up(desk, request, role, fault) from None

    async def close(self) -> None:
        """Close the library's connections with the last gateway. The models' thread is a daemon and stays."""
        _Library.users.discard(id(self))
        if _Library.it is None or _Library.loop is None or _Library.users:
            return
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(asyncio.wrap_future(_Library.loop.submit(_let_go())), CLOSE_S)

    async def _attempt(self, desk: Desk, request: CallRequest, plan: Plan, tried: int) -> Served:
        """Intent durable, then the call, then body and reply durable. Raises Fault after recording it."""
        self._check_spending(desk, request, plan)
        attempt = Attempt(desk, self.clock, request, plan, desk.attempts(request.path) + 1)
        arguments = self._arguments(request, plan)
        self._pending_usd += plan.worst_usd
        try:
            await attempt.intended()
        finally:
            self._pending_usd -= plan.worst_usd
        pieces, started = Pieces(attempt.hint), self.clock.monotonic()
        reply: Reply | None = None
        try:
            reply = await self._call(arguments, pieces)
            family = _checked(plan.role, reply)
        except asyncio.CancelledError:
            pieces.close()
            gone = Fault("cancelled", "cancelled", discarded=pieces.count)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(attempt.failed(gone, final=False), CANCEL_S)
            raise
        except Fault as fault:
            pieces.close()
            fault.cost_usd = attempt.cost(reply) if reply else 0.0
            fault.adapted = self._manner(plan.role).adapted(fault)
            self._breaker(plan.role).failed(fault)
            await attempt.failed(fault, final=not (fault.adapted or self.patience.again(fault, tried)))
            raise
        pieces.close()
        self._breaker(plan.role).worked()
        sent = {name: value for name, value in arguments.items() if name not in ("api_key", "messages")}
        return await attempt.replied(reply, family, sent=sent, took_s=self.clock.monotonic() - started)

    def _check_spending(self, desk: Desk, request: CallRequest, plan: Plan) -> None:
        spending = desk.view.spending
        lost = spending.lost.count(request.path) + (request.path in spending.in_flight)
        if lost >= LOST_ASKS and plan.worst_usd > 0:
            raise CallError(
                f"{request.purpose} was sent {lost} times and each time the program ended before the answer", "unknown",
                where=f"{desk.position}, {request.path}",
                hint="It is not paid for again without you: find what ends the program, then resume with --budget.",
            )  # fmt: skip
        money.check(desk.settings, spending, plan.worst_usd, pending=self._pending_usd, what=request.purpose)

    async def _call(self, arguments: JsonObject, pieces: Pieces) -> Reply:
        key = str(arguments.get("api_key") or NO_KEY)
        _Library.users.add(id(self))
        future = _models().submit(_stream(arguments, self.settings.deadlines, pieces))
        try:
            return (await asyncio.wrap_future(future)).without(key)
        except Fault as fault:
            message = fault.message.replace(key, "[key]")
            raise Fault(fault.kind, message, retry_after=fault.retry_after, discarded=fault.discarded) from None

    def _arguments(self, request: CallRequest, plan: Plan) -> JsonObject:
        role, manners = plan.role, self._manner(plan.role)
        arguments: JsonObject = {
            "model": role.model,
            "messages": plan.messages,
            "max_tokens": plan.max_tokens,
            "stream": True,
            "stream_options": {"include_usage": True},
            "num_retries": 0,
            "max_retries": 0,
        }
        if request.temperature is not None and manners.temperature:
            arguments["temperature"] = request.temperature
        if role.reasoning not in (None, "none"):
            arguments["reasoning_effort"] = "high" if role.reasoning == "highest" else role.reasoning
        if role.model.startswith(money.REHEARSAL):
            return {
                **arguments,
                "extra_body": {"rehearsal": self.settings.rehearsal.model_dump(mode="json", exclude={"fits"})},
            }
        if request.schema is not None and manners.ladder[0] != "prompt":
            arguments["response_format"] = _response_format(manners.ladder[0], request)
        if role.api_base:
            arguments["api_base"] = role.api_base
        if key := _key(role):
            arguments["api_key"] = key
        return arguments

    def _manner(self, role: ModelRole) -> Manners:
        return self._manners.setdefault(f"{role.model} {role.api_base}", Manners())

    def _breaker(self, role: ModelRole) -> Breaker:
        provider = role.api_base or role.model.split("/", maxsplit=1)[0]
        return self._breakers.setdefault(provider, Breaker(self.patience, self.clock.monotonic))


def _priced(name: str, role: ModelRole) -> None:
    try:
        money.price_of(role)
    except StageError as error:
        raise StageError(error.what, error.code, where=f"models.{name}", hint=error.hint) from None


def _recalled(desk: Desk, request: CallRequest, prompt_sha256: Sha256) -> Served | None:
    found = desk.recall(request.path)
    if found is None:
        return None
    event, body = found
    seq = desk.seq_of(request.path)
    if not isinstance(event, CallReplied) or event.prompt_sha256 != prompt_sha256 or seq is None:
        was = body.get("request", {})
        raise ReplayMismatch(request.path, pretty(was.get("messages", was)), pretty(request.messages))
    return Served(event, seq, str(body["reply"]["text"]))


def _key(role: ModelRole) -> str:
    """The key, read from the environment now; it is kept nowhere."""
    if role.api_key_env is None:  # with a host of one's own, else the library would send it a key it finds
        return NO_KEY if role.api_base else ""
    key = os.environ.get(role.api_key_env, "")
    if not key:
        raise CallError(f"the variable {role.api_key_env} is not set", "auth", where=f"model {role.model}",
                        hint=f"export {role.api_key_env}=…")  # fmt: skip
    return key


def _checked(role: ModelRole, reply: Reply) -> Family:
    """Who answered, if it is an answer of the model that was asked."""
    if reply.finish == "content_filter" or reply.refusal:
        raise Fault("refused", reply.refusal or "stopped by the content filter", discarded=len(reply.text))
    if not reply.text.strip() and reply.finish != "length":
        raise Fault("empty", "an empty reply", discarded=len(reply.reasoning))
    told, asked = families_in(reply.reported_model), families_in(role.model)
    if told and asked and not set(told) & set(asked):
        message = f"asked for {role.model}, {reply.reported_model} answered"
        raise Fault("wrong-model", message, discarded=len(reply.text))
    route = role.model.split("/", maxsplit=1)[0] if "/" in role.model else ""
    return model_family(role.model, route, reported=reply.reported_model, declared=role.family)


def _given_up(desk: Desk, request: CallRequest, role: ModelRole, fault: Fault) -> CallError:
    return CallError(
        f"{request.purpose}: {role.model} failed ({fault.kind}): {fault.message}",
        fault.kind,
        where=f"{desk.position}, {request.path}",
        hint=HINTS.get(fault.kind, GO_ON),
    )


def _response_format(rung: str, request: CallRequest) -> JsonObject:
    if rung == "json_object":
        return {"type": "json_object"}
    return {"type": "json_schema", "json_schema": {"name": request.schema_name, "schema": request.schema}}


class _Library:
    """litellm and its loop, one a process: it keeps its connections by event loop."""

    it: Any = None
    loop: ModelsLoop | None = None
    rehearses = False
    timeout: Any = None
    users: set[int] = set()


def _models() -> ModelsLoop:
    if _Library.loop is None:
        _Library.loop = ModelsLoop(_import)
    return _Library.loop


def _import() -> None:
    """Runs in the models' thread, before anything is asked. No network, nothing on the terminal."""
    os.environ.update(ENVIRONMENT)
    import litellm
    from openai import Timeout

    litellm.suppress_debug_info = True
    litellm.drop_params = False
    for name in LOGGERS:
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [logging.NullHandler()], False
    _Library.it, _Library.timeout = litellm, Timeout


def _rehearse() -> None:
    """Make the built-in models known; imported only when one of them is asked."""
    from agents.rehearsal.provider import provider

    library = _Library.it
    handler = provider(library.CustomLLM, library.llms.custom_llm.CustomLLMError)
    library.custom_provider_map = [{"provider": "rehearsal", "custom_handler": handler}]
    library.utils.custom_llm_setup()
    _Library.rehearses = True


async def _let_go() -> None:
    await _Library.it.close_litellm_async_clients()
    _Library.it.in_memory_llm_clients_cache.flush_cache()  # it would hand out closed ones


async def _stream(arguments: JsonObject, deadlines: Deadlines, pieces: Pieces) -> Reply:
    """One call on the models' loop."""
    if arguments["model"].startswith(money.REHEARSAL) and not _Library.rehearses:
        _rehearse()
    timeout = _Library.timeout(deadlines.total + 5, connect=deadlines.connect)
    return await collect(lambda: _Library.it.acompletion(**arguments, timeout=timeout), deadlines, pieces)
