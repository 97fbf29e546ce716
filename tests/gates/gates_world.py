"""A small, whole, honest run for the gates to judge, and the ways to spoil it.

Belongs here: the builder `World`. Not here: tests.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

import yaml

from cockpit.kernel import events as e
from cockpit.kernel.findings import Finding, Span
from cockpit.kernel.fold import fold
from cockpit.kernel.ids import ConditionId, Instant, JobId, Part, Position, RunId, Seq, Sha256
from cockpit.kernel.levels import Assurance
from cockpit.kernel.model import pretty, sha256
from cockpit.kernel.papers import PaperRecord, ShortlistEntry
from cockpit.kernel.plan import (
    Claim,
    Comparison,
    Component,
    Condition,
    Dataset,
    ExperimentPlan,
    Hypothesis,
    Metric,
    Outline,
    SectionPlan,
    StatTest,
    TablePlan,
)
from cockpit.kernel.results import (
    CurrentResult,
    CurrentResults,
    JobReceipt,
    JobSpec,
    ResultFile,
    ResultRow,
    Usage,
)
from cockpit.kernel.reviews import Dimension, Family, Review, ReviewReceipt, Verification, Weakness
from cockpit.kernel.settings import Settings
from cockpit.kernel.tokens import token
from cockpit.kernel.view import RunView
from gates import artifacts as a
from gates.auditors import AUDITORS
from gates.judge import Gates
from gates.overlay import FinalTree
from tests.memory_tree import DictTree

AT = Instant("2026-11-30T18:00:00Z")
SECRET = "5ec2e7"
AUTHOR = Family(families=("rehearsal-a",), grade="rehearsal")
REVIEWER = Family(families=("rehearsal-b",), grade="rehearsal")
SEEDS = {"exploration": (1, 2, 3), "round-1": (11, 12, 13), "round-2": (21, 22, 23), "round-3": (31, 32, 33)}
LIT, PLAN_A, EXEC = "02_literature_review", "03_experiment_plan", "04_experiment_execution/artifacts"
VALUES = {"ridge": 0.41, "ols": 0.62, "no-penalty": 0.55, "no-centring": 0.47, "shuffled": 0.97}

SCRIPT = """\
import argparse, json, os, random

parser = argparse.ArgumentParser()
parser.add_argument("--condition")
parser.add_argument("--seed", type=int)
asked = parser.parse_args()
settings = json.load(open("conditions.json"))[asked.condition]
rng = random.Random(f"{asked.seed}/data")
value = rng.random() * (1 if settings["penalty"] == "cross-validated" else 2) + settings["centre"]
rows = [{"condition": asked.condition, "seed": asked.seed, "metric": "rmse", "value": value}]
json.dump({"contract": "cockpit.results/1", "rows": rows}, open("results.json", "w"))
"""

_PAPER = r"""\documentclass{article}
\begin{document}
\title{Ridge when rows are few}
\maketitle
\begin{abstract}
Ridge regression predicts better than least squares when rows are few.
\end{abstract}
\section{Introduction}
Shrinkage is old \cite{paper01,paper02}. % a comment with \cite{nobody}
\section{Experiments}
Table~\ref{tab:main} shows all conditions.
\begin{table}
\caption{Error on the test split.}
\label{tab:main}
\begin{tabular}{lr}
\toprule
Condition & RMSE \\
\midrule
@ROWS@\bottomrule
\end{tabular}
\end{table}
\section{Limitations}
All data are synthetic.
\section{Conclusion}
It holds here.
\bibliography{references}
\end{document}
"""


def the_plan() -> ExperimentPlan:
    def condition(id: str, label: str, kind: Any, component: str = "", **changed: Any) -> Condition:
        settings = {"penalty": "cross-validated", "centre": True, **changed}
        return Condition(
            id=ConditionId(id),
            label=label,
            kind=kind,
            parameters=settings,
            component=component,
            compares_to=None if id == "ridge" else ConditionId("ridge"),
        )

    comparison = Comparison(left=ConditionId("ridge"), right=ConditionId("ols"), metric="rmse", relation="lower")
    return ExperimentPlan(
        version=1,
        domain="statistics",
        question="Does ridge beat least squares?",
        datasets=(
            Dataset(name="synthetic", source="synthetic", description="made", splits=("train", "test"), rights="own"),
        ),
        metrics=(
            Metric(name="rmse", direction="lower", lower_bound=0),
            Metric(name="steps", direction="lower", unit="steps"),
        ),
        conditions=(
            condition("ridge", "Ridge", "main"),
            condition("ols", "OLS", "baseline", penalty="none"),
            condition("no-penalty", "No penalty selection", "ablation", "penalty selection", penalty="fixed"),
            condition("no-centring", "No centring", "ablation", "target centring", centre=False),
            condition("shuffled", "Shuffled targets", "control"),
        ),
        components=(
            Component(name="penalty selection", ablation=ConditionId("no-penalty")),
            Component(name="target centring", ablation=ConditionId("no-centring")),
        ),
        seed_blocks=SEEDS,
        tests=(
            StatTest(id="T1", hypothesis="H1", comparison=comparison),
            StatTest(id="T2", hypothesis="H2", comparison=comparison),
        ),
        positive_control=ConditionId("shuffled"),
        efficiency=("steps",),
    )


def value_of(condition: str, seed: int) -> float:
    """A made-up measurement: near the condition's level, different on each seed."""
    return VALUES[condition] + (seed % 10) * 0.0137 + len(condition) * 0.00011


