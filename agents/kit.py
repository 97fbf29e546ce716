"""What an agent works with: ask a model for a value, a text or files; the literature; the settings.

Belongs here: the way from a step's inputs to a checked value. Not here: the wire (`gateway.py`),
reading replies (`structured.py`), loops over several asks (`loops/`), what steps ask for.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from agents import structured
from agents.calls import Answer, CallRequest, Door, Served, T
from agents.errors import CallError, UnusableReply
from agents.literature.shelves import Literature
from agents.prompting import Input, Prompts, Rendered, own
from agents.rosters import Rosters, violations
from agents.structured import Unreadable
from cockpit.kernel.events import TurnKind, TurnSpoken
from cockpit.kernel.ids import CallPath
from cockpit.kernel.levels import REASKS_A_STEP
from cockpit.kernel.protocols import Clock, Desk
from cockpit.kernel.reviews import Review, ReviewRequest, Verification, VerificationRequest
from cockpit.kernel.settings import Settings

V = TypeVar("V")
LONGER_TRIES = 2  # after a truncated reply: more room, then more room and shorter
EXCERPT = 700
QUIET_ROLES = ("reviewer",)  # never see guidance, obligations or briefs


@dataclass(frozen=True)
class _Ask:
    """One question as it is put: fixed over its re-asks."""

    step: str
    path: str
    role: str
    messages: list[dict[str, str]]
    rendered: Rendered
    temperature: float
    speaker: str
    schema: dict[str, Any] | None = None
    schema_name: str = ""


@dataclass
class Kit:
    """The agents' tools of one run. `path` arguments are unique within a stage instance (and its part)."""

    door: Door
    literature: Literature
    settings: Settings
    rosters: Rosters
    clock: Clock
    prompts: Prompts = field(default_factory=Prompts)

    async def ask(self, desk: Desk, step: str, reply: type[T], *, path: str, role: str | None = None, sample: int = 0,
                  turn: TurnKind | None = None, speaker: str = "", about: str = "", **inputs: Input) -> T:  # fmt: skip
        """A value of type `reply` for `step` ("<agent>/<step>"), rendered with `inputs`.

        Syntax of the reply is repaired, never its values; a reply that does not validate or breaks a
        guard of the roster is asked for again at most twice, with the errors quoted. With `turn` the
        answer also becomes a line of the dialogue, spoken by `speaker`, about `about`.

        Raises:
            UnusableReply: no usable reply after the re-asks (exit 7); the raw replies are in the journal.
            CallError, BudgetSpent: see `Door.ask`.
        """
        answer = await self.ask_raw(
            desk, step, reply, path=path, role=role, sample=sample, turn=turn, speaker=speaker, about=about, **inputs
        )
        return answer.value

    async def ask_raw(self, desk: Desk, step: str, reply: type[T], *, path: str, role: str | None = None,
                      sample: int = 0, turn: TurnKind | None = None, speaker: str = "", about: str = "",
                      **inputs: Input) -> Answer[T]:  # fmt: skip
        """Like `ask`, with the call's record and its seq: what a receipt is made from."""
        guards = self.rosters.guards(step, desk.stage.number)

        def read(text: str) -> T:
            value = structured.value(text, reply)
            if errors := violations(value, guards):
                raise Unreadable(errors)
            return value

        question = self._question(desk, step, path=path, role=role, sample=sample, speaker=speaker, inputs=inputs)
        schema = structured.schema(reply)
        tail = structured.request(schema)
        question = replace(
            question, messages=_appended(question.messages, tail), schema=schema, schema_name=reply.__name__
        )
        answer = await self._until_usable(desk, question, read)
        if turn is not None:
            await self._speak(
                desk, answer, question, turn=turn, about=about, text=structured.excerpt(answer.value, EXCERPT)
            )
        return answer

    async def ask_text(self, desk: Desk, step: str, *, language: str, path: str, role: str | None = None,
                       sample: int = 0, turn: TurnKind | None = None, speaker: str = "", about: str = "",
                       **inputs: Input) -> str:  # fmt: skip
        """The text of the one fenced block in `language` ("latex", "markdown", "python") of the reply.

        Prose around it is ignored; a reply without the block is asked for again. Raises as `ask`.
        """
        question = self._question(desk, step, path=path, role=role, sample=sample, speaker=speaker, inputs=inputs)
        answer = await self._until_usable(desk, question, lambda text: structured.fenced(text, language))
        if turn is not None:
            await self._speak(desk, answer, question, turn=turn, about=about, text=answer.value[:EXCERPT])
        return answer.value

    async def ask_files(self, desk: Desk, step: str, *, path: str, role: str | None = None, sample: int = 0,
                        **inputs: Input) -> dict[str, str]:  # fmt: skip
        """The files of the reply's fences that say `file=path`, sorted by path. Raises as `ask`."""
        question = self._question(desk, step, path=path, role=role, sample=sample, speaker="", inputs=inputs)
        return (await self._until_usable(desk, question, structured.files)).value

    async def ask_review(self, desk: Desk, request: ReviewRequest | VerificationRequest, *, reviewer: str,
                         path: str) -> Review | Verification:  # fmt: skip
        """A review or verification in a fresh thread, with its receipt; put by `agents.reviewing.answer`."""
        agent = importlib.import_module("agents.reviewing")  # late: it builds on the kit
        answered: Review | Verification = await agent.answer(desk, self, request, reviewer=reviewer, path=path)
        return answered

    def _question(self, desk: Desk, step: str, *, path: str, role: str | None, sample: int, speaker: str,
                  inputs: Mapping[str, Input]) -> _Ask:  # fmt: skip
        agent = step.split("/", maxsplit=1)[0]
        roster = self.rosters.of(agent)
        role = role or roster.model
        where = f"{path}/sample-{sample}" if sample else path
        quiet = role.startswith(QUIET_ROLES)
        given = {**(NOTHING if quiet else context(desk)), **inputs}
        rendered = self.prompts.render(step, given, marker=desk.token(f"fence/{where}"), manner=manner(desk))
        temperature = self.rosters.temperature(agent, desk.stage.number)
        return _Ask(step, where, role, rendered.messages, rendered, temperature, speaker or agent)

    async def _until_usable(self, desk: Desk, question: _Ask, read: Callable[[str], V]) -> Answer[V]:
        messages, reasks, longer, number = question.messages, 0, 0, 0
        while True:
            number += 1
            served = await self._call(desk, question, messages, number, longer)
            errors: tuple[str, ...]
            if served.call.finish == "length":
                longer += 1
                if longer > LONGER_TRIES:
                    raise CallError(
                        f"{question.step}: the reply was cut off at the length limit {longer} times", "truncated",
                        where=f"{desk.position}, {question.path}",
                        hint=f"Give models.{question.role}.max_tokens more room.",
                    )  # fmt: skip
                messages = _appended(question.messages, structured.SHORTER) if longer > 1 else question.messages
                continue
            try:
                return Answer(read(served.text), served.call, served.seq)
            except Unreadable as unreadable:
                errors = unreadable.errors
            reasks += 1
            if reasks > REASKS_A_STEP:
                raise UnusableReply(
                    f"{question.step}: no usable reply after {REASKS_A_STEP} re-asks: {errors[0]}", errors,
                    where=f"{desk.position}, {question.path}, model {served.call.reported_model}",
                    hint="The raw replies are kept in the run's .cockpit/calls/.",
                )  # fmt: skip
            complaint = {"role": "user", "content": structured.complaint(errors)}
            messages = [*question.messages, {"role": "assistant", "content": served.text}, complaint]

    async def _call(self, desk: Desk, question: _Ask, messages: list[dict[str, str]], number: int,
                    longer: int) -> Served:  # fmt: skip
        request = CallRequest(
            path=CallPath(f"{question.path}/try-{number}"),
            role=question.role,
            messages=messages,
            purpose=question.step,
            speaker=question.speaker,
            temperature=question.temperature,
            schema=question.schema,
            schema_name=question.schema_name,
            max_tokens_factor=2**longer,
            template_sha256=question.rendered.template_sha256,
        )
        return await self.door.ask(desk, request)

    async def _speak(self, desk: Desk, answer: Answer[Any], question: _Ask, *, turn: TurnKind, about: str,
                     text: str) -> None:  # fmt: skip
        spoken = (desk.position, answer.call.path)
        if any((said.position, said.path) == spoken for said in desk.view.dialogue):
            return
        call = answer.call
        event = TurnSpoken(
            at=self.clock.now(),
            position=desk.position,
            path=call.path,
            turn=turn,
            speaker=question.speaker,
            family=" + ".join(call.family.families),
            model=call.reported_model,
            grade=call.family.grade,
            thread=desk.token(question.path)[:6],
            about=about,
            text=text,
        )
        await desk.record(event)


