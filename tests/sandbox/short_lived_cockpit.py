"""A cockpit of one job, to be killed: runs the specification on its standard input and prints the handle.

Usage: short_lived_cockpit.py FOLDER BACKEND BLOBS
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from cockpit.kernel.hints import Hint
from cockpit.kernel.results import JobSpec
from sandbox.docker_backend import connect
from sandbox.process_backend import ProcessBackend


class Telling:
    async def started(self, handle: str) -> None:
        print(handle, flush=True)  # noqa: T201

    def hint(self, hint: Hint) -> None: ...


async def main(folder: str, name: str, blobs: str) -> None:
    spec = JobSpec.model_validate_json(sys.stdin.read())
    jobs = Path(folder).parent
    backend = connect("host", jobs=jobs) if name == "docker" else ProcessBackend(boxed=name == "bubblewrap", jobs=jobs)
    await backend.run(spec, Path(folder), lambda digest: Path(blobs, digest).read_bytes(), Telling(), block="b1")


asyncio.run(main(*sys.argv[1:]))
