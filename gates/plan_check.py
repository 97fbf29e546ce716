"""Does what was run and claimed follow the plan that was frozen?

Belongs here: the plan's hash, its version, and that the results that count come from the confirmatory
block of seeds. Not here: whether the plan is good (contract of 9, reviews).
"""

from __future__ import annotations

from collections.abc import Iterator

from cockpit.kernel.findings import Finding, Span
from cockpit.kernel.model import canonical, sha256
from cockpit.kernel.plan import ExperimentPlan
from cockpit.kernel.protocols import Tree
from cockpit.kernel.results import CurrentResults
from cockpit.kernel.view import RunView
from gates.artifacts import CURRENT, PLAN, current_of, plan_of

EXPLORATION = "exploration"
OWNER = 9


def find(tree: Tree, view: RunView) -> tuple[Finding, ...]:
    """Deviations from the frozen plan.

    Raises:
        ValueError: plan or `current_results.json` cannot be read.
    """
    plan, current = plan_of(tree), current_of(tree)
    if plan.value is None or current.value is None:
        raise ValueError(plan.problem or current.problem)
    return (*_frozen(tree, view, plan.value), *_followed(plan.value, current.value))


def is_frozen(tree: Tree, view: RunView, plan: ExperimentPlan) -> bool:
    """Is the plan on disk the one the journal froze (by the file's hash, or that of its content)?"""
    return bool(view.plan_sha256) and view.plan_sha256 in (tree.sha(PLAN), sha256(canonical(plan)))


def _frozen(tree: Tree, view: RunView, plan: ExperimentPlan) -> Iterator[Finding]:
    if not view.plan_sha256:
        yield _finding("no plan was frozen before the results", Span(file=PLAN, text="not frozen"))
    elif not is_frozen(tree, view, plan):
        title = f"the plan differs from version {view.plan_version} that was frozen"
        yield _finding(title, Span(file=PLAN, text=f"version {plan.version}"))


def _followed(plan: ExperimentPlan, current: CurrentResults) -> Iterator[Finding]:
    if current.plan_version != plan.version:
        title = f"the results are of plan version {current.plan_version}, in force is {plan.version}"
        yield _finding(title, Span(file=CURRENT, text=f"plan version {current.plan_version}"))
    seeds = plan.seed_blocks.get(current.block)
    if seeds is None or current.block == EXPLORATION:
        title = f"claims rest on block {current.block}, which is no confirmatory block of the plan"
        yield _finding(title, Span(file=CURRENT, text=f"block {current.block}"))
        return
    for result in current.results:
        if plan.condition(result.condition) is None:
            title = f"condition {result.condition} is not in the plan"
        elif result.block != current.block or result.seed not in seeds:
            title = f"{result.condition} with seed {result.seed} is outside block {current.block}"
        else:
            continue
        yield _finding(title, Span(file=result.file, text=f"{result.condition} seed {result.seed}"))


def _finding(title: str, span: Span) -> Finding:
    return Finding(
        auditor="plan", pattern="plan-deviation", severity="critical", title=title, spans=(span,), owner=OWNER
    )
