"""What went wrong when several things did at once.

Belongs here: the one error that stands for a group. Not here: what is done about it (`engine.py`).
"""

from __future__ import annotations

from collections.abc import Iterator

from cockpit.journal.history import GitFailed
from cockpit.kernel.exits import CockpitError


def telling(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """The error of `group` that says most: a bug, else what the disk or git refused, else what a person can mend."""
    leaves = list(_leaves(group))
    ground = [error for error in leaves if isinstance(error, OSError | GitFailed)]
    bugs = [error for error in leaves if not isinstance(error, OSError | CockpitError)]
    return next(iter([*bugs, *ground, *leaves]))


def _leaves(group: BaseExceptionGroup[BaseException]) -> Iterator[BaseException]:
    for error in group.exceptions:
        if isinstance(error, BaseExceptionGroup):
            yield from _leaves(error)
        else:
            yield error
