"""The report: numbers, claims, findings, patch, and the files of `07_data_verification`.

Belongs here: shapes and their JSON. Not here: judging.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Literal

from cockpit.kernel.findings import AuditRun, Finding, GateOutcome
from cockpit.kernel.model import Model, pretty
from cockpit.kernel.stages import VER_A, WRITE_A
from gates.numbers.patch import FixPatch
from gates.numbers.verdicts import Verdict

SCHEMA, VERSION = "cockpit.check-numbers/1", "1.0"
PAPER_RENDERED, PAPER_SOURCE = f"{WRITE_A}/paper_rendered.tex", f"{WRITE_A}/paper.tex"
LINE_MAP = f"{WRITE_A}/line_map.json"
NUMBER_MAP, FIX_PATCH = f"{VER_A}/number_map.json", f"{VER_A}/fix_patch.json"
PAPER_FIXED, CLAIMS = f"{VER_A}/paper_fixed.tex", f"{VER_A}/claims.json"


class NumberSource(Model):
    """What a verdict rests on. `value` is exact."""

    file: str = ""
    key: str = ""
    value: str = ""


class NumberRow(Model):
    """One printed number: `file`, `line`, columns in the judged file, `source_*` where that was rendered from."""

    file: str
    line: int
    column: int
    end_column: int
    source_file: str
    source_line: int
    source_column: int
    text: str
    value: str
    precision: int  # decimals printed
    unit: str
    where: str
    section: str
    row: str
    col: str
    strict: bool
    verdict: Verdict
    rule: str | None = None
    source: NumberSource | None = None
    formula: str | None = None
    suggestion: str | None = None
    context: str = ""  # the words around it as a reader sees them, the number in ⟦ ⟧
    quote: str = ""  # the words around it as the source has them
    note: str = ""


class ClaimRow(Model):
    """One worded claim with the cells it speaks of."""

    file: str
    line: int
    text: str
    kind: Literal["bold", "direction", "delta", "significance", "universal", "seeds", "repeat"]
    verdict: Literal["holds", "fails", "unsupported"]
    cells: tuple[str, ...] = ()
    note: str = ""


class NumbersReport(Model):
    """What the numbers program says of one paper. `inputs`: path → sha256 of what it read."""

    paper: str
    numbers: tuple[NumberRow, ...]
    claims: tuple[ClaimRow, ...]
    findings: tuple[Finding, ...]
    patch: FixPatch
    fixed: str  # the paper with the correctable hunks applied
    files_read: int = 0
    values: int = 0
    inputs: dict[str, str] = {}

    @property
    def by_verdict(self) -> dict[str, int]:
        """Verdict → how many numbers."""
        return dict(sorted(Counter(n.verdict for n in self.numbers).items()))

    @property
    def outcome(self) -> GateOutcome:
        """BLOCK with a critical finding, WARN with another of weight, else NO_NEW_BLOCKER."""
        severities = {f.severity for f in self.findings}
        return "BLOCK" if "critical" in severities else "WARN" if severities - {"info"} else "NO_NEW_BLOCKER"

    @property
    def files(self) -> dict[str, str]:
        """The files of 07: path → text."""
        return {
            NUMBER_MAP: pretty(self.as_json()),
            FIX_PATCH: pretty(self.patch.as_json()),
            PAPER_FIXED: self.fixed,
            CLAIMS: pretty([c.model_dump(mode="json") for c in self.claims]),
        }

    @property
    def run(self) -> AuditRun:
        """That the program ran, on which bytes, with what verdict."""
        verdict: Literal["FAIL", "WARN", "PASS"] = {"BLOCK": "FAIL", "WARN": "WARN", "NO_NEW_BLOCKER": "PASS"}[
            self.outcome
        ]  # type: ignore[assignment]
        return AuditRun(
            auditor="numbers", version=VERSION, verdict=verdict, inputs=self.inputs, findings=len(self.findings)
        )

    def as_json(self) -> dict[str, Any]:
        """`number_map.json`, which is also what `check-numbers --json` prints."""
        return {
            "schema": SCHEMA,
            "paper": self.paper,
            "results": {"files": self.files_read, "values": self.values},
            "numbers": [n.model_dump(mode="json") for n in self.numbers],
            "claims": [c.model_dump(mode="json") for c in self.claims],
            "findings": [_finding(f) for f in self.findings],
            "summary": {"numbers": len(self.numbers), "by_verdict": self.by_verdict, "outcome": self.outcome},
        }


def _finding(finding: Finding) -> dict[str, Any]:
    span = finding.spans[0] if finding.spans else None
    return {
        "severity": finding.severity,
        "auditor": finding.auditor,
        "pattern": finding.pattern,
        "title": finding.title,
        "file": span.file if span else "",
        "line": span.line if span else 0,
        "column": span.column if span else 0,
        "evidence": list(finding.evidence),
    }
