"""The documents of `final/` for people: review report, submission checklist, how to run the code.

Belongs here: their text, from the run's view. Not here: what is packed (`exporting.py`), judging.
"""

from __future__ import annotations

from agents.manuscript import Material
from agents.venues import venue
from cockpit.kernel.findings import Obligation
from cockpit.kernel.protocols import Desk
from cockpit.kernel.reviews import Review
from cockpit.kernel.view import RunView


def review_report(desk: Desk) -> str:
    """All reviews of all rounds, with who gave them and how independent they are, and what became of the objections."""
    view = desk.view
    lines = ["# Review report", "", *_rehearsal(desk)]
    for number in sorted({r.position.round for r in view.reviews}):
        lines += [f"## Round {number}", ""]
        for record in view.reviews:
            if record.position.round == number:
                lines += _review(record.review)
    lines += ["## What became of the objections", ""]
    lines += [_became(o) for o in view.ledger.obligations.values()] or ["No objection was raised."]
    if view.verifications:
        lines += ["", "## Verifications", ""]
        lines += [
            f"- Round {v.position.round}, {_title(view, v.verification.obligation)}, part {v.verification.part + 1}: "
            f"{v.verification.met}. {v.verification.why}"
            for v in view.verifications
        ]
    return "\n".join(lines).rstrip() + "\n"


def _rehearsal(desk: Desk) -> list[str]:
    if not desk.settings.rehearsal.on:
        return []
    return ["**REHEARSAL.** Reviews and scores here were given by rule-based models. They are nobody's judgement.", ""]


def _review(r: Review) -> list[str]:
    dims = ", ".join(f"{name} {value:.2f}" for name, value in sorted(r.dimensions.items()))
    lines = [f"### {r.reviewer}, {r.purpose}", "",
             f"Model {r.receipt.reported_model} ({r.receipt.family.grade}; {r.receipt.independence}). "
             f"Acceptance probability {r.acceptance_probability:.2f}; {dims}.", "", r.summary, ""]  # fmt: skip
    lines += [f"- Strength: {s}" for s in r.strengths]
    lines += [f"- {w.severity.capitalize()} weakness ({w.dimension}): {w.text}" for w in r.weaknesses]
    lines += [f"- Question: {q}" for q in r.questions]
    return [*lines, ""]


def _became(o: Obligation) -> str:
    how = {
        "open": "open" + (", vanished from later reports without being closed" if o.vanished else ""),
        "resolved": "resolved: "
        + "; ".join(f"{p.fix or 'closed'} by {p.closer}" for p in o.parts if p.state == "closed"),
        "waived": f"waived by {o.waived_by.user if o.waived_by else 'somebody'}: {o.waived_why}",
        "superseded": "superseded: it belongs to a line of work that was left",
    }[o.state]
    return f"- #{o.number} ({o.finding.severity}, {o.finding.pattern}) {o.finding.title} — {how}"


def _title(view: RunView, fingerprint: str) -> str:
    for o in view.ledger.obligations.values():
        if o.fingerprint == fingerprint:
            return f"#{o.number}"
    return fingerprint


def checklist(desk: Desk, material: Material, status: str, pdf: str) -> str:
    """What stands between this package and a submission, by name; nothing is ticked that no program saw."""
    view, target = desk.view, venue(desk.settings.venue)
    lines = ["# Submission checklist", "", *_rehearsal(desk), f"Status: **{status}**", "", f"Typesetting: {pdf}.", ""]
    lines += ["## The gate", ""]
    if view.verdict is None:
        lines.append("- The gate was not reached.")
    else:
        lines.append(f"- Outcome: {view.verdict.outcome}.")
        lines += [f"- {r.severity}: {r.text}" for r in view.verdict.reasons if r.severity != "pending"]
    lines += ["", "## What only a person can give", ""]
    pending = [r.text for r in view.verdict.pending] if view.verdict else []
    lines += [f"- [ ] {text}" for text in pending] or ["- Nothing is pending at this assurance."]
    all_ = list(view.ledger.obligations.values())
    lines += ["", "## Obligations that are not resolved", ""]
    lines += [f"- [ ] {_became(o)[2:]}" for o in all_ if o.state == "open"] or ["- None is open."]
    for state, heading in (("waived", "Waived"), ("superseded", "Superseded")):
        chosen = [f"- {_became(o)[2:]}" for o in all_ if o.state == state]
        lines += ["", f"## {heading}", "", *(chosen or ["- None."])]
    provisional = [f"- #{o.number}, part {n}: {p.text} ({p.closer})" for o in all_
                   for n, p in enumerate(o.parts, 1) if p.state == "provisionally-met"]  # fmt: skip
    lines += ["", "## Met only provisionally", "", *(provisional or ["- None."])]
    lines += ["", f"## Asked by {target[0].name if target[1] else desk.settings.venue}", ""]
    lines += [f"- [ ] {item}" for item in target[0].checklist]
    if not target[1]:
        lines.append("- [ ] The venue's own rules: no file describes this venue, a general form was used.")
    if material.unpublishable:
        lines += [
            "",
            f"The experiments could not be carried out ({material.unpublishable}); this is no paper to submit.",
        ]
    return "\n".join(lines) + "\n"


def code_readme(material: Material) -> str:
    """How each current result is made again by hand."""
    lines = [
        "# Running the experiments again",
        "",
        "In this folder, with Python 3.11 or later and the packages of `requirements.txt`:",
        "",
        "```sh",
    ]
    entries = {c.id: c.entry for c in material.plan.conditions}
    for result in material.current.results if material.current else ():
        out = f"out/{result.condition}/seed-{result.seed}"
        lines.append(f"mkdir -p {out} && COCKPIT_WORKSPACE={out} COCKPIT_SEED={result.seed} "
                     f"python {entries.get(result.condition, 'scripts/run.py')} "
                     f"--condition {result.condition} --seed {result.seed}")  # fmt: skip
    return (
        "\n".join(
            [*lines, "```", "", "Each writes `results.json` into its folder; compare with `../experiment_data/raw/`."]
        )
        + "\n"
    )
