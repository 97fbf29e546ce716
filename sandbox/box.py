"""The bubblewrap box and the environment of a job.

Belongs here: what a process job can see, and which variables it gets. Not here: starting it
(`launcher.py`), deciding whether a box is needed (`choose.py`).
"""

from __future__ import annotations

import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

from cockpit.kernel.results import BUDGET_ENV, CHECKPOINTS_ENV, SEED_ENV, WORKSPACE_ENV, JobLimits, JobSpec

NOBODY = 65534
INSIDE_WORK, INSIDE_CHECKPOINTS = "/workspace", "/checkpoints"
SYSTEM = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
SMALL_READABLE = ("/etc/alternatives", "/etc/ld.so.cache", "/etc/localtime")
TEX_READABLE = ("/etc/texmf", "/var/lib/texmf")
READ_ONLY_PROC = ("/proc/sys", "/proc/bus", "/proc/fs", "/proc/irq")
HIDDEN_PROC = ("/proc/acpi", "/proc/asound", "/proc/scsi", "/proc/kcore", "/proc/keys", "/proc/key-users", "/proc/kmsg",
               "/proc/latency_stats", "/proc/mtrr", "/proc/sched_debug", "/proc/slabinfo", "/proc/sysrq-trigger",
               "/proc/timer_list", "/proc/timer_stats", "/proc/vmallocinfo", "/proc/kpagecount", "/proc/kpageflags",
               "/proc/kpagecgroup", "/proc/pagetypeinfo")  # fmt: skip
PLAIN_VARIABLE = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
LOADING = ("LD_", "GLIBC_", "MALLOC_", "GCONV_", "PYTHON", "BASH", "PERL", "COCKPIT_")
MIB = 1 << 20


def interpreter(command: tuple[str, ...]) -> list[str]:
    """The command with `python` replaced by our own interpreter, which writes no byte code beside the scripts."""
    if command and command[0] == "python":
        return [sys.executable, "-B", *command[1:]]
    return list(command)


def environment(spec: JobSpec, work: str, checkpoints: str, path: str) -> dict[str, str]:
    """All variables a job gets: an allow-list, then what the specification adds; nothing of the caller's own.

    Raises ValueError for a variable that would change how a program is loaded: the launcher stands outside the box.
    """
    for name in spec.environment:
        if not PLAIN_VARIABLE.fullmatch(name) or name.upper().startswith(LOADING):
            raise ValueError(f"a job may not set {name!r}")
    threads = str(max(1, math.ceil(spec.limits.cpus)))
    own = {
        WORKSPACE_ENV: work,
        CHECKPOINTS_ENV: checkpoints,
        BUDGET_ENV: f"{spec.limits.wall_s:g}",
        "PATH": path,
        "HOME": "/tmp",
        "MPLCONFIGDIR": "/tmp",
        "USER": "nobody",
        "LC_ALL": "C.UTF-8",
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUNBUFFERED": "1",  # lines are shown when they are printed
        "OMP_NUM_THREADS": threads,
        "OPENBLAS_NUM_THREADS": threads,
    }
    if spec.seed is not None:
        own[SEED_ENV] = str(spec.seed)
    return {**spec.environment, **own}


def search_path(needs: str) -> str:
    """PATH of a process job: the interpreter's folder, TeX's when it stands elsewhere, the system's."""
    folders = [str(Path(sys.executable).parent)]
    if needs == "tex" and (tex := shutil.which("pdflatex") or shutil.which("xelatex")):
        folders.append(str(Path(tex).parent))
    folders += ["/usr/local/bin", "/usr/bin", "/bin"]
    return ":".join(dict.fromkeys(folders))


