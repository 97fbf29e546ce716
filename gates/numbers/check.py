"""The numbers program: judge a paper's bytes against what was measured.

Belongs here: the library's door: `check_paper`, `still_wrong`, `check_folder`. Not here: how any of
it is decided.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from cockpit.kernel.findings import Finding
from cockpit.kernel.protocols import Tree
from cockpit.kernel.view import RunView
from gates.given_results import registry_of
from gates.latex.commands import read
from gates.latex.origin import Origins, origins
from gates.numbers.bold import bold_claims
from gates.numbers.cards import read_cards
from gates.numbers.claims import worded_claims
from gates.numbers.closing import Mended, mended
from gates.numbers.findings import Accusing
from gates.numbers.judging import Judging
from gates.numbers.patch import FixPatch, apply
from gates.numbers.reading import read_numbers
from gates.numbers.report import LINE_MAP, PAPER_RENDERED, NumbersReport
from gates.numbers.verdicts import Judged, compare, mismatch, of_fact
from gates.registry import CURRENT, PLAN, Registry, build


def check_paper(
    tree: Tree, view: RunView | None, *, paper: str = PAPER_RENDERED, line_map: str | None = LINE_MAP
) -> NumbersReport:
    """Every number and checkable claim of `paper` against the run's results, with findings and a patch.

    Pure: same tree and view, same report. `view` None: results enter as given, without receipts.

    Raises:
        FileNotFoundError: there is no such paper.
    """
    registry, refused = build(tree, view)
    inputs = {p: str(tree.sha(p)) for p in (paper, CURRENT, PLAN) if tree.exists(p)}
    return judge_text(
        tree,
        tree.read(paper).decode("utf-8", "replace"),
        registry,
        view=view,
        paper=paper,
        line_map=line_map,
        refused=refused,
        cards=read_cards(tree),
        inputs=inputs,
    )


def judge_text(
    tree: Tree,
    text: str,
    registry: Registry,
    *,
    view: RunView | None = None,
    paper: str = "paper.tex",
    line_map: str | None = None,
    refused: tuple[Finding, ...] = (),
    cards: Mapping[str, frozenset[Decimal]] | None = None,
    inputs: dict[str, str] | None = None,
) -> NumbersReport:
    """`check_paper` on a text and a registry that are at hand."""
    text = text.replace("\r\n", "\n")
    reading = read_numbers(read(text))
    where = origins(tree, paper, text, line_map)
    judging = Judging(reading, registry, cards or {}, view)
    judged = judging.all()
    by_construction(judged, where, registry)
    sentences = [
        s
        for b in reading.document.blocks
        if b.where in ("text", "abstract", "caption", "footnote")
        for s in judging.around.sentences(b)
    ]
    accusing = Accusing(reading, registry, where, paper)
    accusing.numbers(judged)
    accusing.bold(bold_claims(reading, judging.tabular, registry))
    accusing.worded(worded_claims(sentences, judging.around, registry))
    accusing.unknown_keys()
    patch = FixPatch(
        paper=paper, hunks=tuple(sorted(accusing.hunks, key=lambda h: (h.rendered.line, h.rendered.column)))
    )
    return NumbersReport(
        paper=paper,
        numbers=tuple(accusing.row(j) for j in judged),
        claims=tuple(accusing.claims),
        findings=(*refused, *accusing.findings),
        patch=patch,
        fixed=apply({paper: text}, patch)[paper],
        files_read=len({f for fact in registry.facts.values() for f in fact.files}),
        values=len(registry.facts),
        inputs=inputs or {},
    )


def by_construction(judged: list[Judged], where: Origins, registry: Registry) -> None:
    r"""What a `\res` macro printed is bound to its key, whatever the sentence says; it can only be stale."""
    keys: dict[int, list[tuple[int, int, str]]] = {}
    for entry in judged:
        number = entry.number
        if number.line not in keys:
            keys[number.line] = where.keys(number.line)
        for start, end, key in keys[number.line]:
            fact = registry.facts.get(key)
            if start <= number.column < end and fact is not None:
                said = [of_fact(fact, registry)]
                bound = compare(number, said) or mismatch(number, said)
                entry.verdict, entry.key, entry.value, entry.rule = bound.verdict, key, fact.value, "res"
                entry.suggestion, entry.note, entry.pattern, entry.other = bound.suggestion, "", "", ""


def check_folder(tree: Tree, paper: str, results: str) -> NumbersReport:
    """`paper` against any folder of JSON, JSONL or CSV in `tree`: results as given, without plan and receipts.

    Files that cannot be read are findings (`result-without-job`): they vouch for nothing.

    Raises:
        FileNotFoundError: there is no such paper.
    """
    registry, troubles = registry_of(tree, results)
    refused = tuple(
        Finding(auditor="numbers", pattern="result-without-job", severity="major", title=trouble, owner=10)
        for trouble in troubles
    )
    text = tree.read(paper).decode("utf-8", "replace")
    inputs = {paper: str(tree.sha(paper))}
    return judge_text(tree, text, registry, paper=paper, refused=refused, inputs=inputs)


def still_wrong(
    tree: Tree, view: RunView | None, finding: Finding, *, paper: str = PAPER_RENDERED, line_map: str | None = LINE_MAP
) -> Mended:
    """Is what `finding` (of this program) accuses mended, withdrawn, or still there, in the present paper?

    mended: the numbers at its spans now have a good verdict. withdrawn: the value and every similar
    sentence are gone. Anything else, also a paper that cannot be read, is still.
    """
    if not tree.exists(paper):
        return "still"
    return mended(
        check_paper(tree, view, paper=paper, line_map=line_map), finding, tree.read(paper).decode("utf-8", "replace")
    )
