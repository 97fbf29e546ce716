"""Closing: what programs and independent verifications say about open obligations becomes ledger events.

Belongs here: the walk over the ledger, by the table of `closers.py`. Not here: the programs' tests
(`clearing.py`), accusations (`ledger.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from cockpit.kernel.events import LedgerEvent, ObligationSuperseded, PartClosed, PartProvisionallyMet
from cockpit.kernel.findings import Evidence, Obligation
from cockpit.kernel.ids import Instant, Position
from cockpit.kernel.protocols import Tree
from cockpit.kernel.reviews import Verification
from cockpit.kernel.view import RunView
from gates.artifacts import RENDERED, text_of
from gates.clearing import Clearance, Cleared
from gates.closers import PAPER_STAGES, REVIEWABLE, Rule, may, rule_for
from gates.fingerprints import normal_text
from gates.independence import answers_of, independence, receipt_faults, twice_used


@dataclass(frozen=True)
class Settling:
    """One settling: where and when, on which bytes, with which answers."""

    view: RunView
    position: Position
    at: Instant
    tree: Tree
    programs: Clearance
    verifications: tuple[Verification, ...]


def settle(view: RunView, position: Position, at: Instant, tree: Tree,
           verifications: Sequence[Verification] = ()) -> tuple[LedgerEvent, ...]:  # fmt: skip
    """Ledger events by those who may close, in the ledger's order."""
    here = Settling(view, position, at, tree, Clearance(tree, view), tuple(verifications))
    return tuple(event for o in view.ledger.open for event in _obligation(here, o))


def verifiable(view: RunView, tree: Tree) -> tuple[tuple[Obligation, int], ...]:
    """(obligation, part index) that a verification review could close now: what stage 20 should ask about.

    Where a program must agree first, only parts that it finds mended.
    """
    programs = Clearance(tree, view)
    found: list[tuple[Obligation, int]] = []
    for o in view.ledger.open:
        rule = rule_for(o.finding)
        waits = rule.way == "program-then-review" and programs.ask(rule.program, o.finding, rule.fix) is None
        if rule.way in REVIEWABLE and not waits:
            found += [(o, i) for i, part in enumerate(o.parts) if part.state != "closed"]
    return tuple(found)


def _obligation(here: Settling, o: Obligation) -> Iterator[LedgerEvent]:
    left = left_behind(here.view, here.tree, o) if here.position.stage in PAPER_STAGES else ""
    if left and may("program", "supersede", o.finding):
        yield ObligationSuperseded(at=here.at, position=here.position, fingerprint=o.fingerprint, why=left)
        return
    rule = rule_for(o.finding)
    cleared: Cleared | None = None
    if rule.program and here.position.stage in rule.stages and may("program", "close", o.finding):
        cleared = here.programs.ask(rule.program, o.finding, rule.fix)
    for index, part in enumerate(o.parts):
        if part.state != "closed":
            yield from _part(_Case(here, o, index, cleared), rule)


@dataclass(frozen=True)
class _Case:
    """One open part, and what the program of its rule says about it."""

    here: Settling
    o: Obligation
    index: int
    cleared: Cleared | None

    def close(self, cleared: Cleared, closer: str) -> PartClosed:
        here = self.here
        evidence = tuple(
            Evidence(path=path, sha256=here.tree.sha(path), position=here.position, note=cleared.note)
            for path in cleared.evidence
            if here.tree.exists(path)
        )
        return PartClosed(
            at=here.at,
            position=here.position,
            fingerprint=self.o.fingerprint,
            part=self.index,
            fix=cleared.fix,
            closer=closer,
            evidence=evidence,
            note=cleared.note,
        )

    def mark(self, answer: Verification) -> PartProvisionallyMet:
        here = self.here
        return PartProvisionallyMet(
            at=here.at,
            position=here.position,
            fingerprint=self.o.fingerprint,
            part=self.index,
            closer=_closer(answer),
            note=answer.why,
        )


