"""Signs that a text from outside wants to steer the model that reads it.

Belongs here: looking for them, and the finding they become. Not here: fencing text (`prompting.py`);
no sign means nothing, the fence is the protection.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from cockpit.kernel.findings import Finding, Span
from cockpit.kernel.papers import PaperRecord

AUDITOR, VERSION = "injection", "1"
OWNER = 5
# what a person cannot see: controls, zero-width and bidi signs, tag characters; not the soft hyphen of typesetters
INVISIBLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]"
)
HIDDEN = re.compile(
    r"display\s*:\s*none|font-size\s*:\s*0|visibility\s*:\s*hidden|\\(?:text)?color\s*\{\s*white\s*\}|<!--",
    re.IGNORECASE,
)
ORDERS = re.compile(
    r"""
      \b(?:ignore|disregard|forget|override)\b .{0,40} \b(?:instruction|prompt|rule|guideline|context)s?\b
    | \b(?:you\ are|act\ as|pretend\ to\ be)\b .{0,30} \b(?:assistant|language\ model|llm|chatbot|reviewer|ai)\b
    | \b(?:system|developer)\ (?:prompt|message)\b
    | \b(?:llm|language\ model|ai)s?\ (?:reviewer|reader|assistant|agent)s?\b .{0,40}
      \b(?:must|should|shall|please|give|rate|accept)\b
    | \b(?:note|message|instructions?)\ (?:to|for)\ (?:the\ )?(?:llm|ai|language\ model|model|reviewer)s?\b
    | \b(?:give|assign|write|output|return)\b .{0,30}
      \b(?:positive|favou?rable|highest|high|top)\ (?:review|score|rating)s?\b
    | \bdo\ not\ (?:mention|highlight|report|reveal)\b .{0,30} \b(?:weakness|negative|flaw|limitation|this)
    | (?:忽略|无视|忘记).{0,12}(?:指令|指示|提示|规则|要求)
    | (?:你是|作为).{0,8}(?:助手|审稿人|语言模型|大模型).{0,20}(?:请|必须|应当)
    | (?:给出|打出|输出).{0,8}(?:正面|高分|满分|最高).{0,4}(?:评价|评审|分|意见)?
    """,
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
FENCE = re.compile(r"---\s*(?:begin|end)\s+[a-z_.-]+\s*\[", re.IGNORECASE)
CODEPOINT_LIMIT = 3


def signs(text: str) -> list[tuple[str, str]]:
    """(kind, what was seen) for each kind of sign in `text`: invisible, hidden, instruction, fence."""
    seen: list[tuple[str, str]] = []
    if points := list(dict.fromkeys(INVISIBLE.findall(text))):
        shown = ", ".join(f"U+{ord(point):04X}" for point in points[:CODEPOINT_LIMIT])
        seen.append(("invisible", shown))
    readable = INVISIBLE.sub("", text)
    for kind, pattern in (("hidden", HIDDEN), ("instruction", ORDERS), ("fence", FENCE)):
        if found := pattern.search(readable):
            seen.append((kind, " ".join(found[0].split())))
    return seen


def findings(records: Iterable[PaperRecord], file: str) -> list[Finding]:
    """A major finding for each kind of sign in each record's title and abstract, which stand in `file`."""
    return [
        _finding(record, kind, what, file)
        for record in records
        for kind, what in signs(f"{record.title}\n{record.abstract}")
    ]


def _finding(record: PaperRecord, kind: str, what: str, file: str) -> Finding:
    said = {
        "invisible": "holds characters that a person cannot see",
        "hidden": "holds text made to be unseen",
        "instruction": "speaks to the model that reads it",
        "fence": "imitates the marks that fence data",
    }[kind]
    return Finding(
        auditor=AUDITOR,
        pattern=f"injection-{kind}",
        severity="major",
        title=f"The stored text of {record.key} {said}: “{what}”",
        spans=(Span(file=file, text=f"{record.key}: {what}"),),
        owner=OWNER,
        parts=(f"a person looks at {record.key} and keeps it or takes it out",),
        evidence=tuple(record.sources),
    )
