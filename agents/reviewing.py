"""One review or verification: asked in a fresh thread, with the receipt that makes it count.

Belongs here: reply models, the call, the receipt. Not here: who is asked how often (`paper_reviewer.py`),
whether an answer counts (`gates/independence`). A request has no field for the executor's words.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from agents.calls import Answer
from agents.errors import UnusableReply
from agents.kit import Kit
from agents.prompting import foreign, own
from agents.venues import criteria_text, dimensions_of, form_faults, venue
from cockpit.kernel.events import CallReplied, TurnKind
from cockpit.kernel.ids import Seq
from cockpit.kernel.levels import REASKS_A_STEP
from cockpit.kernel.model import Model
from cockpit.kernel.protocols import Desk
from cockpit.kernel.reviews import (
    Dimension,
    Family,
    Review,
    ReviewReceipt,
    ReviewRequest,
    Verification,
    VerificationRequest,
    Weakness,
)
from gates.independence import independence, model_family

WRITERS_TURNS: tuple[TurnKind, ...] = ("debate", "note", "decision", "answer")


class WeaknessReply(Model):
    """One weakness as a reviewer states it."""

    dimension: Dimension
    severity: Literal["major", "minor"]
    text: str = Field(min_length=1)
    quote: str = ""
    missing: str = ""
    parts: tuple[str, ...] = ()


class ReviewReply(Model):
    """A filled-in review; `acceptance_probability` in [0,1], `form` on the venue's scale."""

    nonce: str
    summary: str = Field(min_length=1)
    strengths: tuple[str, ...] = ()
    weaknesses: tuple[WeaknessReply, ...] = ()
    questions: tuple[str, ...] = ()
    form: dict[str, float]
    acceptance_probability: float = Field(ge=0, le=1)


class VerificationReply(Model):
    """The answer to one demand."""

    nonce: str
    met: Literal["met", "not-met", "refuted"]
    why: str = Field(min_length=1)
    quote: str = ""


async def answer(desk: Desk, kit: Kit, request: ReviewRequest | VerificationRequest, *, reviewer: str,
                 path: str) -> Review | Verification:  # fmt: skip
    """Put a request to `reviewer` ("reviewer", "reviewer-2", …); `request.nonce` is `desk.token(path)`."""
    if isinstance(request, ReviewRequest):
        return await review(desk, kit, request, reviewer=reviewer, path=path)
    return await verification(desk, kit, request, reviewer=reviewer, path=path)


async def review(desk: Desk, kit: Kit, request: ReviewRequest, *, reviewer: str, path: str) -> Review:
    """A review of a paper.

    Raises:
        UnusableReply: the form was never filled in on its scale.
    """
    target, known = venue(request.venue)
    faults: tuple[str, ...] = ()
    for again in range(REASKS_A_STEP + 1):
        answered = await kit.ask_raw(
            desk, "paper-reviewer/review", ReviewReply, path=path if not again else f"{path}/again-{again}",
            role=reviewer, speaker=reviewer, turn="confirmation" if request.purpose == "confirmation" else "review",
            about=request.paper_path, role_name=request.role, target=target.name if known else request.venue,
            idea=foreign("idea", request.idea), criteria=own("criteria", request.criteria),
            comparable=foreign("comparable", "\n".join(request.comparable) or "none known"),
            paper=own("paper", request.paper, limit=400_000), nonce=request.nonce,
        )  # fmt: skip
        faults = form_faults(target, answered.value.form)
        if not faults:
            return _review(desk, request, answered, reviewer)
    raise UnusableReply(f"{reviewer} did not fill in the venue's form: {faults[0]}", faults)


def _review(desk: Desk, request: ReviewRequest, answered: Answer[ReviewReply], reviewer: str) -> Review:
    said, target = answered.value, venue(request.venue)[0]
    weaknesses = tuple(
        Weakness(
            id=f"{desk.position.label.replace(' ', '-')}-{reviewer}-{n}",
            dimension=w.dimension,
            severity=w.severity,
            text=w.text,
            quote=w.quote,
            missing=w.missing,
            parts=w.parts,
        )
        for n, w in enumerate(said.weaknesses, 1)
    )
    return Review(
        reviewer=reviewer,
        purpose=request.purpose,
        summary=said.summary,
        strengths=said.strengths,
        weaknesses=weaknesses,
        questions=said.questions,
        form=said.form,
        dimensions=dimensions_of(target, said.form),
        acceptance_probability=said.acceptance_probability,
        receipt=receipt(desk, request.paper_path, said.nonce, answered.call, answered.seq),
    )


async def verification(desk: Desk, kit: Kit, request: VerificationRequest, *, reviewer: str, path: str) -> Verification:
    """A verifier's answer on one atomic part."""
    answered = await kit.ask_raw(
        desk, "paper-reviewer/verify", VerificationReply, path=path, role=reviewer, speaker=reviewer,
        turn="verification", about=request.demand[:120], demand=own("demand", request.demand),
        place=own("place", str(request.span) if request.span else "no single place"),
        evidence=own("evidence", "\n".join(request.evidence) or "none recorded"),
        paper=own("paper", request.paper, limit=400_000), nonce=request.nonce,
    )  # fmt: skip
    said = answered.value
    return Verification(
        obligation=request.obligation,
        part=request.part,
        met=said.met,
        why=said.why,
        quote=said.quote,
        receipt=receipt(desk, request.paper_path, said.nonce, answered.call, answered.seq),
    )


def receipt(desk: Desk, artifact: str, nonce: str, call: CallReplied, seq: Seq) -> ReviewReceipt:
    """The receipt of an answer about the bytes at `artifact`; `nonce` is what the reply said, right or wrong."""
    run = desk.view.run
    author = author_family(desk)
    return ReviewReceipt(
        run=str(run.run) if run else "",
        position=desk.position,
        call=call.path,
        nonce=nonce,
        prompt_sha256=call.prompt_sha256,
        reply_sha256=call.body,
        artifacts={artifact: desk.tree.sha(artifact)},
        provider=call.asked_model.split("/", 1)[0] if "/" in call.asked_model else "",
        asked_model=call.asked_model,
        reported_model=call.reported_model,
        family=call.family,
        author_family=author,
        independence=independence(author, call.family),
        response_id=call.response_id,
        replied_at=call.at,
        seq=seq,
    )


def author_family(desk: Desk) -> Family:
    """Who wrote the paper: the executor's model, by the name its provider reported in this run, else as configured."""
    role = desk.settings.models.get("executor")
    if role is None:
        return Family(families=(), grade="unknown", why="no executor is configured")
    spoken = [t.model for t in desk.view.dialogue if t.turn in WRITERS_TURNS and not t.speaker.startswith("reviewer")]
    return model_family(role.model, reported=spoken[-1] if spoken else "", declared=role.family)


def criteria(desk: Desk) -> str:
    """The target venue's criteria and form, for a request."""
    return criteria_text(venue(desk.settings.venue)[0])
