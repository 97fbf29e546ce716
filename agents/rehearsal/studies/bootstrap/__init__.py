"""Facts of the study *bootstrap*: coverage of intervals for the mean of few skewed observations.

Belongs here: what is asked, measured and compared. Not here: results. The code stands beside.
"""

from __future__ import annotations

from typing import Any

from agents.rehearsal.studies.study import Study, condition, hypothesis, tests_of
from cockpit.kernel.ids import ConditionId
from cockpit.kernel.plan import Comparison, Component, Condition, Dataset, Metric

BASELINES = "scripts/baselines.py"
STUDENTISED: dict[str, Any] = {"size": 10, "studentise": True, "two_tails": True, "resamples": 99, "geometric": False}


def _studentised(id: str, label: str, kind: Any, words: tuple[str, ...], **changed: Any) -> Condition:
    return condition(id, label, kind, words=words, **{**STUDENTISED, **changed})


def _against(left: str, right: str, metric: str = "gap") -> Comparison:
    return Comparison(left=ConditionId(left), right=ConditionId(right), metric=metric, relation="lower")


HYPOTHESES = (
    hypothesis(
        "H1",
        "With 10 observations, the studentised bootstrap interval has a smaller coverage gap than the percentile"
        " interval.",
        _against("studentised-n10", "percentile-n10"),
        "the mean difference over seeds is above zero and its interval leaves zero out",
        primary=True,
    ),
    hypothesis(
        "H2",
        "With 20 observations, the studentised bootstrap interval still has a smaller coverage gap than the percentile"
        " interval.",
        _against("studentised-n20", "percentile-n20"),
        "the mean difference over seeds is above zero and its interval leaves zero out",
        primary=True,
    ),
    hypothesis(
        "H3",
        "With 10 observations, the studentised bootstrap interval is narrower than the percentile interval.",
        _against("studentised-n10", "percentile-n10", "width"),
        "the percentile interval has the smaller width on average over seeds",
        primary=False,
    ),
)

STUDY = Study(
    id="bootstrap",
    title="Coverage of studentised bootstrap intervals for few skewed observations",
    domain="statistics",
    keywords=(
        "bootstrap",
        "resampling",
        "confidence interval",
        "coverage",
        "percentile interval",
        "bca",
        "studentised",
        "studentized",
        "bootstrap-t",
        "jackknife",
        "skewed",
        "undercoverage",
        "自助法",
        "重抽样",
        "置信区间",
        "覆盖率",
        "百分位",
        "学生化",
        "刀切法",
    ),
    question="Which bootstrap interval for a mean keeps its promised coverage when observations are few and skewed, and"
    " which parts of the studentised recipe matter?",
    sub_questions=(
        "How far do percentile and studentised intervals fall short of the promised coverage at 10 observations?",
        "How much of the difference is left at 20 observations?",
        "Which of studentisation, separate tails and the number of resamples carries the difference?",
        "What does better coverage cost in width?",
    ),
    queries=(
        "bootstrap confidence intervals coverage small sample",
        "studentized bootstrap t interval",
        "percentile bootstrap accuracy",
        "jackknife resampling inference skewed",
    ),
    method="the studentised bootstrap interval",
    setting="means of lognormal samples, whose true mean is known",
    datasets=(
        Dataset(
            name="lognormal samples",
            source="synthetic",
            description="Independent lognormal observations with known mean, drawn anew for each interval by the"
            " experiment's own code.",
            splits=("test",),
            rights="made by the experiment; no rights of others",
        ),
    ),
    metrics=(
        Metric(name="gap", direction="lower", split="test", lower_bound=0, upper_bound=0.95),
        Metric(name="width", direction="lower", split="test", lower_bound=0),
        Metric(name="evaluations", direction="lower", unit="evaluations", split="test", lower_bound=0),
    ),
    efficiency=("evaluations",),
    conditions=(
        _studentised("studentised-n10", "Studentised, n=10", "main", ("studentised interval at 10 observations",)),
        condition(
            "percentile-n10",
            "Percentile, n=10",
            "baseline",
            words=("percentile interval at 10 observations",),
            entry=BASELINES,
            size=10,
            rule="percentile",
            against=ConditionId("studentised-n10"),
        ),
        condition(
            "t-n10",
            "Student t, n=10",
            "baseline",
            words=("t interval at 10 observations",),
            entry=BASELINES,
            size=10,
            rule="t",
            against=ConditionId("studentised-n10"),
        ),
        _studentised(
            "studentised-n20", "Studentised, n=20", "main", ("studentised interval at 20 observations",), size=20
        ),
        condition(
            "percentile-n20",
            "Percentile, n=20",
            "baseline",
            words=("percentile interval at 20 observations",),
            entry=BASELINES,
            size=20,
            rule="percentile",
            against=ConditionId("studentised-n20"),
        ),
        _studentised(
            "no-studentisation",
            "No studentisation",
            "ablation",
            ("without studentisation", "basic interval"),
            studentise=False,
            component="studentisation",
            against=ConditionId("studentised-n10"),
        ),
        _studentised(
            "no-tails",
            "No separate tails",
            "ablation",
            ("without separate tails", "one symmetric tail"),
            two_tails=False,
            component="separate tails",
            against=ConditionId("studentised-n10"),
        ),
        _studentised(
            "few-resamples",
            "Few resamples",
            "ablation",
            ("without many resamples", "few resamples"),
            resamples=19,
            component="many resamples",
            against=ConditionId("studentised-n10"),
        ),
        _studentised(
            "wrong-target",
            "Wrong target",
            "control",
            ("wrong-target control", "wrong target"),
            geometric=True,
            against=ConditionId("studentised-n10"),
        ),
    ),
    components=(
        Component(name="studentisation", ablation=ConditionId("no-studentisation")),
        Component(name="separate tails", ablation=ConditionId("no-tails")),
        Component(name="many resamples", ablation=ConditionId("few-resamples")),
    ),
    hypotheses=HYPOTHESES,
    tests=tests_of(HYPOTHESES),
    positive_control=ConditionId("wrong-target"),
    limits=(
        "All data are synthetic lognormal samples with one degree of skew.",
        "Only the mean was studied; other statistics may behave otherwise.",
        "Bias-corrected and accelerated intervals were not compared.",
    ),
    notes={
        "studentised-n10": "bootstrap-t on 10 observations, a quantile of the studentised mean for each tail",
        "percentile-n10": "quantiles of the bootstrap means of 10 observations",
        "t-n10": "the textbook t interval on 10 observations",
        "studentised-n20": "bootstrap-t on 20 observations",
        "percentile-n20": "quantiles of the bootstrap means of 20 observations",
        "no-studentisation": "the basic bootstrap on 10 observations: differences are not divided by a standard error",
        "no-tails": "bootstrap-t with one quantile of the absolute value for both tails",
        "few-resamples": "bootstrap-t with a small number of resamples",
        "wrong-target": "bootstrap-t for the geometric mean, which is not what is asked; it must cover less",
    },
)
