"""Planted faults: none without planting, each alone yields its own, twenty seeds move them and the results."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from cockpit.kernel import events as e
from cockpit.kernel.findings import Finding
from cockpit.kernel.settings import FAULTS
from tests.scenarios.conftest import WHOLE_SEEDS
from tests.scenarios.flights import Flown, cockpit

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]

OWN = {  # fault → the patterns it must yield, and nothing else
    "invented-number": ["number-unsupported"],
    "wrong-row": ["number-wrong-place"],
    "wrong-bold": ["claim-bold"],
    "reference-without-record": ["reference-without-record"],
    "crashing-script": [],
    "missing-ablation": ["experiment-missing", "experiment-missing"],  # the program's, and the reviewers' own
}


def findings(run: Flown) -> list[Finding]:
    return [o.finding for o in run.view.ledger.obligations.values()]


def test_without_planted_faults_nothing_is_found(calm: Flown) -> None:
    assert calm.code == 0
    assert findings(calm) == []
    assert [x for x in calm.events if isinstance(x, e.RepairMade)] == []
    assert [j.job for j in calm.view.jobs.values() if j.signature] == []
    assert calm.text("final/STATUS").split()[0] == "accepted"
    gate = cockpit("gate", calm.root)
    assert (gate.returncode, gate.stdout.split("\n")[0]) == (0, "WARN  0 critical, 0 major open")


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_alone_yields_its_own_finding_and_no_other(singles: dict[str, Flown], fault: str) -> None:
    run = singles[fault]
    assert run.code == 0 and run.text("final/STATUS").split()[0] == "accepted"
    found = findings(run)
    assert [f.pattern for f in found] == OWN[fault]
    for span in (span for f in found for span in f.spans):
        assert span.file and span.line > 0 and span.text
    repairs = [x for x in run.events if isinstance(x, e.RepairMade)]
    assert bool(repairs) == (fault == "crashing-script")
    assert run.view.ledger.open == ()


def test_the_crash_is_told_by_journal_and_git(singles: dict[str, Flown]) -> None:
    run = singles["crashing-script"]
    [repair] = [x for x in run.events if isinstance(x, e.RepairMade)]
    kind, _, place = repair.signature.partition("@")
    assert kind.endswith("Error") and place.split(":")[0] in ("run.py", "baselines.py")
    [commit] = [
        line for line in run.git("log", "--format=%H %s").splitlines() if "1 repair" in line or "repaired" in line
    ]
    assert repair.signature[:40] in run.git("show", "--no-patch", "--format=%B", commit.split()[0])
    assert place.split(":")[0] in run.git("show", "--stat", "--format=", commit.split()[0])


def test_twenty_seeds_all_fly_with_the_planted_findings_only(seeds: dict[int, Flown]) -> None:
    wanted = sorted(pattern for patterns in OWN.values() for pattern in patterns)
    for seed, run in seeds.items():
        assert run.code == 0, f"seed {seed} ended with {run.code}"
        found = sorted(f.pattern for f in findings(run))
        whole = seed in WHOLE_SEEDS
        assert found == (wanted if whole else sorted({*wanted})), f"seed {seed}"
        assert len([x for x in run.events if isinstance(x, e.RepairMade)]) == 1, f"seed {seed}"
        if whole:
            assert run.text("final/STATUS").split()[0] == "accepted" and run.view.ledger.open == (), f"seed {seed}"


def test_seeds_move_value_row_and_file(seeds: dict[int, Flown]) -> None:
    spans = {(f.pattern, s.file.rsplit("/", 1)[-1], s.line, s.text) for run in seeds.values() for f in findings(run)
             if f.auditor != "review:reviewer" for s in f.spans}  # fmt: skip
    values = {m[0] for p, _, _, text in spans if p == "number-unsupported" for m in re.finditer(r"\d+\.\d+", text)}
    assert len(values) >= 18
    assert len({file for p, file, _, _ in spans if p == "number-unsupported"}) >= 3
    assert len({file for p, file, _, _ in spans if p == "reference-without-record"}) >= 3
    assert len({text for p, _, _, text in spans if p == "reference-without-record"}) >= 18
    for pattern in ("number-wrong-place", "claim-bold"):
        assert len({line for p, _, line, _ in spans if p == pattern}) >= 2
        assert len({text for p, _, _, text in spans if p == pattern}) >= 15
    assert len({text for p, _, _, text in spans if p == "experiment-missing"}) == 3, "each of the three components"
    crashes = {x.signature for run in seeds.values() for x in run.events if isinstance(x, e.RepairMade)}
    assert len({c.split("@")[0] for c in crashes}) >= 3 and len({c.split("@")[1].split(":")[0] for c in crashes}) == 2


def test_seeds_change_the_raw_results(seeds: dict[int, Flown]) -> None:
    raw = {seed: tuple(values(run)) for seed, run in seeds.items()}
    assert all(len(found) >= 15 for found in raw.values())
    assert len(set(raw.values())) == len(seeds)


def values(run: Flown) -> Iterator[bytes]:
    folder = run.root / "04_experiment_execution" / "artifacts" / "raw_results"
    for path in sorted(folder.rglob("seed-*.json")):
        yield re.sub(rb'"seed": ?\d+', b"", path.read_bytes())


def test_the_exported_code_gives_the_exported_results_byte_for_byte(seeds: dict[int, Flown], tmp_path: Path) -> None:
    run = seeds[WHOLE_SEEDS[0]]
    fresh = tmp_path / "fresh"
    shutil.copytree(run.root / "final" / "code", fresh)
    readme = (fresh / "README.md").read_text()
    steps = [line for line in readme.splitlines() if line.startswith("mkdir ")]
    assert len(steps) == 18
    script = "set -e\n" + "\n".join(steps).replace(" python ", f" {sys.executable} -E -S ")
    bare = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    done = subprocess.run(["sh", "-c", script], cwd=fresh, env=bare, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    made = {"/".join(p.parts[-3:-1]): p.read_bytes() for p in (fresh / "out").rglob("results.json")}
    kept = (run.root / "final" / "experiment_data" / "raw").rglob("seed-*.json")
    assert made == {f"{p.parent.name}/{p.stem}": p.read_bytes() for p in kept}
