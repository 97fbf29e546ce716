"""Facts of the study *schedules*: learning-rate schedules under heavy-tailed gradient noise.

Belongs here: what is asked, measured and compared. Not here: results. The code stands beside.
"""

from __future__ import annotations

from typing import Any

from agents.rehearsal.studies.study import Study, condition, hypothesis, tests_of
from cockpit.kernel.ids import ConditionId
from cockpit.kernel.plan import Comparison, Component, Condition, Dataset, Metric

BASELINES = "scripts/baselines.py"
COSINE: dict[str, Any] = {"steps": 300, "decay": True, "average": True, "clip": True, "shuffle": False}


def _cosine(id: str, label: str, kind: Any, words: tuple[str, ...], **changed: Any) -> Condition:
    return condition(id, label, kind, words=words, **{**COSINE, **changed})


def _against(left: str, right: str) -> Comparison:
    return Comparison(left=ConditionId(left), right=ConditionId(right), metric="loss", relation="lower")


HYPOTHESES = (
    hypothesis(
        "H1",
        "After 300 steps, the cosine recipe reaches a lower excess loss than a constant rate.",
        _against("cosine-t300", "constant-t300"),
        "the mean difference over seeds is above zero and its interval leaves zero out",
        primary=True,
    ),
    hypothesis(
        "H2",
        "After 100 steps, the cosine recipe still reaches a lower excess loss than a constant rate.",
        _against("cosine-t100", "constant-t100"),
        "the mean difference over seeds is above zero and its interval leaves zero out",
        primary=True,
    ),
    hypothesis(
        "H3",
        "After 300 steps, a long warm-up before a constant rate reaches a lower excess loss than the cosine recipe.",
        _against("warmup-t300", "cosine-t300"),
        "the cosine recipe has the lower excess loss on average over seeds",
        primary=False,
    ),
)

STUDY = Study(
    id="schedules",
    title="Cosine decay, clipping and averaging under heavy-tailed gradient noise",
    domain="machine learning",
    keywords=(
        "learning rate",
        "learning-rate",
        "schedule",
        "schedules",
        "cosine",
        "warm-up",
        "warmup",
        "annealing",
        "step size",
        "step-size",
        "sgd",
        "stochastic gradient",
        "decay",
        "optimiser",
        "optimizer",
        "warm restarts",
        "学习率",
        "调度",
        "余弦",
        "预热",
        "退火",
        "步长",
        "随机梯度",
        "优化器",
    ),
    question="Does cosine decay with clipping and iterate averaging beat a constant rate on a noisy linear problem, and"
    " which parts of the recipe matter?",
    sub_questions=(
        "How much excess loss does the cosine recipe save against a constant rate after 300 steps?",
        "How much of that saving is there after 100 steps?",
        "Which of cosine decay, iterate averaging and gradient clipping carries the saving?",
        "Does a long warm-up alone give the same?",
    ),
    queries=(
        "learning rate schedule cosine annealing",
        "stochastic gradient descent step size decay",
        "warm-up learning rate training",
        "averaging stochastic gradient heavy-tailed noise",
    ),
    method="cosine decay with gradient clipping and iterate averaging",
    setting="streaming linear regression with eight features of unequal variance and heavy-tailed noise",
    datasets=(
        Dataset(
            name="heavy-tailed streams",
            source="synthetic",
            description="Eight Gaussian features of decaying variance, linear targets with noise that has rare large"
            " values; a fresh row for each step, drawn by the experiment's own code.",
            splits=("test",),
            rights="made by the experiment; no rights of others",
        ),
    ),
    metrics=(
        Metric(name="loss", direction="lower", split="test", lower_bound=0),
        Metric(name="distance", direction="lower", split="test", lower_bound=0),
        Metric(name="updates", direction="lower", unit="updates", split="test", lower_bound=0),
    ),
    efficiency=("updates",),
    conditions=(
        _cosine("cosine-t300", "Cosine, T=300", "main", ("cosine recipe after 300 steps", "cosine at 300 steps")),
        condition(
            "constant-t300",
            "Constant, T=300",
            "baseline",
            words=("constant rate after 300 steps",),
            entry=BASELINES,
            steps=300,
            shape="constant",
            against=ConditionId("cosine-t300"),
        ),
        condition(
            "warmup-t300",
            "Warm-up, T=300",
            "baseline",
            words=("warm-up after 300 steps", "long warm-up"),
            entry=BASELINES,
            steps=300,
            shape="warmup",
            against=ConditionId("cosine-t300"),
        ),
        _cosine(
            "cosine-t100", "Cosine, T=100", "main", ("cosine recipe after 100 steps", "cosine at 100 steps"), steps=100
        ),
        condition(
            "constant-t100",
            "Constant, T=100",
            "baseline",
            words=("constant rate after 100 steps",),
            entry=BASELINES,
            steps=100,
            shape="constant",
            against=ConditionId("cosine-t100"),
        ),
        _cosine(
            "no-decay",
            "No cosine decay",
            "ablation",
            ("without cosine decay", "without decay"),
            decay=False,
            component="cosine decay",
            against=ConditionId("cosine-t300"),
        ),
        _cosine(
            "no-averaging",
            "No iterate averaging",
            "ablation",
            ("without iterate averaging", "last iterate"),
            average=False,
            component="iterate averaging",
            against=ConditionId("cosine-t300"),
        ),
        _cosine(
            "no-clipping",
            "No gradient clipping",
            "ablation",
            ("without gradient clipping", "unclipped"),
            clip=False,
            component="gradient clipping",
            against=ConditionId("cosine-t300"),
        ),
        _cosine(
            "shuffled",
            "Shuffled targets",
            "control",
            ("shuffled control", "shuffled targets"),
            shuffle=True,
            against=ConditionId("cosine-t300"),
        ),
    ),
    components=(
        Component(name="cosine decay", ablation=ConditionId("no-decay")),
        Component(name="iterate averaging", ablation=ConditionId("no-averaging")),
        Component(name="gradient clipping", ablation=ConditionId("no-clipping")),
    ),
    hypotheses=HYPOTHESES,
    tests=tests_of(HYPOTHESES),
    positive_control=ConditionId("shuffled"),
    limits=(
        "The problem is convex, linear and synthetic; deep networks may behave otherwise.",
        "One peak rate was used for all schedules; it was not tuned for each.",
        "Adaptive optimisers were not compared.",
    ),
    notes={
        "cosine-t300": "cosine decay over 300 steps, residuals clipped, running mean of the iterates",
        "constant-t300": "a constant rate for 300 steps",
        "warmup-t300": "a rate that grows over half of the 300 steps and then stays",
        "cosine-t100": "the same recipe over 100 steps",
        "constant-t100": "a constant rate for 100 steps",
        "no-decay": "the recipe at a constant rate",
        "no-averaging": "the recipe without averaging: the last iterate counts",
        "no-clipping": "the recipe with residuals as they come",
        "shuffled": "the recipe with half of the targets taken from other rows; it must end with a higher loss",
    },
)
