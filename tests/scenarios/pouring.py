"""A program: the real app over the real engine and a real sandbox job that prints without end; only the agents are
scripted.

`python tests/scenarios/pouring.py RUNS SECONDS LINES_A_SECOND`
"""

from __future__ import annotations

import sys
from pathlib import Path

from cockpit.front.cockpit_face import run_face
from cockpit.kernel.ids import Actor, JobId
from cockpit.kernel.protocols import Desk, Face, Sandbox, StageReport
from cockpit.kernel.results import JobSpec
from cockpit.kernel.settings import Settings
from cockpit.launch import Flight, Rooms
from tests.engine.scripted import ScriptedJudge, ScriptedWorkers, new_run

POUR = """
import sys, time
seconds, rate = float(sys.argv[1]), int(sys.argv[2])
start, done = time.monotonic(), 0
while (now := time.monotonic() - start) < seconds:
    due = int(now * rate)  # what was missed while others had the processor is made up for
    lines = (f"23:41:07 cond=ridge n=20 seed=3 step={n} loss={n % 977 / 977:.4f}\\n" for n in range(done, due))
    sys.stdout.write("".join(lines))
    sys.stdout.flush()
    done = due
    time.sleep(0.01)
open("results.json", "w").write("{}")
"""


class Pouring(ScriptedWorkers):
    """Stage 1 is a job that prints."""

    def __init__(self, seconds: float, rate: int) -> None:
        super().__init__()
        self._command = ("python", "pour.py", str(seconds), str(rate))

    async def work(self, desk: Desk) -> StageReport:
        if desk.stage.number == 1:
            files = {"pour.py": desk.put_blob(POUR.encode())}
            await desk.run_jobs([JobSpec(id=JobId("pour"), kind="main", command=self._command, files=files)], block="b")
        return await super().work(desk)


def main() -> int:
    from sandbox.choose import choose

    folder = new_run(Path(sys.argv[1]), auto=False)
    workers, me = Pouring(float(sys.argv[2]), int(sys.argv[3])), Actor(user="ada")

    def sandbox(settings: Settings, jobs: Path) -> Sandbox:
        return choose(settings.sandbox.model_copy(update={"backend": "process"}), rehearsal=True, jobs=jobs)

    def start(face: Face) -> Flight:
        rooms = Rooms(lambda settings, clock: workers, ScriptedJudge, sandbox)  # type: ignore[arg-type, return-value]  # doubles
        return Flight(folder, rooms, face, present=True).start()

    return run_face(start, who=me, theme="dark")


if __name__ == "__main__":
    sys.exit(main())
