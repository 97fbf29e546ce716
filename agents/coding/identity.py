"""What makes a result the result of something: hashes of code, conditions, and the block of seeds in force.

Belongs here: the closure of an entry point, condition hashes, job ids, which block carries claims. Not
here: running jobs (`running.py`).
"""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import PurePosixPath

from agents.coding.layout import BY_PROGRAM
from cockpit.kernel.ids import JobId, Sha256
from cockpit.kernel.model import canonical, sha256
from cockpit.kernel.plan import Condition, ExperimentPlan


def closure(entry: str, scripts: Mapping[str, str]) -> tuple[str, ...]:
    """The files of `scripts` that `entry` imports or names in a string, sorted; itself included.

    The program's own files are left out: what a condition reads of `conditions.json` is its own entry,
    which `condition_hash` holds. A file that is no Python, or does not parse, is in it as it is.
    """
    found: set[str] = set()
    waiting = [entry]
    while waiting:
        path = waiting.pop()
        if path in found or path not in scripts or path in BY_PROGRAM:
            continue
        found.add(path)
        if path.endswith(".py"):
            waiting += _named_in(scripts[path], path, tuple(sorted(scripts)))
    return tuple(sorted(found))


@lru_cache(maxsize=64)
def _named_in(text: str, path: str, scripts: tuple[str, ...]) -> list[str]:
    """Files that a Python text imports, or names by a string constant that ends like their path."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return sorted(p for p in scripts if p != path)  # unreadable: it may use anything
    folder = str(PurePosixPath(path).parent)
    named: list[str] = []
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                named += [found for alias in names for found in _module(alias.name, folder, scripts)]
            case ast.ImportFrom(module=module, names=names):
                base = module or ""
                named += _module(base, folder, scripts)
                named += [found for alias in names for found in _module(f"{base}.{alias.name}", folder, scripts)]
            case ast.Constant(value=str() as value) if value and "\n" not in value:
                named += [p for p in scripts if p == value or p.endswith(f"/{value}")]
            case _:
                pass
    return named


def _module(name: str, folder: str, scripts: tuple[str, ...]) -> list[str]:
    """Files of a module name, seen from `folder` and from `scripts/`: itself and the packages above it."""
    parts = [part for part in name.split(".") if part]
    found = []
    for base in dict.fromkeys((folder, "scripts")):
        for length in range(1, len(parts) + 1):
            stem = "/".join([base, *parts[:length]])
            found += [p for p in (f"{stem}.py", f"{stem}/__init__.py") if p in scripts]
    return found


def condition_hash(
    plan: ExperimentPlan, condition: Condition, seed: int, scripts: Mapping[str, str], image: str
) -> Sha256:
    """Identity of one result: code closure, parameters, seed, data and image."""
    return Sha256(
        sha256(
            canonical(
                {
                    "code": {path: sha256(scripts[path]) for path in closure(condition.entry, scripts)},
                    "entry": condition.entry,
                    "condition": condition.id,
                    "parameters": condition.parameters,
                    "metrics": [[m.name, m.unit, m.direction] for m in plan.metrics],
                    "seed": seed,
                    "data": [d.model_dump(mode="json") for d in plan.datasets],
                    "image": image,
                }
            )
        )
    )


def code_hash(scripts: Mapping[str, str]) -> Sha256:
    """Identity of everything that was written, the program's own files left out."""
    return Sha256(sha256(canonical({path: sha256(text) for path, text in scripts.items() if path not in BY_PROGRAM})))


def job_id(condition: Condition, seed: int, identity: Sha256) -> JobId:
    """Readable and unique: `ridge-n20.seed-101.ab12cd34`."""
    return JobId(f"{condition.id}.seed-{seed}.{identity[:8]}")


def confirmation_blocks(plan: ExperimentPlan) -> tuple[str, ...]:
    """The plan's blocks that may carry claims, in order: `round-1`, `round-2`, …"""
    blocks = [name for name in plan.seed_blocks if name != "exploration"]
    return tuple(
        sorted(blocks, key=lambda name: (int(name.rpartition("-")[2]), name) if _numbered(name) else (0, name))
    )


def _numbered(name: str) -> bool:
    return name.rpartition("-")[2].isdigit()


def block_in_force(plan: ExperimentPlan, seen: tuple[str, ...], unchanged: str | None) -> tuple[str, bool]:
    """The block of seeds that carries claims, and whether it is fresh enough to do so.

    Args:
        plan: the plan in force.
        seen: blocks of which somebody has read results.
        unchanged: the block whose results are those of this very code and plan, if there is one.

    `unchanged` stays; else the first block that nobody has seen. When none is left the last one is
    used again, and the second value is False: that belongs in the limitations.
    """
    blocks = confirmation_blocks(plan)
    if unchanged in blocks:
        return str(unchanged), True
    fresh = next((name for name in blocks if name not in seen), None)
    return (fresh, True) if fresh is not None else (blocks[-1], False)


def seen_as(log: bytes | None, plan: ExperimentPlan, scripts: Mapping[str, str]) -> str | None:
    """The block whose results were read with this very plan version and code, by the refinement log."""
    if log is None:
        return None
    seen = json.loads(log).get("seen") or {}
    same = seen.get("plan_version") == plan.version and seen.get("code_hash") == code_hash(scripts)
    return seen.get("block") if same else None
