"""Facts of the study *shrinkage*: ridge regression when there are few rows.

Belongs here: what is asked, measured and compared. Not here: results. The code stands beside.
"""

from __future__ import annotations

from typing import Any

from agents.rehearsal.studies.study import Study, condition, hypothesis, tests_of
from cockpit.kernel.ids import ConditionId
from cockpit.kernel.plan import Comparison, Component, Condition, Dataset, Metric

BASELINES = "scripts/baselines.py"
RIDGE: dict[str, Any] = {
    "rows": 20,
    "penalty": "cross-validated",
    "standardise": True,
    "centre": True,
    "shuffle": False,
}


def _ridge(id: str, label: str, kind: Any, words: tuple[str, ...], **changed: Any) -> Condition:
    return condition(id, label, kind, words=words, **{**RIDGE, **changed})


def _against(left: str, right: str, metric: str = "rmse") -> Comparison:
    return Comparison(left=ConditionId(left), right=ConditionId(right), metric=metric, relation="lower")


HYPOTHESES = (
    hypothesis(
        "H1",
        "With 20 rows, ridge regression with a cross-validated penalty predicts with a lower RMSE than ordinary least"
        " squares.",
        _against("ridge-n20", "ols-n20"),
        "the mean difference over seeds is above zero and its interval leaves zero out",
        primary=True,
    ),
    hypothesis(
        "H2",
        "With 40 rows, ridge regression still predicts with a lower RMSE than ordinary least squares.",
        _against("ridge-n40", "ols-n40"),
        "the mean difference over seeds is above zero and its interval leaves zero out",
        primary=True,
    ),
    hypothesis(
        "H3",
        "With 20 rows, the cross-validated ridge needs fewer solver iterations than gradient descent with early"
        " stopping.",
        _against("ridge-n20", "stopping-n20", "iterations"),
        "early stopping needs fewer iterations on average over seeds",
        primary=False,
    ),
)

STUDY = Study(
    id="shrinkage",
    title="Ridge regression with a cross-validated penalty when rows are few",
    domain="statistics",
    keywords=(
        "ridge",
        "shrinkage",
        "penalty",
        "regularisation",
        "regularization",
        "least squares",
        "ols",
        "lasso",
        "cross-validation",
        "cross-validated",
        "linear regression",
        "multicollinearity",
        "small sample",
        "few rows",
        "岭回归",
        "收缩",
        "正则化",
        "最小二乘",
        "交叉验证",
        "线性回归",
        "惩罚",
        "小样本",
    ),
    question="Does a ridge penalty chosen by cross-validation beat ordinary least squares when there are barely more"
    " rows than features, and which parts of the recipe matter?",
    sub_questions=(
        "How much error does a cross-validated ridge penalty save against ordinary least squares at 20 rows?",
        "How much of that saving is left at 40 rows?",
        "Which of penalty selection, standardisation and target centring carries the saving?",
        "What does the search for a penalty cost in solver iterations?",
    ),
    queries=(
        "ridge regression cross-validation penalty",
        "shrinkage estimation linear regression small sample",
        "high-dimensional ridge regression prediction error",
        "bias variance regularization least squares",
    ),
    method="ridge regression with a cross-validated penalty",
    setting="Gaussian linear models with ten correlated features on unequal scales and a large intercept",
    datasets=(
        Dataset(
            name="correlated Gaussian designs",
            source="synthetic",
            description="Ten features with correlation between neighbours and unequal scales, linear targets with an"
            " intercept and Gaussian noise; drawn anew for each data set by the experiment's own code.",
            splits=("train", "test"),
            rights="made by the experiment; no rights of others",
        ),
    ),
    metrics=(
        Metric(name="rmse", direction="lower", split="test", lower_bound=0),
        Metric(name="distance", direction="lower", split="test", lower_bound=0),
        Metric(name="iterations", direction="lower", unit="iterations", split="test", lower_bound=0),
    ),
    efficiency=("iterations",),
    conditions=(
        _ridge("ridge-n20", "Ridge, n=20", "main", ("ridge at 20 rows", "ridge with 20 rows")),
        condition(
            "ols-n20",
            "OLS, n=20",
            "baseline",
            words=("ordinary least squares at 20 rows", "OLS at 20 rows"),
            entry=BASELINES,
            rows=20,
            solver="exact",
            against=ConditionId("ridge-n20"),
        ),
        condition(
            "stopping-n20",
            "Early stopping, n=20",
            "baseline",
            words=("early stopping", "gradient descent with early stopping"),
            entry=BASELINES,
            rows=20,
            solver="descent",
            against=ConditionId("ridge-n20"),
        ),
        _ridge("ridge-n40", "Ridge, n=40", "main", ("ridge at 40 rows", "ridge with 40 rows"), rows=40),
        condition(
            "ols-n40",
            "OLS, n=40",
            "baseline",
            words=("ordinary least squares at 40 rows", "OLS at 40 rows"),
            entry=BASELINES,
            rows=40,
            solver="exact",
            against=ConditionId("ridge-n40"),
        ),
        _ridge(
            "no-selection",
            "No penalty selection",
            "ablation",
            ("without penalty selection", "fixed penalty"),
            penalty="fixed",
            component="penalty selection",
            against=ConditionId("ridge-n20"),
        ),
        _ridge(
            "no-standardisation",
            "No standardisation",
            "ablation",
            ("without standardisation", "raw features"),
            standardise=False,
            component="standardisation",
            against=ConditionId("ridge-n20"),
        ),
        _ridge(
            "no-centring",
            "No centring",
            "ablation",
            ("without target centring", "without centring"),
            centre=False,
            component="target centring",
            against=ConditionId("ridge-n20"),
        ),
        _ridge(
            "shuffled",
            "Shuffled targets",
            "control",
            ("shuffled control", "shuffled targets"),
            shuffle=True,
            against=ConditionId("ridge-n20"),
        ),
    ),
    components=(
        Component(name="penalty selection", ablation=ConditionId("no-selection")),
        Component(name="standardisation", ablation=ConditionId("no-standardisation")),
        Component(name="target centring", ablation=ConditionId("no-centring")),
    ),
    hypotheses=HYPOTHESES,
    tests=tests_of(HYPOTHESES),
    positive_control=ConditionId("shuffled"),
    limits=(
        "All data are synthetic: Gaussian features, linear targets, Gaussian noise.",
        "One correlation structure, one noise level and one grid of penalties were tried.",
        "Other estimators that shrink, such as the lasso, were not compared.",
    ),
    notes={
        "ridge-n20": "ridge on 20 rows; penalty by five-fold cross-validation, features standardised, targets centred",
        "ols-n20": "ordinary least squares with an intercept on 20 rows",
        "stopping-n20": "gradient descent on half of the 20 rows, stopped when the other half gets no better",
        "ridge-n40": "the same ridge on 40 rows",
        "ols-n40": "ordinary least squares with an intercept on 40 rows",
        "no-selection": "ridge on 20 rows with one fixed penalty instead of cross-validation",
        "no-standardisation": "ridge on 20 rows with features left on their own scales",
        "no-centring": "ridge on 20 rows without an intercept: targets are not centred",
        "shuffled": "ridge on 20 rows whose training targets were shuffled; it must predict worse",
    },
)
