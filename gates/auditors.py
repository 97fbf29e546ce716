"""The program auditors: which there are, what they read, at the end of which stage parts they run.

Belongs here: the table and the guarded call. Not here: the auditors themselves, one module each.

An auditor that cannot do its work says so with a verdict and a reason code; it never passes by failing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from cockpit.kernel.findings import AuditRun, AuditVerdict, Finding
from cockpit.kernel.ids import Part
from cockpit.kernel.protocols import Tree
from cockpit.kernel.view import RunView
from gates import (
    ablations,
    citations,
    collapse,
    figures,
    lint,
    numbers_audit,
    passages,
    plan_check,
    receipts,
    references,
    static,
)
from gates.artifacts import (
    CARDS,
    CURRENT,
    LINE_MAP,
    OUTLINE,
    PAPER_BIB,
    PAPERS,
    PLAN,
    RENDERED,
    SECTIONS,
    bytes_of,
    current_of,
)
from gates.overlay import INSTEAD, FinalTree

Findings = tuple[Finding, ...]
Files = dict[str, str]


@dataclass(frozen=True)
class Audit:
    """What an auditor said. `reason` is a code when the verdict is not about findings."""

    auditor: str
    verdict: AuditVerdict
    reason: str = ""
    findings: Findings = ()
    files: Files = field(default_factory=dict)


@dataclass(frozen=True)
class Auditor:
    """One program. `needs` must exist before it can say anything; `reads` lists all it looked at."""

    name: str
    version: str
    needs: tuple[str, ...]
    reads: Callable[[Tree], Iterable[str]]
    find: Callable[[Tree, RunView], Findings | numbers_audit.Report]

    def ready(self, tree: Tree) -> bool:
        """Is there anything to judge?"""
        return all(tree.exists(path) for path in self.needs)

    def inputs(self, tree: Tree) -> tuple[str, ...]:
        """Paths that its verdict rests on, sorted, without repeats; those that exist."""
        return tuple(sorted({p for p in (*self.needs, *self.reads(tree)) if tree.exists(p)}))

    def run(self, tree: Tree, view: RunView) -> Audit:
        """Judge; whatever goes wrong becomes BLOCKED (input) or ERROR (the auditor), with a reason code."""
        missing = [path for path in self.needs if bytes_of(tree, path).value is None]
        if missing:
            return Audit(self.name, "BLOCKED", f"input-missing: {missing[0]}")
        try:
            said = self.find(tree, view)
        except ValueError as error:
            return Audit(self.name, "BLOCKED", f"input-unreadable: {error}")
        except Exception as error:  # noqa: BLE001 — a broken auditor must block by name, not stop the run or pass
            return Audit(self.name, "ERROR", f"auditor-failed: {type(error).__name__}: {error}")
        report = said if isinstance(said, numbers_audit.Report) else numbers_audit.Report(said)
        return Audit(self.name, _verdict(report.findings), "", report.findings, report.files)

    def record(self, audit: Audit, tree: Tree, name: str = "") -> AuditRun:
        """The run as the journal keeps it (under `name`): version, verdict, and the hash of every input."""
        inputs = {path: str(tree.sha(path)) for path in self.inputs(tree)}
        return AuditRun(
            auditor=name or self.name,
            version=self.version,
            verdict=audit.verdict,
            reason=audit.reason,
            inputs=inputs,
            findings=len(audit.findings),
        )


def _verdict(findings: Findings) -> AuditVerdict:
    heavy = any(f.severity in ("critical", "major") for f in findings)
    return "FAIL" if heavy else "WARN" if findings else "PASS"


def _results(tree: Tree) -> list[str]:
    current = current_of(tree).value
    return [r.file for r in current.results] if current else []


def _nothing(tree: Tree) -> list[str]:
    return []


_BY_NAME = (
    Auditor("numbers", "1", (RENDERED,), numbers_audit.inputs, numbers_audit.check),
    Auditor(
        "references",
        "1",
        (RENDERED,),
        lambda tree: (PAPERS, PAPER_BIB, LINE_MAP, *tree.list(SECTIONS)),
        references.find,
    ),
    Auditor("citations", "1", (PAPERS,), citations.inputs, citations.find),
    Auditor("ablations", "1", (OUTLINE, PLAN, RENDERED), _nothing, ablations.find),
    Auditor("collapse", "1", (CURRENT, PLAN), _results, collapse.find),
    Auditor("receipts", "1", (CURRENT,), _results, receipts.find),
    Auditor("plan", "1", (CURRENT, PLAN), _nothing, plan_check.find),
    Auditor("static", "1", (PLAN,), static.script_files, static.find),
    Auditor("passages", "1", (RENDERED, PAPERS), lambda tree: tree.list(CARDS), passages.find),
    Auditor("figures", "1", (CURRENT, PLAN), lambda tree: (*figures.data_files(tree), *_results(tree)), figures.find),
    Auditor("lint", "1", (RENDERED,), _nothing, lint.find),
)
AUDITORS: dict[str, Auditor] = {auditor.name: auditor for auditor in _BY_NAME}

_PAPER = ("numbers", "references", "citations", "passages", "ablations", "receipts", "plan", "figures", "lint")
SCHEDULE: dict[tuple[int, Part], tuple[str, ...]] = {
    (5, "whole"): ("citations",),
    (10, "whole"): ("static",),
    (13, "whole"): ("static", "receipts", "collapse", "plan"),
    (14, "whole"): ("receipts", "figures"),
    (17, "draft"): ("numbers",),
    (17, "mended"): _PAPER,
    (18, "whole"): ("ablations",),
    (19, "draft"): ("numbers",),
    (19, "mended"): _PAPER,
    (20, "whole"): ("ablations", "receipts", "collapse", "plan"),
    (22, "whole"): (*_PAPER, "collapse", "static"),
    (23, "whole"): ("references", "citations"),
}


# what is exported is judged on its own bytes too, under a name of its own
FINAL_PROGRAMS = ("numbers", "references", "lint")
EXPORT_STAGES = (22, 23)


def final_name(program: str) -> str:
    """The name under which a program's run on the exported paper is kept."""
    return f"{program}:final"


