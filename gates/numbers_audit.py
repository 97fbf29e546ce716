"""The numbers program as one auditor among the others.

Belongs here: the call into `gates/numbers/check.py` and what comes of its failing. Not here: numbers.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from cockpit.kernel.findings import Finding
from cockpit.kernel.protocols import Tree
from cockpit.kernel.view import RunView


@dataclass(frozen=True)
class Report:
    """Findings, and files to write (path → text)."""

    findings: tuple[Finding, ...]
    files: dict[str, str] = field(default_factory=dict)


def check(tree: Tree, view: RunView) -> Report:
    """Findings on the present paper, and the files of 07.

    Raises:
        ImportError: the program is not there.
    """
    report: Any = import_module("gates.numbers.check").check_paper(tree, view)
    return Report(tuple(report.findings), dict(report.files))


def number_still_wrong(tree: Tree, view: RunView, finding: Finding) -> bool:
    """Is what the finding accuses still wrong on the present bytes?

    Raises:
        ImportError: the program is not there.
    """
    program: Any = import_module("gates.numbers.check")
    return program.still_wrong(tree, view, finding) is not False
