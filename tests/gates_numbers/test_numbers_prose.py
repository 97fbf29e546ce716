"""How results are told in prose: sound sentences are believed, the same sentences with a fault are not."""

from __future__ import annotations

import re

import pytest
from numbers_fixture import study

from gates.numbers.check import judge_text
from gates.numbers.report import NumbersReport
from gates.registry import build

TREE, VIEW = study()
REGISTRY, _ = build(TREE, VIEW)
SOUND = r"""
Ridge at $n=20$ reaches an RMSE of 0.413, 12.3\% lower than OLS (0.471).
At $n=20$, the RMSE drops from 0.471 (OLS) to 0.413 (Ridge), a relative reduction of 12.3\%.
With 20 samples, Ridge attains an RMSE of $0.413 \pm 0.0024$ versus $0.471 \pm 0.0030$ for OLS.
Ridge improves over OLS by 12.3\% in RMSE at $n=20$ (0.413 vs.\ 0.471).
At $n = 20$ the mean RMSE is 0.413 for Ridge, 0.471 for OLS and 0.443 for Ridge without intercept.
Compared with OLS, Ridge reduces RMSE by 0.058 (12.3\%) at $n=20$ and by 0.019 (6.5\%) at $n=50$.
For $n=50$ the gap between Ridge and OLS in RMSE narrows to 0.019.
The RMSE of Ridge is 0.413 at $n=20$ and 0.272 at $n=50$.
Ridge obtains RMSEs of 0.413 and 0.272 at $n=20$ and $n=50$, respectively.
OLS has the highest RMSE at $n=20$ (0.471), while Ridge has the lowest (0.413).
An RMSE of 0.413 is reached by Ridge at $n=20$.
Removing the intercept increases the RMSE of Ridge at $n=20$ from 0.413 to 0.443 (+7.3\%).
Without the intercept, the RMSE at $n=20$ rises to 0.443.
Ridge (0.413) beats both Ridge without intercept (0.443) and OLS (0.471) in RMSE at $n=20$.
In terms of coverage, Ridge at $n=20$ reaches 94.0\%, compared to 91.0\% for OLS, a gain of 3.0 percentage points.
The ratio of the RMSE of OLS to that of Ridge at $n=20$ is 1.14.
Ridge's RMSE at $n=20$ is 0.877 times that of OLS.
The best seed of Ridge at $n=20$ has an RMSE of 0.4112.
Over the three seeds, the RMSE of Ridge at $n=20$ ranges from 0.411 to 0.416.
The standard deviation of the RMSE of Ridge at $n=20$ is 0.0024, that of OLS is 0.0030.
Ridge at $n=20$ has a mean RMSE of 0.413 (std 0.0024, median 0.4121).
For seed 101, Ridge at $n=20$ has an RMSE of 0.4112.
The test of Ridge against OLS at $n=20$ (mean difference $-0.058$, $t(2)=-19.2$, $p=0.0027$, $d=-11.1$) decides.
H1 is supported: $p = 0.003$, with a 95\% confidence interval of $[-0.071, -0.045]$ for the difference.
The paired test of H1 gives p < 0.01.
Ridge 在 $n=20$ 时的 RMSE 为 0.413，比 OLS（0.471）低 12.3\%。
在 $n=20$ 下，OLS 的均方根误差为 0.471，Ridge 为 0.413。
实验使用 3 个随机种子，共 18 个作业，显著性水平为 0.05。
Ridge at $n=20$ gives an RMSE of 0.413 (95\% CI [0.407, 0.419]).
Both methods do well in coverage at $n=50$: 0.970 for Ridge and 0.947 for OLS.
At $n=50$ the RMSE of OLS (0.291) exceeds that of Ridge (0.272) by only 7.0\%.
The RMSE falls by 34.2\% when going from Ridge at $n=20$ to Ridge at $n=50$.
\textbf{Ridge wins at small $n$.} With $n=20$, its RMSE is 0.413 against 0.471 for OLS.
We use seeds 101--103.
""".strip().split("\n")


def judged(sentence: str) -> NumbersReport:
    """The report on one sentence of a results section."""
    return judge_text(TREE, f"\\section{{Results}}\n\n{sentence}\n", REGISTRY, view=VIEW)


@pytest.mark.parametrize("sentence", SOUND)
def test_a_sound_sentence_is_believed(sentence: str) -> None:
    assert [f.title for f in judged(sentence).findings] == []


@pytest.mark.parametrize("sentence", SOUND)
def test_its_last_digit_is_held(sentence: str) -> None:
    for number in [n for n in judged(sentence).numbers if n.precision >= 2 and n.verdict != "structural"]:
        line = sentence[: number.column - 1] + _bumped(number.text) + sentence[number.end_column - 1 :]
        if "<" not in sentence:
            assert judged(line).findings, line


def _bumped(text: str) -> str:
    return re.sub(r"\d\Z", lambda m: str((int(m.group()) + 4) % 10), text)


@pytest.mark.parametrize(
    ("sentence", "pattern"),
    [
        (r"Ridge at $n=20$ has a higher RMSE than OLS at $n=20$.", "claim-direction"),
        (r"At $n=20$, OLS outperforms Ridge in RMSE.", "claim-direction"),
        (r"In RMSE, Ridge at $n=50$ is worse than OLS at $n=50$.", "claim-direction"),
        (r"Ridge at $n=20$ halves the RMSE of OLS at $n=20$.", "claim-delta"),
        (r"All conditions ran with four seeds.", "claim-seeds"),
        (r"所有条件运行五个种子。", "claim-seeds"),
        (r"We ran 19 jobs.", "number-unsupported"),
        (r"Lasso reaches an RMSE of 0.405.", "number-unsupported"),
        (r"In a field study, 41.3\% of users agreed.", "number-unsupported"),
        (r"At $n=20$, Ridge reaches an RMSE of 0.471.", "number-wrong-place"),
        (r"The paired test of H1 gives p < 0.001.", "number-mismatch"),
    ],
)
def test_a_false_sentence_is_one_finding(sentence: str, pattern: str) -> None:
    assert [f.pattern for f in judged(sentence).findings] == [pattern]


@pytest.mark.parametrize(
    "sentence",
    [
        "H1 predicts that OLS has a lower RMSE than Ridge.",
        "We ask whether OLS has a lower RMSE than Ridge at $n=20$.",
        "Ridge does not have a higher RMSE than OLS at $n=20$.",
        "If OLS had a lower RMSE than Ridge, the penalty would be useless.",
    ],
)
def test_what_is_hedged_or_denied_is_no_claim(sentence: str) -> None:
    assert judged(sentence).findings == ()
