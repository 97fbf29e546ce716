"""A call through the real litellm client against a loopback server: durable, bounded, counted."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from memory_desk import MemoryDesk, TestClock

from agents.calls import CallRequest
from agents.errors import BudgetSpent, CallError, StageError
from agents.faults import Patience
from agents.gateway import Gateway
from cockpit.kernel.events import CallFailed, CallReplied
from cockpit.kernel.hints import Tokens
from cockpit.kernel.ids import CallPath
from cockpit.kernel.protocols import ReplayMismatch
from cockpit.kernel.settings import Deadlines, ModelRole, Price, RehearsalSettings, Settings
from tests.models_server.server import Behaviour, Manner, ModelsServer

PATIENCE = Patience(tries=3, empty_tries=2, base=0.01, cap=0.05, retry_after_cap=0.05)
QUICK = Deadlines(connect=2, first=0.6, idle=0.4, total=2.0)
TEXT = "one two three four five six seven eight " * 4
Serve = Callable[[Behaviour], ModelsServer]


@pytest.fixture
def serve() -> Iterator[Serve]:
    started: list[ModelsServer] = []

    def start(behave: Behaviour) -> ModelsServer:
        server = ModelsServer(behave)
        server.start()
        started.append(server)
        return server

    yield start
    for server in started:
        server.stop()


@pytest.fixture(scope="module", autouse=True)
def warm() -> None:
    """The library's own first call takes seconds of imports, which no test's deadlines are meant for."""
    server = ModelsServer(lambda *_: Manner("x"))
    server.start()
    slow = settings(server).model_copy(update={"deadlines": Deadlines()})
    asyncio.run(Gateway(slow, TestClock()).ask(MemoryDesk(slow), request()))
    server.stop()


def settings(server: ModelsServer, **more: object) -> Settings:
    role = {"model": "openai/gpt-4o-mini", "api_base": server.base, **more}
    return Settings(models={"executor": ModelRole.model_validate(role)}, deadlines=QUICK)


def request(path: str = "plan/try-1", text: str = "hello", **more: object) -> CallRequest:
    base = {"path": CallPath(path), "role": "executor", "purpose": "exp-planner/plan", "speaker": "exp-planner"}
    return CallRequest(messages=[{"role": "user", "content": text}], **{**base, **more})  # type: ignore[arg-type]


def one_then(first: Manner, then: Manner) -> Behaviour:
    return lambda _request, number: first if number == 1 else then


async def ask(desk: MemoryDesk, what: CallRequest | None = None, patience: Patience = PATIENCE) -> str:
    return (await Gateway(desk.settings, TestClock(), patience).ask(desk, what or request())).text


async def test_a_reply_is_intended_called_kept_and_served_without_asking_again(serve: Serve) -> None:
    server = serve(lambda *_: Manner(TEXT, reported="gpt-4o-mini-2024-07-18"))
    desk = MemoryDesk(settings(server))
    assert await ask(desk) == TEXT
    assert desk.kinds() == ["call-intended", "call-replied"]
    assert desk.shown == TEXT
    reply = desk.store.events[-1]
    assert isinstance(reply, CallReplied)
    assert (reply.usage_source, reply.finish, reply.response_id) == ("provider", "stop", "chatcmpl-played")
    assert (reply.reported_model, reply.family.families, reply.family.grade) == (
        "gpt-4o-mini-2024-07-18", ("openai",), "reported")  # fmt: skip
    assert reply.tokens_out == len(TEXT) // 4 + 1

    resumed = MemoryDesk(desk.settings, store=desk.store)
    assert await ask(resumed) == TEXT
    assert len(server.requests) == 1


async def test_another_prompt_at_a_known_path_is_a_bug(serve: Serve) -> None:
    server = serve(lambda *_: Manner(TEXT))
    desk = MemoryDesk(settings(server))
    await ask(desk)
    with pytest.raises(ReplayMismatch):
        await ask(desk, request(text="something else"))


async def test_another_model_still_gets_the_stored_reply(serve: Serve) -> None:
    server = serve(lambda *_: Manner(TEXT))
    desk = MemoryDesk(settings(server))
    await ask(desk)
    assert await ask(MemoryDesk(settings(server, model="openai/gpt-5"), store=desk.store)) == TEXT
    assert len(server.requests) == 1


RATE = Manner(status=429, error={"message": "slow down", "type": "rate_limit"}, headers={"retry-after": "30"})


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (RATE, "rate-limited"),
        (Manner(status=500, error={"message": "oops"}), "server"),
        (Manner(status=503, error={"message": "busy"}), "server"),
        (Manner(TEXT, end="cut"), "cut"),
        (Manner(TEXT, end="no-end"), "cut"),
        (Manner(TEXT, end="in-band-error"), "cut"),
        (Manner(TEXT, end="stall"), "timeout"),
        (Manner(TEXT, end="keep-alive"), "timeout"),
        (Manner("", end="keep-alive"), "timeout"),
        (Manner(""), "empty"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_a_passing_fault_is_recorded_and_asked_again_once(serve: Serve, fault: Manner, kind: str) -> None:
    server = serve(one_then(fault, Manner(TEXT)))
    desk = MemoryDesk(settings(server))
    assert await ask(desk) == TEXT
    assert desk.kinds() == ["call-intended", "call-failed", "call-intended", "call-replied"]
    failed = desk.store.events[1]
    assert isinstance(failed, CallFailed)
    assert (failed.fault, failed.final) == (kind, False)
    assert len(server.requests) == 2
    assert desk.shown == TEXT  # nothing of the discarded text is left


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (Manner(status=401, error={"message": "bad key", "code": "invalid_api_key"}), "auth"),
        (Manner(status=403, error={"message": "not yours"}), "auth"),
        (Manner(status=404, error={"message": "no such model"}), "not-found"),
        (Manner(status=400, error={"message": "too long", "code": "context_length_exceeded"}), "overflow"),
        (Manner(status=400, error={"message": "what?"}), "bad-request"),
        (
            Manner(status=429, error={"message": "You exceeded your current quota", "code": "insufficient_quota"}),
            "auth",
        ),
        (Manner("I", finish="content_filter"), "refused"),
        (Manner(TEXT, reported="claude-sonnet-4-5"), "wrong-model"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_a_lasting_fault_stops_at_once(serve: Serve, fault: Manner, kind: str) -> None:
    server = serve(lambda *_: fault)
    desk = MemoryDesk(settings(server))
    with pytest.raises(CallError) as error:
        await ask(desk)
    assert (error.value.fault, error.value.code) == (kind, 7)
    assert len(server.requests) == 1
    assert desk.kinds() == ["call-intended", "call-failed"]


@pytest.mark.parametrize(("fault", "requests"), [(RATE, 3), (Manner(""), 2), (Manner(TEXT, end="cut"), 3)])
async def test_patience_ends(serve: Serve, fault: Manner, requests: int) -> None:
    server = serve(lambda *_: fault)
    desk = MemoryDesk(settings(server))
    began = time.monotonic()
    with pytest.raises(CallError):
        await ask(desk)
    assert len(server.requests) == requests
    assert time.monotonic() - began < 5
    assert [e.final for e in desk.store.events if isinstance(e, CallFailed)] == [False] * (requests - 1) + [True]


async def test_a_cut_off_reply_is_a_reply(serve: Serve) -> None:
    server = serve(lambda *_: Manner(TEXT, finish="length"))
    desk = MemoryDesk(settings(server))
    assert await ask(desk) == TEXT
    assert desk.view.spending.calls == 1
    reply = desk.store.events[-1]
    assert isinstance(reply, CallReplied) and reply.finish == "length"


async def test_a_model_without_schemas_is_asked_in_a_simpler_way_and_remembered(serve: Serve) -> None:
    def behave(asked: dict[str, object], _number: int) -> Manner:
        form = asked.get("response_format")
        kind = form.get("type") if isinstance(form, dict) else None
        if kind is not None:
            return Manner(status=400, error={"message": f"response_format {kind} is not supported"})
        return Manner('{"a": 1}')

    server = serve(behave)
    desk = MemoryDesk(settings(server))
    gateway = Gateway(desk.settings, TestClock(), PATIENCE)
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}}
    for n in (1, 2):
        await gateway.ask(desk, request(f"p{n}/try-1", schema=schema, schema_name="A"))
    assert [r.get("response_format", {}).get("type") for r in server.requests] == [
        "json_schema", "json_object", None, None]  # fmt: skip


async def test_usage_that_nobody_reported_is_an_estimate(serve: Serve) -> None:
    price = Price(input=1000, output=1000)
    told, untold = serve(lambda *_: Manner(TEXT)), serve(lambda *_: Manner(TEXT, usage=False))
    costs = []
    for server in (told, untold):
        desk = MemoryDesk(settings(server, price=price))
        await ask(desk)
        reply = desk.store.events[-1]
        assert isinstance(reply, CallReplied)
        costs.append((reply.usage_source, reply.cost_usd))
        assert desk.view.spending.usd == pytest.approx(reply.cost_usd)
        assert desk.view.spending.reserved_usd == 0
    assert [source for source, _ in costs] == ["provider", "estimate"]
    assert 0 < costs[0][1] < costs[1][1]


async def test_what_does_not_fit_the_budget_is_not_asked(serve: Serve) -> None:
    server = serve(lambda *_: Manner(TEXT))
    base = settings(server, price=Price(input=1, output=10), max_tokens=10_000)
    desk = MemoryDesk(base.model_copy(update={"budget_usd": 0.05}))
    with pytest.raises(BudgetSpent) as error:
        await ask(desk)
    assert error.value.code == 5
    assert (server.requests, desk.kinds()) == ([], [])


async def test_reserves_of_calls_in_flight_count(serve: Serve) -> None:
    server = serve(lambda *_: Manner(TEXT))
    base = settings(server, price=Price(input=1, output=10), max_tokens=1_000)  # each reserves about 0.01
    desk = MemoryDesk(base.model_copy(update={"budget_usd": 0.035}))
    gateway = Gateway(desk.settings, TestClock(), PATIENCE)
    asks = [gateway.ask(desk, request(f"p{n}/try-1")) for n in range(6)]
    said = await asyncio.gather(*asks, return_exceptions=True)
    refused = [one for one in said if isinstance(one, BudgetSpent)]
    assert len(refused) == 3
    assert len(server.requests) == 3


def test_a_model_without_a_price_does_not_start() -> None:
    role = ModelRole(model="openai/some-new-model")
    with pytest.raises(StageError, match="price"):
        Gateway(Settings(models={"executor": role}), TestClock())


async def test_no_model_says_what_to_type() -> None:
    with pytest.raises(StageError, match="no model") as error:
        await ask(MemoryDesk(Settings()))
    assert (error.value.code, "--rehearsal" in error.value.hint) == (7, True)


async def test_a_key_comes_from_the_environment_and_is_kept_nowhere(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = "sk-very-secret-0123456789"
    monkeypatch.setenv("PLAYED_KEY", secret)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-for-somebody-else")
    server = serve(one_then(Manner(status=500, error={"message": f"bad {secret}"}), Manner(f"{TEXT} {secret}")))
    desk = MemoryDesk(settings(server, api_key_env="PLAYED_KEY"))
    await ask(desk)
    assert server.authorizations == [f"Bearer {secret}"] * 2
    assert secret not in str(desk.store.events) + str(desk.store.bodies)

    other = serve(lambda *_: Manner(TEXT))
    await ask(MemoryDesk(settings(other)))
    assert "somebody-else" not in other.authorizations[0]


async def test_a_missing_key_is_said_before_anything_is_sent(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PLAYED_KEY", raising=False)
    server = serve(lambda *_: Manner(TEXT))
    desk = MemoryDesk(settings(server, api_key_env="PLAYED_KEY"))
    with pytest.raises(CallError, match="PLAYED_KEY"):
        await ask(desk)
    assert (server.requests, desk.kinds()) == ([], [])


@pytest.mark.parametrize("behaviour", [Manner(TEXT, end="keep-alive"), Manner("", end="stall")], ids=["text", "silent"])
async def test_a_cancelled_call_is_gone_at_once_and_may_be_asked_again(serve: Serve, behaviour: Manner) -> None:
    server = serve(one_then(behaviour, Manner(TEXT)))
    desk = MemoryDesk(settings(server).model_copy(update={"deadlines": Deadlines()}))
    task = asyncio.create_task(ask(desk))
    until = time.monotonic() + 20
    while not server.requests or (behaviour.text and not desk.shown):
        assert time.monotonic() < until
        await asyncio.sleep(0.01)
    began = time.monotonic()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert time.monotonic() - began < 0.3
    failed = desk.store.events[-1]
    assert isinstance(failed, CallFailed) and failed.fault == "cancelled"
    assert desk.shown == ""
    assert await ask(desk) == TEXT


async def test_a_call_lost_in_a_crash_is_charged_and_asked_at_most_three_times(serve: Serve) -> None:
    server = serve(lambda *_: Manner(TEXT))
    desk = MemoryDesk(settings(server, price=Price(input=1, output=1)))
    for n in range(4):
        desk = MemoryDesk(desk.settings, store=desk.store)

        def crash(event: object, desk: MemoryDesk = desk) -> None:
            if isinstance(event, CallReplied):
                raise KeyboardInterrupt

        desk.before_record = crash
        expected = KeyboardInterrupt if n < 3 else CallError
        with pytest.raises(expected):
            await ask(desk)
    assert len(server.requests) == 3
    assert len(desk.view.spending.lost) == 2
    assert desk.view.spending.usd > 0


async def test_no_more_calls_at_once_than_allowed(serve: Serve) -> None:
    at_once, most = 0, 0

    def behave(_request: object, _number: int) -> Manner:
        nonlocal at_once, most
        at_once += 1
        most = max(most, at_once)
        time.sleep(0.03)
        at_once -= 1
        return Manner(TEXT)

    server = serve(behave)
    desk = MemoryDesk(settings(server).model_copy(update={"concurrency": 2}))
    server._lock = _NoLock()  # type: ignore[assignment]  # let requests overlap
    gateway = Gateway(desk.settings, TestClock(), PATIENCE)
    await asyncio.gather(*(gateway.ask(desk, request(f"p{n}/try-1")) for n in range(6)))
    assert most == 2


class _NoLock:
    def __enter__(self) -> None: ...
    def __exit__(self, *_: object) -> None: ...


async def test_after_failures_in_a_row_a_provider_is_left_alone(serve: Serve) -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    server = serve(lambda *_: Manner(status=500, error={"message": "oops"}))
    desk = MemoryDesk(settings(server))
    gateway = Gateway(desk.settings, TestClock(), Patience(tries=8, base=10, cap=60, sleep=sleep))
    with pytest.raises(CallError):
        await gateway.ask(desk, request())
    assert max(slept) > 15  # the breaker's pause, not only back-off
    assert len(server.requests) == 8


async def test_streamed_text_comes_in_few_batches(serve: Serve) -> None:
    server = serve(lambda *_: Manner(TEXT))
    desk = MemoryDesk(settings(server))
    await ask(desk)
    assert 1 <= sum(isinstance(hint, Tokens) for hint in desk.hints) <= 4


async def test_reasoning_is_kept_apart(serve: Serve) -> None:
    server = serve(lambda *_: Manner('{"a": 1}', reasoning="let me think {"))
    desk = MemoryDesk(settings(server))
    assert await ask(desk) == '{"a": 1}'
    [body] = desk.store.bodies.values()
    assert body["reply"]["reasoning"] == "let me think {"


async def test_a_closed_door_may_be_opened_again(serve: Serve) -> None:
    server = serve(lambda *_: Manner(TEXT))
    desk = MemoryDesk(settings(server))
    for n in range(2):
        gateway = Gateway(desk.settings, TestClock(), PATIENCE)
        assert (await gateway.ask(desk, request(f"p{n}/try-1"))).text == TEXT
        await gateway.close()


LIFE = """
import asyncio, socket, sys
made = []
real = socket.socket.connect
def connect(self, address):
    if self.family != socket.AF_UNIX: made.append(address)
    return real(self, address)
