"""Who closes what: one table, as data, and the question whether an actor may do a thing to an obligation.

Belongs here: the table and look-ups in it. Not here: the tests that programs make (`clearing.py`), the
events (`settle.py`).

Anyone may accuse; only an independent reviewer, a deterministic program or a named person may clear;
nothing acquits. What the table does not allow is refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal

from cockpit.kernel.findings import Finding, FixType

ActorKind = Literal["program", "independent-review", "provisional-review", "person", "executor"]
Verb = Literal["accuse", "close", "refute", "meet-provisionally", "waive", "supersede"]
Way = Literal["program", "program-then-review", "review", "person"]
ACTORS: tuple[ActorKind, ...] = ("program", "independent-review", "provisional-review", "person", "executor")
VERBS: tuple[Verb, ...] = ("accuse", "close", "refute", "meet-provisionally", "waive", "supersede")

PAPER_STAGES = frozenset({17, 19, 20, 22, 23})
RESULT_STAGES = frozenset({12, 13, 14, 17, 19, 20, 22, 23})


@dataclass(frozen=True)
class Rule:
    """How findings whose pattern matches one of `patterns` are closed, by which program, from which stages on.

    `fix` is what a closing means unless the program says more precisely.
    """

    patterns: tuple[str, ...]
    way: Way
    program: str = ""
    stages: frozenset[int] = PAPER_STAGES
    fix: FixType = "claim-narrowed"


TABLE: tuple[Rule, ...] = (
    Rule(("number-*",), "program", "numbers", fix="corrected-from-results"),
    Rule(("reference-without-record",), "program", "references", fix="citation-replaced"),
    Rule(("citation-*",), "program", "citations", fix="citation-replaced"),
    Rule(("passage-missing",), "program-then-review", "passages", fix="citation-replaced"),
    Rule(("experiment-missing",), "program-then-review", "ablations", fix="experiment-added"),
    Rule(("collapse", "collapse-*", "control-*"), "program", "collapse", RESULT_STAGES, "code-corrected"),
    Rule(("result-without-job",), "program", "receipts", RESULT_STAGES, "experiment-added"),
    Rule(("plan-deviation",), "program", "plan", RESULT_STAGES, "experiment-added"),
    Rule(("static-*",), "program", "static", frozenset({10, 13, 17, 19, 20, 22}), "code-corrected"),
    Rule(("lint-*",), "program", "lint"),
    Rule(("figure-*",), "program", "figures", frozenset({14, 17, 19, 20, 22}), "corrected-from-results"),
    Rule(("overlap-*",), "program", "overlap"),
    Rule(("anonymity-*",), "program", "anonymity"),
    Rule(("secret-*",), "program", "secrets"),
    Rule(("extractor-disagreement",), "program", "numbers"),
    Rule(("novelty-*", "claim-*", "kill-*", "review-*"), "review"),
    Rule(("design-*", "experiment-*"), "review", fix="experiment-added"),
    Rule(("*",), "person"),  # injection-*, ethics-*, rights-*, and whatever nobody thought of
)

REVIEWABLE: tuple[Way, ...] = ("review", "program-then-review")


def rule_for(finding: Finding | str) -> Rule:
    """The first row whose pattern fits; the last row fits everything. A numbers finding is always numbers'."""
    pattern = finding if isinstance(finding, str) else finding.pattern
    if isinstance(finding, Finding) and finding.auditor == "numbers" and finding.deterministic:
        return TABLE[0]
    return next(rule for rule in TABLE if any(fnmatchcase(pattern, glob) for glob in rule.patterns))


def may(actor: ActorKind, verb: Verb, finding: Finding | str) -> bool:
    """Is (actor, verb, target) in the table? Everything else is refused.

    A close by program-then-review needs both: each of the two may contribute, neither alone suffices
    (`settle.py`). A person closes only what is a person's; everything else a person may waive, with a
    name and a reason, which is no resolution.
    """
    way = rule_for(finding).way
    match verb:
        case "accuse":
            return True
        case "waive":
            return actor == "person"
        case "supersede":
            return actor == "program"
        case "meet-provisionally":
            return actor == "provisional-review" and way in REVIEWABLE
        case "close":
            return actor in _CLOSE[way]
        case "refute":
            return actor in _REFUTE[way]


_CLOSE: dict[Way, tuple[ActorKind, ...]] = {
    "program": ("program",),
    "program-then-review": ("program", "independent-review"),
    "review": ("independent-review",),
    "person": ("person",),
}
# who may say that the accusation itself was wrong: the checker that made it, another reviewer, a person
_REFUTE: dict[Way, tuple[ActorKind, ...]] = {
    "program": ("program", "person"),
    "program-then-review": ("program", "person"),
    "review": ("independent-review", "person"),
    "person": ("person",),
}


def refusal(actor: ActorKind, verb: Verb, finding: Finding | str) -> str:
    """Why (actor, verb, target) is refused, as a sentence; empty when it is allowed."""
    if may(actor, verb, finding):
        return ""
    rule = rule_for(finding)
    pattern = finding if isinstance(finding, str) else finding.pattern
    closer = {
        "program": f"the {rule.program} program on the present bytes",
        "program-then-review": f"the {rule.program} program and then an independent review",
        "review": "an independent verification review",
        "person": "a named person",
    }[rule.way]
    return f"{actor} may not {verb.replace('-', ' ')} {pattern}: it is closed by {closer}"