def the_hypotheses() -> tuple[Hypothesis, ...]:
    plan = the_plan()
    return tuple(
        Hypothesis(
            id=t.hypothesis,
            statement="Ridge is better.",
            primary=t.id == "T1",
            prediction=t.comparison,
            refuted_if="the difference is not below zero",
        )
        for t in plan.tests
    )


def honest_paper(plan: ExperimentPlan, block: str = "round-1") -> str:
    """The paper, with a row of each condition and its mean over the block's seeds."""
    means = {c.label: fmean(value_of(c.id, seed) for seed in plan.seed_blocks[block]) for c in plan.conditions}
    rows = "".join(f"{label} & {mean:.3f} \\\\\n" for label, mean in means.items())
    return _PAPER.replace("@ROWS@", rows)


PAPER = honest_paper(the_plan())


@dataclass
class World:
    """Files and journal of a run that has done what its stages ask; tests change either and ask the gates."""

    effort: Any = "balanced"
    assurance: Assurance = "draft"
    cap: Assurance = "polished"
    grade: Family = REVIEWER
    files: dict[str, bytes] = field(default_factory=dict)
    view: RunView = field(default_factory=RunView)
    gates: Gates = field(default_factory=Gates)
    round: int = 1
    events: list[tuple[int, e.AnyEvent]] = field(default_factory=list)

    @property
    def tree(self) -> DictTree:
        return DictTree(self.files)

    def record(self, *events: e.AnyEvent) -> None:
        for event in events:
            seq = self.view.seq + 1
            self.view = fold(self.view, Seq(seq), event)
            self.events.append((seq, event))

    def put(self, path: str, content: Any) -> None:
        text = content if isinstance(content, (str, bytes)) else pretty(content)
        self.files[path] = text.encode() if isinstance(text, str) else text

    def at(self, stage: int, ordinal: int = 1) -> Position:
        return Position(round=self.round, stage=stage, ordinal=ordinal)

    def enter(self, stage: int, ordinal: int = 1) -> Position:
        position = self.at(stage, ordinal)
        self.record(e.StageEntered(at=AT, position=position, because="first", inputs={}, input_hash=Sha256("0")))
        return position

    # --- what the engine does -------------------------------------------------------------------

    def judge(
        self,
        stage: int,
        part: Part = "whole",
        findings: Sequence[Finding] = (),
        verifications: Sequence[Verification] = (),
        also: Sequence[str] = (),
    ) -> None:
        """Audit, intake, settle, as the engine does at the end of a stage part."""
        position = self.enter(stage)
        for v in verifications:
            self.record(e.VerificationReceived(at=AT, position=position, verification=v))
        audited = self.gates.audit(stage, part, self.tree, self.view)
        for path, text in audited.files.items():
            self.put(path, text)
        for run in audited.runs:
            self.record(e.AuditRan(at=AT, position=position, part=part, run=run))
        auditors = [r.auditor for r in audited.runs] + list(also)
        self.record(*self.gates.intake(self.view, position, AT, (*findings, *audited.findings), auditors))
        self.record(*self.gates.settle(self.view, position, AT, self.tree, verifications))
        self._evidence()

    def _evidence(self) -> None:
        for o in self.view.ledger.obligations.values():
            for proof in (x for p in o.parts for x in p.evidence):
                if proof.path in self.files and self.tree.sha(proof.path) == proof.sha256:
                    self.files[f"ledger/evidence/{proof.sha256}"] = self.files[proof.path]

    def review(
        self,
        name: str = "reviewer",
        *,
        probability: float = 0.6,
        stage: int = 20,
        family: Family | None = None,
        weaknesses: tuple[Weakness, ...] = (),
        **dimensions: float,
    ) -> Review:
        """A review of the present paper with a receipt that holds; recorded."""
        position = self.at(stage)
        purpose = "confirmation" if stage == 20 else "advice"
        levels: dict[Dimension, float] = {"soundness": 0.6, "significance": 0.6, "novelty": 0.6, "clarity": 0.6}
        review = Review(
            reviewer=name,
            purpose=purpose,
            summary="read",
            weaknesses=weaknesses,
            acceptance_probability=probability,
            dimensions={**levels, **dimensions},
            receipt=self.receipt(position, f"{purpose}/{name}", family),  # type: ignore[dict-item]
        )
        self.record(e.ReviewReceived(at=AT, position=position, review=review))
        return review

    def receipt(self, position: Position, call: str, family: Family | None = None) -> ReviewReceipt:
        reviewer = family or self.grade
        name = {
            "rehearsal-b": "rehearsal/b",
            "rehearsal-a": "rehearsal/a",
            "openai": "gpt-5",
            "anthropic": "claude-4",
            "google": "gemini-3",
            "qwen": "qwen3",
        }
        model = name.get((*reviewer.families, "?")[0], "mystery-model")
        author = AUTHOR if reviewer.grade == "rehearsal" else Family(families=("anthropic",), grade="reported")
        from gates.independence import independence

        return ReviewReceipt(
            run=str(self.view.run.run if self.view.run else ""),
            position=position,
            call=call,  # type: ignore[arg-type]
            nonce=token(SECRET, position, call),
            prompt_sha256=Sha256("1" * 64),
            reply_sha256=Sha256(sha256(call)),
            artifacts={a.RENDERED: self.tree.sha(a.RENDERED)},
            provider="x",
            asked_model=model,
            reported_model=model,
            family=reviewer,
            author_family=author,
            independence=independence(author, reviewer),
            response_id=call,
            replied_at=AT,
            seq=Seq(1),
        )

    def verification(
        self,
        number: int,
        part: int = 0,
        *,
        met: Any = "met",
        family: Family | None = None,
        quote: str = "",
        try_: int = 1,
    ) -> Verification:
        o = self.view.ledger.numbered(str(number))
        assert o is not None
        call = f"verify/{o.fingerprint}/{part}/{try_}"
        return Verification(
            obligation=o.fingerprint,
            part=part,
            met=met,
            why="looked",
            quote=quote,
            receipt=self.receipt(self.at(20), call, family),
        )

    # --- making the run -----------------------------------------------------------------------------

    def begin(self) -> World:
        settings = Settings(effort=self.effort, assurance=self.assurance)
        self.record(
            e.RunCreated(
                at=AT,
                run=RunId("run-1"),
                secret=SECRET,
                idea_sha256=Sha256("2" * 64),
                title="Ridge",
                settings=settings,
                assurance_cap=self.cap,
                sandbox="process",
                version="0",
            )
        )
        self.idea()
        self.literature()
        self.design(the_plan())
        self.experiment()
        self.writing()
        return self

    def report(self, stage: int, **fields: Any) -> None:
        from cockpit.kernel.stages import BY_NUMBER

        self.put(BY_NUMBER[stage].report, {"_meta": {}, **fields})

    def idea(self) -> None:
        self.put("01_idea_analysis/artifacts/goal.md", "goal")
        self.put("01_idea_analysis/artifacts/hardware.json", {"cpus": 2})
        for name in ("search_queries.json", "similar_papers.json"):
            self.put(f"01_idea_analysis/artifacts/{name}", ["ridge"])
        self.put("01_idea_analysis/artifacts/problem_tree.md", "tree")
        self.report(
            1,
            topic="ridge",
            in_scope=["x"],
            constraints=["y"],
            outcome="rmse lower",
            measures=["rmse"],
            domain="statistics",
            kind="empirical",
            ethics={"level": "none"},
            dual_use={"level": "none"},
            data_rights={"level": "none"},
        )
        self.report(
            2,
            searches=[{"query": "ridge"}],
            sources={"library": "ok"},
            novelty_score=0.4,
            papers_seen=3,
            sub_questions=[{"rank": n} for n in (1, 2, 3)],
            neighbours=[{"key": "paper01"}],
        )

    def literature(self, count: int = 25) -> None:
        folder = f"{LIT}/artifacts"
        papers = [
            PaperRecord(
                key=f"paper{n:02}",
                title=f"On shrinkage, part {n}",
                authors=("Ann Lee",),
                year=2000 + n,
                abstract=f"We shrink {n} times. It helps.",
            )
            for n in range(1, count + 1)
        ]
        self.put(a.PAPERS, [p.model_dump(mode="json") for p in papers])
        entries = [ShortlistEntry(key=p.key, relevance=0.7, quality=0.6, kept=True, reason="near") for p in papers]
        self.put(a.SHORTLIST, "\n".join(x.model_dump_json() for x in entries) + "\n")
        self.put(a.BIB, "\n".join(f"@article{{{p.key},\n title={{{p.title}}}}}" for p in papers))
        for p in papers:
            front = yaml.safe_dump(
                {"key": p.key, "title": p.title, "year": p.year, "claim": "it helps", "quotes": ["It helps."]}
            )
            self.put(f"{folder}/cards/{p.key}.md", f"---\n{front}---\nIt helps.\n")
        for name in ("search_plan.yaml", "queries.json", "sources.json", "search_log.jsonl", "synthesis.md"):
            self.put(f"{folder}/{name}", "{}")
        self.report(3, strategies=[{"id": "a"}, {"id": "b"}], sources={"library": "ok", "arxiv": "not-asked"})
        self.report(4, exhausted=True)
        self.report(5, kept=count, reason="all there are" if count < 20 else "")
        self.report(
            7,
            clusters=[{"id": "c"}],
            cards=count,
            gaps=[{"id": "g1", "cards": ["paper01"]}, {"id": "g2", "cards": ["paper02"]}],
        )

    def design(self, plan: ExperimentPlan) -> None:
        folder = f"{PLAN_A}/artifacts"
        self.put(a.HYPOTHESES, [h.model_dump(mode="json") for h in the_hypotheses()])
        for name in (
            "hypotheses.md",
            "ideas_ranked.md",
            "debate.jsonl",
            "novelty.json",
            "baseline_analysis.json",
            "dataset_survey.json",
        ):
            self.put(f"{folder}/{name}", "{}")
        self.put(a.PLAN, yaml.safe_dump(plan.model_dump(mode="json")))
        frozen = e.PlanFrozen(at=AT, position=self.at(9), version=plan.version, sha256=self.tree.sha(a.PLAN))
        self.record(frozen)

    @property
    def plan(self) -> ExperimentPlan:
        read = a.plan_of(self.tree)
        assert read.value is not None, read.problem
        return read.value

    def experiment(self, values: dict[tuple[str, int], float | None] | None = None) -> None:
        """Code, schedule, jobs with receipts, current results of this round's block."""
        self.put(f"{EXEC}/scripts/run.py", SCRIPT)
        self.put(f"{EXEC}/requirements.txt", "")
        self.put(f"{EXEC}/spec.md", "spec")
        self.put(f"{EXEC}/refinement_log.json", {"converged": True})
        plan, block = self.plan, f"round-{self.round}"
        pairs = [(c, s) for c in plan.conditions for s in plan.seed_blocks[block]]
        self.put(
            a.SCHEDULE,
            {
                "cut": [],
                "jobs": [
                    {"condition": c.id, "seed": s, "kind": "main", "order": n, "wall_s": 5, "memory_mb": 64}
                    for n, (c, s) in enumerate(pairs)
                ],
            },
        )
        found = [self.job(c, s, block, (values or {}).get((c.id, s), value_of(c.id, s))) for c, s in pairs]
        current = CurrentResults(plan_version=plan.version, block=block, results=tuple(found))
        self.put(a.CURRENT, current)
        folder = "05_result_analysis/artifacts"
        self.put(f"{folder}/analysis.md", "analysis")
        self.put(
            a.TESTS,
            {
                "hypotheses": {"H1": "supported", "H2": "supported"},
                "tests": [
                    {
                        "id": t.id,
                        "hypothesis": t.hypothesis,
                        "p": 0.01,
                        "effect_size": -0.2,
                        "interval": [-0.3, -0.1],
                        "n": 3,
                    }
                    for t in plan.tests
                ],
            },
        )
        self.put(a.DECISION, {"decision": "proceed", "evidence": ["T1"]})

    def job(self, c: Condition, seed: int, block: str, value: float | None) -> CurrentResult:
        rows = tuple(
            ResultRow(condition=c.id, seed=seed, metric=m, value=v)
            for m, v in (("rmse", value), ("steps", float(seed)))
        )
        kind = c.kind if c.kind in ("ablation", "control") else "main"
        path = f"{EXEC}/raw_results/{kind}/{c.id}/seed-{seed}.json"
        self.put(path, ResultFile(rows=rows))
        digest, name = self.tree.sha(path), JobId(f"{c.id}.seed-{seed}.r{self.round}")
        spec = JobSpec(id=name, kind=kind, condition=c.id, seed=seed, command=("python", "run.py"))  # type: ignore[arg-type]
        receipt = JobReceipt(
            job=name,
            kind=kind,
            condition=c.id,
            seed=seed,
            block=block,
            backend="process",  # type: ignore[arg-type]
            isolated=False,
            image="python",
            command=spec.command,
            outputs={"results.json": digest},
            reason="finished",
            exit_code=0,
            started_at=AT,
            ended_at=AT,
            usage=Usage(wall_s=1),
        )
        here = self.at(12)
        self.record(
            e.JobStarted(at=AT, position=here, job=spec, block=block, handle="h"),
            e.JobFinished(at=AT, position=here, job=name, receipt=receipt),
        )
        return CurrentResult(
            condition=c.id,
            kind=kind,
            seed=seed,
            block=block,
            condition_hash=Sha256("3" * 64),  # type: ignore[arg-type]
            file=path,
            sha256=digest,
            job=name,
        )

    def writing(self) -> None:
        outline = Outline(
            title="Ridge",
            claims=(Claim(id="C1", text="Ridge is better", keys=("rmse/ridge/test/mean",)),),
            sections=(SectionPlan(id="abstract", title="Abstract", points=("x",), claims=("C1",)),),
            tables=(TablePlan(id="main", caption="Error", rows=(ConditionId("ridge"),), columns=("rmse/test/mean",)),),
            components=self.plan.components,
        )
        self.put(a.OUTLINE, outline)
        self.paper(honest_paper(self.plan, f"round-{self.round}"))
        self.put("06_paper_writing/artifacts/line_map.json", [])
        self.put(a.PAPER_BIB, "".join(f"@article{{paper{n:02},\n title={{On shrinkage, part {n}}}}}\n" for n in (1, 2)))
        for name in ("number_map.json", "fix_patch.json"):
            self.put(f"07_data_verification/artifacts/{name}", {"numbers": []})

    def paper(self, text: str) -> None:
        self.put(a.SOURCE, text)
        self.put(a.RENDERED, text)

    def export(self) -> None:
        """`final/`, as far as the gates look at it."""
        paper = self.files[a.RENDERED].decode()
        made = "\\section*{How this paper was made}\nBy a test.\n"
        self.put(a.FINAL_PAPER, paper.replace("\\bibliography{", made + "\\bibliography{"))
        self.put(a.FINAL_BIB, self.files[a.PAPER_BIB])
        exported = FinalTree(self.tree)
        for path in (*self.tree.list(f"{EXEC}/raw_results/"), a.CURRENT, a.PLAN, a.HYPOTHESES):
            copy = exported.exported(path)
            assert copy
            self.put(copy, self.files[path])

    def advised(self, probability: float = 0.6, **dimensions: float) -> None:
        """18 and 19 as the effort asks: reviews, and answers to them."""
        folder = "08_paper_review/artifacts"
        for name in ("reviewer", "reviewer-2"):
            advice = self.review(name, stage=18, probability=probability, **dimensions)
            self.put(f"{folder}/reviews/{name}.json", advice)
        self.put(f"{folder}/review_notes.md", "notes")
        self.put(f"{folder}/comparable_papers.json", ["paper01"])
        self.put(a.CHANGES, [])

    def reviewed(self, probability: float = 0.6, **dimensions: float) -> list[Review]:
        """18 to 20: reviews, answers, confirmations."""
        self.advised(probability, **dimensions)
        return [self.review(n, probability=probability, **dimensions) for n in ("reviewer", "reviewer-2")]

    def audited(self) -> World:
        """All program audits of a round have run on the present bytes."""
        for stage, part in (
            (5, "whole"),
            (10, "whole"),
            (13, "whole"),
            (14, "whole"),
            (17, "draft"),
            (17, "mended"),
            (18, "whole"),
            (19, "draft"),
            (19, "mended"),
            (20, "whole"),
        ):
            self.judge(stage, part)  # type: ignore[arg-type]
        return self

    def decide(self, reviews: Sequence[Review]) -> Any:
        return self.gates.decide(self.tree, self.view, self.gates.score(self.view, reviews))

    def findings(self, program: str) -> tuple[Finding, ...]:
        audit = AUDITORS[program].run(self.tree, self.view)
        assert audit.verdict not in ("ERROR", "BLOCKED"), audit.reason
        return audit.findings


def accusation(
    pattern: str = "review-soundness",
    text: str = "It holds here",
    *,
    auditor: str = "review:reviewer",
    severity: Any = "major",
    owner: int = 17,
    parts: tuple[str, ...] = (),
    deterministic: bool = False,
    file: str = a.RENDERED,
    family: str = "rehearsal-b",
) -> Finding:
    """A finding as a reviewer makes it."""
    return Finding(
        auditor=auditor,
        pattern=pattern,
        severity=severity,
        title=f"about {text}",
        owner=owner,
        parts=parts,
        spans=(Span(file=file, text=text),),
        deterministic=deterministic,
        family=family,
    )


def as_json(value: Any) -> Any:
    return json.loads(pretty(value))