socket.socket.connect = connect
import agents.gateway, agents.crew
assert "litellm" not in sys.modules
loop = agents.gateway._models()
async def nothing(): return 1
assert loop.submit(nothing()).result(120) == 1
assert "litellm" in sys.modules
assert not any(name.startswith("agents.rehearsal") for name in sys.modules)
assert made == [], made

sys.path.insert(0, {tests!r})
import test_gateway as t
from tests.models_server.server import Manner, ModelsServer
from cockpit.kernel.settings import Deadlines

async def main():
    ends = iter([t.Manner(status=500, error={{"message": "oops"}}), t.Manner(t.TEXT, end="cut"), t.Manner(t.TEXT)])
    server = ModelsServer(lambda *_: next(ends))
    server.start()
    desk = t.MemoryDesk(t.settings(server).model_copy(update={{"deadlines": Deadlines()}}))
    gateway = t.Gateway(desk.settings, t.TestClock(), t.PATIENCE)
    assert (await gateway.ask(desk, t.request())).text == t.TEXT
    server.behave = lambda *_: t.Manner(t.TEXT, end="stall")
    task = asyncio.create_task(gateway.ask(desk, t.request("other/try-1")))
    while len(server.requests) < 4:
        await asyncio.sleep(0.01)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    await gateway.close()

asyncio.run(main())
"""


def test_import_faults_cancels_and_the_end_print_nothing_and_call_nobody() -> None:
    script = LIFE.format(tests=str(Path(__file__).parent))
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


async def test_a_rehearsal_model_needs_a_rehearsal() -> None:
    base = Settings(models={"executor": ModelRole(model="rehearsal/a")})
    with pytest.raises(StageError, match="no rehearsal"):
        await ask(MemoryDesk(base))
    assert not base.rehearsal.on and RehearsalSettings().on is False
