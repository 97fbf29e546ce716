"""Several things going wrong at once end a run as one of them would."""

from __future__ import annotations

import asyncio
import errno
from pathlib import Path

import pytest

from cockpit.engine.trouble import telling
from cockpit.kernel.exits import CockpitError, Exit
from cockpit.kernel.protocols import Desk, StageReport
from tests.engine.scripted import ScriptedWorkers, flight, new_run

UNFIT = CockpitError("the reply is unusable", code=Exit.MODELS)
FULL = OSError(errno.ENOSPC, "No space left on device")


class Troubled(ScriptedWorkers):
    """Two things at once that both fail, at stage 3."""

    def __init__(self, *errors: Exception) -> None:
        super().__init__()
        self.errors = errors

    async def work(self, desk: Desk) -> StageReport:
        if desk.stage.number == 3:
            async with asyncio.TaskGroup() as group:
                for error in self.errors:
                    group.create_task(fail(error))
        return await super().work(desk)


async def fail(error: Exception) -> None:
    raise error


@pytest.mark.parametrize(("errors", "code", "outcome"), [
    ((UNFIT, UNFIT), Exit.MODELS, "failed"),
    ((UNFIT, FULL), Exit.SPENT, None),
    ((FULL, FULL), Exit.SPENT, None),
])  # fmt: skip
def test_a_group_ends_the_run_as_its_most_telling_error(
    tmp_path: Path, errors: tuple[Exception, ...], code: Exit, outcome: str | None
) -> None:
    flying = flight(new_run(tmp_path), Troubled(*errors)).start()
    flying.join(60)
    assert flying.error is None and flying.exit_code == code
    assert (flying.view.finished.outcome if flying.view.finished else None) == outcome


def test_a_bug_among_them_is_told_first() -> None:
    bug = ZeroDivisionError()
    assert telling(BaseExceptionGroup("", [UNFIT, BaseExceptionGroup("", [FULL, bug])])) is bug
