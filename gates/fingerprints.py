"""When are two accusations the same one, and when perhaps the same reworded?

Belongs here: normal forms of text and place, fingerprints, similarity. Not here: what the ledger does
with them (`ledger.py`).
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from cockpit.kernel.findings import Finding
from cockpit.kernel.ids import Fingerprint
from cockpit.kernel.model import canonical, sha256
from cockpit.kernel.stages import FINAL, VER_A, WRITE_A

_PAPER_FORMS = (
    f"{WRITE_A}/paper.tex",
    f"{WRITE_A}/paper_rendered.tex",
    f"{VER_A}/paper_fixed.tex",
    f"{FINAL}/paper.tex",
)
SIMILAR = 0.6  # share of tokens in common from which a new accusation may be an old one reworded
_TOKEN = re.compile(r"[^\W_]+(?:[.,]\d+)*|[\u3400-\u9fff]")


@lru_cache(maxsize=4096)
def normal_text(text: str) -> str:
    """`text` without what rewording by layout changes: case, width, space, ties, quotes."""
    flat = unicodedata.normalize("NFKC", text).casefold().replace("~", " ").replace("\\,", "")
    flat = flat.translate({ord(c): None for c in "\u200b\u200c\u200d\ufeff\u00ad"})
    return " ".join(flat.split())


def normal_file(path: str) -> str:
    """`path` as one name for all forms of the paper: source, rendered, a section, the export."""
    clean = path.replace("\\", "/").removeprefix("./")
    if clean in _PAPER_FORMS or (clean.startswith(f"{WRITE_A}/sections/") and clean.endswith(".tex")):
        return "paper"
    if clean in (f"{WRITE_A}/references.bib", f"{FINAL}/references.bib"):
        return "references"
    return clean


def places(finding: Finding) -> tuple[tuple[str, str], ...]:
    """(text, file) of each span in normal form, sorted; the title stands in where no span has text."""
    pairs = sorted({(normal_text(s.text), normal_file(s.file)) for s in finding.spans})
    if any(text for text, _ in pairs):
        return tuple(pairs)
    return ((normal_text(finding.title), pairs[0][1] if pairs else ""), *pairs)


def fingerprint(finding: Finding) -> Fingerprint:
    """16 hex digits over auditor, pattern and places; not over ids, positions, hashes or severity."""
    return Fingerprint(sha256(canonical([finding.auditor, finding.pattern, places(finding)]))[:16])


def similar(one: Finding, other: Finding) -> bool:
    """Same pattern and file, and at least `SIMILAR` of the tokens in common: possibly reworded."""
    if one.pattern != other.pattern:
        return False
    mine, theirs = places(one), places(other)
    if not {file for _, file in mine} & {file for _, file in theirs}:
        return False
    a, b = tokens(" ".join(text for text, _ in mine)), tokens(" ".join(text for text, _ in theirs))
    return bool(a and b) and len(a & b) / len(a | b) >= SIMILAR


def tokens(text: str) -> frozenset[str]:
    """Words, numbers and Chinese characters of `text`, in normal form."""
    return frozenset(_TOKEN.findall(normal_text(text)))
