"""Writing the experiment's code, in the way its complexity calls for, until it stands.

Belongs here: the three ways (one shot; design then files; architecture with a second look), and the
loop of examining and repairing. Not here: paths and hashes (`layout.py`, `identity.py`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from agents.coding import layout
from agents.coding.complexity import Complexity
from agents.coding.probing import examine
from agents.coding.repair import Failure, Repairs, merged, shown
from agents.coding.replies import CodeDesign, DesignReview
from agents.kit import Kit
from agents.prompting import own
from cockpit.kernel.model import pretty
from cockpit.kernel.plan import ExperimentPlan
from cockpit.kernel.protocols import Desk


@dataclass(frozen=True)
class Written:
    """Code that stands (no failures), or the failures that repairs could not take away."""

    scripts: dict[str, str]  # without the program's files
    design: CodeDesign | None
    repairs: Repairs
    failures: tuple[Failure, ...] = ()
    problems: tuple[str, ...] = field(default=())  # what the second look at the design found


async def write_code(
    desk: Desk, kit: Kit, plan: ExperimentPlan, hard: Complexity, block: str, before: Mapping[str, str]
) -> Written:
    """The code of `plan`. `before`: the code of an earlier version, to be changed rather than replaced.

    Raises:
        StageError: a reply was not usable.
    """
    inputs: dict[str, Any] = {
        "plan": own("plan", plan),
        "conditions": own("conditions", pretty(layout.conditions(plan, block))),
        "previous": own("previous", shown(before)) if before else None,
        "packages": list(plan.packages),
        "wall_s": plan.wall_s_a_job,
    }
    design, problems = await _design(desk, kit, hard, inputs)
    answered = await kit.ask_files(
        desk, "exp-executor/code", path="code", design=own("design", design) if design else None, **inputs
    )
    scripts = merged(before, answered)
    repairs = Repairs("repair")
    scripts, failures = await until_sound(desk, kit, plan, scripts, block, repairs)
    return Written(scripts, design, repairs, tuple(failures), problems)


async def until_sound(
    desk: Desk, kit: Kit, plan: ExperimentPlan, scripts: dict[str, str], block: str, repairs: Repairs
) -> tuple[dict[str, str], list[Failure]]:
    """Examine and repair until nothing is wrong or the attempts are spent."""
    while True:
        failures = await examine(desk, plan, {**scripts, **layout.program_files(plan, block)})
        open_ = [failure for failure in failures if repairs.left(failure)]
        if not open_:
            return scripts, failures
        scripts = await repairs.mend(desk, kit, plan, scripts, open_[0])


async def _design(
    desk: Desk, kit: Kit, hard: Complexity, inputs: Mapping[str, Any]
) -> tuple[CodeDesign | None, tuple[str, ...]]:
    """The layout of the code, where it is worth one; with a second look where the code is hard."""
    if hard.route == "one-shot":
        return None, ()
    design = await kit.ask(
        desk, "exp-executor/spec", CodeDesign, path="spec", architecture=hard.route == "architecture-first",
        problems=None, **inputs,
    )  # fmt: skip
    if hard.route == "design-first":
        return design, ()
    seen = await kit.ask(
        desk, "exp-executor/spec-review", DesignReview, path="spec-review", role="reviewer", plan=inputs["plan"],
        design=own("design", design),
    )  # fmt: skip
    if not seen.problems:
        return design, ()
    problems = own("problems", {"problems": seen.problems, "advice": seen.advice, "design": design.model_dump()})
    design = await kit.ask(
        desk, "exp-executor/spec", CodeDesign, path="spec-again", architecture=True, problems=problems, **inputs
    )
    return design, seen.problems


def spec_page(plan: ExperimentPlan, hard: Complexity, written: Written, block: str) -> str:
    """`spec.md`: the contract, how the code is laid out, what was checked, what was repaired."""
    seeds = ", ".join(str(seed) for seed in plan.seed_blocks[block])
    lines = [
        "# Code of the experiment",
        "",
        f"Plan version {plan.version}; block {block} with seeds {seeds}. Complexity {hard.value:g} ({hard.route}).",
        "",
        "Each condition is started as `python <entry> --condition ID --seed N [--probe]` in a folder that holds all of",
        "`scripts/`. It reads its parameters from `conditions.json` and writes `results.json` into",
        "`$COCKPIT_WORKSPACE`.",
        "",
        "| condition | kind | entry | parameters |",
        "|---|---|---|---|",
        *(
            f"| `{c.id}` | {c.kind} | `{c.entry}` | `{json.dumps(c.parameters, sort_keys=True)}` |"
            for c in plan.conditions
        ),
        "",
        "## Files",
        "",
        *(f"- `{path}`" for path in written.scripts),
        *(f"- `{path}` (made by program)" for path in layout.BY_PROGRAM),
    ]
    if written.design is not None:
        lines += ["", "## Design", "", written.design.shared, ""]
        lines += [f"- `{f.path}`: {f.purpose}" for f in written.design.files]
        lines += [f"- check: {check}" for check in written.design.checks]
        lines += [f"- risk: {risk}" for risk in written.design.risks]
    lines += [f"- raised by the second look: {problem}" for problem in written.problems]
    lines += ["", "## Checked before the long run", ""]
    lines += [
        f"- static checks, smoke run of `{plan.conditions[0].id}`, probe of {len(plan.conditions)} conditions:"
        f" {'all hold' if not written.failures else 'not all hold'}",
        *(f"- open: {failure.signature}" for failure in written.failures),
    ]
    lines += ["", "## Repairs", "", *(repair_lines(written.repairs) or ["None was needed."]), ""]
    return "\n".join(lines)


def repair_lines(repairs: Repairs) -> list[str]:
    """One line a repair."""
    return [
        f"- `{made['signature']}`, attempt {made['attempt']} ({made['strategy']}):"
        f" {', '.join(f'`{path}`' for path in made['files']) or 'no file changed'}"
        for made in repairs.made
    ]
