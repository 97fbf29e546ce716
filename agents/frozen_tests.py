"""The plan's frozen tests, computed on the current results: a verdict for each hypothesis.

Belongs here: which values a test takes, what its outcome means for a hypothesis. Not here: the
arithmetic (`gates/hypothesis_tests.py`), what a model makes of it (`result_analyzer.py`).
"""

from __future__ import annotations

from collections.abc import Sequence

from agents.results import Measured
from cockpit.kernel.model import JsonObject, Model
from cockpit.kernel.plan import Comparison, ExperimentPlan, Hypothesis, HypothesisVerdict, StatTest
from gates.hypothesis_tests import TESTS, Tested, TooFew, holm


class TestRow(Model):
    """One test as `statistical_tests.json` keeps it. None = not defined; `note` says why."""

    __test__ = False  # no test case of pytest's

    id: str
    hypothesis: str
    kind: str
    metric: str
    split: str
    left: str
    right: str
    relation: str
    alpha: float
    n: int
    difference: float | None
    statistic: float | None
    p: float | None
    p_holm: float | None
    effect_size: float | None
    interval: tuple[float, float] | None
    verdict: HypothesisVerdict
    note: str = ""


class TestReport(Model):
    """`statistical_tests.json`."""

    __test__ = False

    block: str
    tests: tuple[TestRow, ...]
    hypotheses: dict[str, HypothesisVerdict]

    def of(self, hypothesis: str) -> TestRow | None:
        """The first test of a hypothesis."""
        return next((t for t in self.tests if t.hypothesis == hypothesis), None)


def run_tests(plan: ExperimentPlan, hypotheses: Sequence[Hypothesis], found: Measured) -> TestReport:
    """Every frozen test on `found`, Holm-adjusted over all of them, and the verdicts that follow.

    The verdict rests on the test's own alpha, as it was frozen; the adjusted p is shown beside it.
    A hypothesis without a test, or whose test lacks results, is inconclusive.
    """
    rows = [_row(test, found) for test in plan.tests]
    known = [row for row in rows if row.p is not None]
    adjusted = dict(zip((row.id for row in known), holm([row.p or 0.0 for row in known]), strict=True))
    rows = [row.model_copy(update={"p_holm": adjusted.get(row.id)}) for row in rows]
    verdicts = {h.id: _verdict([row.verdict for row in rows if row.hypothesis == h.id]) for h in hypotheses}
    return TestReport(block=found.block, tests=tuple(rows), hypotheses=verdicts)


def _row(test: StatTest, found: Measured) -> TestRow:
    asked = test.comparison
    left, right, note = _sides(test, found)
    tested: Tested | None = None
    if not note:
        try:
            tested = TESTS[test.kind](left, right, test.alpha)
        except TooFew as few:
            note = str(few)
    fields: JsonObject = {
        "id": test.id,
        "hypothesis": test.hypothesis,
        "kind": test.kind,
        "metric": asked.metric,
        "split": asked.split,
        "left": asked.left,
        "right": asked.right,
        "relation": asked.relation,
        "alpha": test.alpha,
    }
    if tested is None:
        empty = dict.fromkeys(("difference", "statistic", "p", "p_holm", "effect_size", "interval"))
        return TestRow(**fields, **empty, n=min(len(left), len(right)), verdict="inconclusive", note=note)
    return TestRow(
        **fields,
        n=tested.n,
        difference=tested.difference,
        statistic=tested.statistic,
        p=tested.p,
        p_holm=None,
        effect_size=tested.effect,
        interval=tested.interval,
        verdict=_means(asked, tested, test.alpha),
        note="" if tested.statistic is not None else "the differences have no spread, so nothing can be tested",
    )


def _sides(test: StatTest, found: Measured) -> tuple[list[float], list[float], str]:
    """The two samples (paired by seed unless the test is unpaired), or why there are none."""
    asked = test.comparison
    one = found.seeds(asked.metric, asked.left, asked.split)
    other = found.seeds(asked.metric, asked.right, asked.split)
    for side, values in ((asked.left, one), (asked.right, other)):
        if not values:
            return [], [], f"no {asked.metric} of {side} on {asked.split} was measured"
        if any(value is None for value in values.values()):
            return [], [], f"{asked.metric} of {side} is not finite at some seed"
    if test.kind == "welch-t":
        return [v for v in one.values() if v is not None], [v for v in other.values() if v is not None], ""
    shared = sorted(set(one) & set(other))
    pairs = [(one[seed], other[seed]) for seed in shared]
    return [a for a, _ in pairs if a is not None], [b for _, b in pairs if b is not None], ""


def _means(asked: Comparison, tested: Tested, alpha: float) -> HypothesisVerdict:
    if tested.p >= alpha:
        return "inconclusive"
    match asked.relation:
        case "lower":
            return "supported" if tested.difference < 0 else "refuted"
        case "higher":
            return "supported" if tested.difference > 0 else "refuted"
        case "different":
            return "supported"


def _verdict(outcomes: Sequence[HypothesisVerdict]) -> HypothesisVerdict:
    """One refuted test refutes; support needs all."""
    if "refuted" in outcomes:
        return "refuted"
    return "supported" if outcomes and all(o == "supported" for o in outcomes) else "inconclusive"
