"""What can go wrong with a model call, which of it may be tried again, how patiently.

Belongs here: fault classes of provider errors, back-off, the breaker. Not here: making calls
(`gateway.py`), what an agent does about it.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from cockpit.kernel.events import FaultClass
from cockpit.kernel.model import sha256

RETRIED: frozenset[FaultClass] = frozenset({"rate-limited", "server", "connection", "timeout", "cut", "empty"})
# by the names of litellm's exception classes, most particular first along each class's ancestry
BY_NAME: dict[str, FaultClass] = {
    "ContextWindowExceededError": "overflow", "ContentPolicyViolationError": "refused",
    "RejectedRequestError": "refused", "UnsupportedParamsError": "bad-request", "PaymentRequiredError": "auth",
    "MidStreamFallbackError": "cut",
    "AuthenticationError": "auth", "PermissionDeniedError": "auth", "NotFoundError": "not-found",
    "RateLimitError": "rate-limited", "Timeout": "timeout", "APITimeoutError": "timeout",
    "InternalServerError": "server", "BadGatewayError": "server", "ServiceUnavailableError": "server",
    "APIConnectionError": "connection", "APIResponseValidationError": "server", "BadRequestError": "bad-request",
    "UnprocessableEntityError": "bad-request",
}  # fmt: skip
BY_STATUS: dict[int, FaultClass] = {
    400: "bad-request", 401: "auth", 402: "auth", 403: "auth", 404: "not-found", 408: "timeout", 413: "overflow",
    422: "bad-request", 429: "rate-limited",
}  # fmt: skip
QUOTA = re.compile(r"insufficient[ _]quota|billing|exceeded your current quota", re.IGNORECASE)
OVERFLOW = re.compile(r"context_length_exceeded|context (?:length|window)|prompt is too long", re.IGNORECASE)
MESSAGE_LENGTH = 600


class Fault(Exception):
    """An attempt failed. `discarded` characters of partial text are thrown away.

    `cost_usd` is what it cost, where that is known; `adapted` = the call will be put in another way.
    """

    def __init__(self, kind: FaultClass, message: str, *, retry_after: float | None = None, discarded: int = 0,
                 cost_usd: float = 0.0) -> None:  # fmt: skip
        super().__init__(message[:MESSAGE_LENGTH])
        self.kind, self.retry_after, self.discarded, self.cost_usd = kind, retry_after, discarded, cost_usd

        self.adapted = False

    @property
    def message(self) -> str:
        return str(self)


def classify(error: Exception, partial: str = "") -> Fault:
    """The fault that an exception of the client library stands for."""
    kind: FaultClass | None = None
    for ancestor in type(error).__mro__:
        kind = kind or BY_NAME.get(ancestor.__name__)
    status = getattr(error, "status_code", None)
    if kind is None:
        kind = BY_STATUS.get(status, "server" if status >= 500 else "unknown") if isinstance(status, int) else "unknown"
    message = " ".join(str(error).split()) or type(error).__name__
    if kind == "rate-limited" and QUOTA.search(message):  # waiting does not fill an account
        kind = "auth"
    if kind == "bad-request" and OVERFLOW.search(
        f"{message} {getattr(error, 'code', '')} {getattr(error, 'body', '')}"
    ):
        kind = "overflow"
    if kind in ("server", "connection") and partial:  # it died in mid-stream
        kind = "cut"
    return Fault(kind, message, retry_after=_retry_after(error), discarded=len(partial))


def _retry_after(error: Exception) -> float | None:
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    headers = headers if headers.get("retry-after") else getattr(error, "litellm_response_headers", None) or {}
    try:
        return max(0.0, float(str(headers.get("retry-after"))))
    except ValueError:
        return None


@dataclass(frozen=True)
class Patience:
    """How often and how long apart. Seconds; `base` doubles with each failure up to `cap`."""

    tries: int = 5
    empty_tries: int = 3
    base: float = 1.0
    cap: float = 60.0
    retry_after_cap: float = 120.0
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep

    def again(self, fault: Fault, tried: int) -> bool:
        """May the call be tried again after `tried` tries?"""
        limit = self.empty_tries if fault.kind == "empty" else self.tries
        return fault.kind in RETRIED and tried < limit

    def delay(self, fault: Fault, tried: int, path: str) -> float:
        """Seconds to wait: the provider's word (capped), else back-off, spread by the call's path."""
        if fault.retry_after is not None:
            return min(fault.retry_after, self.retry_after_cap)
        spread = 0.75 + 0.5 * int(sha256(f"{path}\0{tried}")[:8], 16) / 0xFFFFFFFF
        return min(self.base * 2.0 ** (tried - 1), self.cap) * spread


@dataclass
class Breaker:
    """One a provider: after `limit` failures in a row all its calls wait until it had time to recover."""

    patience: Patience
    now: Callable[[], float]
    limit: int = 5
    failures: int = 0
    open_until: float = field(default=0.0)

    async def wait(self) -> None:
        """Returns when the provider may be asked."""
        left = self.open_until - self.now()
        if left > 0:
            await self.patience.sleep(left)

    def worked(self) -> None:
        self.failures = 0

    def failed(self, fault: Fault) -> None:
        """Count a failure of the provider (not of the request)."""
        if fault.kind not in RETRIED:
            return
        self.failures += 1
        if self.failures >= self.limit:
            pause = min(self.patience.base * 2.0 ** (self.failures - self.limit + 1), self.patience.cap)
            self.open_until = self.now() + pause
