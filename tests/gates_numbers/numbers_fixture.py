"""A small clean study and paper, made by hand: three conditions, three seeds, tables, prose, claims."""

from __future__ import annotations

import json

import yaml

from cockpit.kernel.ids import ConditionId, JobId, Position, Sha256
from cockpit.kernel.results import CurrentResult, CurrentResults, JobReceipt, Usage
from cockpit.kernel.stages import EXEC_A, LIT_A, PLAN_A, WRITE_A
from cockpit.kernel.view import JobView, RunView
from gates.latex.render import render
from gates.registry import build
from tests.memory_tree import DictTree

PAPER, RENDERED, MAP = f"{WRITE_A}/paper.tex", f"{WRITE_A}/paper_rendered.tex", f"{WRITE_A}/line_map.json"


RMSE = {
    "ols-n20": (0.4741, 0.4682, 0.4706),
    "ridge-n20": (0.4112, 0.4157, 0.4121),
    "no-intercept-n20": (0.4423, 0.4401, 0.4467),
    "ols-n50": (0.2911, 0.2874, 0.2935),
    "ridge-n50": (0.2713, 0.2741, 0.2699),
    "no-intercept-n50": (0.2855, 0.2809, 0.2861),
}
COVERAGE = {
    "ols-n20": (0.91, 0.92, 0.90),
    "ridge-n20": (0.94, 0.95, 0.93),
    "no-intercept-n20": (0.90, 0.93, 0.92),
    "ols-n50": (0.95, 0.96, 0.93),
    "ridge-n50": (0.97, 0.96, 0.98),
    "no-intercept-n50": (0.94, 0.95, 0.96),
}
LABELS = {"ols": "OLS", "ridge": "Ridge", "no-intercept": "Ridge without intercept"}
CARD = """---
key: zou2007
title: t
year: 2007
claim: c
quotes: ['a gain of 37.5 percent']
numbers: ['12.75']
---
text 99.9
"""
SEEDS = (101, 102, 103)


def plan() -> dict[str, object]:
    conditions = []
    for name in RMSE:
        method, _, size = name.rpartition("-n")
        conditions.append(
            {
                "id": name,
                "label": f"{LABELS[method]}, n={size}",
                "kind": {"ols": "baseline", "ridge": "main", "no-intercept": "ablation"}[method],
                "parameters": {"n": int(size), "lambda": 0.5},
                "component": "intercept" if method == "no-intercept" else "",
                "compares_to": None if method == "ols" else f"{'ridge' if method == 'no-intercept' else 'ols'}-n{size}",
                "short_words": [LABELS[method]],
            }
        )
    return {
        "version": 1,
        "domain": "statistics",
        "question": "Does shrinkage help?",
        "datasets": [{"name": "gaussian", "source": "synthetic", "description": "x"}],
        "metrics": [{"name": "rmse", "direction": "lower"}, {"name": "coverage", "direction": "higher"}],
        "conditions": conditions,
        "components": [{"name": "intercept", "ablation": "no-intercept-n20"}],
        "seed_blocks": {"exploration": [1, 2], "round-1": list(SEEDS), "round-2": [201, 202, 203]},
        "tests": [
            {
                "id": "T1",
                "hypothesis": "H1",
                "kind": "paired-t",
                "comparison": {"left": "ridge-n20", "right": "ols-n20", "metric": "rmse", "relation": "lower"},
            }
        ],
        "positive_control": "ols-n20",
    }


def study() -> tuple[DictTree, RunView]:
    """The tree of the study without a paper, and a view with its receipts."""
    tree, jobs, results = DictTree(), {}, []
    for condition, values in RMSE.items():
        for seed, rmse, coverage in zip(SEEDS, values, COVERAGE[condition], strict=True):
            path = f"{EXEC_A}/raw_results/main/{condition}/seed-{seed}.json"
            rows = [
                {"condition": condition, "seed": seed, "metric": "rmse", "value": rmse, "direction": "lower"},
                {"condition": condition, "seed": seed, "metric": "coverage", "value": coverage, "direction": "higher"},
            ]
            tree.put(path, json.dumps({"contract": "cockpit.results/1", "rows": rows}))
            job = JobId(f"{condition}.seed-{seed}.x")
            results.append(
                CurrentResult(
                    condition=ConditionId(condition),
                    kind="main",
                    seed=seed,
                    block="round-1",
                    condition_hash=Sha256("0" * 64),
                    file=path,
                    sha256=tree.sha(path),
                    job=job,
                )
            )
            receipt = JobReceipt(
                job=job,
                kind="main",
                condition=ConditionId(condition),
                seed=seed,
                block="round-1",
                backend="fake",
                isolated=True,
                image="x",
                command=("python",),
                outputs={"results.json": tree.sha(path)},
                reason="finished",
                exit_code=0,
                started_at="2026-11-30T00:00:00Z",
                ended_at="2026-11-30T00:00:01Z",
                usage=Usage(wall_s=1),
            )
            jobs[job] = JobView(
                job, "main", condition, seed, Position(round=1, stage=12), "", receipt.started_at, receipt
            )
    current = CurrentResults(plan_version=1, block="round-1", results=tuple(results))
    tree.put(f"{EXEC_A}/current_results.json", current.model_dump_json())
    tree.put(f"{PLAN_A}/exp_plan.yaml", yaml.safe_dump(plan()))
    tree.put(
        f"{LIT_A}/cards/zou2007.md",
        CARD,
    )
    return tree, RunView(jobs=jobs)


