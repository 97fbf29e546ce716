"""The 23 stages: numbers, names, folders, who does them, what they own, where a rejection goes.

Belongs here: the table of `run.md` and look-ups in it. Not here: what a stage does (agents), when
it is done (gates), what comes next (engine). Paths are relative to the run folder; a path that ends
in `/` owns all below it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from cockpit.kernel.ids import Part

AgentId = Literal[
    "orchestrator", "idea-analyst", "lit-searcher", "exp-planner", "exp-executor",
    "result-analyzer", "paper-writer", "data-verifier", "paper-reviewer",
]  # fmt: skip

IDEA, LITERATURE, PLAN = "01_idea_analysis", "02_literature_review", "03_experiment_plan"
EXECUTION, ANALYSIS, WRITING = "04_experiment_execution", "05_result_analysis", "06_paper_writing"
VERIFICATION, REVIEW, FINAL = "07_data_verification", "08_paper_review", "final"
PHASES = (IDEA, LITERATURE, PLAN, EXECUTION, ANALYSIS, WRITING, VERIFICATION, REVIEW)

IDEA_A, LIT_A, PLAN_A, EXEC_A = (f"{p}/artifacts" for p in (IDEA, LITERATURE, PLAN, EXECUTION))
ANA_A, WRITE_A, VER_A, REV_A = (f"{p}/artifacts" for p in (ANALYSIS, WRITING, VERIFICATION, REVIEW))
PAPER = (f"{WRITE_A}/sections/", f"{WRITE_A}/paper.tex", f"{WRITE_A}/paper_rendered.tex", f"{WRITE_A}/line_map.json",
         f"{WRITE_A}/references.bib", f"{WRITE_A}/paper.pdf", f"{WRITE_A}/figures/", f"{VER_A}/number_map.json",
         f"{VER_A}/fix_patch.json", f"{VER_A}/paper_fixed.tex", f"{VER_A}/claims.json")  # fmt: skip


@dataclass(frozen=True)
class Stage:
    """One row of the table. `inputs` and `owns` are path prefixes; `revises` are paths of a lower owner."""

    number: int
    name: str
    phase: str
    agent: AgentId
    inputs: tuple[str, ...]
    owns: tuple[str, ...]
    back: int
    revises: tuple[str, ...] = ()
    gate: bool = False
    parts: tuple[Part, ...] = ("whole",)

    @property
    def code(self) -> str:
        """The error code of this stage: `E12_EXPERIMENT_RUN`."""
        return f"E{self.number:02}_{self.name.upper()}"

    @property
    def report(self) -> str:
        """Where the stage's structured report is kept."""
        return f"{self.phase}/stages/s{self.number:02}.json"


def _report(number: int, phase: str) -> str:
    return f"{phase}/stages/s{number:02}.json"


S1, S2, S8 = _report(1, IDEA), _report(2, IDEA), _report(8, PLAN)

