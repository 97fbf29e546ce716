"""The rehearsal studies: real computations whose hypotheses come out, reproducible, with slips that are real."""

from __future__ import annotations

import itertools
import json
import statistics
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from agents.coding.layout import program_files
from agents.rehearsal.studies import EXAMPLES, STUDIES, Study, example_of, fit
from agents.rehearsal.studies.code import slip
from cockpit.kernel.papers import PaperRecord
from cockpit.kernel.plan import ExperimentPlan
from cockpit.kernel.results import ResultFile

EXAMPLE_FILES = Path(__file__).parents[2] / "examples"
FULL = ("shrinkage", "bootstrap", "schedules")
T_CRITICAL = 4.303  # two-sided 0.05 at two degrees of freedom


def plan_of(study: Study, *, missing: bool = False, seed: int = 0) -> ExperimentPlan:
    return study.design(1, "beast", missing=missing, seed=seed)


def lay_out(folder: Path, study: Study, plan: ExperimentPlan, *, seed: int = 0, crash: bool = False) -> Path:
    """A fresh folder with the study's scripts and what the program adds."""
    files = {**study.code(plan, seed=seed, crash=crash), **program_files(plan, "round-1")}
    for path, text in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    return folder


def start(folder: Path, *words: str, workspace: Path | None = None) -> subprocess.CompletedProcess[str]:
    environment = {"COCKPIT_WORKSPACE": str(workspace)} if workspace else {}
    return subprocess.run(
        [sys.executable, *words], cwd=folder, env=environment, capture_output=True, text=True, timeout=300, check=False
    )


def values(folder: Path, plan: ExperimentPlan) -> dict[tuple[str, str], list[float]]:
    """(condition, metric) → values over seeds, of everything that `run_all.py` wrote below `folder`."""
    found: dict[tuple[str, str], list[float]] = {}
    for condition in plan.conditions:
        for path in sorted(folder.glob(f"*/{condition.id}/seed-*.json")):
            for row in ResultFile.model_validate_json(path.read_text()).rows:
                assert row.value is not None
                found.setdefault((row.condition, row.metric), []).append(row.value)
    return found


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[tuple[str, str], list[float]]]:
    """Every study run to the end by its own `run_all.py`, two at a time."""

    def run(name: str) -> dict[tuple[str, str], list[float]]:
        plan = plan_of(STUDIES[name])
        folder = lay_out(tmp_path_factory.mktemp(name), STUDIES[name], plan)
        ended = start(folder, "scripts/run_all.py", "--out", "results")
        assert ended.returncode == 0, ended.stderr
        return values(folder / "results", plan)

    with ThreadPoolExecutor(2) as pool:
        return dict(zip(STUDIES, pool.map(run, STUDIES), strict=True))


@pytest.mark.parametrize("name", STUDIES)
def test_hypotheses_come_out_clearly(name: str, results: dict[str, dict[tuple[str, str], list[float]]]) -> None:
    for hypothesis in STUDIES[name].hypotheses:
        asked = hypothesis.prediction
        left, right = (results[name][side, asked.metric][:3] for side in (asked.left, asked.right))
        differences = [a - b for a, b in zip(left, right, strict=True)]
        t = statistics.mean(differences) / (statistics.stdev(differences) / len(differences) ** 0.5)
        assert abs(t) > T_CRITICAL, (hypothesis.id, differences)
        assert (t < 0) == hypothesis.primary, "primary ones are borne out, the other one is refuted"


@pytest.mark.parametrize("name", STUDIES)
def test_conditions_differ_and_the_control_is_worse(
    name: str, results: dict[str, dict[tuple[str, str], list[float]]]
) -> None:
    study, found = STUDIES[name], results[name]
    for metric in study.metrics:
        columns = [tuple(found[c.id, metric.name]) for c in study.conditions]
        for one, other in itertools.combinations(columns, 2):
            assert one != other, f"two conditions with one {metric.name} on every seed"
        assert all(len(set(column)) > 1 for column in columns), f"{metric.name} is constant over seeds"
    first = study.metrics[0].name
    control, compared = study.positive_control, study.condition(study.positive_control).compares_to
    assert all(a > b for a, b in zip(found[control, first], found[str(compared), first], strict=True))


def test_the_same_seeds_give_the_same_bytes_and_other_seeds_others(tmp_path: Path) -> None:
    study = STUDIES["micro"]
    plan = plan_of(study)
    texts = []
    for number, seed in enumerate((3, 3, 4)):
        folder = lay_out(tmp_path / str(number), study, plan, seed=seed)
        ended = start(folder, "scripts/run.py", "--condition", "clipped", "--seed", "101", workspace=folder)
        assert ended.returncode == 0, ended.stderr
        texts.append((folder / "results.json").read_text())
    assert texts[0] == texts[1] != texts[2]


