"""The sandbox a run gets: the best that is there, never a silent step down."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from cockpit.kernel.exits import CockpitError, Exit
from cockpit.kernel.settings import SandboxSettings
from sandbox import box, choose
from sandbox.docker_backend import NoDocker


@pytest.fixture
def nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine with neither Docker nor bubblewrap."""

    def refuse(*_: object, **__: object) -> None:
        raise NoDocker("no Docker daemon answers: refused")

    monkeypatch.setattr(choose, "connect", refuse)
    monkeypatch.setattr(box, "bubblewrap_trouble", lambda: "bubblewrap is not installed")


@pytest.mark.usefixtures("nothing")
def test_without_isolation_a_run_ends_with_what_to_type() -> None:
    with pytest.raises(CockpitError) as stopped:
        choose.choose(SandboxSettings(), rehearsal=False)

    assert stopped.value.code == Exit.SANDBOX
    assert "--unsafe-no-isolation" in str(stopped.value) and "bubblewrap is not installed" in str(stopped.value)
    assert "Traceback" not in str(stopped.value)


@pytest.mark.usefixtures("nothing")
@pytest.mark.parametrize(
    ("settings", "rehearsal"), [(SandboxSettings(), True), (SandboxSettings(unsafe_no_isolation=True), False)]
)
def test_no_isolation_only_when_allowed_and_never_hidden(settings: SandboxSettings, rehearsal: bool) -> None:
    chosen = choose.choose(settings, rehearsal=rehearsal)
    assert (chosen.name, chosen.isolated) == ("process", False) and "NOT ISOLATED" in chosen.describe()


@pytest.mark.usefixtures("nothing")
def test_a_backend_that_was_asked_for_is_not_replaced() -> None:
    with pytest.raises(CockpitError):
        choose.choose(SandboxSettings(backend="docker", unsafe_no_isolation=True), rehearsal=True)


def test_a_daemon_that_does_not_answer_is_no_docker(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/none.sock")
    docker, *rest = choose.probe()

    assert (docker.name, docker.ok) == ("docker", False) and docker.hint
    assert [probe.name for probe in rest] == ["bubblewrap"]
    if not box.bubblewrap_trouble():
        chosen = choose.choose(SandboxSettings(), rehearsal=False, jobs=tmp_path)
        assert (chosen.name, chosen.isolated) == ("bubblewrap", True)
        assert chosen.describe().endswith("no network (no Docker daemon answers: no such file or directory)")


def test_the_docker_sdk_is_loaded_only_when_docker_is_asked() -> None:
    code = "import sys, sandbox.choose; print([m for m in ('docker', 'requests') if m in sys.modules])"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=Path.cwd())
    assert said.stdout.strip() == "[]"
