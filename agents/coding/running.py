"""The long run: each condition at each seed of the block, finished ones kept, results put in their place.

Belongs here: planned jobs, running them, result files, `current_results.json`. Not here: repairs
(`repair.py`), the schedule's order (stage 11 decides it).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from agents.coding import jobs, layout
from agents.coding.identity import condition_hash
from agents.coding.probing import contract_fault
from agents.coding.repair import Failure, signature_of, without_folders
from cockpit.kernel.ids import JobId, Sha256
from cockpit.kernel.model import pretty, sha256
from cockpit.kernel.plan import Condition, ExperimentPlan
from cockpit.kernel.protocols import Desk
from cockpit.kernel.results import CurrentResult, CurrentResults, FailedResult, JobResult, JobSpec

KEPT_LINES = 40


@dataclass(frozen=True)
class Planned:
    """One condition at one seed, with what its result would be the result of."""

    condition: Condition
    seed: int
    identity: Sha256
    spec: JobSpec


@dataclass(frozen=True)
class Ran:
    """How the jobs of a block stand. `kept` counts results that were there already."""

    current: CurrentResults
    files: dict[str, bytes]  # run-relative path → result file
    logs: dict[str, str]
    failures: tuple[Failure, ...]  # one a signature
    kept: int = 0

    @property
    def planned(self) -> int:
        return len(self.current.results) + len(self.current.failed)


@dataclass(frozen=True)
class _Ended:
    """The end of one planned job: its result file, or why there is none."""

    job: JobId
    content: bytes | None = None
    log: str = ""
    signature: str = ""
    reason: str = "failed"
    trace: tuple[str, ...] = ()


def image_of(desk: Desk) -> str:
    """What code runs in, as far as a result depends on it."""
    return desk.view.run.sandbox if desk.view.run else desk.settings.sandbox.image


def planned(
    desk: Desk, plan: ExperimentPlan, scripts: Mapping[str, str], pairs: Iterable[tuple[str, int]]
) -> list[Planned]:
    """The jobs of (condition id, seed) pairs, in their order. `scripts` holds the program's files too."""
    files, found = jobs.blobs(desk, scripts), []
    for name, seed in pairs:
        condition = plan.condition(name)
        if condition is None:
            continue
        identity = condition_hash(plan, condition, seed, scripts, image_of(desk))
        command = ("python", condition.entry, "--condition", condition.id, "--seed", str(seed))
        spec = jobs.spec(desk, plan, files, command, name=f"{condition.id}.seed-{seed}", condition=condition,
                         kind=layout.FOLDERS[condition.kind], seed=seed, identity=identity)  # fmt: skip
        found.append(Planned(condition, seed, identity, spec))
    return found


def all_pairs(plan: ExperimentPlan, block: str) -> list[tuple[str, int]]:
    """Every condition at every seed of the block, in the plan's order."""
    return [(c.id, seed) for c in plan.conditions for seed in plan.seed_blocks[block]]


async def run(desk: Desk, plan: ExperimentPlan, block: str, wanted: Sequence[Planned]) -> Ran:
    """Run `wanted` in its order; a result of the same code, parameters, seed, data and image is kept.

    Raises:
        StageError: the sandbox did not run a job; what has ended is kept for the resumed run.
    """
    kept = {p.spec.id: end for p in wanted if (end := _kept(desk, p)) is not None}
    missing = [p for p in wanted if p.spec.id not in kept]
    results = await desk.run_jobs([p.spec for p in missing], block=block)
    if broken := next((t for r in results if (t := jobs.trouble(r)) is not None), None):
        raise broken
    ended = {p.spec.id: _ended(desk, plan, p, result) for p, result in zip(missing, results, strict=True)} | kept
    current, files, logs = [], {}, {}
    failed: list[tuple[Planned, _Ended]] = []
    for p in wanted:
        how = ended[p.spec.id]
        if how.log:
            logs[f"{layout.LOGS}{p.condition.id}.seed-{p.seed}.log"] = how.log
        if how.content is None:
            failed.append((p, how))
            continue
        path = layout.result_path(p.condition, p.seed)
        files[path] = how.content
        current.append(_current(p, block, path, how))
    return Ran(
        CurrentResults(
            plan_version=plan.version,
            block=block,
            results=tuple(current),
            failed=tuple(_fault(p, e) for p, e in failed),
        ),
        files,
        logs,
        _by_signature(failed),
        len(kept),
    )


def put(desk: Desk, ran: Ran) -> None:
    """Write result files, logs and `current_results.json` of `ran`."""
    for path, content in sorted(ran.files.items()):
        desk.write(path, content)
    for path, text in sorted(ran.logs.items()):
        desk.write(path, text)
    desk.write(layout.CURRENT, pretty(ran.current))


def told(ran: Ran) -> str:
    """One line: how many jobs finished, and why others did not."""
    line = f"{len(ran.current.results)} of {ran.planned} jobs finished"
    if ran.kept:
        line += f" ({ran.kept} kept)"
    if ran.failures:
        line += "; failed: " + "; ".join(f.signature for f in ran.failures)
    return line


def _kept(desk: Desk, p: Planned) -> _Ended | None:
    """A finished job of the same identity, whose output can still be read."""
    for receipt in desk.view.receipts:
        if receipt.condition_hash != p.identity or receipt.kind != p.spec.kind:
            continue
        if receipt.reason == "finished" and receipt.exit_code == 0 and "results.json" in receipt.outputs:
            try:
                content = desk.job_output(p.spec.model_copy(update={"id": receipt.job}), "results.json")
            except (FileNotFoundError, ValueError):  # cleaned away or touched since: it is run again
                continue
            return _Ended(receipt.job, content)
    return None


def _ended(desk: Desk, plan: ExperimentPlan, p: Planned, result: JobResult) -> _Ended:
    tail = without_folders(result.tail[-KEPT_LINES:])
    log = "".join(f"{line}\n" for line in tail)
    reason = result.receipt.reason
    if not result.ok:
        signature = result.signature or (signature_of(result.tail) if reason == "failed" else reason)
        return _Ended(p.spec.id, log=log, signature=signature, reason=reason, trace=tail)
    try:
        content: bytes | None = desk.job_output(p.spec, "results.json")
    except FileNotFoundError:
        content = None
    if fault := contract_fault(plan, content, p.condition.id, p.seed):
        return _Ended(p.spec.id, log=log, signature=f"contract: {fault}", reason="failed", trace=tail)
    return _Ended(p.spec.id, content, log)


def _current(p: Planned, block: str, path: str, end: _Ended) -> CurrentResult:
    assert end.content is not None
    return CurrentResult(
        condition=p.condition.id,
        kind=p.spec.kind,
        seed=p.seed,
        block=block,
        condition_hash=p.identity,
        file=path,
        sha256=Sha256(sha256(end.content)),
        job=end.job,
    )


def _fault(p: Planned, end: _Ended) -> FailedResult:
    return FailedResult.model_validate(
        {"condition": p.condition.id, "seed": p.seed, "job": end.job, "reason": end.reason, "signature": end.signature}
    )


def _by_signature(failed: Sequence[tuple[Planned, _Ended]]) -> tuple[Failure, ...]:
    """One failure a signature, with the conditions that showed it and the lines of the first."""
    found: dict[str, tuple[tuple[str, ...], list[str]]] = {}
    for p, end in failed:
        _, conditions = found.setdefault(end.signature, (end.trace, []))
        if p.condition.id not in conditions:
            conditions.append(p.condition.id)
    return tuple(Failure(sign, trace, tuple(conditions)) for sign, (trace, conditions) in found.items())
