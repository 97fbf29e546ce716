"""A LaTeX paper as text with places: comments blanked, citations, tables' cells, sections.

Belongs here: the few looks at LaTeX that lint, citations and ablations share; offsets stay those of the
file. Not here: reading numbers (`gates/latex`, `gates/numbers`).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from cockpit.kernel.findings import Span
from gates.fingerprints import normal_text

_COMMENT = re.compile(r"(?<!\\)(?:\\\\)*%[^\n]*")
_VERBATIM = re.compile(r"\\begin\{(verbatim|lstlisting|comment)\*?\}.*?\\end\{\1\*?\}", re.DOTALL)
_CITE = re.compile(r"\\(?:no)?[cC]ite[a-zA-Z]*\*?\s*(?:\[[^\]]*\]\s*){0,2}\{([^{}]*)\}")
_SECTION = re.compile(r"\\(section|subsection|subsubsection|chapter)\*?\s*(?:\[[^\]]*\])?\{((?:[^{}]|\{[^{}]*\})*)\}")
_TABULAR = re.compile(r"\\begin\{(tabular[*xy]?|longtable|tabu)\}(.*?)\\end\{\1\}", re.DOTALL)
_RULES = re.compile(r"\\(?:toprule|midrule|bottomrule|hline|cmidrule(?:\([^)]*\))?\{[^}]*\}|cline\{[^}]*\})")
_MACRO = re.compile(
    r"\\(?:textbf|textit|emph|textsc|texttt|text|mathrm|mathbf|mbox"
    r"|multicolumn\{[^}]*\}\{[^}]*\}|multirow\{[^}]*\}\{[^}]*\})\s*"
)


@dataclass(frozen=True)
class Section:
    """A heading and what stands below it, up to the next heading of any level."""

    level: str
    title: str
    start: int
    body: str


@dataclass(frozen=True)
class PaperText:
    """One file of the paper."""

    file: str
    text: str

    @cached_property
    def body(self) -> str:
        """The text with comments and verbatim blanked to spaces, of the same length."""
        return _COMMENT.sub(_blank, _VERBATIM.sub(_blank, self.text))

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(m.end() for m in re.finditer("\n", self.text))]

    def span(self, start: int, end: int, text: str | None = None) -> Span:
        """The place from offset `start` to `end`; `text` defaults to what stands there, on one line."""
        line = bisect_right(self._starts, start)
        column = start - self._starts[line - 1] + 1
        shown = self.text[start:end] if text is None else text
        last = bisect_right(self._starts, max(start, end - 1))
        end_column = column + (end - start) if last == line else 0
        return Span(file=self.file, line=line, column=column, end_column=end_column, text=" ".join(shown.split())[:200])

    def citations(self) -> Iterator[tuple[str, int, int]]:
        """(key, start, end) of each key of each citation command; the `*` of nocite is left out."""
        for match in _CITE.finditer(self.body):
            at = match.start(1)
            for raw in match.group(1).split(","):
                key = raw.strip()
                if key and key != "*":
                    start = at + raw.index(key)
                    yield key, start, start + len(key)
                at += len(raw) + 1

    def sections(self) -> list[Section]:
        """The headings in order."""
        marks = list(_SECTION.finditer(self.body))
        ends = [*(m.start() for m in marks[1:]), self.end]
        return [Section(m[1], m[2], m.start(), self.body[m.end() : e]) for m, e in zip(marks, ends, strict=False)]

    @property
    def end(self) -> int:
        """Offset of the document's end."""
        found = self.body.find("\\end{document}")
        return found if found >= 0 else len(self.body)

    def cells(self) -> set[str]:
        """The plain text of every cell of every table, in normal form."""
        found: set[str] = set()
        for table in _TABULAR.finditer(self.body):
            for row in re.split(r"\\\\(?:\[[^\]]*\])?", _RULES.sub(" ", table[2])):
                found |= {plain(cell) for cell in re.split(r"(?<!\\)&", row)}
        return found - {""}


def plain(cell: str) -> str:
    """A cell or heading without mark-up, in normal form."""
    bare = _MACRO.sub("", cell).replace("\\%", "%").replace("\\&", "&").replace("\\_", "_").replace("--", "-")
    bare = re.sub(r"\\[a-zA-Z]+\*?", " ", bare)
    return normal_text(re.sub(r"[{}$]", "", bare))


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match.group())
