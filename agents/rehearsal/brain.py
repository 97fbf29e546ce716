"""A rehearsal model's reply: a pure function of the messages, the study, the seed and the faults.

Belongs here: finding the answer of a step and calling it. Not here: the answers, the wire
(`provider.py`, or any HTTP server that plays a model).
"""

from __future__ import annotations

from typing import Any

from agents.rehearsal.answers import find
from agents.rehearsal.reading import Rehearsal, read
from cockpit.kernel.settings import RehearsalSettings


def answer(messages: list[dict[str, Any]], model: str, how: RehearsalSettings) -> str:
    """The reply text of rehearsal model `model` ("rehearsal/a", "rehearsal/b") to chat `messages`.

    Raises:
        ValueError: the messages hold no task.
        LookupError: no answer is known for the step, or no such study.
    """
    from agents.rehearsal.studies import STUDIES

    prompt = read(messages, model)
    if how.study not in STUDIES:
        raise LookupError(f"there is no rehearsal study {how.study!r}")
    return find(prompt.step)(prompt, Rehearsal(STUDIES[how.study], how.seed, frozenset(how.faults)))