def bubblewrap(work: Path, checkpoints: Path, limits: JobLimits, needs: str) -> list[str]:
    """Arguments of bubblewrap: own namespaces, no network, a read-only system, the job's two folders writable."""
    size = str(limits.disk_mb * MIB)
    words = ["bwrap", "--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts"]
    words += ["--unshare-cgroup-try", "--new-session", "--hostname", "cockpit", "--cap-drop", "ALL"]
    words += ["--uid", str(NOBODY), "--gid", str(NOBODY), *(["--disable-userns"] if _can_disable_userns() else [])]
    words += ["--ro-bind", "/usr", "/usr"]
    for name in SYSTEM:
        root = Path("/", name)
        if root.is_symlink():
            words += ["--symlink", str(root.readlink()).lstrip("/"), f"/{name}"]
        elif root.is_dir():
            words += ["--ro-bind", f"/{name}", f"/{name}"]
    for readable in (*SMALL_READABLE, *(TEX_READABLE if needs == "tex" else ())):
        words += ["--ro-bind-try", readable, readable]
    words += ["--proc", "/proc", *_masks(), "--dev", "/dev"]
    for volatile in ("/dev/shm", "/tmp"):
        words += ["--perms", "1777", "--size", size, "--tmpfs", volatile]
    # after /tmp, since any of these may stand below the host's /tmp
    for root in (*interpreter_roots(), *(_tex_roots() if needs == "tex" else ())):
        words += ["--ro-bind", str(root), str(root)]
    words += ["--bind", str(work), INSIDE_WORK, "--bind", str(checkpoints), INSIDE_CHECKPOINTS]
    return [*words, "--chdir", INSIDE_WORK, "--remount-ro", "/dev", "--remount-ro", "/", "--"]


def _masks() -> list[str]:
    """What root's box must not see of /proc. Outside, its user is root without capabilities, and the kernel lets that
    user write sysctls (core_pattern!) by ownership alone; bubblewrap covers them only where the folder is writable."""
    if os.geteuid() != 0:
        return []
    words = [word for path in READ_ONLY_PROC if Path(path).exists() for word in ("--ro-bind", path, path)]
    for path in HIDDEN_PROC:
        if Path(path).is_dir():
            words += ["--tmpfs", path, "--remount-ro", path]
        elif Path(path).exists():
            words += ["--ro-bind", "/dev/null", path]
    return words


@cache
def interpreter_roots() -> tuple[Path, ...]:
    """Folders outside the system that the interpreter needs: the environment, its base, each hop of its links."""
    hops, at = [Path(sys.prefix), Path(sys.base_prefix)], Path(sys.executable)
    for _ in range(16):
        hops.append(at.parent.parent)
        if not at.is_symlink():
            break
        at = Path(os.path.normpath(at.parent / at.readlink()))
    return _outermost(hops)


@cache
def _tex_roots() -> tuple[Path, ...]:
    """Where TeX stands, if not in the system: asked of kpsewhich, as TeX itself would."""
    if not (found := shutil.which("kpsewhich")):
        return ()
    asked = subprocess.run([found, "-var-value=TEXMFROOT"], capture_output=True, text=True, timeout=10, check=False)
    roots = [Path(found).resolve().parent.parent]
    return _outermost([*roots, *([Path(asked.stdout.strip())] if asked.stdout.strip() else [])])


def _outermost(folders: list[Path]) -> tuple[Path, ...]:
    """Without what the system binds cover, without the root, and without folders inside others."""
    mine = sorted({p for p in folders if p != Path("/") and not p.is_relative_to("/usr") and p.is_dir()})
    return tuple(p for p in mine if not any(p != other and p.is_relative_to(other) for other in mine))


@cache
def _can_disable_userns() -> bool:
    """bubblewrap 0.8 can forbid further user namespaces inside: less kernel to attack."""
    return "--disable-userns" in subprocess.run(["bwrap", "--help"], capture_output=True, text=True, check=False).stdout


@cache
def bubblewrap_version() -> str:
    """`0.8.0`, or "" when there is no bubblewrap."""
    if not shutil.which("bwrap"):
        return ""
    said = subprocess.run(["bwrap", "--version"], capture_output=True, text=True, timeout=10, check=False).stdout
    return said.split()[-1] if said.split() else ""


@cache
def bubblewrap_trouble() -> str:
    """Why bubblewrap cannot make our box on this machine; "" = it can. Found out by making one."""
    if not bubblewrap_version():
        return "bubblewrap is not installed"
    try:
        with tempfile.TemporaryDirectory() as nowhere:
            words = bubblewrap(Path(nowhere), Path(nowhere), JobLimits(), "python")
            tried = subprocess.run([*words, *interpreter(("python", "-c", "pass"))], capture_output=True, text=True,
                                   timeout=20, check=False, env={"PATH": search_path("python")})  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"bubblewrap does not run here: {error}"
    return "" if tried.returncode == 0 else f"bubblewrap does not run here: {tried.stderr.strip()[-300:]}"
