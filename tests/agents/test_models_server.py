"""The product against a stand-alone server that plays a model, with the rehearsal package unimportable."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
CLIENT = """
import asyncio, json, sys
from pathlib import Path
sys.path[:0] = [{root!r}, {tests!r}]
sys.modules["agents.rehearsal"] = None  # an import of it fails
from agents.crew import hire
from agents.faults import Patience
from cockpit.kernel.events import CallFailed, CallReplied
from cockpit.kernel.model import pretty
from cockpit.kernel.settings import ModelRole, Settings
from memory_desk import MemoryDesk, TestClock

def role(letter):
    return ModelRole(model=f"openai/rehearsal/{{letter}}", api_base={base!r})

settings = Settings(models={{"executor": role("a"), "reviewer": role("b")}}, effort="lite", offline=True)

async def main():
    crew = hire(settings, TestClock(), library=Path({root!r}) / "examples/libraries/shrinkage.jsonl")
    files = {{"idea.md": (Path({root!r}) / "examples/ridge-small-n.md").read_bytes()}}
    replied, failed = 0, []
    for number in (1, 2, 3):
        desk = MemoryDesk(settings, stage_number=number, files=files)
        report = await crew.work(desk)
        files[desk.stage.report] = pretty({{"_meta": {{}}, **report.fields}}).encode()
        replied += sum(isinstance(e, CallReplied) for e in desk.store.events)
        failed += [e.fault for e in desk.store.events if isinstance(e, CallFailed)]
        families = desk.view.families
    await crew.close()
    print(json.dumps({{"replied": replied, "failed": failed, "family": families["executor"].model_dump(mode="json")}}))

asyncio.run(main())
"""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    log = tmp_path / "requests.jsonl"
    manners = "prose,fences,truncated-once,429-once"
    command = [sys.executable, "-m", "tests.models_server.server", "--study", "shrinkage", "--seed", "3",
               "--log", str(log), "--manners", manners]  # fmt: skip
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        port = json.loads(process.stdout.readline())["port"]
        yield f"http://127.0.0.1:{port}/v1", log
        process.kill()


def test_it_finishes_through_ordinary_manners_and_knows_no_rehearsal(server: tuple[str, Path]) -> None:
    base, log = server
    script = CLIENT.format(root=str(ROOT), tests=str(ROOT / "tests" / "agents"), base=base)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=110, check=False)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout.splitlines()[-1])
    requests: list[dict[str, Any]] = [json.loads(line) for line in log.read_text().splitlines()]
    assert said["failed"] == ["rate-limited"]
    assert said["family"]["families"] == ["rehearsal-a"]
    assert sum(r["status"] == 429 for r in requests) == 1
    assert sum(r["finish"] == "length" for r in requests) == 1
    assert len(requests) == said["replied"] + 1
    # only what was refused or cut off was asked twice
    assert sorted(r["times"] for r in requests if r["times"] > 1) in ([2, 2], [2, 3])
