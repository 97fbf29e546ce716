"""Words for the studies *bootstrap* and *schedules*. Rules as in `topics.py`."""

from __future__ import annotations

from agents.rehearsal.topic_facts import Themed, TopicFacts, Voice

BOOTSTRAP = TopicFacts(
    domain="statistics",
    topic="Coverage of bootstrap intervals for the mean of few, skewed observations.",
    in_scope=(
        "percentile and studentised bootstrap intervals for a mean",
        "samples of 10 and 20 skewed observations",
        "which part of the studentised recipe carries its coverage",
    ),
    out_of_scope=("dependent observations", "parameters other than the mean", "prediction intervals"),
    outcome="The absolute gap between actual and promised coverage is smaller for studentised than for"
    " percentile intervals"
    " at 10 observations, over the seeds of a block; interval width as its price.",
    keywords=("bootstrap", "confidence interval", "coverage", "studentised", "small samples"),
    terms=(
        "bootstrap",
        "interval",
        "coverage",
        "resampl",
        "jackknife",
        "conformal",
        "small sample",
        "percentile",
        "student",
        "confidence",
        "skew",
    ),
    against=("bootstrap fails small samples", "simple intervals sufficient coverage comparison"),
    wide=("bootstrap", "confidence", "conformal prediction", "jackknife", "resampling regression", "coverage"),
    themes=(
        Themed(
            "Bootstrap intervals and their accuracy",
            ("percentile", "bootstrap-t", "studentiz", "iterated", "double", "calibrat"),
            "corrections of higher order repair coverage at a price in computation or width",
        ),
        Themed(
            "Resampling when there are many dimensions",
            ("high-dimension", "high dimension", "regression", "random matri"),
            "resampling can fail quietly when the dimension is not small against the sample",
        ),
        Themed(
            "Conformal and jackknife predictions",
            ("conformal", "jackknife", "prediction"),
            "guarantees without a model exist for predictions, not for parameters",
        ),
        Themed(
            "Few observations in practice",
            ("small", "comparative", "teach", "caution"),
            "intervals are too short when observations are few",
        ),
    ),
    gaps=(
        (
            "Which part of the studentised recipe repairs coverage at about ten skewed observations is not separated.",
            "ablations of studentisation, separate tails and the number of resamples",
        ),
        (
            "How fast the difference between interval kinds closes as the sample doubles is rarely measured"
            " with its price in"
            " width.",
            "coverage gap and width at 10 and at 20 observations",
        ),
    ),
    innovator=Voice(
        "It is the separate treatment of the two tails that saves coverage under skew; studentising alone is"
        " half of the recipe.",
        "Comparing two finished methods cannot tell which of their parts matters.",
        "Granted: without the plain comparison the parts have nothing to add up to.",
        "Compare the recipes, then take the studentised one apart.",
    ),
    pragmatist=Voice(
        "What can be decided here is a gap in coverage: many intervals a seed, same samples for both kinds, two"
        " sample sizes.",
        "A claim about tails needs a number that can be counted; say which coverage would be lost.",
        "Granted: width must be reported beside coverage, or a wide interval wins for nothing.",
        "Coverage gap first, width beside it, paired by seed.",
    ),
    contrarian=Voice(
        "At ten observations no resampling scheme knows the tail it has not seen; the interval from the normal"
        " table may do as well.",
        "Better coverage by wider intervals is no discovery; the width must not decide the contest.",
        "Granted: if the gap closes at equal samples and the width is shown, the win is real.",
        "Keep the simple interval as a baseline and show the width.",
    ),
    dropped=(("Calibrate the promised level itself", "another method, worth a project of its own"),),
    dispute="whether width should be fixed before coverages are compared",
    would_refute="studentised intervals miss the promised coverage by as much as percentile intervals at 10"
    " observations",
    left_out=("bias-corrected accelerated intervals: their constants are unstable at ten observations",),
    not_used=("measured data sets", "their true mean is unknown, so coverage could not be counted"),
    leakage="The true mean is used only to count coverage after an interval is closed; no interval sees it.",
    hidden_by_a_win="A smaller coverage gap can be bought with width; the mean width shows the price.",
    novelty=0.35,
)

