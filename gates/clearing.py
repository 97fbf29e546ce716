"""What a program says about one obligation on the present bytes: mended (how, on what evidence), or not.

Belongs here: each program's test. Not here: whether the program may close the obligation (`closers.py`),
the events (`settle.py`). A test that cannot be made clears nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

from cockpit.kernel.findings import Finding, FixType
from cockpit.kernel.protocols import Tree
from cockpit.kernel.stages import FINAL
from cockpit.kernel.view import RunView
from gates.ablations import answered
from gates.artifacts import CURRENT, FINAL_PAPER, RENDERED
from gates.auditors import AUDITORS, FINAL_PROGRAMS, Audit, audit_final
from gates.fingerprints import fingerprint, similar
from gates.numbers_audit import Fates
from gates.overlay import FinalTree


@dataclass(frozen=True)
class Cleared:
    """Mended: the fix, the files that show it, a sentence."""

    fix: FixType
    evidence: tuple[str, ...]
    note: str


class Clearance:
    """The programs' answers for one settling; each program runs at most once on the paper and once on the export."""

    def __init__(self, tree: Tree, view: RunView) -> None:
        self._tree, self._view = tree, view
        self._audits: dict[tuple[str, bool], Audit] = {}
        self._fates = {False: Fates(tree, view), True: Fates(FinalTree(tree), view)}

    def ask(self, program: str, finding: Finding, fix: FixType) -> Cleared | None:
        """Does `program` find the fault mended where it stands? None also when it has no answer."""
        exported = bool(finding.spans) and all(s.file.startswith(f"{FINAL}/") for s in finding.spans)
        if program == "numbers":
            return self._numbers(finding, exported)
        if program not in AUDITORS or not AUDITORS[program].ready(self._tree):
            return None
        audit = self._audit(program, exported)
        if audit.verdict in ("ERROR", "BLOCKED"):
            return None
        if self._still(program, finding, audit):
            return None
        return self._how(program, fix, exported)

    def _audit(self, program: str, exported: bool) -> Audit:
        if (program, exported) not in self._audits:
            on_export = exported and program in FINAL_PROGRAMS
            run = audit_final(program, self._tree, self._view) if on_export else None
            self._audits[program, exported] = run or AUDITORS[program].run(self._tree, self._view)
        return self._audits[program, exported]

    def _still(self, program: str, finding: Finding, audit: Audit) -> bool:
        if program == "ablations" and not answered(self._tree, self._view, finding):
            return True
        return any(fingerprint(finding) == fingerprint(o) or similar(finding, o) for o in audit.findings)

    def _how(self, program: str, fix: FixType, exported: bool) -> Cleared | None:
        evidence = tuple(p for p in AUDITORS[program].inputs(self._tree) if self._tree.exists(p))
        shown = (FINAL_PAPER,) if exported else _first_of(evidence, (RENDERED, CURRENT))
        note = _NOTES.get(program, f"the {program} program finds nothing there any more")
        return Cleared(fix, shown, note) if shown else None

    def _numbers(self, finding: Finding, exported: bool) -> Cleared | None:
        try:
            fate = self._fates[exported].of(finding)
        except Exception:  # noqa: BLE001 — a program that breaks clears nothing; its audit says so by name
            return None
        paper = FINAL_PAPER if exported else RENDERED
        match fate:
            case "withdrawn":
                return Cleared("claim-withdrawn", (paper,), "the statement is no longer in the paper")
            case "mended":
                return Cleared("corrected-from-results", (paper, CURRENT), "the number is now what the run measured")
            case "still":
                return None


_NOTES = {
    "references": "every key in the paper comes from a stored record now",
    "ablations": "the planned condition has receipts and a row in a table",
    "collapse": "recomputed on the current results: no longer so",
    "receipts": "no current number reads the file",
}


def _first_of(paths: tuple[str, ...], preferred: tuple[str, ...]) -> tuple[str, ...]:
    best = tuple(p for p in preferred if p in paths)
    return best or paths[:3]
