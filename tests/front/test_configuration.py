"""Settings: who wins, and what a person reads when something is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from cockpit.front.configuration import Configuration, resolve, who
from cockpit.kernel.exits import CockpitError


def settle(tmp_path: Path, text: str = "", sets: tuple[str, ...] = (), **more: object) -> Configuration:
    (tmp_path / "cockpit.yml").write_text(text)
    environment = {"COCKPIT_CONFIG_DIR": str(tmp_path / "user"), **more.pop("environment", {})}  # type: ignore[dict-item]
    return resolve(sets, more.pop("flags", None), here=tmp_path, environment=environment)  # type: ignore[arg-type]


def fault(tmp_path: Path, text: str = "", **more: object) -> str:
    with pytest.raises(CockpitError) as caught:
        settle(tmp_path, text, **more)  # type: ignore[arg-type]
    return str(caught.value)


def test_without_anything_the_defaults_hold(tmp_path: Path) -> None:
    found = settle(tmp_path)

    assert found.settings.effort == "balanced"
    assert found.place("effort") == "default"


def test_later_sources_win_and_say_where_they_are(tmp_path: Path) -> None:
    (tmp_path / "user").mkdir()
    (tmp_path / "user" / "config.yml").write_text("effort: lite\nrounds: 1\nbudget_usd: 1\nseed: 1\nvenue: a\n")
    found = settle(
        tmp_path,
        "effort: max\nrounds: 2\nbudget_usd: 2\nseed: 2\n",
        ("budget_usd=4", "seed=4"),
        environment={"COCKPIT_ROUNDS": "3", "COCKPIT_BUDGET_USD": "3"},
        flags={"seed": 5, "venue": None},
    )

    got = found.settings
    assert (got.venue, got.effort, got.rounds, got.budget_usd, got.seed) == ("a", "max", 3, 4, 5)
    assert found.place("effort") == "./cockpit.yml line 1"
    assert found.place("rounds") == "$COCKPIT_ROUNDS"
    assert found.place("budget_usd") == "--set budget_usd"
    assert found.place("seed") == "--seed"
    assert found.place("venue").endswith("config.yml line 5")


def test_nested_keys_merge(tmp_path: Path) -> None:
    found = settle(
        tmp_path,
        "models:\n  executor:\n    model: anthropic/x\n    max_tokens: 100\nsandbox:\n  parallel: 3\n",
        ("models.executor.api_base=http://127.0.0.1:9", "rehearsal.faults=[]"),
        environment={"COCKPIT_SANDBOX__BACKEND": "process"},
    )

    assert found.settings.models["executor"].max_tokens == 100
    assert found.settings.models["executor"].api_base == "http://127.0.0.1:9"
    assert (found.settings.sandbox.parallel, found.settings.sandbox.backend) == (3, "process")
    assert found.settings.rehearsal.faults == ()
    assert found.place("models.executor.model") == "./cockpit.yml line 3"


def test_a_yaml_typo_names_file_and_line(tmp_path: Path) -> None:
    text = fault(tmp_path, "effort: lite\nmodels: {executor: [\nrounds: 2\n")

    assert "./cockpit.yml line" in text
    assert "not YAML" in text


def test_an_unknown_key_names_its_line_and_the_nearest_one(tmp_path: Path) -> None:
    text = fault(tmp_path, "mode: express\nsandbox:\n  paralel: 4\n")

    assert "unknown setting `sandbox.paralel`" in text
    assert "./cockpit.yml line 3" in text
    assert "Did you mean `parallel`?" in text
    assert "backend, image, limits, parallel" in text


def test_an_unknown_key_of_a_model_lists_the_valid_ones(tmp_path: Path) -> None:
    text = fault(tmp_path, sets=("models.reviewer.modle=x",))

    assert "unknown setting `models.reviewer.modle`" in text
    assert "api_base" in text


def test_a_wrong_value_lists_the_valid_ones(tmp_path: Path) -> None:
    text = fault(tmp_path, "\n\neffort: huge\n")

    assert "`effort` cannot be 'huge'" in text
    assert "'lite', 'balanced', 'max' or 'beast'" in text
    assert "line 3" in text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("- a\n- b\n", "key: value"),
        ("effort: lite\neffort: max\n", "given twice"),
        ("rounds: many\n", "`rounds` cannot be 'many'"),
        ("rehearsal:\n  faults: [nonsense]\n", "invented-number"),
    ],
)
def test_other_mistakes(tmp_path: Path, text: str, words: str) -> None:
    assert words in fault(tmp_path, text)


def test_an_unreadable_file_is_said(tmp_path: Path) -> None:
    (tmp_path / "cockpit.yml").write_bytes(b"effort: \xff\xfe\n")
    with pytest.raises(CockpitError, match="not UTF-8"):
        resolve(here=tmp_path, environment={"COCKPIT_CONFIG_DIR": str(tmp_path)})


def test_a_set_without_equals_and_an_unknown_variable_are_errors(tmp_path: Path) -> None:
    assert "not key=value" in fault(tmp_path, sets=("rounds",))
    assert "$COCKPIT_EFORT" in fault(tmp_path, environment={"COCKPIT_EFORT": "max"})


def test_who_sits_here_has_a_name() -> None:
    assert who().user
