"""How the work was done, told by program: the paragraph reviewers read, and the section only readers see.

Belongs here: honest history from plan, results, tests and the run's view. Not here: anything a model
words. The paragraph in the experiments section holds no score; the section of `final/` holds them all.
"""

from __future__ import annotations

from collections.abc import Iterable

from agents.latex_text import counted, escape, listed, ordinal
from agents.manuscript import UNPUBLISHABLE, Material
from cockpit.kernel.plan import ConditionKind
from cockpit.kernel.results import CurrentResults
from cockpit.kernel.settings import Settings
from cockpit.kernel.view import RunView

HEADING = "How this paper was made"
_KINDS: tuple[tuple[ConditionKind, str], ...] = (
    ("main", "the method"), ("baseline", "baselines"), ("ablation", "ablations"), ("control", "the control"),
    ("efficiency", "cost")
)  # fmt: skip


def paragraph(material: Material, view: RunView) -> str:
    """LaTeX for the experiments section: variants tried, conditions run, hypotheses refuted; no score."""
    sentences = [
        "The conditions, metrics, seeds and tests were fixed in a plan before the runs that carry the claims.",
        *_run(material),
        *_variants(view),
        *_verdicts(material),
    ]
    return "\\paragraph{What was run.}\n" + "\n".join(sentences) + "\n"


def _run(material: Material) -> list[str]:
    current = material.current
    ran = {r.condition for r in current.results} if current else set()
    labels = [(kind, [escape(c.label) for c in material.plan.conditions if c.kind == kind and c.id in ran])
              for kind, _ in _KINDS]  # fmt: skip
    words = dict(_KINDS)
    parts = [f"{words[kind]} ({'; '.join(names)})" for kind, names in labels if names]
    sentences = [f"These conditions ran: {listed(parts)}."] if parts else ["No condition gave a result."]
    if material.seeds:
        sentences.append(f"Each ran with {counted(len(material.seeds), 'seed')}.")
    missing = [escape(c.label) for c in material.plan.conditions if c.id not in ran]
    if parts and missing:
        sentences.append(f"Planned but without a result: {'; '.join(missing)}.")
    return [*sentences, *_failed(current)]


def _failed(current: CurrentResults | None) -> list[str]:
    if current is None or not current.failed:
        return []
    return [
        f"In addition {counted(len(current.failed), 'job')} failed and {'is' if len(current.failed) == 1 else 'are'}"
        " not part of any table."
    ]


def _variants(view: RunView) -> list[str]:
    tried = [f"{counted(view.plan_version - 1, 'change')} to the plan" if view.plan_version > 1 else "",
             counted(view.pivots, "change of direction", "changes of direction") if view.pivots else "",
             counted(view.refines, "refinement") if view.refines else ""]  # fmt: skip
    named = listed(t for t in tried if t)
    if not named:
        return ["No variant beyond the plan was tried."]
    return [f"Before the results shown here there {'was' if named.startswith('one') else 'were'} {named}; "
            "confirmation used seeds that had not been looked at before."]  # fmt: skip


def _verdicts(material: Material) -> list[str]:
    verdicts = verdicts_of(material)
    sentences = []
    for word, text in (("refuted", "was refuted"), ("inconclusive", "could not be decided"),
                       ("supported", "was supported")):  # fmt: skip
        names = [ordinal(n) for n, h in enumerate(material.hypotheses) if verdicts.get(h.id) == word]
        if names:
            told = f"{listed(names)} {'hypothesis' if len(names) == 1 else 'hypotheses'}"
            sentences.append(f"The {told} {text if len(names) == 1 else text.replace('was', 'were', 1)}.")
    return sentences


def verdicts_of(material: Material) -> dict[str, str]:
    """Hypothesis → supported, refuted or inconclusive, as the analysis tested it."""
    stated = material.tests.get("hypotheses")
    return {str(k): str(v) for k, v in stated.items()} if isinstance(stated, dict) else {}


def head(kind: str) -> str:
    """The notice at the head of a paper whose experiments could not be carried out; empty otherwise."""
    if not kind:
        return ""
    why = UNPUBLISHABLE.get(kind, f"the experiments could not be carried out ({escape(kind)})")
    return (
        f"\\begin{{center}}\\fbox{{\\parbox{{0.9\\linewidth}}{{\\textbf{{Not a research result.}} This is a report on"
        f" work that could not be carried out: {why}. It supports no claim about the question.}}}}\\end{{center}}\n"
    )


def limitation(kind: str) -> str:
    """The paragraph for the limitations of such a paper."""
    why = UNPUBLISHABLE.get(kind, f"the experiments could not be carried out ({escape(kind)})")
    advice = {
        "no-metrics": "The experiment code has to be mended before anything can be said.",
        "dependency-missing": "The missing package has to be made available, or the method changed to do without it.",
        "dataset-unavailable": "The data have to be supplied, or the question asked of data that can be had.",
        "design-too-large": "The design has to be cut, or given more time and memory.",
    }.get(kind, "")
    return f"\\paragraph{{Experiments not carried out.}} The main limitation is that {why}. {advice}\n"


# --- the section of final/paper.tex --------------------------------------------------------------------------------


def section(material: Material, view: RunView, settings: Settings) -> str:
    """*How this paper was made*, in LaTeX: what reviewers never see."""
    parts = [
        f"\\section*{{{HEADING}}}\\label{{sec:made}}",
        *_rehearsed(settings),
        _ai_use(view, settings),
        *_rounds(view),
        *_scores(view),
        *_dead(material, view),
        f"\\paragraph{{Conditions.}} {' '.join(_run(material))}",
        *_people(view),
        *_open(view),
    ]
    return "\n\n".join(parts) + "\n"