SCHEDULES = TopicFacts(
    domain="machine-learning",
    topic="Learning-rate schedules for stochastic gradient descent under heavy-tailed noise.",
    in_scope=(
        "cosine decay with gradient clipping and iterate averaging",
        "a streaming linear problem after 100 and 300 steps",
        "which part of the recipe carries a gain in excess loss",
    ),
    out_of_scope=("deep networks", "adaptive optimisers", "distributed training"),
    outcome="Excess loss of the cosine recipe is lower than that of a constant rate after 300 steps, over the"
    " seeds of a block;"
    " the same after 100 steps and each part's share by ablation.",
    keywords=(
        "learning rate schedule",
        "cosine decay",
        "stochastic gradient descent",
        "gradient clipping",
        "averaging",
    ),
    terms=(
        "learning rate",
        "learning-rate",
        "step size",
        "step-size",
        "schedule",
        "warm",
        "cosine",
        "decay",
        "stochastic gradient",
        "sgd",
        "anneal",
        "averag",
        "momentum",
    ),
    against=("constant step size sufficient averaging", "schedule free learning rate unnecessary"),
    wide=("stochastic gradient", "learning rates", "adaptive optimizer", "batch size", "warmup", "convergence"),
    themes=(
        Themed(
            "Decay and annealing",
            ("cosine", "decay", "anneal", "schedule", "restart"),
            "the shape of the decay matters less than that the rate ends small",
        ),
        Themed(
            "Constant rates and averaging",
            ("constant", "averag", "stall", "polyak"),
            "averaging buys the variance that decay would buy, without a schedule",
        ),
        Themed(
            "Warm-up and large rates",
            ("warm", "cyclical", "super", "large"),
            "large rates early help where curvature is uneven, and hurt where they are not tamed",
        ),
        Themed(
            "Adaptive methods",
            ("adaptive", "adam", "rmsprop", "momentum", "newton"),
            "adaptation moves the choice of the rate, it does not remove it",
        ),
    ),
    gaps=(
        (
            "How decay, clipping and averaging divide the gain among them under heavy-tailed noise is not separated.",
            "ablations of decay, clipping and averaging on the same streams",
        ),
        (
            "Whether a schedule pays within a hundred steps, when there is little to anneal, is rarely shown.",
            "the same comparison after 100 and after 300 steps",
        ),
    ),
    innovator=Voice(
        "Under rare large gradients it is clipping that makes a decaying rate pay; decay alone only slows a"
        " walk that has"
        " already been thrown off.",
        "One comparison of schedules cannot say which of the three parts matters.",
        "Granted: without the whole recipe against a constant rate there is nothing to divide.",
        "Test the whole recipe, then take out one part at a time.",
    ),
    pragmatist=Voice(
        "What these means can decide is a paired difference in excess loss on the same streams, at two lengths.",
        "A claim about clipping must name the loss that is lost without it.",
        "Granted: the short run guards against a schedule that only wins in the long one.",
        "Two lengths, paired streams, and a control that must fail.",
    ),
    contrarian=Voice(
        "On a linear problem averaging a constant rate is already close to the best possible; decay should add"
        " nothing that can be seen.",
        "If averaging is part of the recipe, a win over a plain constant rate may be the win of averaging alone.",
        "Granted: the ablation without decay answers that, if it is run on the same streams.",
        "Keep the ablation without decay; it is where the idea can die.",
    ),
    dropped=(("Search for the best rate of each schedule", "a contest of tuning budgets, not of schedules"),),
    dispute="whether one initial rate for all schedules is fair",
    would_refute="the recipe's excess loss is no lower than that of a constant rate after 300 steps on the"
    " confirmatory seeds",
    left_out=("adaptive optimisers: they change what a rate means",),
    not_used=("image classification sets", "one run would exceed what this machine can do, and its optimum is unknown"),
    leakage="Each step sees a fresh row; excess loss is computed from the known coefficients, which no method reads.",
    hidden_by_a_win="A lower final loss can hide runs that nearly diverged; the other measure of the plan shows them.",
    novelty=0.3,
)
