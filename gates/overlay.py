"""The exported package in the place of the paper and its results, for programs that read the latter.

Belongs here: that one view of a tree. Not here: other trees (journal).

An earlier round may be exported while the tree has gone on, so paper, results and plan are all those of
`final/`. The paper's own sources and line map are not there: places are those of the exported file.
"""

from __future__ import annotations

from difflib import SequenceMatcher

from cockpit.kernel.ids import Sha256
from cockpit.kernel.protocols import Tree
from cockpit.kernel.stages import EXEC_A, FINAL
from gates.artifacts import (
    CURRENT,
    FINAL_BIB,
    FINAL_PAPER,
    HYPOTHESES,
    LINE_MAP,
    PAPER_BIB,
    PLAN,
    RENDERED,
    SECTIONS,
    SOURCE,
    text_of,
)

RAW, EXPORTED_RAW = f"{EXEC_A}/raw_results/", f"{FINAL}/experiment_data/raw/"
INSTEAD = {
    RENDERED: FINAL_PAPER,
    PAPER_BIB: FINAL_BIB,
    CURRENT: f"{FINAL}/experiment_data/current_results.json",
    PLAN: f"{FINAL}/supplementary/exp_plan.yaml",
    HYPOTHESES: f"{FINAL}/supplementary/hypotheses.json",
}


class FinalTree:
    """`tree`, in which the rendered paper, its bibliography, results and plan are those of `final/`."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree

    def exported(self, path: str) -> str | None:
        """Where the package has `path`; None when it has no part in the package."""
        if path.startswith(RAW):
            return EXPORTED_RAW + path.removeprefix(RAW)
        return INSTEAD.get(path)

    def list(self, prefix: str = "") -> list[str]:
        return [path for path in self._tree.list(prefix) if not _hidden(path)]

    def read(self, path: str) -> bytes:
        if _hidden(path):
            raise FileNotFoundError(path)
        return self._tree.read(self.exported(path) or path)

    def sha(self, path: str) -> Sha256:
        return self._tree.sha(self.exported(path) or path)

    def exists(self, path: str) -> bool:
        return not _hidden(path) and self._tree.exists(self.exported(path) or path)


def touched_lines(tree: Tree) -> tuple[int, ...]:
    """Lines of `final/paper.tex` (from 1) that are neither the paper's nor an insertion into it.

    Only the exporter's own section is inserted; a line that replaces one of the paper's was changed by hand.
    """
    paper, exported = text_of(tree, RENDERED).value, text_of(tree, FINAL_PAPER).value
    if paper is None or exported is None:
        return ()
    matcher = SequenceMatcher(None, paper.splitlines(), exported.splitlines(), autojunk=False)
    changed = [
        (start, was_end - was) for tag, was, was_end, start, _ in matcher.get_opcodes() if tag in ("replace", "delete")
    ]
    return tuple(start + 1 + n for start, count in changed for n in range(count))


def _hidden(path: str) -> bool:
    return path in (LINE_MAP, SOURCE) or path.startswith(SECTIONS)
