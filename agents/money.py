"""What calls cost: our own price table, the worst case of a call, the cost of a reply, the budget.

Belongs here: prices and arithmetic. Not here: calls (`gateway.py`), caps over several runs.
"""

from __future__ import annotations

import ipaddress
import json
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from urllib.parse import urlsplit

from agents.errors import BudgetSpent, StageError
from cockpit.kernel.settings import ModelRole, Price, Settings
from cockpit.kernel.view import Spending

TABLE = Path(__file__).with_name("prices.json")
FREE = Price(input=0, output=0, source="free")
BYTES_A_TOKEN = 2.0  # low on purpose: a reserve must not be less than the cost
ESTIMATE_FACTOR = 1.5  # an estimated usage counts for more, since it may be too low
MILLION = 1_000_000
REHEARSAL = "rehearsal/"


@lru_cache(maxsize=1)
def table() -> dict[str, Price]:
    """Prices of known models, by litellm's name."""
    data = json.loads(TABLE.read_text(encoding="utf-8"))
    return {
        name: Price(**price, source=data["source"], date=data["date"]) for name, price in sorted(data["models"].items())
    }


def price_of(role: ModelRole) -> Price:
    """The price of a model: declared, free (also rehearsal and loopback servers), or from the table.

    Raises:
        StageError: it is not known; the run must not start.
    """
    if role.price == "free":
        return FREE
    if isinstance(role.price, Price):
        return role.price
    if role.model.startswith(REHEARSAL) or is_loopback(role.api_base):
        return FREE
    known = table()
    name = role.model
    price = known.get(name) or known.get(name.split("/", maxsplit=1)[-1] if _native(name) else "")
    if price is None or role.api_base is not None:  # another host may charge something else
        raise StageError(
            f"the price of {name} is not known, so no budget can hold",
            hint="Declare it: models.<role>.price: {input: USD per million tokens, output: …}, or price: free.",
        )
    return price


def is_loopback(url: str | None) -> bool:
    """Does `url` point at this machine?"""
    host = urlsplit(url).hostname if url else None
    if host is None:
        return False
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def worst_cost(price: Price, messages: Sequence[dict[str, str]], max_tokens: int) -> float:
    """USD that a call can cost at most: its prompt at two bytes a token, and all of `max_tokens`."""
    if not price.input and not price.output:
        return 0.0
    tokens_in = sum(len(message["content"].encode()) for message in messages) / BYTES_A_TOKEN
    return (tokens_in * price.input + max_tokens * price.output) / MILLION


def cost(price: Price, *, tokens_in: int, tokens_out: int, tokens_cached: int, estimated: bool) -> float:
    """USD of a reply. `tokens_in` includes `tokens_cached`, `tokens_out` includes reasoning."""
    fresh = max(tokens_in - tokens_cached, 0)
    usd = (fresh * price.input + tokens_cached * price.cached + tokens_out * price.output) / MILLION
    return usd * ESTIMATE_FACTOR if estimated else usd


def check(settings: Settings, spending: Spending, worst: float, *, pending: float, what: str) -> None:
    """Does a call of at most `worst` USD fit? `pending` are reserves not yet in `spending`.

    Raises:
        BudgetSpent: it does not.
    """
    if settings.budget_usd is None or worst == 0:
        return
    used = spending.usd + spending.reserved_usd + pending
    if used + worst > settings.budget_usd:
        raise BudgetSpent(
            f"budget: {what} may cost {worst:.4f} USD; {used:.4f} of {settings.budget_usd:.2f} are spent or reserved",
            hint="Go on with more money: cockpit resume RUN --budget USD.",
        )


def _native(name: str) -> bool:
    return name.split("/", maxsplit=1)[0] in ("openai", "anthropic")
