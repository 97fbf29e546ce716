"""Words for the studies *shrinkage* and *micro*. Rules as in `topics.py`."""

from __future__ import annotations

from agents.rehearsal.topic_facts import Themed, TopicFacts, Voice

SHRINKAGE = TopicFacts(
    domain="statistics",
    topic="Prediction by penalised linear regression when there are barely more rows than features.",
    in_scope=(
        "ridge regression whose penalty is chosen by cross-validation",
        "designs with ten correlated features and 20 or 40 rows",
        "which part of the recipe carries a gain in prediction",
    ),
    out_of_scope=("selection of features", "non-linear models", "inference for single coefficients"),
    outcome="Test RMSE of cross-validated ridge is lower than that of ordinary least squares at 20 rows, over the"
    " seeds of a block; the same comparison at 40 rows and each part's share by ablation.",
    keywords=("ridge regression", "shrinkage", "cross-validation", "penalty selection", "small samples"),
    terms=(
        "ridge",
        "shrink",
        "penal",
        "regulariz",
        "cross-validation",
        "least squares",
        "lasso",
        "linear regression",
        "prediction error",
        "tuning parameter",
        "small sample",
        "risk",
        "overfit",
    ),
    against=("ridge penalty zero or negative optimal", "cross-validation unreliable model selection small sample"),
    wide=(
        "regression",
        "cross-validation",
        "lasso",
        "interpolation overfitting",
        "degrees of freedom",
        "tuning parameter",
    ),
    themes=(
        Themed(
            "How a penalty is chosen",
            ("cross-validation", "tuning", "selection", "choice"),
            "the choice of the penalty is a source of error of its own, and it depends on how risk is estimated",
        ),
        Themed(
            "What ridge does to risk",
            ("ridge", "shrink", "tikhonov", "stein"),
            "shrinking trades bias for variance, and the trade depends on the spectrum of the design",
        ),
        Themed(
            "Sparse and high-dimensional estimators",
            ("lasso", "sparse", "sparsity", "high-dimensional", "dantzig"),
            "penalties make estimation possible where least squares is not defined",
        ),
        Themed(
            "Interpolation and overfitting",
            ("interpolat", "overfit", "double descent", "benign", "peaking"),
            "the error of least squares peaks where rows and features are nearly as many",
        ),
    ),
    gaps=(
        (
            "How much of the gain at barely more rows than features is due to choosing the penalty, rather than"
            " to having one,"
            " is not separated.",
            "an ablation with a fixed penalty beside the cross-validated one, at 20 rows",
        ),
        (
            "Whether the gain survives a doubling of the rows under the same recipe is left to theory.",
            "the same comparison at 20 and at 40 rows",
        ),
        (
            "What centring and standardising contribute is treated as housekeeping.",
            "ablations of centring and of standardising",
        ),
    ),
    innovator=Voice(
        "The gain of shrinkage near as many features as rows comes from choosing the penalty by the data, not"
        " from shrinking as"
        " such; so taking the choice away should cost most.",
        "A single comparison at one sample size cannot say where the gain comes from; it only repeats what is known.",
        "Granted: the plain comparison must come first, or nothing else can be read.",
        "Test the whole recipe first, then each of its parts.",
    ),
    pragmatist=Voice(
        "What these means can decide is the sign of a paired difference in RMSE: ridge against least squares,"
        " same data, same seeds.",
        "That the effect may vanish is no hypothesis until it says at how many rows and by which quantity.",
        "Granted: a second sample size costs little and guards against a lucky one.",
        "Two sample sizes, paired differences, a control that must fail.",
    ),
    contrarian=Voice(
        "With so few rows the folds are tiny, so the chosen penalty is mostly noise; least squares may be no worse, and"
        " stopping a descent early may shrink as well for less work.",
        "A gain over least squares says little if another way to shrink has it for less; that baseline must stay.",
        "Granted: if ridge beats least squares at both sizes, noise in the folds is no excuse.",
        "Keep early stopping as a baseline and count the iterations; it is the cheapest way to be wrong.",
    ),
    dropped=(
        ("Compare many penalties with the lasso among them", "a contest of methods, not a question about this one"),
    ),
    dispute="whether three seeds can show more than the sign of a difference",
    would_refute="ridge with a chosen penalty is no better than least squares at 20 rows on the confirmatory seeds",
    left_out=("the lasso and the elastic net: they answer another question (selection)",),
    not_used=(
        "public benchmark tables",
        "their noise and their true coefficients are unknown, so distance to the truth could not be measured",
    ),
    leakage="Penalty, means and scales are taken from training rows only; test rows are drawn after them and never"
    " seen by the choice.",
    hidden_by_a_win="A lower RMSE can hide coefficients that are far from the truth; the distance to the true"
    " coefficients shows it.",
    novelty=0.35,
)

