"""From a failure to code that no longer has it: signatures, attempts, strategies.

Belongs here: naming a failure, asking for a repair, counting. Not here: finding failures (`probing.py`,
`running.py`), writing files into the run (the stages).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from agents.coding.layout import BY_PROGRAM
from agents.kit import Kit
from agents.prompting import own
from cockpit.kernel.events import RepairMade
from cockpit.kernel.levels import REPAIRS_A_SIGNATURE
from cockpit.kernel.model import JsonObject
from cockpit.kernel.plan import ExperimentPlan
from cockpit.kernel.protocols import Desk

STRATEGIES = ("patch", "another strategy", "rebuild")
ABOUT = ("signature", "conditions", "attempt", "strategy")
REPAIRS_A_STAGE = 12  # signatures that keep changing end here
KINDS = (".py", ".json", ".txt", ".csv", ".toml", ".yaml", ".yml", ".md")
FRAME = re.compile(r'^\s*File "(?P<file>[^"]+)", line (?P<line>\d+)(?:, in (?P<name>\S+))?')
RAISED = re.compile(r"^(?P<name>[A-Za-z_][\w.]*)(?:: (?P<message>.*))?$")
FOREIGN = ("/lib/python", "<frozen", "site-packages/", "run_all.py")
CHANGING = (
    (re.compile(r"(?:/[\w.+@-]+)+/(?=[\w.+@-])"), ""),
    (re.compile(r"0x[0-9a-fA-F]+"), "address"),
    (re.compile(r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?"), "#"),
    (re.compile(r"\s+"), " "),
)
BEFORE_SCRIPTS = re.compile(r"(?:/[\w.+@-]+)+/(?=scripts/)")
LONGEST = 160


@dataclass(frozen=True)
class Failure:
    """Why code cannot be used as it is. `conditions` are those that showed it."""

    signature: str
    trace: tuple[str, ...]
    conditions: tuple[str, ...] = ()


@dataclass
class Repairs:
    """Repairs of one stage instance: how many a signature had, and what was done."""

    path: str  # prefix of the call paths
    counts: dict[str, int] = field(default_factory=dict)
    made: list[JsonObject] = field(default_factory=list)

    def left(self, failure: Failure) -> bool:
        """May this failure be repaired once more?"""
        spent = self.counts.get(failure.signature, 0)
        return spent < REPAIRS_A_SIGNATURE and len(self.made) < REPAIRS_A_STAGE

    async def mend(
        self, desk: Desk, kit: Kit, plan: ExperimentPlan, scripts: Mapping[str, str], failure: Failure
    ) -> dict[str, str]:
        """`scripts` with the repair of `failure`; the attempt is recorded with its strategy."""
        attempt = self.counts.get(failure.signature, 0) + 1
        strategy = STRATEGIES[min(attempt, len(STRATEGIES)) - 1]
        about: JsonObject = dict(
            zip(ABOUT, (failure.signature, list(failure.conditions), attempt, strategy), strict=True)
        )
        answered = await kit.ask_files(
            desk, "exp-executor/repair", path=f"{self.path}/{len(self.made) + 1}", plan=own("plan", plan),
            files=own("files", shown(scripts)), failure=own("failure", {**about, "last_lines": list(failure.trace)}),
            history=own("history", self.made) if self.made else None, strategy=strategy,
        )  # fmt: skip
        mended = merged({} if strategy == "rebuild" else scripts, answered)
        changed = tuple(sorted(p for p in {*scripts, *mended} if scripts.get(p) != mended.get(p)))
        self.counts[failure.signature] = attempt
        self.made.append({**about, "files": list(changed)})
        made = RepairMade(at=kit.clock.now(), position=desk.position, signature=failure.signature, attempt=attempt,
                          strategy=strategy, files=changed)  # fmt: skip
        await desk.record(made)
        return mended


def merged(scripts: Mapping[str, str], answered: Mapping[str, str]) -> dict[str, str]:
    """`scripts` with a model's files laid over; what may not be written (`place`) is left out."""
    found = {path: text for path, text in scripts.items() if path not in BY_PROGRAM}
    for path, text in answered.items():
        if (at := place(path)) is not None:
            found[at] = text if text.endswith("\n") else text + "\n"
    return dict(sorted(found.items()))


def place(path: str) -> str | None:
    """Where a model's file may go under scripts/; None when it may not (elsewhere, a program's file, odd kind)."""
    parts = PurePosixPath(path.strip().removeprefix("./")).parts
    if not parts or parts[0] == "/" or ".." in parts or not parts[-1].endswith(KINDS):
        return None
    at = "/".join(parts if parts[0] == "scripts" else ("scripts", *parts))
    return None if at in BY_PROGRAM else at


def shown(scripts: Mapping[str, str]) -> str:
    """Code for a prompt: each file under a line with its path."""
    return "\n".join(f"### {path}\n{text}" for path, text in sorted(scripts.items()) if path not in BY_PROGRAM)


def signature_of(trace: Sequence[str]) -> str:
    """`KeyError@run.py:main: 'rows'` of a traceback; its last line when there is none.

    Class, innermost frame of the experiment's own code, message without what changes from run to run.
    """
    frames = [m for line in trace if (m := FRAME.match(line))]
    last = next((line for line in reversed(trace) if line.strip()), "no output")
    raised = RAISED.match(last.strip())
    message = normal(raised["message"] or "") if raised else normal(last)
    own_frames = [f for f in frames if not any(part in f["file"] for part in FOREIGN)]
    where = own_frames[-1] if own_frames else frames[-1] if frames else None
    if where is None or raised is None:
        return normal(last)
    name = (where["name"] or "module").strip("<>")
    file = PurePosixPath(where["file"]).name
    return f"{raised['name'].rsplit('.', 1)[-1]}@{file}:{name}: {message}".rstrip(": ")


def normal(text: str) -> str:
    """`text` without folders, addresses and numbers."""
    for pattern, stand_in in CHANGING:
        text = pattern.sub(stand_in, text)
    text = text.strip()
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def without_folders(lines: Sequence[str]) -> tuple[str, ...]:
    """Log lines as they may be kept: no folder of this machine in them; paths under scripts/ stay."""
    return tuple(CHANGING[0][0].sub("", BEFORE_SCRIPTS.sub("", line)) for line in lines)