def _part(case: _Case, rule: Rule) -> Iterator[LedgerEvent]:
    if rule.way == "program":
        if case.cleared is not None:
            yield case.close(case.cleared, f"program:{rule.program}")
        return
    here, o = case.here, case.o
    answers = [v for v in here.verifications if (v.obligation, v.part) == (o.fingerprint, case.index)]
    counting = [v for v in answers if not why_not(v, here.view, here.tree, o)]
    if rule.way == "person" or not counting or any(v.met == "not-met" for v in counting):
        return
    independent = [v for v in counting if _independent(v)]
    if independent:
        yield from _reviewed(case, rule, independent)
    elif counting[0].met == "met" and o.parts[case.index].state == "open":
        yield case.mark(counting[0])


def _reviewed(case: _Case, rule: Rule, answers: list[Verification]) -> Iterator[LedgerEvent]:
    """Independent answers close, after the program where one is asked; a refutation only by who may."""
    answer = answers[0]
    read = tuple(sorted(p for p in answer.receipt.artifacts if case.here.tree.exists(p)))
    refuted = [v for v in answers if v.met == "refuted"]
    if refuted:
        if all(may_refute(v, case.o) for v in refuted):
            yield case.close(Cleared("finding-refuted", read, refuted[0].why), _closer(refuted[0]))
    elif rule.way == "review":
        yield case.close(Cleared(rule.fix, read, answer.why), _closer(answer))
    elif case.cleared is not None:
        both = Cleared(case.cleared.fix, case.cleared.evidence, f"{case.cleared.note}; {answer.why}")
        yield case.close(both, f"program:{rule.program}+{_closer(answer)}")


def _closer(answer: Verification) -> str:
    return f"review:{answer.receipt.reported_model or answer.receipt.asked_model}"


def why_not(answer: Verification, view: RunView, tree: Tree, o: Obligation) -> str:
    """Why a verification counts neither way; empty = it counts."""
    faults = receipt_faults(answer.receipt, view, tree)
    if faults:
        return faults[0]
    if twice_used(answer.receipt, answers_of(view)):
        return "its receipt was used before"
    if independence(answer.receipt.author_family, answer.receipt.family) == "unknown":
        return "nobody knows whose model answered"
    if answer.quote and not _located(answer.quote, answer, tree):
        return "its quote stands in none of the artifacts it read"
    return "" if 0 <= answer.part < len(o.parts) else f"#{o.number} has no part {answer.part}"


def may_refute(answer: Verification, o: Obligation) -> bool:
    """Only another reviewer than the accuser, of another family; never against a program's finding."""
    if o.finding.deterministic or not may("independent-review", "refute", o.finding):
        return False
    accuser = set(o.finding.family.split(" + ")) - {""}
    return bool(accuser) and not accuser & set(answer.receipt.family.families)


def left_behind(view: RunView, tree: Tree, o: Obligation) -> str:
    """Why an obligation belongs to a line of work that was left; empty = it does not.

    Only after a pivot that came later than the accusation, when its files are gone and the present paper
    holds neither its words nor its key.
    """
    turned = [w.position for w in view.ways_back if w.why == "pivot" and o.opened < w.position]
    paper = text_of(tree, RENDERED).value
    words = [normal_text(s.text) for s in o.finding.spans if s.text]
    if not turned or paper is None or not words or not o.finding.spans:
        return ""
    if any(tree.exists(s.file) for s in o.finding.spans) or any(word in normal_text(paper) for word in words):
        return ""
    return f"its artifacts were left with the pivot at {turned[-1].label}, and the present paper has none of its words"


def _independent(answer: Verification) -> bool:
    receipt = answer.receipt
    return (
        receipt.independence == "independent" and independence(receipt.author_family, receipt.family) == "independent"
    )


def _located(quote: str, answer: Verification, tree: Tree) -> bool:
    wanted = normal_text(quote)
    texts = (text_of(tree, path).value for path in sorted(answer.receipt.artifacts))
    return any(text is not None and wanted in normal_text(text) for text in texts)
