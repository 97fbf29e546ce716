"""HTTP to literature services: the only module that opens such connections.

Belongs here: one polite GET with a stated outcome. Not here: what a service's answer means
(`arxiv.py`, `openalex.py`), keeping answers (the desk). Failures are states, never exceptions, and
never look like "nothing found".
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import urlsplit

from agents.money import is_loopback

AGENT = "research-cockpit/0.1 (literature search)"
TIMEOUT_S = 20.0
RETRY_AFTER_CAP_S = 10.0
PAUSE_S = 1.0
TRIES = 2
BODY_LIMIT = 8 * 2**20
NetState = Literal["ok", "missing", "limited", "down"]


@dataclass(frozen=True)
class Got:
    """How a GET ended: `ok` with text, `missing` (404), `limited` (429), `down` (all else)."""

    state: NetState
    text: str = ""


@dataclass
class Net:
    """One client a run. `pace` seconds lie between two requests to a host; loopback needs none."""

    pace: Mapping[str, float] = field(default_factory=dict)
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    timeout_s: float = TIMEOUT_S
    _clients: dict[bool, Any] = field(default_factory=dict)
    _free_at: dict[str, float] = field(default_factory=dict)
    _unreachable: set[str] = field(default_factory=set)

    async def get(self, url: str, parameters: Mapping[str, str]) -> Got:
        """GET `url`; a 429 or 5xx is tried once more, after its Retry-After (capped)."""
        host = urlsplit(url).netloc
        if host in self._unreachable:  # one failed connection is enough to know
            return Got("down")
        for left in reversed(range(TRIES)):
            await self._turn(host, url)
            got, wait = await self._once(url, parameters, host)
            if wait is None or not left:
                return got
            await self.sleep(wait)
        return Got("down")

    async def close(self) -> None:
        """Let go of the connections."""
        for client in self._clients.values():
            await client.aclose()
        self._clients.clear()

    async def _turn(self, host: str, url: str) -> None:
        gap = 0.0 if is_loopback(url) else self.pace.get(host, 0.0)
        now = asyncio.get_running_loop().time()
        at = max(now, self._free_at.get(host, now))
        self._free_at[host] = at + gap
        if at > now:
            await self.sleep(at - now)

    async def _once(self, url: str, parameters: Mapping[str, str], host: str) -> tuple[Got, float | None]:
        import httpx2

        try:
            async with self._client(url).stream("GET", url, params=dict(parameters)) as response:
                body = b""
                async for piece in response.aiter_bytes():
                    body += piece
                    if len(body) > BODY_LIMIT:
                        return Got("down"), None
                text = body.decode(response.encoding or "utf-8", "replace")
        except (httpx2.ConnectError, httpx2.ConnectTimeout):
            self._unreachable.add(host)
            return Got("down"), None
        except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError):
            return Got("down"), PAUSE_S
        return _meaning(response.status_code, text, response.headers.get("retry-after"))

    def _client(self, url: str) -> Any:
        import httpx2

        loopback = is_loopback(url)
        if loopback not in self._clients:
            self._clients[loopback] = httpx2.AsyncClient(
                timeout=self.timeout_s, follow_redirects=True, max_redirects=3, headers={"user-agent": AGENT},
                trust_env=not loopback,
            )  # fmt: skip
        return self._clients[loopback]


def _meaning(status: int, text: str, retry_after: str | None) -> tuple[Got, float | None]:
    wait = PAUSE_S
    if retry_after and retry_after.strip().isdigit():
        wait = min(float(retry_after), RETRY_AFTER_CAP_S)
    if status == 200:
        return Got("ok", text), None
    if status in (404, 410):
        return Got("missing"), None
    if status == 429:
        return Got("limited"), wait
    if status >= 500:
        return Got("down"), wait
    return Got("down"), None
