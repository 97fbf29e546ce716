"""Experiments that a paper needs and does not have: a component it credits, without its ablation.

Belongs here: components of outline and plan against conditions, job receipts and rows of the paper's
tables. Not here: what a reviewer finds missing beyond that (verification reviews).
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from cockpit.kernel.findings import Finding, Severity, Span
from cockpit.kernel.plan import Component, Condition, ExperimentPlan
from cockpit.kernel.protocols import Tree
from cockpit.kernel.view import RunView
from gates.artifacts import OUTLINE, PLAN, RENDERED, outline_of, plan_of, text_of
from gates.fingerprints import normal_text, tokens
from gates.papertext import PaperText, plain

DESIGN, RUN, WRITING = 9, 12, 17


@dataclass(frozen=True)
class Lack:
    """What a component lacks, where it would be mended, and where that shows."""

    component: str
    owner: int
    what: str


def find(tree: Tree, view: RunView) -> tuple[Finding, ...]:
    """One finding a component without evidence; critical where a reviewer misses the same.

    Raises:
        ValueError: outline, plan or paper cannot be read.
    """
    named = missed_by_reviewers(view)
    outline = PaperText(OUTLINE, text_of(tree, OUTLINE).value or "")
    return tuple(_finding(lack, _credited(lack.component, outline), _agrees(lack.component, named))
                 for lack in lacks(tree, view))  # fmt: skip


def lacks(tree: Tree, view: RunView) -> tuple[Lack, ...]:
    """The components that the outline credits and what each lacks, in the outline's order."""
    outline, plan, paper = outline_of(tree), plan_of(tree), text_of(tree, RENDERED)
    if outline.value is None or plan.value is None or paper.value is None:
        raise ValueError(outline.problem or plan.problem or paper.problem)
    cells = PaperText(RENDERED, paper.value).cells()
    ran = finished(view)
    found = (_lack(component, plan.value, ran, cells) for component in outline.value.components)
    return tuple(lack for lack in found if lack is not None)


def answered(tree: Tree, view: RunView, finding: Finding) -> bool:
    """Is the experiment that a finding misses there now: planned, run, and a row of a table?

    What is missed is matched by words to components and to conditions of the plan; what matches neither cannot
    be confirmed by program.

    Raises:
        ValueError: outline, plan or paper cannot be read.
    """
    said = tokens(" ".join((finding.title, *finding.parts, *(s.text for s in finding.spans))))
    if any(_named(lack.component, said) for lack in lacks(tree, view)):
        return False
    plan, paper = plan_of(tree).value, text_of(tree, RENDERED).value
    assert plan is not None and paper is not None  # lacks() has read them
    cells, ran = PaperText(RENDERED, paper).cells(), finished(view)
    meant = [c for c in plan.conditions if any(_named(name, said) for name in (c.component, c.label, c.id))]
    return bool(meant) and all(c.id in ran and _has_row(c, cells) for c in meant)


def _named(name: str, said: frozenset[str]) -> bool:
    words = tokens(name)
    return bool(words) and words <= said


def _has_row(condition: Condition, cells: set[str]) -> bool:
    return bool(cells & {plain(name) for name in (condition.label, condition.id)})


def finished(view: RunView) -> frozenset[str]:
    """Conditions with at least one job that finished."""
    return frozenset(
        r.condition
        for r in view.receipts
        if r.condition and r.reason == "finished" and r.exit_code == 0 and r.kind in ("main", "ablation", "control")
    )


def ablation_of(component: Component, plan: ExperimentPlan) -> Condition | None:
    """The planned condition that removes `component`: named by it, or saying so itself."""
    by_id = plan.condition(component.ablation) if component.ablation else None
    if by_id is not None and by_id.kind == "ablation":
        return by_id
    name = normal_text(component.name)
    return next((c for c in plan.conditions if c.kind == "ablation" and normal_text(c.component) == name), None)


def missed_by_reviewers(view: RunView) -> tuple[str, ...]:
    """What the reviews of this round say is missing."""
    weaknesses = (w for r in view.reviews if r.position.round == view.round for w in r.review.weaknesses)
    return tuple(w.missing for w in weaknesses if w.missing)


def _lack(component: Component, plan: ExperimentPlan, ran: frozenset[str], cells: set[str]) -> Lack | None:
    condition = ablation_of(component, plan)
    if condition is None:
        return Lack(component.name, DESIGN, "no condition of the plan removes it")
    if condition.id not in ran:
        return Lack(component.name, RUN, f"no job of its condition {condition.id} has finished")
    if not _has_row(condition, cells):
        return Lack(component.name, WRITING, f"no table has a row {condition.label}")
    return None


def _agrees(component: str, named: tuple[str, ...]) -> bool:
    return any(_named(component, tokens(text)) for text in named)


def _credited(component: str, outline: PaperText) -> Span:
    """Where the outline lists the component."""
    name = json.dumps(component, ensure_ascii=False)
    listed = re.search(rf'"name":\s*{re.escape(name)}', outline.text)
    if listed is None:
        return Span(file=OUTLINE, text=component)
    return outline.span(listed.end() - len(name) + 1, listed.end() - 1, component)


def _finding(lack: Lack, at: Span, agreed: bool) -> Finding:
    severity: Severity = "critical" if agreed else "major"
    evidence = [f"{OUTLINE} credits {lack.component}", f"{PLAN}: {lack.what}"]
    if agreed:
        evidence.append("a reviewer of this round misses the same")
    return Finding(
        auditor="ablations",
        pattern="experiment-missing",
        severity=severity,
        title=f"{lack.component} is credited without an ablation: {lack.what}",
        spans=(at,),
        owner=lack.owner,
        parts=(f"ablation of {lack.component}",),
        evidence=tuple(evidence),
    )
