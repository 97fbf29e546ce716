"""Results without a job: a result file counts only if a job's receipt carries its hash.

Belongs here: `current_results.json` against receipts and bytes. Not here: what the values say.
"""

from __future__ import annotations

from cockpit.kernel.findings import Finding, Span
from cockpit.kernel.protocols import Tree
from cockpit.kernel.results import CurrentResult, JobReceipt
from cockpit.kernel.view import RunView
from gates.artifacts import CURRENT, bytes_of, current_of

OWNER = 10


def find(tree: Tree, view: RunView) -> tuple[Finding, ...]:
    """One finding a current result that no receipt stands for.

    Raises:
        ValueError: `current_results.json` cannot be read.
    """
    current = current_of(tree)
    if current.value is None:
        raise ValueError(current.problem)
    receipts = {r.job: r for r in view.receipts}
    found = ((result, fault(result, receipts.get(result.job), tree)) for result in current.value.results)
    return tuple(_finding(result, why) for result, why in found if why)


def fault(result: CurrentResult, receipt: JobReceipt | None, tree: Tree) -> str:
    """Why the result does not count; empty = it does."""
    if bytes_of(tree, result.file).value is None:
        return "the file is missing"
    if tree.sha(result.file) != result.sha256:
        return "its bytes are not those that were recorded"
    if receipt is None:
        return f"there is no receipt of job {result.job}"
    return _against(result, receipt)


def _against(result: CurrentResult, receipt: JobReceipt) -> str:
    checks = (
        (receipt.reason != "finished" or receipt.exit_code != 0, f"job {result.job} did not finish ({receipt.reason})"),
        (result.sha256 not in receipt.outputs.values(), f"the receipt of job {result.job} does not carry this hash"),
        ((receipt.condition, receipt.seed) != (result.condition, result.seed),
         f"job {result.job} ran {receipt.condition} with seed {receipt.seed}"),
        (bool(receipt.block) and receipt.block != result.block, f"job {result.job} ran in block {receipt.block}"),
    )  # fmt: skip
    return next((why for broken, why in checks if broken), "")


def _finding(result: CurrentResult, why: str) -> Finding:
    return Finding(
        auditor="receipts",
        pattern="result-without-job",
        severity="critical",
        title=f"result of {result.condition}, seed {result.seed}, has no job behind it: {why}",
        spans=(Span(file=result.file, text=f"{result.condition} seed {result.seed}"), Span(file=CURRENT)),
        owner=OWNER,
        parts=(f"run {result.condition} with seed {result.seed} in the sandbox, or let no number read the file",),
        evidence=(f"{result.file}: {why}",),
    )
