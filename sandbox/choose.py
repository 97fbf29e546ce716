"""Which backend a run gets, and why not another.

Belongs here: the choice and the probes behind it. Not here: backends themselves.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from cockpit.kernel.exits import CockpitError, Exit
from cockpit.kernel.protocols import Sandbox
from cockpit.kernel.settings import SandboxSettings
from sandbox import box
from sandbox.docker_backend import NoDocker, connect, ping
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
    the run's job folders, which `reap` looks through. May build an image (a second or two).

    Raises CockpitError (exit 6) with what to type when nothing allowed works here.
    """
    reasons: list[str] = []
    if settings.backend in ("auto", "docker"):
        try:
            return connect(settings.image, jobs=jobs)
        except NoDocker as why:
            reasons.append(str(why))
    if settings.backend in ("auto", "process"):
        if not (trouble := box.bubblewrap_trouble()):
            return ProcessBackend(boxed=True, jobs=jobs, because="".join(reasons))
        if (settings.unsafe_no_isolation or rehearsal) and sys.platform == "linux":
            return ProcessBackend(boxed=False, jobs=jobs, because="; ".join([*reasons, trouble]))
        reasons.append(trouble)
    raise CockpitError("no sandbox: experiments are code that a model wrote, and nothing here can isolate it.",
                       where="\n".join(reasons), hint=_ways_out(settings.backend), code=Exit.SANDBOX)  # fmt: skip


def _ways_out(backend: str) -> str:
    match backend:
        case "docker":
            return "Start Docker (`docker info` must answer), or use another backend: --sandbox auto"
        case "process":
            return (
                f"Install bubblewrap (`apt install bubblewrap`), or accept the risk: {UNSAFE} (caps the run at draft)"
            )
        case _:
            return (f"Start Docker, or install bubblewrap (`apt install bubblewrap`), or accept the risk: {UNSAFE} "
                    "(caps the run at draft)")  # fmt: skip


def probe() -> list[Probe]:
    """What this machine has for running jobs."""
    trouble = box.bubblewrap_trouble()
    boxes = Probe("bubblewrap", not trouble, trouble or f"bubblewrap {box.bubblewrap_version()}",
                  "apt install bubblewrap" if trouble else "")  # fmt: skip
    return [_docker(), boxes]


def _docker() -> Probe:
    try:
        client = ping()
    except NoDocker as why:
        return Probe("docker", False, str(why), "start Docker if experiments should run in containers")
    return Probe("docker", True, f"docker {client.version().get('Version', '?')}")