NOTHING: dict[str, Input] = dict.fromkeys(("guidance", "obligations", "brief", "previous", "reviews"))


def context(desk: Desk) -> dict[str, Input]:
    """What every step of an executor's agent may name: guidance, and when revising what there is to mend.

    `previous` (the step's last output) and `reviews` (foreign) are None unless the step gives them.
    """
    given = dict(NOTHING)
    if desk.guidance:
        given["guidance"] = own("guidance", "\n".join(f"- {g.text}" for g in desk.guidance))
    if desk.revising and desk.obligations:
        shown = [
            {
                "number": o.number,
                "title": o.finding.title,
                "pattern": o.finding.pattern,
                "severity": o.finding.severity,
                "spans": [str(span) for span in o.finding.spans],
                "open_parts": [part.text for part in o.parts if part.state != "closed"],
            }
            for o in desk.obligations
        ]
        given["obligations"] = own("obligations", shown)
    rounds = desk.view.rounds
    entry = bool(rounds) and rounds[-1].entry == desk.stage.number and rounds[-1].round == desk.position.round - 1
    if desk.revising and entry and desk.tree.exists(BRIEF):
        given["brief"] = own("brief", desk.tree.read(BRIEF).decode("utf-8", "replace"))
    return given


BRIEF = "08_paper_review/artifacts/revision_brief.json"


def manner(desk: Desk) -> dict[str, Any]:
    """Our own settings, which every template (also system ones) may name."""
    s = desk.settings
    return {
        "language": {"en": "English", "zh": "Chinese"}[s.language],
        "venue": s.venue,
        "effort": s.effort,
        "assurance": s.assurance,
        "round": desk.position.round,
        "stage": desk.stage.number,
        "part": desk.part,
        "revising": desk.revising,
    }


def _appended(messages: list[dict[str, str]], text: str) -> list[dict[str, str]]:
    last = messages[-1]
    return [*messages[:-1], {**last, "content": f"{last['content'].rstrip()}\n\n{text}\n"}]
