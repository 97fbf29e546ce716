"""Benches of the sandbox's tests."""

from __future__ import annotations

from pathlib import Path

import pytest
from sandbox_bench import Bench, needs_bubblewrap

from sandbox import box
from sandbox.process_backend import ProcessBackend


@pytest.fixture
def jobs(tmp_path: Path) -> Path:
    (tmp_path / "jobs").mkdir()
    return tmp_path / "jobs"


@pytest.fixture(params=[pytest.param(True, id="bubblewrap", marks=needs_bubblewrap), pytest.param(False, id="process")])
def bench(request: pytest.FixtureRequest, jobs: Path) -> Bench:
    """A bench on each way of running processes."""
    return Bench(ProcessBackend(boxed=request.param, jobs=jobs), jobs)


@pytest.fixture
def boxed(jobs: Path) -> Bench:
    """A bench in a box; for whatever must not run without one."""
    if trouble := box.bubblewrap_trouble():
        pytest.skip(f"no box: {trouble}")
    return Bench(ProcessBackend(boxed=True, jobs=jobs), jobs)
