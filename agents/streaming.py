"""A streaming reply: its pieces on their way to the screen, and the whole once it has ended.

Belongs here: deadlines, collecting chunks, coalescing text for hints. Not here: opening a stream or
any import of the client library (`gateway.py`); chunks are read as they come, by attribute.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from agents.faults import Fault, classify
from cockpit.kernel.settings import Deadlines

HINT_GAP_S = 0.05  # at most 20 batches of text a second
CLOSE_S = 0.2
CHARACTERS_A_TOKEN = 3  # when a provider does not say how many tokens it used


@dataclass(frozen=True)
class Reply:
    """A whole reply. `reported_model` and `response_id` are the provider's words, empty when it said none.

    litellm drops chunks that hold a refusal only, so such an answer looks empty in most streams.
    """

    text: str
    reasoning: str
    finish: str
    refusal: str
    reported_model: str
    response_id: str
    tokens_in: int
    tokens_out: int
    tokens_cached: int
    usage_source: Literal["provider", "estimate"]

    def without(self, secret: str) -> Reply:
        """The reply with an exact secret blotted out, should it have been echoed."""
        if secret not in self.text and secret not in self.reasoning:
            return self
        blot = "[key]"
        return replace(self, text=self.text.replace(secret, blot), reasoning=self.reasoning.replace(secret, blot))


class Pieces:
    """Text on its way from the models' thread to the engine's loop, in batches."""

    def __init__(self, show: Callable[[str], None]) -> None:
        self._show, self._engine = show, asyncio.get_running_loop()
        self._waiting: deque[str] = deque()
        self._armed = self._closed = False
        self._last = 0.0
        self.count = 0  # characters so far

    def add(self, text: str) -> None:
        """Called on the models' loop."""
        self.count += len(text)
        self._waiting.append(text)
        if not self._armed:
            self._armed = True
            with contextlib.suppress(RuntimeError):  # the engine's loop has ended; nobody watches
                self._engine.call_soon_threadsafe(self._wake)

    def close(self) -> None:
        """Show what is left, then nothing any more."""
        self._flush()
        self._closed = True

    def _wake(self) -> None:
        self._engine.call_later(max(0.0, self._last + HINT_GAP_S - self._engine.time()), self._flush)

    def _flush(self) -> None:
        self._armed, self._last = False, self._engine.time()
        if self._closed:
            return
        text = "".join(self._waiting.popleft() for _ in range(len(self._waiting)))
        if text:
            self._show(text)


async def collect(open_stream: Callable[[], Awaitable[Any]], deadlines: Deadlines, pieces: Pieces) -> Reply:
    """The whole reply of a stream, within the deadlines. Runs on the models' loop.

    Raises:
        Fault: it did not come, or not to its end; partial text is discarded.
    """
    heard = _Heard()
    now = asyncio.get_running_loop().time
    started, stream = now(), None
    try:
        async with asyncio.timeout(deadlines.total), asyncio.timeout(deadlines.first) as limit:
            stream = await open_stream()
            async for chunk in stream:
                before = heard.length
                if piece := heard.take(chunk):
                    pieces.add(piece)
                if heard.length > before:
                    limit.reschedule(now() + deadlines.idle)
    except TimeoutError:
        what = _which(deadlines, heard.length, now() - started)
        raise Fault("timeout", what, discarded=heard.length) from None
    except Exception as error:  # noqa: BLE001 - whatever the library raises is sorted into a fault class
        raise classify(error, heard.text) from None
    finally:
        if stream is not None:
            with contextlib.suppress(Exception):
                await asyncio.wait_for(stream.aclose(), CLOSE_S)
    if not heard.finish:
        raise Fault("cut", "the stream ended without its end mark", discarded=heard.length)
    return heard.reply(getattr(stream, "chunks", []))


def _which(deadlines: Deadlines, heard: int, passed: float) -> str:
    if passed >= deadlines.total - 0.01:
        return f"not done within {deadlines.total:g} s"
    if heard:
        return f"no token for {deadlines.idle:g} s"
    return f"no first token within {deadlines.first:g} s"


@dataclass
class _Heard:
    """What a stream has said so far."""

    words: list[str] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)
    refusal: str = ""
    finish: str = ""
    reported: str = ""
    response_id: str = ""
    usage: Any = None
    length: int = 0

    @property
    def text(self) -> str:
        return "".join(self.words)

    def take(self, chunk: Any) -> str:
        """Add a chunk; returns its piece of the answer's text (not of the reasoning)."""
        self.response_id = self.response_id or str(getattr(chunk, "id", "") or "")
        self.usage = getattr(chunk, "usage", None) or self.usage
        self._served(chunk)
        piece = ""
        for choice in (getattr(chunk, "choices", None) or [])[:1]:
            delta = choice.delta
            piece = getattr(delta, "content", None) or ""
            thought = getattr(delta, "reasoning_content", None) or ""
            self.refusal += getattr(delta, "refusal", None) or ""
            self.finish = getattr(choice, "finish_reason", None) or self.finish
            self.words.append(piece)
            self.thoughts.append(thought)
            self.length += len(piece) + len(thought)
        return piece

    def _served(self, chunk: Any) -> None:
        hidden = getattr(chunk, "_hidden_params", None) or {}
        first = (getattr(chunk, "choices", None) or [None])[0]
        delta = getattr(first, "delta", None)
        own = getattr(delta, "provider_specific_fields", None) or {}  # how our rehearsal models say who they are
        self.reported = str(hidden.get("provider_response_model") or own.get("served_model") or self.reported)
        self.response_id = str(own.get("response_id") or self.response_id)

    def reply(self, raw: list[Any]) -> Reply:
        """The whole. The library fills in missing usage unmarked: only `raw` chunks tell whose it is."""
        told = any(getattr(chunk, "usage", None) for chunk in raw)
        text, usage = self.text, self.usage
        details = getattr(usage, "prompt_tokens_details", None)
        return Reply(
            text=_encodable(text),
            reasoning=_encodable("".join(self.thoughts)),
            finish=self.finish,
            refusal=self.refusal,
            reported_model=self.reported,
            response_id=self.response_id,
            tokens_in=int(getattr(usage, "prompt_tokens", 0) or 0),
            tokens_out=int(getattr(usage, "completion_tokens", 0) or -(-self.length // CHARACTERS_A_TOKEN)),
            tokens_cached=int(getattr(details, "cached_tokens", 0) or 0),
            usage_source="provider" if told else "estimate",
        )


def _encodable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
