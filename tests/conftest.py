"""What all tests share: skips that are seen, and forbidden where CI has everything; places of their own."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

MAY_SKIP = ("gpu", "runsc", "shared data")  # what CI does not have either
FORBIDDEN = os.environ.get("COCKPIT_FORBID_SKIPS") == "1"
# scenarios with runs of their own; the others share runs, and so a worker
RUNS_OF_THEIR_OWN = ("docker_and_tex", "keys_while_pouring", "over_ssh", "plain_face", "played_models", "real_cockpit")


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop() -> None:
    """The cockpits that tests start would take our switch for a setting."""
    os.environ.pop("COCKPIT_FORBID_SKIPS", None)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """A file at a time to a worker, the scenarios' shared runs to one, and that first, since it takes longest."""
    from xdist.scheduler import LoadScopeScheduling

    class ByPlace(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = nodeid.split("::", maxsplit=1)[0]
            return "fleet" if "/scenarios/" in file and not any(n in file for n in RUNS_OF_THEIR_OWN) else file

    config.option.loadscopereorder = False
    return ByPlace(config, log)


@pytest.fixture(autouse=True)
def own_places(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Data and configuration in a folder of the test's own."""
    place = tmp_path_factory.mktemp("places")
    monkeypatch.setenv("COCKPIT_DATA_DIR", str(place / "data"))
    monkeypatch.setenv("COCKPIT_CONFIG_DIR", str(place / "config"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what the machine lacks, with the reason."""
    lacks = {
        "docker": None if _docker() else "no Docker daemon answers",
        "tex": None if shutil.which("pdflatex") and shutil.which("bibtex") else "no TeX",
        "tmux": None if shutil.which("tmux") else "no tmux",
        "ssh": None if shutil.which("sshd") or Path("/usr/sbin/sshd").exists() else "no sshd",
    }
    if "PYTEST_XDIST_WORKER" in os.environ:
        items.sort(key=lambda item: "scenarios" not in item.path.parts)
    for item in items:
        for marker, reason in lacks.items():
            if reason and item.get_closest_marker(marker):
                item.add_marker(pytest.mark.skip(reason=reason))


def _docker() -> bool:
    if shutil.which("docker") is None:
        return False
    asked = subprocess.run(["docker", "info"], capture_output=True, timeout=20, check=False)
    return asked.returncode == 0 and b"Server Version" in asked.stdout


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """With COCKPIT_FORBID_SKIPS=1 a skip is a failure, unless its reason is on the short list."""
    report = yield
    if FORBIDDEN and report.skipped and not hasattr(report, "wasxfail"):  # type: ignore[attr-defined]  # hook result
        reason = str(report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr)  # type: ignore[attr-defined]
        if not any(word in reason for word in MAY_SKIP):
            report.outcome = "failed"  # type: ignore[attr-defined]
            report.longrepr = f"skipped where skips are forbidden: {reason}"  # type: ignore[attr-defined]
    return report