def audit_final(program: str, tree: Tree, view: RunView) -> Audit:
    """The program on `final/paper.tex` and the data beside it; its findings point there, and it writes nothing."""
    audit = AUDITORS[program].run(FinalTree(tree), view)
    findings = (*audit.findings, *(lint.history(tree) if program == "lint" else ()))
    verdict = audit.verdict if audit.reason else _verdict(findings)
    return Audit(final_name(program), verdict, audit.reason, tuple(map(_in_final, findings)))


def record_final(program: str, audit: Audit, tree: Tree) -> AuditRun:
    """The run on the exported paper as the journal keeps it: what stands in the package is what it rests on."""
    run = AUDITORS[program].record(audit, FinalTree(tree), final_name(program))
    return run.model_copy(update={"inputs": final_inputs(program, tree)})


def final_inputs(program: str, tree: Tree) -> dict[str, str]:
    """Path in the package → sha256 of all that the program's verdict on it rests on."""
    exported = FinalTree(tree)
    inside = {path: where for path in AUDITORS[program].inputs(exported) if (where := exported.exported(path))}
    return {where: str(exported.sha(path)) for path, where in sorted(inside.items())}


def _in_final(finding: Finding) -> Finding:
    spans = tuple(s.model_copy(update={"file": INSTEAD.get(s.file, s.file)}) for s in finding.spans)
    return finding.model_copy(update={"spans": spans})


def due(stage: int, part: Part) -> tuple[Auditor, ...]:
    """The programs that belong at the end of a stage part."""
    return tuple(AUDITORS[name] for name in SCHEDULE.get((stage, part), ()))