SECTIONS = {
    "abstract": r"""\begin{abstract}
We ask whether shrinkage helps when data are few. Over 3 seeds, Ridge at $n=20$ reaches an RMSE of 0.413,
12.3\% lower than OLS (0.471). % a comment with 99.99 in it
Its coverage is 94.0\% there.
\end{abstract}
""",
    "introduction": r"""\section{Introduction}
Shrinkage is old \cite{zou2007}; a gain of 37.5\% was reported \cite{zou2007}.
In 2007 the field moved on, and Section~2 follows it. ResNet-50 and 2D data are not used.
""",
    "method": r"""\section{Method}
We fit $y = X\beta + \epsilon$ with $x_1, \dots, x_{20}$ and penalty $\lambda = 0.5$.
Sample sizes are $n = 20$ and $n = 50$.
""",
    "experiments": r"""\section{Experiments}
We compare 6 conditions with three seeds each (seeds 101, 102 and 103), 18 jobs in all.
Tests use a significance level of 0.05.

\begin{table}[t]
\caption{RMSE and coverage, mean $\pm$ standard deviation over 3 seeds.}
\label{tab:main}
\centering
\begin{tabular}{lcc}
\toprule
Condition & RMSE & Coverage (mean) \\
\midrule
OLS, n=20 & 0.471 $\pm$ 0.003 & 0.910 \\
Ridge, n=20 & \textbf{0.413} $\pm$ 0.002 & \textbf{0.940} \\
Ridge without intercept, n=20 & 0.443 $\pm$ 0.003 & 0.917 \\
\midrule
OLS, n=50 & 0.291 $\pm$ 0.003 & 0.947 \\
Ridge, n=50 & \textbf{0.272} $\pm$ 0.002 & \textbf{0.970} \\
Ridge without intercept, n=50 & 0.284 $\pm$ 0.003 & 0.950 \\
\bottomrule
\end{tabular}
\end{table}

Table~\ref{tab:main} shows the means. At $n=50$, Ridge has an RMSE of 0.272 and OLS one of 0.291,
a difference of 0.019.
Removing the intercept raises the RMSE of Ridge at $n=20$ from 0.413 to 0.443.
Ridge at $n=20$ has a lower RMSE than OLS at $n=20$ (paired t-test, $t(2) = -19.23$, $p = 0.003$;
95\% CI of the difference $[-0.071, -0.045]$).
Ridge and OLS have a coverage of 0.940 and 0.910 at $n=20$, respectively.
The median RMSE of Ridge at $n=20$ is \res[4]{rmse/ridge-n20/test/median}.
""",
    "conclusion": r"""\section{Conclusion}
At $n=20$, Ridge outperforms OLS in RMSE, 0.413 against 0.471.
""",
}


def source() -> dict[str, str]:
    """The paper's source files."""
    body = "\n".join(rf"\input{{sections/{name}}}" for name in SECTIONS)
    paper = (
        "\\documentclass{article}\n\\title{Shrinkage for few data}\n\\begin{document}\n\\maketitle\n"
        + body
        + "\n\\end{document}\n"
    )
    return {PAPER: paper} | {f"{WRITE_A}/sections/{n}.tex": t for n, t in SECTIONS.items()}


def rendered_study(changes: dict[str, tuple[str, str]] | None = None) -> tuple[DictTree, RunView]:
    """The study with its paper rendered; `changes`: section → (old, new), made in the source before rendering."""
    tree, view = study()
    for path, text in source().items():
        tree.put(path, text)
    for section, (old, new) in (changes or {}).items():
        path = f"{WRITE_A}/sections/{section}.tex"
        text = tree.read(path).decode()
        assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {section}"
        tree.put(path, text.replace(old, new))
    render_paper(tree, view)
    return tree, view


def render_paper(tree: DictTree, view: RunView) -> None:
    """Render the paper of the tree into it."""
    registry, _ = build(tree, view)
    rendered = render(tree, PAPER, registry.resolve)
    tree.put(RENDERED, rendered.text)
    tree.put(MAP, rendered.line_map_json())
