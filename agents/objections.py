"""Obligations as writers meet them: which part of the paper they speak of, how a prompt shows them.

Belongs here: reading obligations. Not here: closing them (gates), answering them (`revision.py`).
"""

from __future__ import annotations

import re

from cockpit.kernel.findings import Obligation
from cockpit.kernel.model import JsonObject


def obligation_shown(o: Obligation) -> JsonObject:
    """An obligation as a prompt shows it."""
    return {
        "number": o.number,
        "pattern": o.finding.pattern,
        "severity": o.finding.severity,
        "title": o.finding.title,
        "quotes": [s.text for s in o.finding.spans if s.text],
        "open_parts": [p.text for p in o.parts if p.state != "closed"],
    }


def speaks_of(o: Obligation, path: str, text: str) -> bool:
    """Does an obligation stand in the file at `path` with content `text`: by its file, or by its quoted words?"""
    return any(s.file == path or occurs(s.text, text) for s in o.finding.spans)


def occurs(quote: str, text: str) -> bool:
    """Is `quote` in `text`, white space apart, and not as a part of a longer word or number?"""
    if not quote.strip():
        return False
    start = r"(?<!\w)(?<!\d\.)" if quote[:1].isalnum() else ""
    end = r"(?!\w)(?!\.\d)" if quote[-1:].isalnum() else ""
    return re.search(start + r"\s+".join(map(re.escape, quote.split())) + end, text) is not None
