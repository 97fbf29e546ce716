r"""The table that a rehearsal writer types by hand: rows of conditions, columns of means, the best in bold.

Belongs here: the table and the two faults that can be planted in it. Not here: where they are planted
(`planting.py`).
"""

from __future__ import annotations

from dataclasses import dataclass

from agents.latex_text import counted, escape
from agents.rehearsal.measured_words import Known, name
from agents.rehearsal.planting import Cell, plants, wrong_bold, wrong_row
from agents.rehearsal.reading import Prompt, Rehearsal
from cockpit.kernel.plan import Condition, Metric, TablePlan

AGGREGATES = {"mean": "", "std": "std. dev. of ", "median": "median "}


@dataclass(frozen=True)
class Column:
    """A measure in an aggregate."""

    metric: Metric
    aggregate: str

    @property
    def head(self) -> str:
        return f"{AGGREGATES.get(self.aggregate, escape(self.aggregate) + ' ')}{name(self.metric)}"


def table(k: Known, plan: TablePlan, label: str, prompt: Prompt, how: Rehearsal) -> str:
    """The float as LaTeX."""
    rows = [c for row in plan.rows if (c := k.plan.condition(row)) is not None]
    columns = _columns(k, plan)
    rows = [c for c in rows if any(_cell(k, c, column) for column in columns)]
    cells = {(r, c): cell for r, row in enumerate(rows) for c, column in enumerate(columns)
             if (cell := _cell(k, row, column)) is not None}  # fmt: skip
    best = {
        c: min((r for r, col in cells if col == c), key=lambda r: (cells[r, c].badness, r))
        for c, column in enumerate(columns)
        if column.aggregate == "mean" and any(col == c for _, col in cells)
    }
    shown = {at: cell.printed for at, cell in cells.items()}
    bold = {(row, column) for column, row in best.items()}
    means = {at: cell for at, cell in cells.items() if columns[at[1]].aggregate == "mean"}
    if plants("wrong-bold", prompt, how) and (at := wrong_bold(means, [c.label for c in rows], how)):
        bold = {b for b in bold if b[1] != at[1]} | {at}
    taken = bold - {(row, column) for column, row in best.items()}
    if plants("wrong-row", prompt, how) and (swap := wrong_row(cells, best, how, taken)):
        one, other, column = swap
        shown[one, column], shown[other, column] = shown[other, column], shown[one, column]
    return _latex(k, plan, label, rows, columns, shown, bold)


def _columns(k: Known, plan: TablePlan) -> list[Column]:
    metrics = {m.name: m for m in k.plan.metrics}
    found = []
    for column in plan.columns:
        metric, _, rest = column.partition("/")
        if metric in metrics:
            found.append(Column(metrics[metric], rest.rpartition("/")[2] or "mean"))
    return found


def _cell(k: Known, condition: Condition, column: Column) -> Cell | None:
    value = k.values.get((condition.id, column.metric.name, column.aggregate))
    if value is None:
        return None
    return Cell(str(value["printed"]), value["value"] if column.metric.direction != "higher" else -value["value"])


def _latex(k: Known, plan: TablePlan, label: str, rows: list[Condition], columns: list[Column],
           shown: dict[tuple[int, int], str], bold: set[tuple[int, int]]) -> str:  # fmt: skip
    lines = []
    for r, condition in enumerate(rows):
        cells = [shown.get((r, c), "--") for c in range(len(columns))]
        cells = [f"\\textbf{{{cell}}}" if (r, c) in bold else cell for c, cell in enumerate(cells)]
        lines.append(f"{escape(condition.label)} & {' & '.join(cells)} \\\\")
    heads = " & ".join(["Condition", *(column.head for column in columns)])
    said = f"Means over {counted(k.seeds, 'seed')}; the best mean of each column is bold."
    caption = f"{escape(plan.caption.rstrip('.'))}. {said}"
    return "\n".join([
        "\\begin{table}[t]",
        "\\centering",
        f"\\caption{{{caption}}}\\label{{{label}}}",
        f"\\begin{{tabular}}{{l{'r' * len(columns)}}}",
        "\\toprule",
        f"{heads} \\\\",
        "\\midrule",
        *lines,
        "\\bottomrule",
        "\\end{tabular}",
        "\\end{table}",
    ])  # fmt: skip
