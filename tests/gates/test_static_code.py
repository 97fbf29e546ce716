"""Static checks of experiment code: each fault its own finding; real study code is clean."""

from __future__ import annotations

import pytest
from gates_world import SCRIPT, World, the_plan
from hypothesis import given, settings
from hypothesis import strategies as st

from cockpit.kernel.plan import ExperimentPlan
from gates.static import check

RUN = "04_experiment_execution/artifacts/scripts/run.py"


def patterns(source: str | bytes, plan: ExperimentPlan | None = None) -> list[str]:
    data = source.encode() if isinstance(source, str) else source
    return [f.pattern for f in check({RUN: data}, plan or the_plan())]


FAULTS = {
    "static-syntax": SCRIPT + "\ndef broken(:\n",
    "static-result-literal": SCRIPT.replace('"value": value}', '"value": 0.9312}'),
    "static-forbidden-call": SCRIPT + "\nos.system('ls')\n",
    "static-self-metric": SCRIPT + "\ntargets = [value]\nprint(mean_squared_error(targets, targets))\n",
    "static-unread-flag": SCRIPT.replace(
        'parser.add_argument("--seed"', 'parser.add_argument("--depth")\nparser.add_argument("--seed"'
    ),
    "static-unused-seed": SCRIPT.replace('random.Random(f"{asked.seed}/data")', "random.Random()").replace(
        "rows = [", "print(asked.seed)\nrows = ["
    ),
}


def test_honest_code_is_clean() -> None:
    assert patterns(SCRIPT) == []


@pytest.mark.parametrize("pattern", sorted(FAULTS))
def test_each_fault_has_its_own_finding_with_a_line(pattern: str) -> None:
    found = check({RUN: FAULTS[pattern].encode()}, the_plan())
    assert {f.pattern for f in found} == {pattern}
    assert all(f.spans[0].file == RUN and f.spans[0].line > 0 and f.severity == "critical" for f in found)


def test_a_parameter_that_tells_conditions_apart_must_be_read() -> None:
    unread = SCRIPT.replace(' + settings["centre"]', "")
    assert patterns(unread) == ["static-unread-flag"]


def test_a_missing_entry_point_is_named() -> None:
    plan = the_plan()
    other = plan.model_copy(
        update={"conditions": tuple(c.model_copy(update={"entry": "scripts/other.py"}) for c in plan.conditions)}
    )
    assert set(patterns(SCRIPT, other)) == {"static-entry"}


@pytest.mark.parametrize(
    "line",
    [
        "import subprocess\nsubprocess.run(['ls'])",
        "from os import system as s\ns('ls')",
        "import requests",
        "from urllib.request import urlopen",
        "eval('1')",
        "import numpy, socket",
    ],
)
def test_forbidden_calls_by_any_name(line: str) -> None:
    assert set(patterns(SCRIPT + "\n" + line + "\n")) == {"static-forbidden-call"}


@settings(max_examples=40, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_are_judged_and_never_clean_unless_python(data: bytes) -> None:
    found = patterns(data)
    assert found, "code that reads none of the plan's parameters is not clean"


def test_a_stage_is_not_done_with_such_code(world: World) -> None:
    world.put(RUN, FAULTS["static-result-literal"])
    [unmet] = world.gates.unmet(10, world.tree, world.view)
    assert "typed-in value" in unmet
    assert RUN in unmet


def test_the_rehearsal_studies_are_clean() -> None:
    studies = pytest.importorskip("agents.rehearsal.studies")
    for study in studies.STUDIES.values():
        if not hasattr(study, "code"):
            pytest.skip("the studies' code is not there")
        plan = study.design(1, "balanced", missing=False, seed=0)
        files = {
            f"04_experiment_execution/artifacts/{p}": t.encode()
            for p, t in study.code(plan, seed=0, crash=False).items()
        }
        assert check({p: t for p, t in files.items() if p.endswith(".py")}, plan) == [], study.id