def test_run_all_writes_what_single_jobs_write(tmp_path: Path) -> None:
    study = STUDIES["micro"]
    plan = plan_of(study)
    folder = lay_out(tmp_path, study, plan)
    assert start(folder / "scripts", "run_all.py", "--out", "out").returncode == 0
    for entry, kind, condition in (("run", "ablation", "loose"), ("baselines", "main", "plain")):
        start(folder, f"scripts/{entry}.py", "--condition", condition, "--seed", "102", workspace=folder)
        written = folder / "scripts" / "out" / kind / condition / "seed-102.json"
        assert written.read_bytes() == (folder / "results.json").read_bytes()


@pytest.mark.parametrize("name", STUDIES)
def test_probe_and_check_of_clean_code_hold(name: str, tmp_path: Path) -> None:
    study = STUDIES[name]
    plan = plan_of(study)
    folder = lay_out(tmp_path, study, plan)
    assert start(folder, "scripts/check.py").returncode == 0
    assert start(folder, "scripts/run_all.py", "--probe", workspace=folder).returncode == 0
    probe = json.loads((folder / "probe.json").read_text())
    assert set(probe) == {c.id for c in plan.conditions} and all(p["ok"] for p in probe.values())


@pytest.mark.parametrize("seed", range(8))
def test_a_slip_is_a_real_error_where_it_says(seed: int, tmp_path: Path) -> None:
    study = STUDIES["micro"]
    plan, place = plan_of(study), slip("micro", seed)
    folder = lay_out(tmp_path, study, plan, seed=seed, crash=True)
    condition = next(c for c in plan.conditions if c.entry == place.file)
    words = (place.file, "--condition", condition.id, "--seed", "101")
    ended = start(folder, *words, workspace=folder)
    assert ended.returncode != 0 and place.error in ended.stderr and place.file in ended.stderr
    probed = start(folder, *words, "--probe", workspace=folder)
    assert (probed.returncode == 0) == place.late


def test_slips_move_over_seeds() -> None:
    places = {(s.file, s.kind, s.late) for s in (slip("shrinkage", seed) for seed in range(20))}
    assert len(places) >= 6
    assert {late for _, _, late in places} == {True, False}


@pytest.mark.parametrize("name", STUDIES)
def test_a_plan_has_its_efforts_ablations(name: str) -> None:
    study = STUDIES[name]
    for effort, count in (("lite", 1), ("balanced", 2), ("beast", 3)):
        plan = study.design(1, effort, missing=False, seed=0)  # type: ignore[arg-type]
        assert sum(c.kind == "ablation" for c in plan.conditions) == count == len(plan.components)
        assert all(c.ablation for c in plan.components)
        assert len({s for seeds in plan.seed_blocks.values() for s in seeds}) == 6 * len(plan.seed_blocks["round-1"])
    assert len(plan.conditions) >= (6 if name == "micro" else 8)


def test_the_missing_ablation_moves_and_is_mended() -> None:
    study = STUDIES["shrinkage"]
    bare = set()
    for seed in range(20):
        plan = study.design(1, "balanced", missing=True, seed=seed)
        lacking = [c for c in plan.components if c.ablation is None]
        assert len(lacking) == 1 and len(plan.components) == 3
        assert sum(c.kind == "ablation" for c in plan.conditions) == 2
        bare.add(lacking[0].name)
        mended = study.mended(plan, "a reviewer asked")
        assert mended.version == 2 and len(mended.changes) == 1
        assert all(c.ablation and mended.condition(c.ablation) for c in mended.components)
        assert {c.id for c in plan.conditions} < {c.id for c in mended.conditions}
    assert len(bare) == 3
    assert all(c.ablation for c in study.design(1, "max", missing=True, seed=0).components), "nothing is left out"


def test_examples_are_known_by_hash_and_fit() -> None:
    files = sorted(EXAMPLE_FILES.glob("*.md"))
    assert {example_of(f.read_text(encoding="utf-8")) for f in files} == set(STUDIES) == set(EXAMPLES.values())
    for file in files:
        text = file.read_text(encoding="utf-8")
        assert fit(text) == (example_of(text), True)
        library = EXAMPLE_FILES / text.split("library: ")[1].split("\n")[0]
        records = [PaperRecord.model_validate_json(line) for line in library.read_text(encoding="utf-8").splitlines()]
        assert sum(bool(r.abstract) for r in records) >= 25
    assert example_of("another idea") is None


def test_ideas_in_chinese_and_ideas_that_do_not_fit() -> None:
    assert fit("小样本下的岭回归:交叉验证选择惩罚项是否优于普通最小二乘?") == ("shrinkage", True)
    assert fit("用自助法构造置信区间时,学生化区间的覆盖率如何?") == ("bootstrap", True)
    assert fit("余弦退火学习率与预热对随机梯度下降的影响") == ("schedules", True)
    assert not fit("A platform where users upload papers and chat about them with protocols and tools")[1]
    assert not fit("")[1]
