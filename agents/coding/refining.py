"""Stage 13: repair what failed, read the results, change the code if they say so, until it converges.

Belongs here: that loop, its limits, the refinement log, and the moment at which results are seen. Not
here: writing code from nothing (`generation.py`), the decision about the line of work (15).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from agents.coding import layout, running
from agents.coding.generation import repair_lines
from agents.coding.identity import block_in_force, code_hash
from agents.coding.probing import examine
from agents.coding.repair import Failure, Repairs, merged, shown
from agents.coding.replies import Refinement
from agents.coding.running import Ran
from agents.kit import Kit
from agents.prompting import own
from agents.results import collect
from agents.soundness import checked
from cockpit.kernel.events import ResultsSeen
from cockpit.kernel.ids import ConditionId
from cockpit.kernel.model import JsonObject, pretty
from cockpit.kernel.plan import ExperimentPlan
from cockpit.kernel.protocols import Desk, StageReport
from cockpit.kernel.results import ResultFile
from cockpit.kernel.stages import EXEC_A
from gates import collapse

CHANGES = 2  # of the code after results were seen, in one stage instance


@dataclass
class _Line:
    """The work as it stands inside this stage instance."""

    plan: ExperimentPlan
    scripts: dict[str, str]  # without the program's files
    block: str
    fresh: bool
    ran: Ran
    repairs: Repairs = field(default_factory=lambda: Repairs("repair"))
    changes: list[JsonObject] = field(default_factory=list)
    observations: list[str] = field(default_factory=list)
    concerns: list[str] = field(default_factory=list)
    seen: bool = False
    touched: bool = False

    @property
    def all_scripts(self) -> dict[str, str]:
        return {**self.scripts, **layout.program_files(self.plan, self.block)}


async def refine(desk: Desk, kit: Kit) -> StageReport:
    """Stage 13: refinement_log.json, and scripts, results and logs where they had to change."""
    line = await _start(desk)
    await _repair(desk, kit, line)
    converged = not line.ran.failures
    while True:
        if not line.ran.current.results:
            break  # nothing was measured, so nothing can be seen
        await _see(desk, kit, line)
        answer = await _ask(desk, kit, line)
        line.observations += answer.observations
        line.concerns += answer.concerns
        if answer.action == "converged":
            break
        if len(line.changes) == CHANGES:
            converged = False
            break
        await _change(desk, kit, line, answer)
        converged = not line.ran.failures
    _leave(desk, line)
    desk.write(layout.REFINEMENTS, pretty(_log(line, converged)))
    return _report(line, converged)


async def _start(desk: Desk) -> _Line:
    """Results as 12 left them, read back from the jobs that made them: nothing is run."""
    plan = layout.read_plan(desk.tree)
    scripts = layout.read_scripts(desk.tree)
    current = layout.read_current(desk.tree)
    if current is None:
        raise FileNotFoundError(f"{layout.CURRENT} is missing")
    files = {r.file: desk.tree.read(r.file) for r in current.results}
    by_signature: dict[str, list[str]] = {}
    logs: dict[str, tuple[str, ...]] = {}
    for failed in current.failed:
        by_signature.setdefault(failed.signature, []).append(failed.condition)
        path = f"{layout.LOGS}{failed.condition}.seed-{failed.seed}.log"
        if failed.signature not in logs and desk.tree.exists(path):
            logs[failed.signature] = tuple(desk.tree.read(path).decode("utf-8", "replace").splitlines())
    failures = tuple(
        Failure(sign, logs.get(sign, ()), tuple(dict.fromkeys(conditions))) for sign, conditions in by_signature.items()
    )
    own_files = {path: text for path, text in scripts.items() if path not in layout.BY_PROGRAM}
    fresh = current.block not in desk.view.blocks_seen
    return _Line(plan, own_files, current.block, fresh, Ran(current, files, {}, failures, len(current.results)))


async def _repair(desk: Desk, kit: Kit, line: _Line) -> None:
    """Mend failures and run again what they touched, while attempts are left. No metric is read here."""
    failures = list(line.ran.failures)
    while open_ := [f for f in failures if line.repairs.left(f)]:
        _fresh_block(desk, line)
        line.scripts = await line.repairs.mend(desk, kit, line.plan, line.scripts, open_[0])
        line.touched = True
        failures = await _again(desk, line)


async def _again(desk: Desk, line: _Line) -> list[Failure]:
    """Examine the code as it is now and, if it is sound, run every job whose result is not there."""
    if failures := await examine(desk, line.plan, line.all_scripts):
        return failures
    current = line.ran.current
    pairs = [(str(r.condition), r.seed) for r in current.results] + [(str(f.condition), f.seed) for f in current.failed]
    if {seed for _, seed in pairs} - set(line.plan.seed_blocks[line.block]):
        pairs = running.all_pairs(line.plan, line.block)
    place = {c.id: number for number, c in enumerate(line.plan.conditions)}
    pairs.sort(key=lambda pair: (pair[1], place.get(ConditionId(pair[0]), 0)))
    wanted = running.planned(desk, line.plan, line.all_scripts, pairs)
    line.ran = await running.run(desk, line.plan, line.block, wanted)
    return list(line.ran.failures)


def _fresh_block(desk: Desk, line: _Line) -> None:
    """Code is about to change: results of a block that was seen can no longer confirm anything."""
    if line.block in desk.view.blocks_seen:
        line.block, line.fresh = block_in_force(line.plan, desk.view.blocks_seen, None)


async def _see(desk: Desk, kit: Kit, line: _Line) -> None:
    """From here on somebody has read metrics of this block."""
    line.seen = True
    if line.block in desk.view.blocks_seen:
        return
    await desk.record(
        ResultsSeen(
            at=kit.clock.now(),
            position=desk.position,
            block=line.block,
            plan_version=line.plan.version,
            code_hash=code_hash(line.scripts),
        )
    )


async def _ask(desk: Desk, kit: Kit, line: _Line) -> Refinement:
    """What the results call for."""
    _leave(desk, line)  # the collapse program reads the tree
    collapsed = [f"{f.pattern}: {f.title}" for f in collapse.find(desk.tree, desk.view)]
    last = len(line.changes) == CHANGES

    def faults(reply: Refinement) -> list[str]:
        said = []
        if reply.action == "change" and not reply.change.strip():
            said.append("action is change: say in `change` what is wrong and its remedy")
        quoted = [text for text in reply.observations if quotes_numbers(text, line.plan)]
        said += [f"an observation must quote no numbers besides names: “{text}”" for text in quoted]
        return said

    return await kit.ask(
        desk, "exp-executor/refine", checked(Refinement, faults), path=f"refine/{len(line.changes) + 1}",
        plan=own("plan", line.plan), results=own("results", results_table(line.plan, line.ran)),
        failures=own("failures", [f.signature for f in line.ran.failures]) if line.ran.failures else None,
        collapsed=own("collapsed", collapsed) if collapsed else None,
        history=own("history", line.changes) if line.changes else None, last=last,
    )  # fmt: skip


def quotes_numbers(text: str, plan: ExperimentPlan) -> bool:
    """Does `text` hold digits that belong to no name of a condition, hypothesis or test?"""
    names = {w for c in plan.conditions for w in (c.label, c.id, *c.short_words)}
    names |= {name for test in plan.tests for name in (test.hypothesis, test.id)}
    for name in sorted(names, key=len, reverse=True):
        text = text.replace(name, "")
    return any(char.isdigit() for char in text)


def results_table(plan: ExperimentPlan, ran: Ran) -> list[JsonObject]:
    """Condition by condition, what was measured: metric → values in the order of the seeds."""
    found = collect(
        ran.current.block, ((r.seed, ResultFile.model_validate_json(ran.files[r.file])) for r in ran.current.results)
    )
    return [
        {
            "condition": c.id,
            "label": c.label,
            "kind": c.kind,
            **{m.name: [v for _, v in sorted(found.seeds(m.name, c.id, m.split).items())] for m in plan.metrics},
        }
        for c in plan.conditions
    ]


async def _change(desk: Desk, kit: Kit, line: _Line, answer: Refinement) -> None:
    """Change the code for a reason seen in the results: on the next unused block, as it must be."""
    answered = await kit.ask_files(
        desk, "exp-executor/change", path=f"change/{len(line.changes) + 1}", plan=own("plan", line.plan),
        files=own("files", shown(line.scripts)), change=own("change", answer.change),
    )  # fmt: skip
    before = line.scripts
    line.scripts = merged(before, answered)
    files = sorted(p for p in {*before, *line.scripts} if before.get(p) != line.scripts.get(p))
    _fresh_block(desk, line)
    line.changes.append({"change": answer.change, "files": files, "block": line.block})
    line.touched = True
    failures = await _again(desk, line)
    if failures:
        line.ran = Ran(line.ran.current, line.ran.files, line.ran.logs, tuple(failures))
        await _repair(desk, kit, line)


def _leave(desk: Desk, line: _Line) -> None:
    """Put scripts and results where they belong, if anything of them changed."""
    if not line.touched:
        return
    for path, text in line.all_scripts.items():
        desk.write(f"{EXEC_A}/{path}", text)
    for path in layout.read_scripts(desk.tree):
        if path not in line.all_scripts:
            desk.remove(f"{EXEC_A}/{path}")
    running.put(desk, line.ran)


def _log(line: _Line, converged: bool) -> JsonObject:
    """`refinement_log.json`."""
    seen = {"block": line.block, "plan_version": line.plan.version, "code_hash": code_hash(line.scripts)}
    return {
        "converged": converged,
        "limits_used": not converged,
        "block": line.block,
        "fresh_block": line.fresh,
        "plan_version": line.plan.version,
        "repairs": line.repairs.made,
        "changes": line.changes,
        "observations": line.observations,
        "concerns": line.concerns,
        "failed": [f.model_dump(mode="json") for f in line.ran.current.failed],
        "seen": seen if line.seen else None,
    }


def _report(line: _Line, converged: bool) -> StageReport:
    finished = f"{len(line.ran.current.results)} of {line.ran.planned} jobs finished"
    done = "converged" if converged else "limits used"
    repaired = [made["signature"] for made in line.repairs.made]
    summary = f"{done}, {finished}"
    if repaired:
        summary += f"; repaired and rerun: {repaired[0]}"
    if line.changes:
        summary += f"; {len(line.changes)} changes, now block {line.block}"
    return StageReport(
        summary=summary,
        body="\n".join([*line.observations, *repair_lines(line.repairs)]),
        fields={
            "converged": converged,
            "block": line.block,
            "fresh_block": line.fresh,
            "repairs": line.repairs.made,
            "changes": line.changes,
            "observations": line.observations,
            "concerns": line.concerns,
            "failed": [f.signature for f in line.ran.current.failed],
        },
        unpublishable="" if line.ran.current.results else "no-metrics",
    )
