"""Checks of a reply that need more than its schema: other artifacts, the effort's numbers.

Belongs here: binding a check to a reply model, so that the gateway's one ladder of re-asks quotes its
complaints. Not here: the checks themselves (beside the stage that needs them).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Annotated, TypeVar

from pydantic import Field, StringConstraints, create_model, model_validator

from cockpit.kernel.model import Model

Share = Annotated[float, Field(ge=0, le=1)]  # [0,1]
Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Texts = tuple[Text, ...]

Reply = TypeVar("Reply", bound=Model)


def checked(reply: type[Reply], faults: Callable[[Reply], Iterable[str]]) -> type[Reply]:
    """`reply` as a type whose validation also fails on each sentence that `faults` gives.

    The sentences are what a model is told when it is asked again, so they say what is wrong and
    what would be right.
    """

    def sound(self: Reply) -> Reply:
        said = list(faults(self))
        if said:
            raise ValueError("; ".join(said))
        return self

    made: type[Reply] = create_model(
        reply.__name__,
        __base__=reply,
        __doc__=reply.__doc__,
        __validators__={"sound": model_validator(mode="after")(sound)},  # type: ignore[dict-item]
    )
    return made


def unknown(what: str, named: Iterable[str], known: Iterable[str]) -> list[str]:
    """A sentence for each of `named` that is not in `known`; empty when all are."""
    allowed = set(known)
    return [f"{what} “{name}” is not among those given" for name in dict.fromkeys(named) if name not in allowed]


def repeated(what: str, named: Iterable[str]) -> list[str]:
    """A sentence for each name that comes twice."""
    return [f"{what} “{name}” comes twice" for name, times in Counter(named).items() if times > 1]
