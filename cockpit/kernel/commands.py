"""What a person can ask of the engine, from a key, another terminal, or a file in `control/`.

Belongs here: the requests. Not here: keys and labels (`cockpit/front/actions.py`), acting on them
(engine). Clearing verbs (approve, waive, resolve, sign-off, acknowledge) carry `token` when they
come by file; without it they are recorded as requests and clear nothing.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from cockpit.kernel.findings import FixType
from cockpit.kernel.ids import Actor
from cockpit.kernel.model import Model


class Command(Model):
    """Base: who asks, and (for clearing verbs by file) the token that proves a person's session."""

    by: Actor
    token: str = ""


class Quiesce(Command):
    """Start nothing new; let calls and jobs in flight finish; then PAUSED."""

    verb: Literal["pause"] = "pause"
    why: str = ""


class Hold(Command):
    """Freeze jobs, cancel calls, now."""

    verb: Literal["hold"] = "hold"
    why: str = ""


class Continue(Command):
    """Go on."""

    verb: Literal["continue"] = "continue"


class Step(Command):
    """One stage, then pause."""

    verb: Literal["step"] = "step"


class Pivot(Command):
    """Go back to `target` with another direction."""

    verb: Literal["pivot"] = "pivot"
    target: int = 8
    reason: str


class Approve(Command):
    """Answer the present pause with yes."""

    verb: Literal["approve"] = "approve"
    reason: str = ""


class Reject(Command):
    """Answer the present pause with no; work goes to the stage's `back`, or to `target`."""

    verb: Literal["reject"] = "reject"
    reason: str
    target: int | None = None


class SignOff(Command):
    """A named person signs the finished package (submission)."""

    verb: Literal["sign-off"] = "sign-off"
    reason: str = ""


class Acknowledge(Command):
    """A named person has read the WARNs."""

    verb: Literal["acknowledge"] = "acknowledge"
    reason: str = ""


class Guide(Command):
    """Advice to the stages from `stage` on (0 = the next one)."""

    verb: Literal["guide"] = "guide"
    stage: int = 0
    text: str


class Waive(Command):
    """Live with an obligation."""

    verb: Literal["waive"] = "waive"
    obligation: str  # number or fingerprint
    why: str


class Resolve(Command):
    """Close a part by hand, with fix type and evidence path."""

    verb: Literal["resolve"] = "resolve"
    obligation: str
    part: int = 0
    fix: FixType
    evidence: str
    why: str


class Abort(Command):
    """Stop at once; the run stays resumable."""

    verb: Literal["abort"] = "abort"
    why: str = ""


AnyCommand = Annotated[
    Quiesce | Hold | Continue | Step | Pivot | Approve | Reject | SignOff | Acknowledge | Guide | Waive | Resolve
    | Abort,
    Field(discriminator="verb"),
]  # fmt: skip
CLEARING = ("approve", "sign-off", "acknowledge", "waive", "resolve")

_ADAPTER: TypeAdapter[AnyCommand] = TypeAdapter(AnyCommand)


def read_command(text: str | bytes) -> AnyCommand:
    """The command of a JSON text.

    Raises:
        pydantic.ValidationError: unknown verb or wrong fields.
    """
    return _ADAPTER.validate_json(text)
