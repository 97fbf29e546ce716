"""How a command ends: one table of exit codes, and the error a person sees.

Belongs here: exit codes, the error type with its three parts, run outcomes. Not here: printing.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Literal


class Exit(IntEnum):
    """Exit codes of every command (`interfaces.md`)."""

    DONE = 0
    BUG = 1
    USAGE = 2
    BLOCKED = 3
    PERSON = 4
    SPENT = 5
    SANDBOX = 6
    MODELS = 7
    UNPUBLISHABLE = 8
    RUN_FOLDER = 9
    BEST_EFFORT = 10
    INTERRUPTED = 130


# how a run ended; the first eight are what `final/STATUS` says
Outcome = Literal["accepted", "negative-result", "pending", "best-effort", "degenerate", "blocked",
                  "unpublishable", "partial", "until", "failed", "interrupted", "aborted"]  # fmt: skip

EXIT_OF: dict[Outcome, Exit] = {
    "accepted": Exit.DONE,
    "negative-result": Exit.DONE,
    "until": Exit.DONE,
    "pending": Exit.PERSON,
    "best-effort": Exit.BEST_EFFORT,
    "degenerate": Exit.BEST_EFFORT,
    "blocked": Exit.BLOCKED,
    "unpublishable": Exit.UNPUBLISHABLE,
    "partial": Exit.SPENT,
    "failed": Exit.BLOCKED,
    "interrupted": Exit.INTERRUPTED,
    "aborted": Exit.INTERRUPTED,
}


class CockpitError(Exception):
    """Something a person can mend. Says what happened, where, and what to type next.

    Printed as `cockpit: <what>` with `where` and `hint` indented below; never as a traceback.
    """

    def __init__(self, what: str, *, where: str = "", hint: str = "", code: Exit = Exit.USAGE) -> None:
        super().__init__(what)
        self.what, self.where, self.hint, self.code = what, where, hint, code

    def __str__(self) -> str:
        lines = [f"cockpit: {self.what}"]
        lines += [f"  {line}" for part in (self.where, self.hint) for line in part.splitlines()]
        return "\n".join(lines)