STAGES: tuple[Stage, ...] = (
    Stage(1, "topic_init", IDEA, "idea-analyst", ("idea.md",), (f"{IDEA_A}/goal.md", f"{IDEA_A}/hardware.json"), 1),
    Stage(2, "problem_decompose", IDEA, "idea-analyst", ("idea.md", f"{IDEA_A}/goal.md", S1),
          (f"{IDEA_A}/search_queries.json", f"{IDEA_A}/similar_papers.json", f"{IDEA_A}/problem_tree.md", "project_plan.md"), 1),
    Stage(3, "search_strategy", LITERATURE, "lit-searcher", (f"{IDEA_A}/goal.md", f"{IDEA_A}/problem_tree.md", S1, S2),
          (f"{LIT_A}/search_plan.yaml", f"{LIT_A}/queries.json", f"{LIT_A}/sources.json"), 2),
    Stage(4, "literature_collect", LITERATURE, "lit-searcher",
          (f"{LIT_A}/search_plan.yaml", f"{LIT_A}/queries.json", f"{LIT_A}/sources.json"),
          (f"{LIT_A}/search_log.jsonl", f"{LIT_A}/papers_raw.json"), 3),
    Stage(5, "literature_screen", LITERATURE, "lit-searcher", (f"{IDEA_A}/goal.md", S1, f"{LIT_A}/papers_raw.json"),
          (f"{LIT_A}/shortlist.jsonl", f"{LIT_A}/references.bib"), 4, gate=True),
    Stage(6, "knowledge_extract", LITERATURE, "lit-searcher",
          (f"{IDEA_A}/goal.md", f"{LIT_A}/papers_raw.json", f"{LIT_A}/shortlist.jsonl"), (f"{LIT_A}/cards/",), 5),
    Stage(7, "synthesis", LITERATURE, "lit-searcher", (f"{IDEA_A}/goal.md", f"{LIT_A}/cards/"), (f"{LIT_A}/synthesis.md",), 6),
    Stage(8, "hypothesis_gen", PLAN, "exp-planner",
          (f"{IDEA_A}/goal.md", f"{IDEA_A}/problem_tree.md", S1, f"{LIT_A}/synthesis.md", f"{LIT_A}/cards/"),
          (f"{PLAN_A}/hypotheses.json", f"{PLAN_A}/hypotheses.md", f"{PLAN_A}/ideas_ranked.md", f"{PLAN_A}/debate.jsonl",
           f"{PLAN_A}/novelty.json"), 7),
    Stage(9, "experiment_design", PLAN, "exp-planner", (f"{IDEA_A}/goal.md", S1, f"{PLAN_A}/hypotheses.json", S8),
          (f"{PLAN_A}/exp_plan.yaml", f"{PLAN_A}/baseline_analysis.json", f"{PLAN_A}/dataset_survey.json"), 8, gate=True),
    Stage(10, "code_generation", EXECUTION, "exp-executor", (f"{PLAN_A}/exp_plan.yaml",),
          (f"{EXEC_A}/scripts/", f"{EXEC_A}/requirements.txt", f"{EXEC_A}/spec.md"), 9),
    Stage(11, "resource_planning", EXECUTION, "exp-executor",
          (f"{PLAN_A}/exp_plan.yaml", f"{EXEC_A}/scripts/", f"{EXEC_A}/requirements.txt"), (f"{EXEC_A}/schedule.json",), 10),
    Stage(12, "experiment_run", EXECUTION, "exp-executor",
          (f"{PLAN_A}/exp_plan.yaml", f"{EXEC_A}/scripts/", f"{EXEC_A}/requirements.txt", f"{EXEC_A}/schedule.json"),
          (f"{EXEC_A}/raw_results/", f"{EXEC_A}/logs/", f"{EXEC_A}/checkpoints/", f"{EXEC_A}/current_results.json"), 10),
    Stage(13, "iterative_refine", EXECUTION, "exp-executor",
          (f"{PLAN_A}/exp_plan.yaml", f"{EXEC_A}/current_results.json"), (f"{EXEC_A}/refinement_log.json",), 10,
          revises=(f"{EXEC_A}/scripts/", f"{EXEC_A}/raw_results/", f"{EXEC_A}/logs/", f"{EXEC_A}/current_results.json")),
    Stage(14, "result_analysis", ANALYSIS, "result-analyzer",
          (f"{PLAN_A}/exp_plan.yaml", f"{PLAN_A}/hypotheses.json", f"{EXEC_A}/current_results.json", f"{EXEC_A}/refinement_log.json"),
          (f"{ANA_A}/analysis.md", f"{ANA_A}/statistical_tests.json", f"{ANA_A}/debate.jsonl", f"{ANA_A}/figures/", f"{ANA_A}/tables/"),
          13),
    Stage(15, "research_decision", ANALYSIS, "result-analyzer",
          (f"{ANA_A}/analysis.md", f"{ANA_A}/statistical_tests.json", f"{PLAN_A}/hypotheses.json"), (f"{ANA_A}/decision.json",), 14),
    Stage(16, "paper_outline", WRITING, "paper-writer",
          (f"{IDEA_A}/goal.md", f"{LIT_A}/synthesis.md", f"{LIT_A}/cards/", f"{PLAN_A}/exp_plan.yaml", f"{PLAN_A}/hypotheses.json",
           f"{EXEC_A}/current_results.json", f"{ANA_A}/"), (f"{WRITE_A}/outline.json",), 15),
    Stage(17, "paper_draft", WRITING, "paper-writer",
          (f"{WRITE_A}/outline.json", f"{LIT_A}/cards/", f"{LIT_A}/references.bib", f"{PLAN_A}/exp_plan.yaml", f"{PLAN_A}/hypotheses.json",
           f"{EXEC_A}/current_results.json", f"{ANA_A}/"), PAPER, 16, parts=("draft", "mended")),
    Stage(18, "peer_review", REVIEW, "paper-reviewer", ("idea.md", *PAPER[:5]),
          (f"{REV_A}/reviews/", f"{REV_A}/review_notes.md", f"{REV_A}/comparable_papers.json"), 17),
    Stage(19, "paper_revision", WRITING, "paper-writer", (f"{WRITE_A}/outline.json", *PAPER[:5], f"{REV_A}/reviews/"),
          (f"{WRITE_A}/changes.json",), 18, revises=PAPER, parts=("draft", "mended")),
    Stage(20, "quality_gate", REVIEW, "paper-reviewer", ("idea.md", *PAPER),
          (f"{REV_A}/confirmation/", f"{REV_A}/verification/", f"{REV_A}/revision_brief.md", f"{REV_A}/revision_brief.json",
           "ledger/gate.json"), 16, gate=True),
    Stage(21, "knowledge_archive", FINAL, "orchestrator", (*PAPER, f"{PLAN_A}/", f"{EXEC_A}/", f"{ANA_A}/", f"{REV_A}/"),
          (f"{FINAL}/archive.md", f"{FINAL}/evidence.json"), 20),
    Stage(22, "export_publish", FINAL, "paper-writer", (*PAPER, f"{EXEC_A}/", f"{ANA_A}/", f"{REV_A}/"),
          (f"{FINAL}/paper.tex", f"{FINAL}/paper.pdf", f"{FINAL}/references.bib", f"{FINAL}/figures/",
           f"{FINAL}/supplementary/", f"{FINAL}/experiment_data/", f"{FINAL}/code/", f"{FINAL}/review_report.md",
           f"{FINAL}/submission_checklist.md", f"{FINAL}/submission_recommendation.json", f"{FINAL}/PROVENANCE.json",
           f"{FINAL}/STATUS"), 21),
    Stage(23, "citation_verify", FINAL, "data-verifier", (f"{FINAL}/paper.tex", f"{FINAL}/references.bib"),
          (f"{FINAL}/verification_report.json",), 22),
)  # fmt: skip

BY_NUMBER = {stage.number: stage for stage in STAGES}
BY_NAME = {stage.name: stage for stage in STAGES}


def stage(key: int | str) -> Stage:
    """The stage of that number (`12`, `"12"`) or name (`"experiment_run"`).

    Raises:
        KeyError: no such stage.
    """
    text = str(key)
    if text.isdigit():
        return BY_NUMBER[int(text)]
    return BY_NAME[text]


def owns(owner: Stage, path: str) -> bool:
    """Is `path` an output that `owner` may write (as owner or named reviser), or its own report?"""
    mine = (*owner.owns, *owner.revises, owner.report)
    return any(path.startswith(p) if p.endswith("/") else path == p for p in mine)


def reads(reader: Stage, path: str) -> bool:
    """Is `path` among the declared inputs of `reader`?"""
    return any(path.startswith(p) if p.endswith("/") else path == p for p in reader.inputs)
