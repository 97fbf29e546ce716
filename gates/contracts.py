"""When is a stage done? The table of contracts, and the sentences about what is lacking.

Belongs here: which checks a stage has, and the guarded call. Not here: the checks (`contracts_research.py`
for 1–9, `contracts_experiment.py` for 10–15, `contracts_paper.py` for 16–23).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from cockpit.kernel.protocols import Tree
from cockpit.kernel.stages import BY_NUMBER, Stage
from cockpit.kernel.view import RunView
from gates import contracts_experiment as experiment
from gates import contracts_paper as paper
from gates import contracts_research as research
from gates.artifacts import bytes_of, report_of

Check = Callable[[Tree, RunView], Iterable[str]]

# what must be there before anything else is asked; the rest of what a stage owns is made when there is cause
FILES: dict[int, tuple[str, ...]] = {
    1: ("goal.md", "hardware.json"),
    2: ("search_queries.json", "similar_papers.json", "problem_tree.md"),
    3: ("search_plan.yaml", "queries.json", "sources.json"),
    4: ("search_log.jsonl", "papers_raw.json"),
    5: ("shortlist.jsonl", "references.bib"),
    7: ("synthesis.md",),
    8: ("hypotheses.json", "hypotheses.md", "ideas_ranked.md", "debate.jsonl", "novelty.json"),
    9: ("exp_plan.yaml", "baseline_analysis.json", "dataset_survey.json"),
    10: ("requirements.txt", "spec.md"),
    11: ("schedule.json",),
    12: ("current_results.json",),
    13: ("refinement_log.json",),
    14: ("analysis.md", "statistical_tests.json"),
    15: ("decision.json",),
    16: ("outline.json",),
    17: ("paper.tex", "paper_rendered.tex", "references.bib", "line_map.json"),
    18: ("review_notes.md", "comparable_papers.json"),
    19: ("changes.json",),
    21: ("archive.md",),
    22: ("paper.tex", "references.bib", "review_report.md", "submission_checklist.md",
         "submission_recommendation.json", "PROVENANCE.json"),
    23: ("verification_report.json",),
}  # fmt: skip

# no package needed; no paper found (which stage 5 must say: `research.kept`)
MAY_BE_EMPTY = frozenset({"requirements.txt", "shortlist.jsonl", "references.bib"})

CHECKS: dict[int, tuple[Check, ...]] = {
    1: (research.topic,),
    2: (research.searched_first, research.sub_questions, research.novelty),
    3: (research.strategies, research.probed),
    4: (research.candidates,),
    5: (research.screened, research.kept),
    6: (research.cards,),
    7: (research.synthesis,),
    8: (research.hypotheses,),
    9: (research.plan_parts, research.plan_conditions, research.plan_seeds, research.plan_tests),
    10: (experiment.scripts, experiment.clean_code),
    11: (experiment.schedule,),
    12: (experiment.all_jobs,),
    13: (experiment.all_jobs, experiment.refined),
    14: (experiment.verdicts, experiment.tests),
    15: (experiment.decision,),
    16: (paper.outline,),
    17: (paper.draft, paper.verified),
    18: (paper.reviews,),
    19: (paper.changes, paper.draft, paper.verified),
    20: (paper.confirmed,),
    22: (paper.package,),
    23: (paper.looked_up,),
}


def unmet(number: int, tree: Tree, view: RunView) -> tuple[str, ...]:
    """What the contract of stage `number` still lacks, a sentence each; empty = it holds.

    A check that breaks on what it finds is itself a sentence: nothing holds by being unreadable.
    """
    stage = BY_NUMBER.get(number)
    if stage is None:
        return (f"there is no stage {number}",)
    lacking = list(_files(stage, tree))
    for check in () if lacking else CHECKS.get(number, ()):
        try:
            lacking += check(tree, view)
        except Exception as error:  # noqa: BLE001 — a broken check must not let a stage pass, nor stop the run
            lacking.append(f"stage {number}: {check.__name__} could not be checked ({type(error).__name__}: {error})")
    return tuple(dict.fromkeys(lacking))


def _files(stage: Stage, tree: Tree) -> Iterable[str]:
    for name in FILES.get(stage.number, ()):
        path = next((p for p in stage.owns + stage.revises if p.endswith("/" + name)), name)
        data = bytes_of(tree, path)
        if data.value is None:
            yield data.problem
        elif not data.value.strip() and name not in MAY_BE_EMPTY:
            yield f"{path} is empty"


def report(number: int, tree: Tree) -> dict[str, object]:
    """The stage's structured report; empty when it cannot be read."""
    return dict(report_of(tree, BY_NUMBER[number].report).value or {})
