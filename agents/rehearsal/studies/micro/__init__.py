"""Facts of the study *micro*: a robust mean, small enough to run a whole study in seconds.

Belongs here: what is asked, measured and compared. Not here: results. The code stands beside.
"""

from __future__ import annotations

from typing import Any

from agents.rehearsal.studies.study import Study, condition, hypothesis, tests_of
from cockpit.kernel.ids import ConditionId
from cockpit.kernel.plan import Comparison, Component, Condition, Dataset, Metric

ROBUST: dict[str, Any] = {"robust_scale": True, "robust_start": True, "tight": True, "flip": False}


def _robust(id: str, label: str, kind: Any, words: tuple[str, ...], **changed: Any) -> Condition:
    return condition(id, label, kind, words=words, **{**ROBUST, **changed})


HYPOTHESES = (
    hypothesis(
        "H1",
        "On contaminated samples, the clipped mean has a lower absolute error than the plain mean.",
        Comparison(left=ConditionId("clipped"), right=ConditionId("plain"), metric="error", relation="lower"),
        "the mean difference over seeds is above zero and its interval leaves zero out",
        primary=True,
    ),
    hypothesis(
        "H2",
        "On contaminated samples, the clipped mean needs fewer operations than the plain mean.",
        Comparison(left=ConditionId("clipped"), right=ConditionId("plain"), metric="operations", relation="lower"),
        "the plain mean needs fewer operations on average over seeds",
        primary=False,
    ),
)

STUDY = Study(
    id="micro",
    title="A clipped mean for small contaminated samples",
    domain="statistics",
    keywords=(
        "clipped mean",
        "robust mean",
        "outlier",
        "outliers",
        "contaminated",
        "contamination",
        "huber",
        "median",
        "location estimate",
        "trimmed mean",
        "winsorised",
        "robust statistics",
        "稳健",
        "离群",
        "异常值",
        "中位数",
        "污染",
    ),
    question="Does a clipped mean estimate the centre of small contaminated samples better than the plain mean, and"
    " which parts of it matter?",
    sub_questions=(
        "How much error does clipping save against the plain mean?",
        "Which of robust scale, median start and tight clipping carries the saving?",
        "What does it cost in operations?",
    ),
    queries=(
        "robust estimation of location",
        "outliers contaminated samples",
        "shrinkage estimation small sample",
    ),
    method="the clipped mean",
    setting="small Gaussian samples with a few gross outliers on one side",
    datasets=(
        Dataset(
            name="contaminated samples",
            source="synthetic",
            description="Gaussian observations of which a few are moved far to one side; drawn by the experiment's own"
            " code.",
            splits=("test",),
            rights="made by the experiment; no rights of others",
        ),
    ),
    metrics=(
        Metric(name="error", direction="lower", split="test", lower_bound=0),
        Metric(name="operations", direction="lower", unit="operations", split="test", lower_bound=0),
    ),
    efficiency=("operations",),
    conditions=(
        _robust("clipped", "Clipped mean", "main", ("clipped mean",)),
        condition(
            "plain",
            "Plain mean",
            "baseline",
            words=("plain mean",),
            entry="scripts/baselines.py",
            estimator="mean",
            against=ConditionId("clipped"),
        ),
        _robust(
            "no-scale",
            "No robust scale",
            "ablation",
            ("without robust scale",),
            robust_scale=False,
            component="robust scale",
            against=ConditionId("clipped"),
        ),
        _robust(
            "no-start",
            "No median start",
            "ablation",
            ("without median start",),
            robust_start=False,
            component="median start",
            against=ConditionId("clipped"),
        ),
        _robust(
            "loose",
            "Loose clipping",
            "ablation",
            ("without tight clipping",),
            tight=False,
            component="tight clipping",
            against=ConditionId("clipped"),
        ),
        _robust(
            "flipped",
            "Flipped signs",
            "control",
            ("flipped control", "flipped signs"),
            flip=True,
            against=ConditionId("clipped"),
        ),
    ),
    components=(
        Component(name="robust scale", ablation=ConditionId("no-scale")),
        Component(name="median start", ablation=ConditionId("no-start")),
        Component(name="tight clipping", ablation=ConditionId("loose")),
    ),
    hypotheses=HYPOTHESES,
    tests=tests_of(HYPOTHESES),
    positive_control=ConditionId("flipped"),
    limits=(
        "All data are synthetic, with one kind of contamination.",
        "Only the centre was estimated.",
    ),
    notes={
        "clipped": "residuals from the present centre are clipped at the scale, until the centre rests",
        "plain": "the arithmetic mean",
        "no-scale": "the standard deviation in place of the median absolute deviation",
        "no-start": "the arithmetic mean in place of the median as first centre",
        "loose": "residuals are clipped at three scales instead of one",
        "flipped": "observations with random signs; it must estimate worse",
    },
)
