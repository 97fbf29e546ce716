"""Where the experiment's files are, and those of them that a program makes from the plan.

Belongs here: paths under `04_experiment_execution/artifacts`, `conditions.json`, `run_all.py`, README.
Not here: entry points and modules (a model writes them), hashes (`identity.py`).
"""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Any

from cockpit.kernel.model import pretty
from cockpit.kernel.plan import Condition, ConditionKind, ExperimentPlan
from cockpit.kernel.protocols import Tree
from cockpit.kernel.results import CurrentResults, JobKind
from cockpit.kernel.stages import EXEC_A, PLAN_A
from gates.plan_file import parse_plan

PLAN = f"{PLAN_A}/exp_plan.yaml"
SCRIPTS = f"{EXEC_A}/scripts/"
RAW = f"{EXEC_A}/raw_results/"
LOGS = f"{EXEC_A}/logs/"
CURRENT = f"{EXEC_A}/current_results.json"
SCHEDULE = f"{EXEC_A}/schedule.json"
SPEC = f"{EXEC_A}/spec.md"
REQUIREMENTS = f"{EXEC_A}/requirements.txt"
REFINEMENTS = f"{EXEC_A}/refinement_log.json"

CONDITIONS_JSON = "scripts/conditions.json"
RUN_ALL = "scripts/run_all.py"
README = "scripts/README.md"
BY_PROGRAM = (CONDITIONS_JSON, RUN_ALL, README)
# baselines count as main results
FOLDERS: dict[ConditionKind, JobKind] = {
    "main": "main",
    "baseline": "main",
    "ablation": "ablation",
    "control": "control",
    "efficiency": "efficiency",
}


def read_plan(tree: Tree) -> ExperimentPlan:
    """The plan in force.

    Raises:
        FileNotFoundError: stage 9 has left none.
        pydantic.ValidationError: it is not a plan.
    """
    return parse_plan(tree.read(PLAN))


def read_scripts(tree: Tree) -> dict[str, str]:
    """`scripts/…` → text of the code as it stands, the program's files included."""
    found = tree.list(SCRIPTS)
    return {path.removeprefix(f"{EXEC_A}/"): tree.read(path).decode("utf-8", "replace") for path in found}


def read_current(tree: Tree) -> CurrentResults | None:
    """Which results count now, if there are any."""
    return CurrentResults.model_validate_json(tree.read(CURRENT)) if tree.exists(CURRENT) else None


def result_path(condition: Condition, seed: int) -> str:
    """Run-relative path of the result file of a condition at a seed."""
    return f"{RAW}{FOLDERS[condition.kind]}/{condition.id}/seed-{seed}.json"


def program_files(plan: ExperimentPlan, block: str) -> dict[str, str]:
    """The files of `scripts/` that follow from the plan and the block of seeds in force."""
    return {
        CONDITIONS_JSON: pretty(conditions(plan, block)),
        RUN_ALL: _run_all(),
        README: _readme(plan, block),
    }


def conditions(plan: ExperimentPlan, block: str) -> dict[str, Any]:
    """What the entry points read: conditions with parameters, metrics, the seeds that carry claims."""
    return {
        "plan_version": plan.version,
        "block": block,
        "seeds": list(plan.seed_blocks[block]),
        "probe_seed": probe_seed(plan),
        "metrics": [{"name": m.name, "unit": m.unit, "direction": m.direction} for m in plan.metrics],
        "conditions": [
            {
                "id": c.id,
                "label": c.label,
                "kind": c.kind,
                "folder": FOLDERS[c.kind],
                "entry": c.entry,
                "parameters": c.parameters,
            }
            for c in plan.conditions
        ],
    }


def probe_seed(plan: ExperimentPlan) -> int:
    """A seed that no claim rests on: the first to explore with, else one that no block holds."""
    exploration = plan.seed_blocks.get("exploration")
    if exploration:
        return exploration[0]
    return max((seed for seeds in plan.seed_blocks.values() for seed in seeds), default=0) + 1


def requirements(plan: ExperimentPlan) -> str:
    """`requirements.txt`: the plan's packages, or a comment that there are none."""
    packages = sorted(plan.packages)
    return "".join(f"{name}\n" for name in packages) or "# the standard library is enough\n"


def _readme(plan: ExperimentPlan, block: str) -> str:
    rows = [f"| `{c.id}` | {c.label} | {c.kind} | `{c.entry}` |" for c in plan.conditions]
    seeds = ", ".join(str(seed) for seed in plan.seed_blocks[block])
    needs = ", ".join(sorted(plan.packages)) or "nothing but Python's standard library"
    return "\n".join(
        [
            "# The experiment's code",
            "",
            plan.question,
            "",
            f"Needs {needs}. Plan version {plan.version}, seeds {seeds} (block {block}).",
            "",
            "    python run_all.py --out results",
            "",
            "writes `results/<kind>/<condition>/seed-<n>.json`, the same bytes as the run's raw results. One condition",
            "at one seed: `python <entry> --condition ID --seed N`, which writes `results.json` into",
            "`$COCKPIT_WORKSPACE` (else the present folder); `--probe` makes it short.",
            "",
            "| condition | name | kind | entry |",
            "|---|---|---|---|",
            *rows,
            "",
        ]
    )


@cache
def _run_all() -> str:
    return (resources.files("agents.coding.assets") / "run_all.py.txt").read_text(encoding="utf-8")
