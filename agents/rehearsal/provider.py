"""Rehearsal models as a litellm provider: the same road as a real model, without a network.

Belongs here: streaming a reply of `brain.py` in a few chunks, with usage and an honest name. Not
here: replies; litellm itself (its base class is handed in by `agents/gateway.py`).
"""

from __future__ import annotations

import traceback
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from agents.rehearsal.brain import answer
from cockpit.kernel.model import sha256
from cockpit.kernel.settings import RehearsalSettings

CHUNKS, CHUNK_FLOOR = 8, 600  # each chunk costs the library 0.3 ms
CHARACTERS_A_TOKEN = 4


def provider(base: type, refusal: type[Exception]) -> Any:
    """An instance of litellm's `CustomLLM` (`base`) that answers as the rehearsal models.

    What goes wrong in an answer is a bug of ours: it leaves as `refusal` (litellm's `CustomLLMError`)
    with status 400, which nobody tries again.
    """

    class RehearsalProvider(base):  # type: ignore[misc]
        """Stateless: study, seed and faults come with each call."""

        async def astreaming(
            self, model: str, messages: list[dict[str, Any]], *_: Any, **more: Any
        ) -> AsyncIterator[Any]:
            """The reply in at most `CHUNKS` pieces, then the end with usage."""
            name = f"rehearsal/{model.removeprefix('rehearsal/')}"
            how = RehearsalSettings.model_validate(more["optional_params"]["extra_body"]["rehearsal"])
            try:
                text = answer(messages, name, how)
            except Exception as error:
                where = traceback.extract_tb(error.__traceback__)[-1]
                said = f"{type(error).__name__}: {error} (at {Path(where.filename).name}:{where.lineno})"
                raise refusal(400, said) from error
            about = {"served_model": name, "response_id": f"rehearsal-{sha256(text)[:16]}"}
            size = max(CHUNK_FLOOR, -(-len(text) // CHUNKS))
            for at in range(0, len(text), size):
                yield _chunk(text[at : at + size], about)
            yield _chunk("", about, end=_usage(messages, text))

    return RehearsalProvider()


def _chunk(text: str, about: dict[str, str], end: dict[str, int] | None = None) -> dict[str, Any]:
    return {
        "text": text,
        "is_finished": end is not None,
        "finish_reason": "stop" if end else "",
        "usage": end,
        "index": 0,
        "tool_use": None,
        "provider_specific_fields": about,
    }


def _usage(messages: list[dict[str, Any]], text: str) -> dict[str, int]:
    asked = sum(len(str(message.get("content") or "")) for message in messages) // CHARACTERS_A_TOKEN + 1
    said = len(text) // CHARACTERS_A_TOKEN + 1
    return {"prompt_tokens": asked, "completion_tokens": said, "total_tokens": asked + said}
