"""Benches of the sandbox's tests."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sandbox_bench import Bench, needs_bubblewrap

from sandbox.docker_backend import DockerBackend, NoDocker, connect
from sandbox.process_backend import ProcessBackend


@pytest.fixture
def jobs(tmp_path: Path) -> Path:
    (tmp_path / "jobs").mkdir()
    return tmp_path / "jobs"


PROCESSES = [pytest.param("bubblewrap", marks=needs_bubblewrap), pytest.param("process")]


def backend(name: str, jobs: Path) -> ProcessBackend | DockerBackend:
    if name != "docker":
        return ProcessBackend(boxed=name == "bubblewrap", jobs=jobs)
    try:
        return connect("host", jobs=jobs)
    except NoDocker as why:
        pytest.skip(str(why))


@pytest.fixture(params=[*PROCESSES, pytest.param("docker", marks=pytest.mark.docker)])
async def bench(request: pytest.FixtureRequest, jobs: Path) -> AsyncIterator[Bench]:
    """A bench on each backend."""
    made = Bench(backend(request.param, jobs), jobs)
    yield made
    await made.backend.reap({})
    await made.backend.close()


@pytest.fixture(params=PROCESSES)
def processes(request: pytest.FixtureRequest, jobs: Path) -> Bench:
    """A bench on each way of running processes."""
    return Bench(backend(request.param, jobs), jobs)


@pytest.fixture(params=[PROCESSES[0], pytest.param("docker", marks=pytest.mark.docker)])
async def isolated(request: pytest.FixtureRequest, jobs: Path) -> AsyncIterator[Bench]:
    """A bench that isolates; for whatever must not run on a bare machine."""
    made = Bench(backend(request.param, jobs), jobs)
    yield made
    await made.backend.close()
