"""Ideas as people bring them: the examples, in Chinese, very long, about something else, without a model."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tests.scenarios.conftest import CHINESE, FOREIGN, Fleet
from tests.scenarios.flights import EXAMPLES, Flown, cockpit

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]


def plan_of(run: Flown) -> dict[str, object]:
    plan = yaml.safe_load(run.text("03_experiment_plan/artifacts/exp_plan.yaml"))
    assert isinstance(plan, dict)
    return plan


def test_the_three_examples_reach_three_studies(designs: dict[str, Flown]) -> None:
    assert all(run.code == 0 for run in designs.values())
    plans = [plan_of(run) for run in designs.values()]
    for what in ("conditions", "metrics", "datasets", "tests"):
        assert len({str(plan[what]) for plan in plans}) == 3, what
    goals = [run.text("01_idea_analysis/artifacts/goal.md") for run in designs.values()]
    assert len(set(goals)) == 3


def test_the_first_example_flies_to_its_end(ridge: Flown) -> None:
    assert ridge.code == 0
    assert ridge.text("final/STATUS").split()[0] == "accepted"
    assert [r.round for r in ridge.view.rounds] == [1, 2]
    assert ridge.view.ledger.open == () and len(ridge.view.ledger.obligations) == 6


def test_an_example_needs_no_word_about_rehearsal(tmp_path: Path) -> None:
    typed = cockpit(EXAMPLES / "ridge-small-n.md", "--auto", "--until", "1", "--set", f"runs_dir={tmp_path}")
    assert typed.returncode == 0
    assert "REHEARSAL" in typed.stderr and "Traceback" not in typed.stderr


@pytest.mark.parametrize("name", ["chinese", "long"])
def test_unusual_ideas_run_whole(ideas: dict[str, Flown], name: str) -> None:
    run = ideas[name]
    assert run.code == 0 and run.text("final/STATUS").split()[0] == "accepted"
    assert run.view.run is not None and run.view.run.settings.rehearsal.study == "micro"
    assert run.view.run.settings.rehearsal.fits
    assert (run.root / "idea.md").read_bytes() == Path(f"{run.root.parent}.md").read_bytes()


def test_the_chinese_title_is_kept(ideas: dict[str, Flown]) -> None:
    assert ideas["chinese"].view.title == CHINESE.splitlines()[0].lstrip("# ")
    assert ideas["chinese"].git("log", "--format=%s").splitlines()[-1].endswith(ideas["chinese"].view.title)


def test_what_fits_no_study_says_so_on_screen_in_commits_and_paper(fleet: Fleet, ideas: dict[str, Flown]) -> None:
    run = ideas["foreign"]
    said = Path(f"{run.root.parent}.err").read_text()
    assert "fits none of the built-in studies" in said
    status = cockpit("status", run.root)
    assert "fits none of the built-in studies" in status.stdout
    bodies = run.git("log", "--format=%B%x00").split("\0")
    assert all("fits no" in body for body in bodies if body.strip())
    paper = run.text("final/paper.tex")
    assert "the idea that was given fits none of them" in paper.split("\\begin{document}")[0]
    assert "The idea that was given fits none of the built-in studies" in paper


def test_an_own_idea_without_a_model_says_what_to_type(tmp_path: Path) -> None:
    idea = tmp_path / "pigeons.md"
    idea.write_text(FOREIGN)
    typed = cockpit(idea, "--auto", here=tmp_path)
    assert typed.returncode == 7 and typed.stdout == ""
    assert f"cockpit {idea} --model executor=" in typed.stderr and f"cockpit {idea} --rehearsal" in typed.stderr
    assert "ANTHROPIC_API_KEY" in typed.stderr and "Traceback" not in typed.stderr
    assert not (tmp_path / "runs").exists(), "nothing is begun"
