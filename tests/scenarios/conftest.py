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
from tests.scenarios.flights import EXAMPLES, MICRO, Flown, fly, fly_apart, without_tex

SEEDS = range(20)
WHOLE_SEEDS = range(1, 5)  # of these the whole run, of the others up to the mended draft


CHINESE = """# 少量带离群值的观测：截尾均值是否值得？

## 问题
对于十几个观测值、其中少数被严重污染的小样本，截尾（Huber）均值的绝对误差比普通均值低多少？稳健尺度、中位数起点、收紧截断各有什么作用？

## 限制
只用合成数据，纯 Python，一个核。
"""
NOTE = (
    "The plain mean is dragged by outliers; a clipped mean (Huber) is not. 9% & {x} \\cite{nobody} $x_1$ # ~ ^ _ `x`\n"
)
LONG = "# Does clipping the mean help small contaminated samples?\n\n" + NOTE * 1900
FOREIGN = (
    "# Which bread do pigeons like?\n\nWe feed pigeons rye and wheat in a park and count visits. Is rye preferred?\n"
)
IDEAS = {"chinese": CHINESE, "long": LONG, "foreign": FOREIGN}
STUDIES = {"ridge": "ridge-small-n.md", "bootstrap": "bootstrap-coverage.md", "schedules": "lr-schedules.md"}


class Fleet:
    """Runs by name, in the air or landed."""

    def __init__(self, base: Path, path_with_tex: str) -> None:
        self.base, self._path = base, path_with_tex
        self._pool = ThreadPoolExecutor(max_workers=2, thread_name_prefix="fleet")
        self._runs: dict[str, Future[Flown]] = {}
        self.planned: list[str] = []

    def begin(self, name: str) -> None:
        if name not in self._runs:
            self._runs[name] = self._pool.submit(self._fly, name)

    def run(self, name: str) -> Flown:
        """The run of this name. Who asks for one has all that are planned begun: another worker may need none."""
        for planned in (*self.planned, name):
            self.begin(planned)
        return self._runs[name].result()

    def close(self) -> None:
        self._pool.shutdown(cancel_futures=True)

    def _fly(self, name: str) -> Flown:
        runs = self.base / name
        kind, _, which = name.partition("-")
        match kind:
            case "story":
                return fly_apart(MICRO, runs, env={"PATH": self._path})
            case "idea":
                return self._idea(runs, which)
            case _:
                idea, sets, until = self._plan(kind, which)
                return fly(idea, runs, *sets, until=until)

    def _idea(self, runs: Path, which: str) -> Flown:
        idea = Path(f"{runs}.md")
        idea.write_text(IDEAS[which], encoding="utf-8")
        return fly_apart(idea, runs) if which == "foreign" else fly(idea, runs)  # what matters of it is on the screen

    def _plan(self, kind: str, which: str) -> tuple[Path, tuple[str, ...], int | None]:
        """Idea, settings, last stage."""
        match kind:
            case "calm":
                return MICRO, (planted(),), None
            case "fault":
                return MICRO, (planted(which),), None
            case "seed":
                return MICRO, (f"rehearsal.seed={which}",), None if int(which) in WHOLE_SEEDS else 17
            case "twin":
                return MICRO, (), None
            case "design":
                return EXAMPLES / STUDIES[which], (), 9
            case _:
                return EXAMPLES / STUDIES[kind], (), None


def planted(*faults: str) -> str:
    """The setting that plants these faults and no others."""
    return f"rehearsal.faults={json.dumps(faults)}"


NEEDS = {
    "story": ("story",),
    "calm": ("calm",),
    "singles": tuple(f"fault-{fault}" for fault in FAULTS),
    "seeds": tuple(f"seed-{n}" for n in SEEDS),
    "twins": ("twin-1", "twin-2"),
    "designs": tuple(f"design-{study}" for study in STUDIES),
    "ridge": ("ridge",),
    "ideas": tuple(f"idea-{which}" for which in IDEAS),
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
        found.planned = [name for fixture, names in NEEDS.items() if fixture in wanted for name in names]
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


@pytest.fixture(scope="package")
def designs(fleet: Fleet) -> dict[str, Flown]:
    """The three examples, up to the frozen plan."""
    return {study: fleet.run(f"design-{study}") for study in STUDIES}


@pytest.fixture(scope="package")
def ridge(fleet: Fleet) -> Flown:
    """The first example, whole."""
    return fleet.run("ridge")


@pytest.fixture(scope="package")
def ideas(fleet: Fleet) -> dict[str, Flown]:
    """Runs of unusual ideas."""
    return {which: fleet.run(f"idea-{which}") for which in IDEAS}
