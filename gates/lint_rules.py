"""The rules of paper lint, one function each: a paper in, places out.

Belongs here: rules. A new one is a function, a line in `RULES`, a test with the fault and without. Not here:
findings and the auditor (`lint.py`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from cockpit.kernel.findings import Severity
from gates.papertext import PaperText, plain

BEGIN = "\\begin{document}"
_FURNITURE = re.compile(
    r"\\label\{[^{}]*\}|\\(?:bibliography|bibliographystyle|appendix|clearpage|newpage)\b(?:\{[^{}]*\})?"
)


@dataclass(frozen=True)
class Place:
    """From where to where (offsets in the file), and what in particular."""

    start: int
    end: int
    what: str = ""


@dataclass(frozen=True)
class LintRule:
    """One rule: its id (the pattern is `lint-<id>`), how grave, what it says, how it looks."""

    id: str
    severity: Severity
    says: str
    look: Callable[[PaperText], Iterator[Place]]


def _matches(pattern: str, flags: int = 0, *, preamble: bool = False) -> Callable[[PaperText], Iterator[Place]]:
    compiled = re.compile(pattern, flags)

    def look(paper: PaperText) -> Iterator[Place]:
        start = 0 if preamble else max(0, paper.body.find(BEGIN))
        for match in compiled.finditer(paper.body, start):
            yield Place(match.start(), match.end())

    return look


def abstract_order(paper: PaperText) -> Iterator[Place]:
    """An abstract before the title is made is set on a page of its own by most classes."""
    abstract, title = paper.body.find("\\begin{abstract}"), paper.body.find("\\maketitle")
    if 0 <= abstract < title:
        yield Place(abstract, abstract + len("\\begin{abstract}"))


def figure_in_heading(paper: PaperText) -> Iterator[Place]:
    """A picture inside a heading breaks the table of contents."""
    for section in paper.sections():
        if "\\includegraphics" in section.title or "\\begin{figure" in section.title:
            yield Place(section.start, section.start + len(section.title))


def image_twice(paper: PaperText) -> Iterator[Place]:
    """The same picture, by file or by input, a second time."""
    seen: set[str] = set()
    for match in re.finditer(
        r"\\(?:includegraphics\*?(?:\[[^\]]*\])?\{([^{}]+)|input\{([^{}]*figures/[^{}]*))\}", paper.body
    ):
        name = (match[1] or match[2]).strip().removesuffix(".tex").removesuffix(".pdf").removesuffix(".png")
        if name in seen:
            yield Place(match.start(), match.end(), name)
        seen.add(name)


def duplicate_labels(paper: PaperText) -> Iterator[Place]:
    """A label that is defined twice makes references ambiguous."""
    seen: set[str] = set()
    for match in re.finditer(r"\\label\{([^{}]+)\}", paper.body):
        if match[1] in seen:
            yield Place(match.start(), match.end(), match[1])
        seen.add(match[1])


def undefined_labels(paper: PaperText) -> Iterator[Place]:
    """A reference to a label that is not there prints `??`."""
    if BEGIN not in paper.body:
        return  # a part of a paper: its labels may stand elsewhere
    defined = set(re.findall(r"\\label\{([^{}]+)\}", paper.body))
    for match in re.finditer(r"\\(?:[cC]ref|ref|eqref|autoref|pageref|vref)\*?\{([^{}]+)\}", paper.body):
        for label in (part.strip() for part in match[1].split(",")):
            if label not in defined:
                yield Place(match.start(), match.end(), label)


def empty_sections(paper: PaperText) -> Iterator[Place]:
    """A heading with nothing below it (a lower heading right below is something)."""
    sections = paper.sections()
    for section, following in zip(sections, [*sections[1:], None], strict=False):
        bare = _FURNITURE.sub("", section.body)
        lower = following is not None and len(following.level) > len(section.level)
        if not bare.strip() and not lower:
            yield Place(section.start, section.start + len(section.title) + 10, plain(section.title))


def missing_captions(paper: PaperText) -> Iterator[Place]:
    """A float without a caption."""
    for match in re.finditer(r"\\begin\{(figure|table)\*?\}(.*?)\\end\{\1\*?\}", paper.body, re.DOTALL):
        if "\\caption" not in match[2]:
            yield Place(match.start(), match.start() + len(match[1]) + 8, match[1])


def missing_limitations(paper: PaperText) -> Iterator[Place]:
    """A paper with sections but no word of its limits."""
    titles = [plain(s.title) for s in paper.sections()]
    if (
        BEGIN in paper.body
        and titles
        and not any(re.search(r"limit|threats to validity|局限|限制|不足", t) for t in titles)
    ):
        yield Place(0, 0)


def unbalanced(paper: PaperText) -> Iterator[Place]:
    """Environments that are closed in another order than opened, or not at all."""
    open_: list[re.Match[str]] = []
    for match in re.finditer(r"\\(begin|end)\{([^{}]*)\}", paper.body):
        if match[1] == "begin":
            open_.append(match)
        elif open_ and open_[-1][2] == match[2]:
            open_.pop()
        else:
            yield Place(match.start(), match.end(), match[2])
            return
    for match in open_[:1]:
        yield Place(match.start(), match.end(), match[2])


_ASSISTANT = (
    r"\b(?:as an ai (?:language )?model|as a large language model|i cannot (?:assist|help) with|certainly! here|"
    r"sure, here(?:'s| is)|here is the (?:revised|rewritten|updated|requested)|i hope this helps|"
    r"let me know if you|feel free to (?:ask|modify)|knowledge cutoff|regenerate response)"
)
_NOTES = (
    r"\b(?:note to self|internal note|reviewer (?:said|asked|wants)|per the revision brief|obligation #\d+|"
    r"as requested by the (?:reviewer|user|orchestrator)|stage \d{1,2} (?:output|artifact)|exp_plan\.yaml|"
    r"current_results\.json|number_map\.json)"
)
_PLACEHOLDER = (
    r"(?:\[(?:insert|placeholder|citation needed|your|name|figure|table|ref)\b(?!-)[^\]\n]{0,40}\]|\blorem ipsum\b|"
    r"\bplaceholder\b(?! (?:token|variable))|<[A-Z][A-Z _]{3,30}>|\bXX+(?:\.X+)?\b|\bTBA\b)"
)
_PATHS = (
    r"(?:(?<![\w:/.])/(?:home|root|tmp|work|mnt|var|Users|usr/local|opt|data\d*)/[\w./-]+|[A-Z]:\\\\[\w\\]+|"
    r"\b(?:localhost|127\.0\.0\.1|192\.168\.\d+\.\d+|10\.\d+\.\d+\.\d+)(?::\d+)?\b|\bslurm[-_ ]?(?:job)?[-_ ]?\d{4,}\b)"
)
_KEYS = r"\b(?:sk-[A-Za-z0-9]{16,}|ghp_[A-Za-z0-9]{20,}|AKIA[0-9A-Z]{16}|hf_[A-Za-z0-9]{20,}|xox[bp]-[A-Za-z0-9-]{10,})"
_BRACKET = (
    r"(?<![\\\w\]])\[(?:[A-Z][A-Za-z'-]+(?: et al\.?| and [A-Z][A-Za-z'-]+)?,? (?:19|20)\d\d[a-z]?)(?:; [^\]\n]+)?\]"
)

RULES: tuple[LintRule, ...] = (
    LintRule("abstract-order", "minor", "the abstract stands before \\maketitle", abstract_order),
    LintRule("figure-in-heading", "major", "a figure in a section title", figure_in_heading),
    LintRule("image-twice", "minor", "the same image twice", image_twice),
    LintRule("duplicate-label", "minor", "a label defined twice", duplicate_labels),
    LintRule("undefined-label", "major", "a reference to no label", undefined_labels),
    LintRule("question-marks", "major", "?? in the text", _matches(r"(?<![?\w])\?\?(?!\?)")),
    LintRule("todo", "major", "a note to oneself", _matches(r"\b(?:TODO|FIXME|VERIFY|XXX|TBD)\b(?::|\b)|\\todo\b")),
    LintRule("assistant", "major", "an assistant's phrase", _matches(_ASSISTANT, re.IGNORECASE)),
    LintRule("internal-note", "major", "an internal note", _matches(_NOTES, re.IGNORECASE)),
    LintRule("placeholder", "major", "a placeholder", _matches(_PLACEHOLDER)),
    LintRule("bracket-citation", "minor", "a citation typed in brackets", _matches(_BRACKET)),
    LintRule("empty-section", "major", "a section without text", empty_sections),
    LintRule("missing-caption", "minor", "a float without caption", missing_captions),
    LintRule("missing-limitations", "major", "no section on limitations", missing_limitations),
    LintRule("path", "major", "a path, host or job id", _matches(_PATHS, preamble=True)),
    LintRule("key", "critical", "something that looks like a key", _matches(_KEYS, preamble=True)),
    LintRule("unbalanced", "critical", "an environment that is not closed", unbalanced),
    LintRule(
        "leftover-macro",
        "critical",
        "a result macro that was not expanded",
        _matches(r"\\res\b\s*(?:\[[^\]]*\])?\{[^{}]*\}"),
    ),
)
