"""The failure signature of a job: a stable name for how it failed, for counting repairs of the same thing.

Belongs here: reading the end of a log. Not here: deciding on repairs (agents).

`ZeroDivisionError@run.py:fit: division by zero`: class, own innermost frame, message without what
changes from run to run (numbers, addresses, folders, temporary names) or from edit to edit (lines).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from cockpit.kernel.results import EndReason

FRAME = re.compile(r'^\s+File "(?P<file>[^"]+)", line \d+(?:, in (?P<name>\S+))?$')
RAISED = re.compile(r"^(?P<class>[A-Za-z_][\w.]*?)(?:: (?P<message>.*))?$")
FOREIGN = ("/usr/", "/opt/", "<frozen", "site-packages/", "dist-packages/", "/lib/python3")
LONGEST = 160
NORMAL: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]"), ""),
    (re.compile(r"0x[0-9a-fA-F]+"), "0x#"),
    (re.compile(r"(?:/[\w.+@-]+)+/(?=[\w.+@-])"), ""),  # folders of a path; its last part stays
    (re.compile(r"\btmp[\w]{6,}"), "tmp#"),
    (re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"), "#"),
    (re.compile(r"[-+]?\d+(?:[.,]\d+)*(?:[eE][-+]?\d+)?"), "#"),
    (re.compile(r"\s+"), " "),
)


def signature(reason: EndReason, exit_code: int | None, tail: Sequence[str]) -> str:
    """Names a failure; "" for a job that finished."""
    match reason:
        case "finished":
            return ""
        case "failed":
            return _of_python(tail) or f"exit {exit_code}: {normal(_last_words(tail))}".rstrip(": ")
        case _:
            return reason


def normal(message: str) -> str:
    """A message without what differs between two occurrences of the same failure."""
    for pattern, stand_in in NORMAL:
        message = pattern.sub(stand_in, message)
    message = message.strip()
    return message if len(message) <= LONGEST else message[: LONGEST - 1] + "…"


def _of_python(tail: Sequence[str]) -> str:
    """From the last traceback in `tail`; "" when there is none."""
    end = next((i for i in range(len(tail) - 1, -1, -1) if FRAME.match(tail[i])), None)
    if end is None:
        return ""
    raised = _raised_after(tail, end)
    if raised is None:
        return ""
    name = raised["class"].rsplit(".", 1)[-1]
    where = _own_frame(tail, end)
    return f"{name}{'@' + where if where else ''}: {normal(raised['message'] or '')}".rstrip(": ")


def _raised_after(tail: Sequence[str], frame: int) -> re.Match[str] | None:
    """The line that names the exception: the first one after the innermost frame that is not indented."""
    for line in tail[frame + 1 :]:
        if line and not line[0].isspace():
            return RAISED.match(line)
    return None


def _own_frame(tail: Sequence[str], end: int) -> str:
    """`file:function` of the innermost frame in the job's own code; the innermost at all if none is."""
    frames = []
    for i in range(end, -1, -1):
        if found := FRAME.match(tail[i]):
            frames.append(found)
        elif tail[i] and not tail[i][0].isspace():
            break
    own = next((f for f in frames if not any(part in f["file"] for part in FOREIGN)), frames[0])
    return f"{own['file'].rsplit('/', 1)[-1]}:{own['name'] or 'module'}".replace("<module>", "module")


def _last_words(tail: Sequence[str]) -> str:
    return next((line for line in reversed(tail) if line.strip() and not line.startswith("[cockpit: ")), "")
