"""The exported paper in the place of the paper, for programs that read the latter.

Belongs here: that one view of a tree. Not here: other trees (journal). The line map speaks of the paper's
own sources, so it is not there: places are those of the exported file itself.
"""

from __future__ import annotations

from cockpit.kernel.ids import Sha256
from cockpit.kernel.protocols import Tree
from gates.artifacts import FINAL_BIB, FINAL_PAPER, LINE_MAP, PAPER_BIB, RENDERED

INSTEAD = {RENDERED: FINAL_PAPER, PAPER_BIB: FINAL_BIB}


class FinalTree:
    """`tree`, in which the rendered paper and its bibliography are those of `final/`."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree

    def list(self, prefix: str = "") -> list[str]:
        return [path for path in self._tree.list(prefix) if path != LINE_MAP]

    def read(self, path: str) -> bytes:
        if path == LINE_MAP:
            raise FileNotFoundError(path)
        return self._tree.read(INSTEAD.get(path, path))

    def sha(self, path: str) -> Sha256:
        return self._tree.sha(INSTEAD.get(path, path))

    def exists(self, path: str) -> bool:
        return path != LINE_MAP and self._tree.exists(INSTEAD.get(path, path))
