r"""Numbers: is what the paper prints what the experiments measured, where it stands?

Belongs here: reading printed numbers, binding them, verdicts, worded claims, the patch. Not here: other
faults of a paper (`gates/lint`), references (`gates/citations`).

The door is `check.py`: `check_paper`, `still_wrong`. `patch.apply` puts the correctable hunks into texts.

How to write so that binding works
----------------------------------
- Rendering: `gates.latex.render.render(tree, "…/paper.tex", registry.resolve)`; `.text` is
  `paper_rendered.tex`, `.line_map_json()` is `line_map.json`. `\res[3]{rmse/ridge-n20/test/mean}` prints a fact
  (half-even) and is bound by construction.
- Tables: the first column holds `Condition.label` (or id, or one of `short_words`); heads name the metric
  and, if it is not the mean, the aggregate: `RMSE`, `RMSE (mean)`, `RMSE (std)`, `Median RMSE`, `Seed 101`,
  `Seeds`, `n`, `Δ vs OLS`, `p`. Rows and columns may change places. `0.413 $\pm$ 0.002`: the spread is what
  head, caption or paper call it (standard deviation, standard error, 95 % CI), else a standard deviation.
- Prose: name condition and metric in the sentence, the condition before the number or right after
  it ("0.413 for Ridge"): "Ridge at $n=20$ reaches an RMSE of 0.413, 12.3\% lower than OLS (0.471)". Parameters
  (`n=20`, "20 samples") narrow a name that several conditions share; without one, the last sentence's hold.
  "A and B reach 0.41 and 0.47, respectively" is paired in order. A sentence that names none inherits the
  conditions and metrics of the sentences before it in its paragraph.
- Derived numbers: both conditions in the sentence; "x\% lower than B" is relative to B; a plain number beside
  "difference", "lower", "by" is a difference; "times", "factor" a ratio; "percentage points" a difference × 100.
- Tests: `$t(2) = -19.23$, $p = 0.003$`, "95\% CI of the difference $[-0.071, -0.045]$" in a sentence that names
  the test, its hypothesis, or both conditions (at the parameters that were tested).
- Seeds, counts, parameters, levels: beside their names ("3 seeds", "seeds 101, 102 and 103", "6 conditions",
  "18 jobs", "$\lambda = 0.5$", "significance level of 0.05").
- Numbers of others: in a sentence that cites a card which holds them.
- Bold: the best of a column, of its part between rules, or of rows with equal parameters.
- Put a space after the comma between numbers: `101,102,103` reads as one number.
"""
