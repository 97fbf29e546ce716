"""An image from this machine's own Python, for where no registry is to be had (Linux only).

Belongs here: which files make the image, its name, its archive. Not here: giving it to a daemon
(`docker_backend.py`).

The image holds the interpreter and its standard library under /opt/py, a shell, and the shared
libraries they need, found by `ldd`; optionally the installed science packages. About 70 MB, 1 s.
"""

from __future__ import annotations

import hashlib
import io
import os
import re
import subprocess
import sys
import sysconfig
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import IO

REPOSITORY = "cockpit-host"
HOME = "opt/py"
FORM = "1"  # raise when the same files are laid out differently
SCIENCE = ("numpy", "scipy", "scikit-learn", "matplotlib", "pandas", "statsmodels")
NOT_NEEDED = {"test", "tests", "idlelib", "tkinter", "turtledemo", "ensurepip", "lib2to3", "site-packages",
              "dist-packages"}  # fmt: skip
LIBRARY = re.compile(r"(?:=> )?(/\S+) \(0x")
PROGRAMS = ("/bin/sh", "/usr/bin/env")
ACCOUNTS = {
    "etc/passwd": "root:x:0:0:root:/:/bin/sh\nnobody:x:65534:65534:nobody:/tmp:/bin/sh\n",
    "etc/group": "root:x:0:\nnogroup:x:65534:\n",
}
FOLDERS = {"tmp": 0o1777, "workspace": 0o755, "checkpoints": 0o755, "proc": 0o755, "sys": 0o755, "dev": 0o755}
LINKS = {f"{HOME}/bin/python": "python3", "bin": "usr/bin", "lib": "usr/lib", "lib64": "usr/lib64"}
ENVIRONMENT = (f"PATH=/{HOME}/bin:/usr/bin:/bin", f"PYTHONHOME=/{HOME}", f"LD_LIBRARY_PATH=/{HOME}/lib")


@dataclass(frozen=True)
class Plan:
    """The files of an image by their place in it, but for the shared libraries, which take long to find."""

    files: dict[str, Path]

    @property
    def name(self) -> str:
        """`cockpit-host:0123456789ab`: changes whenever a file or the machine's set of libraries does."""
        lines = [FORM, _stamp("", Path("/etc/ld.so.cache"))]
        lines += [_stamp(place, at) for place, at in sorted(self.files.items())]
        return f"{REPOSITORY}:{hashlib.sha256('|'.join(lines).encode()).hexdigest()[:12]}"


def plan(*, science: bool = False) -> Plan:
    """What goes into the image."""
    files = dict(_standard_library())
    if science:
        files |= _packages(SCIENCE)
    files[f"{HOME}/bin/python3"] = Path(os.path.realpath(sys.executable))
    files |= {f"usr/bin/{Path(program).name}": Path(os.path.realpath(program)) for program in PROGRAMS}
    return Plan(files)


def write_archive(made: Plan, out: IO[bytes]) -> None:
    """The image as a tar archive; the same plan gives the same bytes."""
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, mode in sorted(FOLDERS.items()):
            entry = tarfile.TarInfo(name)
            entry.type, entry.mode = tarfile.DIRTYPE, mode
            archive.addfile(entry)
        for name, target in sorted(LINKS.items()):
            entry = tarfile.TarInfo(name)
            entry.type, entry.linkname = tarfile.SYMTYPE, target
            archive.addfile(entry)
        for name, text in sorted(ACCOUNTS.items()):
            entry = tarfile.TarInfo(name)
            entry.size = len(text)
            archive.addfile(entry, io.BytesIO(text.encode()))
        programs = [at for place, at in made.files.items() if ".so" in at.name or "/bin/" in place]
        for name, at in sorted((made.files | _libraries(programs)).items()):
            entry = tarfile.TarInfo(name)
            found = at.stat()
            entry.size, entry.mode, entry.mtime = found.st_size, found.st_mode & 0o755, int(found.st_mtime)
            with at.open("rb") as file:
                archive.addfile(entry, file)


def _stamp(place: str, at: Path) -> str:
    """A file's place, size and time: enough to notice that it was replaced."""
    try:
        found = at.stat()
    except FileNotFoundError:
        return place
    return f"{place} {found.st_size} {found.st_mtime_ns}"


def _standard_library() -> Iterator[tuple[str, Path]]:
    root = Path(sysconfig.get_path("stdlib"))
    compiled = f".{sys.implementation.cache_tag}.pyc"
    for folder, names, files in os.walk(root):
        names[:] = [n for n in names if n not in NOT_NEEDED and not n.startswith("config-")]
        inside = Path(folder).relative_to(root)
        for file in files:
            wanted = file.endswith(compiled) if file.endswith(".pyc") else not file.startswith("_tkinter")
            if wanted and (at := Path(folder, file)).is_file():
                yield f"{HOME}/lib/{root.name}/{inside / file}", at


def _packages(names: tuple[str, ...]) -> dict[str, Path]:
    """Installed distributions of these names and all they require, without their tests."""
    found: dict[str, Path] = {}
    todo, seen = list(names), set[str]()
    target = f"{HOME}/lib/{Path(sysconfig.get_path('stdlib')).name}/site-packages"
    while todo:
        name = todo.pop().lower().replace("_", "-")
        if name in seen:
            continue
        seen.add(name)
        try:
            distribution = metadata.distribution(name)
        except metadata.PackageNotFoundError:  # not installed here: then not in the image
            continue
        todo += [re.split(r"[^\w.-]", line)[0] for line in distribution.requires or () if "extra ==" not in line]
        for path in distribution.files or ():
            at = Path(str(path.locate()))
            if ".." not in path.parts and "tests" not in path.parts and at.is_file():
                found[f"{target}/{path}"] = at
    return found


def _libraries(programs: list[Path]) -> dict[str, Path]:
    """The shared libraries that these files load, at the places where the loader will look."""
    said = subprocess.run(["ldd", *map(str, programs)], capture_output=True, text=True, timeout=60, check=False)
    libraries: dict[str, Path] = {}
    for name in sorted({match[1] for match in map(LIBRARY.search, said.stdout.splitlines()) if match}):
        parent = Path(os.path.realpath(Path(name).parent))
        place = parent / Path(name).name if parent.is_relative_to("/usr") else Path("/", HOME, "lib", Path(name).name)
        libraries[str(place).lstrip("/")] = Path(os.path.realpath(name))
    return libraries
