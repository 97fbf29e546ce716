"""What all tests share: skips that are seen, and forbidden where CI has everything; places of their own."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

MAY_SKIP = ("gpu", "runsc", "shared data")  # what CI does not have either


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
    if os.environ.get("COCKPIT_FORBID_SKIPS") == "1" and report.skipped and not hasattr(report, "wasxfail"):  # type: ignore[attr-defined]  # hook result
        reason = str(report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr)  # type: ignore[attr-defined]
        if not any(word in reason for word in MAY_SKIP):
            report.outcome = "failed"  # type: ignore[attr-defined]
            report.longrepr = f"skipped where skips are forbidden: {reason}"  # type: ignore[attr-defined]
    return report
