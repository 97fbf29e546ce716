"""Before the long run: is the code sound, does each condition run, does each do something of its own?

Belongs here: static checks, the code's own checks, the smoke run and the short probe of every condition.
Not here: repairs (`repair.py`), real results (`running.py`). Probe results never count as results.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from agents.coding import jobs
from agents.coding.layout import probe_seed
from agents.coding.repair import Failure, signature_of, without_folders
from cockpit.kernel.model import JsonObject
from cockpit.kernel.plan import ExperimentPlan
from cockpit.kernel.protocols import Desk
from cockpit.kernel.results import JobResult, JobSpec, ResultFile
from cockpit.kernel.stages import EXEC_A
from gates import static

CHECK = "scripts/check.py"
PROBE = "probe.json"
TAIL = 12


async def examine(desk: Desk, plan: ExperimentPlan, scripts: Mapping[str, str]) -> list[Failure]:
    """What is wrong with `scripts` (the program's files included); empty when nothing is.

    Static checks come first; what they refuse is not run. Then three jobs at once: the code's own
    `check.py` if there is one, one condition as the schedule will start it, and all of them briefly.

    Raises:
        StageError: the sandbox did not run them.
    """
    if refused := static_failures(plan, scripts):
        return refused
    files = jobs.blobs(desk, scripts)
    specs = _specs(desk, plan, scripts, files)
    results = dict(zip(specs, await desk.run_jobs(list(specs.values())), strict=True))
    for result in results.values():
        if (broken := jobs.trouble(result)) is not None:
            raise broken
    failures = [_failed(name, result) for name, result in results.items() if not result.ok]
    if results["smoke"].ok:
        failures += _contract(plan, _output(desk, specs["smoke"], "results.json"), str(specs["smoke"].condition))
    if results["probe"].ok:
        failures += _probed(plan, _output(desk, specs["probe"], PROBE))
    return failures


def static_failures(plan: ExperimentPlan, scripts: Mapping[str, str]) -> list[Failure]:
    """What the static gate would refuse, one failure a kind of fault."""
    sources = {f"{EXEC_A}/{path}": text.encode() for path, text in scripts.items() if path.endswith(".py")}
    found: dict[str, list[str]] = {}
    for finding in static.check(sources, plan):
        if finding.severity in ("critical", "major"):
            span = finding.spans[0]
            at = f"{span.file.removeprefix(f'{EXEC_A}/')}:{span.line}"
            found.setdefault(finding.pattern, []).append(f"{at}: {finding.title}: {span.text}")
    return [Failure(pattern, tuple(lines)) for pattern, lines in sorted(found.items())]


def _specs(
    desk: Desk, plan: ExperimentPlan, scripts: Mapping[str, str], files: Mapping[str, Any]
) -> dict[str, JobSpec]:
    first, seed = plan.conditions[0], probe_seed(plan)
    smoke = ("python", first.entry, "--condition", first.id, "--seed", str(seed), "--probe")
    probe = ("python", "scripts/run_all.py", "--probe")
    name = f"smoke.{first.id}"
    found = {
        "smoke": jobs.spec(desk, plan, files, smoke, name=name, kind="smoke", condition=first, seed=seed),
        "probe": jobs.spec(desk, plan, files, probe, name="probe", kind="probe", outputs=(PROBE,)),
    }
    if CHECK in scripts:
        found["check"] = jobs.spec(desk, plan, files, ("python", CHECK), name="check", kind="smoke", outputs=())
    return found


def _failed(name: str, result: JobResult) -> Failure:
    tail = without_folders(result.tail[-TAIL:])
    signature = result.signature or (
        signature_of(result.tail) if result.receipt.reason == "failed" else result.receipt.reason
    )
    condition = result.receipt.condition
    return Failure(signature, (f"in the {name} run:", *tail), (str(condition),) if condition else ())


def _output(desk: Desk, spec: JobSpec, path: str) -> bytes | None:
    try:
        return desk.job_output(spec, path)
    except FileNotFoundError:
        return None


def _probed(plan: ExperimentPlan, content: bytes | None) -> list[Failure]:
    """Failures of single conditions in the probe, and conditions that do the same."""
    if content is None:
        return [Failure(f"contract: the probe left no {PROBE}", ())]
    found: JsonObject = json.loads(content)
    by_signature: dict[str, list[tuple[str, Sequence[str]]]] = {}
    for name, outcome in sorted(found.items()):
        if not outcome["ok"]:
            by_signature.setdefault(signature_of(outcome["trace"]), []).append((name, outcome["trace"]))
    failures = [
        Failure(signature, without_folders(shown[0][1]), tuple(name for name, _ in shown))
        for signature, shown in by_signature.items()
    ]
    rows = {name: outcome["rows"] for name, outcome in sorted(found.items()) if outcome["ok"]}
    for name, values in rows.items():
        text = json.dumps({"contract": "cockpit.results/1", "rows": values}).encode()
        failures += _contract(plan, text, name)
    return failures or list(_alike(plan, rows))


def _alike(plan: ExperimentPlan, rows: Mapping[str, list[JsonObject]]) -> Iterator[Failure]:
    """Conditions whose measured outcomes are equal to the last digit: a parameter does nothing."""
    outcomes = {m.name for m in plan.metrics if m.name not in plan.efficiency}
    values = {name: {r["metric"]: r["value"] for r in found if r["metric"] in outcomes} for name, found in rows.items()}
    for one, other in itertools.combinations(sorted(values), 2):
        if values[one] and values[one] == values[other]:
            text = f"{one} and {other} give the same values: {values[one]}"
            yield Failure(f"identical: {one} = {other}", (text,), (one, other))


def _contract(plan: ExperimentPlan, content: bytes | None, condition: str) -> list[Failure]:
    if problem := contract_fault(plan, content, condition):
        return [Failure(f"contract: {problem}", (f"condition {condition}",), (condition,))]
    return []


def contract_fault(plan: ExperimentPlan, content: bytes | None, condition: str, seed: int | None = None) -> str:
    """What a `results.json` lacks against the contract; empty when nothing."""
    if content is None:
        return "no results.json was written"
    try:
        rows = ResultFile.model_validate_json(content).rows
    except ValidationError as error:
        return f"results.json is not by the contract: {error.errors()[0]['msg']}"
    if any(row.condition != condition for row in rows):
        return "a row names another condition"
    if seed is not None and any(row.seed != seed for row in rows):
        return "a row names another seed"
    have = {(row.metric, row.split) for row in rows}
    lost = [f"{m.name} on {m.split}" for m in plan.metrics if (m.name, m.split) not in have]
    return f"no row for {', '.join(lost)}" if lost else ""
