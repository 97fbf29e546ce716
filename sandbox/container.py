"""How a job's container is made, and what its end means: all that Docker is asked and told, as plain data.

Belongs here: limits, mounts, capabilities, environment, labels, verdicts. Not here: talking to a
daemon (`docker_backend.py`).
"""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from cockpit.kernel.model import sha256
from cockpit.kernel.results import EndReason, JobLimits, JobSpec
from sandbox import box

MIB = 1 << 20
RUN_LABEL, JOB_LABEL = "cockpit.run", "cockpit.job"
LOG_OVERHEAD = 8  # json-file wraps and escapes each line: its own limit must never cut what ours lets through
SPARE_TASKS = 2  # docker-init, and the job's own first process
ONE_STREAM = ("/bin/sh", "-c", 'exec "$@" 2>&1', "sh")  # else a traceback overtakes the lines printed before it
SYSTEM_SAID = re.compile(r"(?:Error\(\d+, '|\[Errno \d+\] )([^'\")]+)")
SYSTEM_FOR_TEX = ("/usr", "/etc/alternatives", "/etc/ld.so.cache", "/etc/texmf", "/var/lib/texmf")


@dataclass(frozen=True)
class Place:
    """What a container needs to know besides its job: where, as whom, how large the machine is."""

    folder: Path
    name: str
    image: str
    user: str
    cpus: int


def run_of(jobs: Path) -> str:
    """The label of a run: names the folder of its jobs."""
    return sha256(str(jobs.resolve()))[:16]


def name_of(folder: Path, attempt: int) -> str:
    """The container's name: the same for whoever looks for it in this folder."""
    return f"cockpit-{sha256(str(folder.resolve()))[:16]}-{attempt}"


def user_of(security_options: list[str]) -> str:
    """Whom a job runs as: the caller; nobody when that is root; the container's root when the daemon is rootless."""
    if any("name=rootless" in option for option in security_options):
        return "0:0"  # which is the caller himself outside, and has no capability
    if os.geteuid() == 0:
        return f"{box.NOBODY}:{box.NOBODY}"
    return f"{os.geteuid()}:{os.getegid()}"


def request(spec: JobSpec, place: Place) -> dict[str, Any]:
    """Arguments of `containers.create`."""
    limits = spec.limits
    memory, disk = limits.memory_mb * MIB, f"{limits.disk_mb}m"
    cpu_seconds = int(limits.wall_s * max(1.0, limits.cpus) * 2) + 10  # only for when no cockpit keeps the clock
    command = ["python3", "-B", *spec.command[1:]] if spec.command[:1] == ("python",) else list(spec.command)
    command = [*ONE_STREAM, *command]
    environment = box.environment(spec, box.INSIDE_WORK, box.INSIDE_CHECKPOINTS, path="")
    del environment["PATH"]  # the image's own
    return {
        "image": place.image,
        "name": place.name,
        "entrypoint": [],
        "command": command,
        "environment": environment,
        "labels": {RUN_LABEL: run_of(place.folder.parent), JOB_LABEL: spec.id},
        "user": place.user,
        "hostname": "cockpit",
        "working_dir": box.INSIDE_WORK,
        "init": True,
        "network_mode": "none",
        "read_only": True,
        "cap_drop": ["ALL"],
        "security_opt": ["no-new-privileges"],
        "pids_limit": limits.processes + SPARE_TASKS,
        "mem_limit": memory,
        "memswap_limit": memory,
        "nano_cpus": int(min(limits.cpus, place.cpus) * 1e9),
        "shm_size": disk,
        "tmpfs": {"/tmp": f"size={disk},mode=1777,exec"},
        "ulimits": [
            {"Name": "core", "Soft": 0, "Hard": 0},
            {"Name": "fsize", "Soft": limits.disk_mb * MIB, "Hard": limits.disk_mb * MIB},
            {"Name": "cpu", "Soft": cpu_seconds, "Hard": cpu_seconds + 5},
        ],
        "log_config": {
            "Type": "json-file",
            "Config": {"max-size": str(limits.output_mb * MIB * LOG_OVERHEAD + MIB), "max-file": "1"},
        },
        "volumes": _mounts(spec, place.folder),
    }


def _mounts(spec: JobSpec, folder: Path) -> dict[str, dict[str, str]]:
    mounts = {
        str((folder / "work").resolve()): {"bind": box.INSIDE_WORK, "mode": "rw"},
        str((folder / "checkpoints").resolve()): {"bind": box.INSIDE_CHECKPOINTS, "mode": "rw"},
    }
    if spec.needs == "tex" and sys.platform == "linux":  # TeX stands in this machine's system, with its libraries
        mounts |= {place: {"bind": place, "mode": "ro"} for place in SYSTEM_FOR_TEX if Path(place).exists()}
    return mounts


@dataclass(frozen=True)
class Seen:
    """What is known when a container has ended. `reason`, `why`: ours, if we ended it."""

    code: int
    oom_killed: bool
    daemon_left: bool
    reason: EndReason | None
    why: str


def verdict(seen: Seen, last_line: str, limits: JobLimits) -> tuple[EndReason, int | None, str]:
    """Reason, exit code, and a sentence if there is something to say.

    `OOMKilled` alone says nothing: it is set also when a child was killed and the job went on and finished.
    """
    match seen.code:
        case _ if seen.reason:
            return seen.reason, None, seen.why
        case 0:
            return "finished", 0, ""
        case _ if seen.oom_killed:
            return "out-of-memory", None, f"over {limits.memory_mb} MiB of memory"
        case 127 if last_line.startswith(("sh: ", "[FATAL tini")) and "exec" in last_line:
            return "could-not-start", None, ""
        case 137 | 143 | 255 if seen.daemon_left:
            return "sandbox-dead", None, "the Docker daemon went away while the job ran"
        case 137 | 143:
            return "killed", seen.code, "killed from outside"
        case 152:
            return "timed-out", None, "over its CPU time"
        case _:
            return "failed", seen.code, ""


def seconds(stamp: str) -> float:
    """Wall seconds of a time as Docker writes it: nine digits of a second; year 1 = never, which gives 0."""
    whole, _, rest = stamp.removesuffix("Z").partition(".")
    return max(0.0, datetime.fromisoformat(f"{whole}.{rest[:6] or '0':0<6}+00:00").timestamp())


def unanswered(error: BaseException) -> str:
    """Why no daemon answers: what the system said, without the SDK's wrapping (`connection refused`)."""
    found = SYSTEM_SAID.search(said := words(error))
    return found[1].lower() if found else said


def words(error: BaseException) -> str:
    """An SDK's error as a short sentence."""
    return " ".join(str(getattr(error, "explanation", None) or error).split())[:300]
