"""Which backend a run gets, and why not another.

Belongs here: the choice and the probes behind it. Not here: backends themselves.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from cockpit.kernel.exits import CockpitError, Exit
from cockpit.kernel.protocols import Sandbox
from cockpit.kernel.settings import SandboxSettings
from sandbox import box
from sandbox.process_backend import ProcessBackend

UNSAFE = "--unsafe-no-isolation"


@dataclass(frozen=True)
class Probe:
    """One thing that `doctor` looks at: is it there, what exactly, and what to do about it."""

    name: str
    ok: bool
    detail: str
    hint: str = ""


def choose(settings: SandboxSettings, *, rehearsal: bool, jobs: Path | None = None) -> Sandbox:
    """The backend for a run. `rehearsal`: its code is ours, so it may go without isolation. `jobs`: the folder of
    the run's job folders, which `reap` looks through.

    Raises CockpitError (exit 6) with what to type when nothing allowed works here.
    """
    trouble = box.bubblewrap_trouble()
    if not trouble:
        return ProcessBackend(boxed=True, jobs=jobs)
    if settings.unsafe_no_isolation or rehearsal:
        return ProcessBackend(boxed=False, jobs=jobs)
    raise CockpitError(
        "no sandbox: experiments are code that a model wrote, and nothing here can isolate it.",
        where=trouble,
        hint=f"Install bubblewrap, start Docker, or accept the risk with {UNSAFE} (the run then caps at draft).",
        code=Exit.SANDBOX,
    )


def probe() -> list[Probe]:
    """What this machine has for running jobs."""
    trouble = box.bubblewrap_trouble()
    version = box.bubblewrap_version()
    return [
        Probe("bubblewrap", not trouble, trouble or f"bubblewrap {version}", "Install bubblewrap" if trouble else "")
    ]
