"""Unguessable, reproducible tokens: nonces of reviews, markers of fences.

Belongs here: the one formula, which the desk makes tokens with and the gates check receipts with. Not
here: the secret (first record of the journal).
"""

from __future__ import annotations

import hmac

from cockpit.kernel.ids import Position


def token(secret: str, position: Position, path: str) -> str:
    """HMAC-SHA256 of position and path under the run's secret: 32 hex digits.

    The same step at the same position gets the same token on resume, so its prompt is rebuilt byte for byte.
    """
    return hmac.new(secret.encode(), f"{position}/{path}".encode(), "sha256").hexdigest()[:32]