def _rehearsed(settings: Settings) -> list[str]:
    if not settings.rehearsal.on:
        return []
    nearest = " The idea that was given fits none of the built-in studies; this is the nearest one."
    return [
        "\\textbf{REHEARSAL.} This paper was written by rule-based models for a built-in study, to try the machinery"
        " out. The experiments were really run and the numbers are theirs; the wording, the reviews and the scores"
        " are not the judgement of anybody, and the paper is not to be submitted anywhere."
        + ("" if settings.rehearsal.fits else nearest)
    ]


def _ai_use(view: RunView, settings: Settings) -> str:
    writers = _models(settings, "executor")
    families = {f"{r.review.receipt.reported_model} ({r.review.receipt.independence})" for r in view.reviews}
    reviewers = escape(listed(sorted(families))) if families else "nobody"
    return (f"\\paragraph{{Use of artificial intelligence.}} Search, planning, experiment code, analysis and text were"
            f" made by language models ({escape(writers)}). Reviews came from {reviewers}."
            " Numbers in tables and text were checked against the recorded results by a program, and the references"
            " were made from stored records.")  # fmt: skip


def _models(settings: Settings, role: str) -> str:
    model = settings.models.get(role)
    if model is not None:
        return model.model
    return "the rehearsal models" if settings.rehearsal.on else "not recorded"


def _rounds(view: RunView) -> list[str]:
    sentences = []
    for closed in view.rounds:
        left = f"{counted(closed.criticals, 'critical objection')} stood open" if closed.criticals else (
            "no critical objection stood open")  # fmt: skip
        onward = (f"The next round began at {_stage(closed.entry)}." if closed.entry is not None
                  else "Work then left the rounds.")  # fmt: skip
        sentences.append(f"\\item Round {closed.round}: score {_score(closed.score)}; {left}. {onward}")
    if not sentences:
        return ["\\paragraph{Rounds.} No round was finished."]
    body = "\n".join(sentences)
    pivots = counted(view.pivots, "change of direction", "changes of direction").capitalize()
    return [f"\\paragraph{{Rounds.}} There {'was' if len(sentences) == 1 else 'were'} "
            f"{counted(len(sentences), 'round')} of work and review.\n\\begin{{itemize}}\n{body}\n\\end{{itemize}}\n"
            f"{pivots} happened on the way."]  # fmt: skip


def _stage(number: int) -> str:
    from cockpit.kernel.stages import BY_NUMBER

    known = BY_NUMBER.get(number)
    return f"the stage {known.name.replace('_', ' ')}" if known else "an unknown stage"


def _score(score: float | None) -> str:
    return "none" if score is None else f"{score:.2f}"


def _scores(view: RunView) -> list[str]:
    lines = [f"\\item Round {r.position.round}, {escape(r.review.reviewer)}, {r.review.purpose}: "
             f"{r.review.acceptance_probability:.2f}." for r in view.reviews]  # fmt: skip
    if not lines:
        return []
    return ["\\paragraph{All scores.} Estimated probability of acceptance, by every reviewer that was asked:\n"
            "\\begin{itemize}\n" + "\n".join(lines) + "\n\\end{itemize}"]  # fmt: skip


def _dead(material: Material, view: RunView) -> list[str]:
    verdicts = verdicts_of(material)
    dead = [
        f"It was predicted, and refuted by the test fixed for it: ``{escape(h.statement.rstrip('.'))}''"
        for h in material.hypotheses
        if verdicts.get(h.id) == "refuted"
    ]
    left = [escape(w.reason.rstrip(".")) for w in view.ways_back if w.why == "pivot" and w.reason]
    sentences = [f"{d}." for d in dead] + [f"A line of work was left: {reason}." for reason in left]
    return [f"\\paragraph{{Dead hypotheses.}} {' '.join(sentences) or 'No hypothesis was refuted and none was left.'}"]


def _people(view: RunView) -> list[str]:
    told = [f"{escape(d.by.user)} {d.what.replace('-', ' ')}{_about(d.position)}"
            + (f" ({escape(d.reason.rstrip('.'))})" if d.reason else "") for d in view.decisions]  # fmt: skip
    told += [f"{escape(g.by.user)} advised: {escape(g.text.rstrip('.'))}" for g in view.guidance]
    waived = [o for o in view.ledger.obligations.values() if o.state == "waived" and o.waived_by]
    told += [f"{escape(o.waived_by.user)} waived ``{escape(o.finding.title)}'': {escape(o.waived_why)}"
             for o in waived if o.waived_by]  # fmt: skip
    return [f"\\paragraph{{Decisions by people.}} {'. '.join(told) or 'Nobody intervened'}."]


def _about(position: object) -> str:
    stage = getattr(position, "stage", None)
    return f" after {_stage(stage)}" if isinstance(stage, int) else ""


def _open(view: RunView) -> list[str]:
    still: Iterable[str] = (escape(o.finding.title.rstrip(".")) for o in view.ledger.open)
    lines = [f"\\item {title}." for title in still]
    if not lines:
        return []
    return ["\\paragraph{Objections left open.}\n\\begin{itemize}\n" + "\n".join(lines) + "\n\\end{itemize}"]
