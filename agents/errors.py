"""Why a stage's work could not be done, as typed failures with an exit code.

Belongs here: the exceptions agents raise and the engine turns into `StageFailed`. Not here: what
a provider can do wrong (`gateway.py` maps that to a fault class first).
"""

from __future__ import annotations

from cockpit.kernel.events import FaultClass
from cockpit.kernel.exits import CockpitError, Exit


class StageError(CockpitError):
    """A stage cannot be done: a sentence, where, what to do, and the exit code of `interfaces.md`."""

    def __init__(self, what: str, exit_code: int = Exit.MODELS, *, where: str = "", hint: str = "") -> None:
        super().__init__(what, where=where, hint=hint, code=Exit(exit_code))


class CallError(StageError):
    """A model call failed for good; `fault` says how. Each attempt is in the journal."""

    def __init__(self, what: str, fault: FaultClass, *, where: str = "", hint: str = "") -> None:
        super().__init__(what, Exit.MODELS, where=where, hint=hint)
        self.fault = fault


class UnusableReply(StageError):
    """A model answered, but after the re-asks still not with what was asked for."""

    def __init__(self, what: str, errors: tuple[str, ...], *, where: str = "", hint: str = "") -> None:
        super().__init__(what, Exit.MODELS, where=where, hint=hint)
        self.errors = errors


class BudgetSpent(StageError):
    """The next call's worst case does not fit into what is left of the budget."""

    def __init__(self, what: str, *, where: str = "", hint: str = "") -> None:
        super().__init__(what, Exit.SPENT, where=where, hint=hint)
