"""Runs that several scenarios look at, each flown once. What the selected tests need is begun at once, two at a time.

Not here: how a run is flown (`flights.py`).
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from cockpit.kernel.settings import FAULTS
from tests.scenarios.flights import MICRO, Flown, fly, fly_apart, without_tex

SEEDS = range(20)
WHOLE_SEEDS = range(1, 5)  # of these the whole run, of the others up to the mended draft
STORY, CALM, RIDGE = "story", "calm", "ridge"


class Fleet:
    """Runs by name, in the air or landed."""

    def __init__(self, base: Path, path_with_tex: str) -> None:
        self.base, self._path = base, path_with_tex
        self._pool = ThreadPoolExecutor(max_workers=2, thread_name_prefix="fleet")
        self._runs: dict[str, Future[Flown]] = {}

    def begin(self, name: str) -> None:
        if name not in self._runs:
            self._runs[name] = self._pool.submit(self._fly, name)

    def run(self, name: str) -> Flown:
        self.begin(name)
        return self._runs[name].result()

    def close(self) -> None:
        self._pool.shutdown(cancel_futures=True)

    def _fly(self, name: str) -> Flown:
        runs = self.base / name
        match name.split("-", 1):
            case ["story"]:
                return fly_apart(MICRO, runs, env={"PATH": self._path})
            case ["calm"]:
                return fly(MICRO, runs, planted())
            case ["fault", fault]:
                return fly(MICRO, runs, planted(fault))
            case ["seed", seed]:
                until = None if int(seed) in WHOLE_SEEDS else 17
                return fly(MICRO, runs, f"rehearsal.seed={seed}", until=until)
            case ["twin", _]:
                return fly(MICRO, runs)
            case _:
                raise ValueError(name)


def planted(*faults: str) -> str:
    """The setting that plants these faults and no others."""
    return f"rehearsal.faults={json.dumps(faults)}"


NEEDS = {
    "story": ("story",),
    "calm": ("calm",),
    "singles": tuple(f"fault-{fault}" for fault in FAULTS),
    "seeds": tuple(f"seed-{n}" for n in SEEDS),
    "twins": ("twin-1", "twin-2"),
}


@pytest.fixture(scope="package")
def fleet(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    """The runs; the whole package has no TeX, but for the story."""
    base = tmp_path_factory.mktemp("fleet")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COCKPIT_DATA_DIR", str(base / "data"))
        patch.setenv("COCKPIT_CONFIG_DIR", str(base / "config"))
        path = os.environ["PATH"]
        patch.setenv("PATH", without_tex(base / "bin"))
        found = Fleet(base, path)
        wanted = {name for item in request.session.items for name in getattr(item, "fixturenames", ())}
        for fixture, names in NEEDS.items():
            for name in names if fixture in wanted else ():
                found.begin(name)
        yield found
        found.close()


@pytest.fixture(autouse=True)
def own_surroundings(fleet: Fleet) -> None:
    """No TeX for what a test flies itself, either."""


@pytest.fixture(scope="package")
def story(fleet: Fleet) -> Flown:
    """The demonstration as typed, with all its faults; with TeX, if the machine has it."""
    return fleet.run("story")


@pytest.fixture(scope="package")
def calm(fleet: Fleet) -> Flown:
    """The same without planted faults."""
    return fleet.run("calm")


@pytest.fixture(scope="package")
def singles(fleet: Fleet) -> dict[str, Flown]:
    """One run for each fault, planted alone."""
    return {fault: fleet.run(f"fault-{fault}") for fault in FAULTS}


@pytest.fixture(scope="package")
def seeds(fleet: Fleet) -> dict[int, Flown]:
    """Runs with all faults at twenty seeds."""
    return {n: fleet.run(f"seed-{n}") for n in SEEDS}


@pytest.fixture(scope="package")
def twins(fleet: Fleet) -> tuple[Flown, Flown]:
    """Two undisturbed runs of one idea and seed."""
    return fleet.run("twin-1"), fleet.run("twin-2")
