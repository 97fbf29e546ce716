"""The registry of rehearsal answers: one function a step, in a module named after its agent.

Belongs here: registering and finding. Not here: answers themselves. An answer is a pure function of
the prompt and the rehearsal; an unknown step is a bug, never a template reply.

    @answers("exp-planner/plan")
    def plan(prompt: Prompt, how: Rehearsal) -> str: ...
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable

from agents.rehearsal.reading import Prompt, Rehearsal

Answer = Callable[[Prompt, Rehearsal], str]
_ANSWERS: dict[str, Answer] = {}


def answers(*steps: str) -> Callable[[Answer], Answer]:
    """Register a function as the answer to these steps ("<agent>/<step>")."""

    def register(function: Answer) -> Answer:
        for step in steps:
            if step in _ANSWERS and _ANSWERS[step].__qualname__ != function.__qualname__:
                raise ValueError(f"two answers for {step}")
            _ANSWERS[step] = function
        return function

    return register


def find(step: str) -> Answer:
    """The answer to `step`; modules `answers/<agent>.py` and `answers/<agent>_*.py` are imported when first needed.

    Raises:
        LookupError: no rehearsal model knows this step.
    """
    if step not in _ANSWERS:
        agent = step.split("/", maxsplit=1)[0].replace("-", "_")
        for module in sorted(found.name for found in pkgutil.iter_modules(__path__)):
            if module == agent or module.startswith(f"{agent}_"):
                importlib.import_module(f"{__name__}.{module}")
    if step not in _ANSWERS:
        raise LookupError(f"the rehearsal models have no answer to {step}")
    return _ANSWERS[step]