MICRO = TopicFacts(
    domain="statistics",
    topic="Estimating the centre of small samples that hold a few gross outliers.",
    in_scope=("a clipped mean and its parts", "small samples with outliers on one side", "its cost in operations"),
    out_of_scope=("scale and shape", "many dimensions", "dependent observations"),
    outcome="Absolute error of the clipped mean is lower than that of the plain mean on contaminated samples,"
    " over the seeds of"
    " a block; operations as its price.",
    keywords=("robust estimation", "outliers", "location", "clipping", "small samples"),
    terms=(
        "robust",
        "outlier",
        "contaminat",
        "location",
        "median",
        "small sample",
        "estimat",
        "mean",
        "bias",
        "shrink",
        "variance",
    ),
    against=("mean sufficient small sample", "robust estimator loses efficiency"),
    wide=("estimation", "regression", "confidence", "sample", "variance", "selection"),
    themes=(
        Themed(
            "Estimation under few observations",
            ("small", "finite", "sample", "few"),
            "with few observations the choice of the estimator shows in the error",
        ),
        Themed(
            "Trading bias for variance",
            ("bias", "shrink", "penal", "regulariz", "robust"),
            "a little bias is a fair price for less variance",
        ),
        Themed(
            "Judging an estimator by resampling",
            ("cross-validation", "bootstrap", "resampl", "risk"),
            "the error of an estimator must itself be estimated, with error",
        ),
    ),
    gaps=(
        (
            "Which part of a clipped mean protects it when samples are small is not separated.",
            "ablations of scale, start and clipping",
        ),
        ("What the protection costs in operations is seldom counted.", "a count of operations beside the error"),
    ),
    innovator=Voice(
        "The start at the median does the work; the clipping merely keeps what the start has won.",
        "Comparing with the plain mean alone cannot show which part protects.",
        "Granted: the plain mean must be in the table first.",
        "Compare with the mean, then take the parts out.",
    ),
    pragmatist=Voice(
        "What can be decided in seconds is a paired difference in absolute error, and a count of operations.",
        "A claim about the start needs the error that is lost without it.",
        "Granted: the count belongs beside the error.",
        "Error and count, paired by seed.",
    ),
    contrarian=Voice(
        "With so few outliers the plain mean may do, and the clipped one pays in operations for nothing.",
        "A lower error at many times the cost is not yet a better estimator.",
        "Granted: if the error falls clearly, the cost is only a price.",
        "State the price as a hypothesis of its own.",
    ),
    dropped=(("Try every robust estimator there is", "a survey, not a question"),),
    dispute="whether the count of operations is a fair price",
    would_refute="the clipped mean has no lower error than the plain mean on the confirmatory seeds",
    left_out=("the plain median: it is the clipped mean's start and appears in an ablation",),
    not_used=("measured samples with outliers", "their true centre is unknown"),
    leakage="The true centre is used only to compute the error at the end.",
    hidden_by_a_win="A lower error can hide its price; the count of operations shows it.",
    novelty=0.3,
)
