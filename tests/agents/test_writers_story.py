"""The writers' story: a draft, mended, reviewed, revised, confirmed, packed; and each planted fault alone."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest
from writers_workshop import Room, rehearsing, workshop

from cockpit.kernel.findings import Finding
from cockpit.kernel.settings import Fault
from cockpit.kernel.stages import FINAL, VER_A, WRITE_A
from gates import references

STUDIES = ("micro", "shrinkage", "bootstrap", "schedules")
PAPER = f"{WRITE_A}/paper_rendered.tex"
OWN: dict[Fault, str] = {
    "invented-number": "number-unsupported",
    "wrong-row": "number-wrong-place",
    "wrong-bold": "claim-bold",
    "reference-without-record": "reference-without-record",
}

PACKAGE = (
    "paper.tex", "references.bib", "STATUS", "PROVENANCE.json", "review_report.md", "submission_checklist.md",
    "submission_recommendation.json", "code/README.md", "code/scripts/run.py", "figures/comparison.tex",
    "experiment_data/main_results.json", "experiment_data/ablation_results.json",
    "experiment_data/efficiency_results.json", "verification_report.json",
)  # fmt: skip


def room(study: str = "micro", *, faults: Sequence[Fault] = (), seed: int = 0, missing: bool = False) -> Room:
    return Room(workshop(study, missing=missing, seed=seed), rehearsing(study, faults=faults, seed=seed))


def patterns(of: Room) -> list[str]:
    return [f.pattern for f in of.found]


def open_patterns(of: Room) -> list[str]:
    return [o.finding.pattern for o in of.view.ledger.open]


async def first_version(of: Room) -> None:
    await of.play(17, "draft")
    await of.play(17, "mended")


async def findings_of_first_version(of: Room) -> list[Finding]:
    """What the gates find in draft and mended paper, each once."""
    await of.play(17, "draft")
    drafted = list(of.found)
    await of.play(17, "mended")
    titles = {f.title for f in drafted}
    return [*drafted, *(f for f in of.found if f.title not in titles)]


@pytest.mark.parametrize("study", STUDIES)
async def test_without_faults_no_gate_finds_anything(study: str) -> None:
    run = room(study)

    await first_version(run)

    assert [str(f.title) for f in run.found] == []
    assert "\\res" not in run.text(PAPER)
    assert "??" not in run.text(PAPER)


@pytest.mark.parametrize("fault", OWN)
@pytest.mark.parametrize("study", ("micro", "shrinkage"))
async def test_each_fault_alone_gives_exactly_its_finding_with_file_and_line(study: str, fault: Fault) -> None:
    run = room(study, faults=[fault])

    found = await findings_of_first_version(run)

    assert [f.pattern for f in found] == [OWN[fault]]
    assert all(span.file.startswith(WRITE_A) and span.line for span in found[0].spans)
    mended_by_program = fault in ("wrong-row", "wrong-bold")
    assert open_patterns(run) == ([] if mended_by_program else [OWN[fault]])


async def test_twenty_seeds_move_value_row_and_file() -> None:
    places: dict[str, set[str]] = {pattern: set() for pattern in OWN.values()}
    values: dict[str, set[str]] = {pattern: set() for pattern in OWN.values()}
    for seed in range(20):
        run = room("shrinkage", faults=tuple(OWN), seed=seed)
        await run.play(17, "draft")
        found = [*run.found, *references.find(run.desk(17).tree, run.view)]
        assert sorted(f.pattern for f in found) == sorted(OWN.values()), (seed, [f.title for f in found])
        for finding in found:
            span = finding.spans[0]
            places[finding.pattern].add(f"{span.file}:{span.line}")
            values[finding.pattern].add(span.text)
    assert all(len(found) > 2 for found in values.values()), values
    assert len({place.split(":")[0] for place in places["number-unsupported"]}) > 2
    assert len(places["claim-bold"]) > 1
    assert len(values["reference-without-record"]) > 10


async def test_the_program_mends_what_results_show_and_revision_the_rest() -> None:
    run = room("shrinkage", faults=tuple(OWN))

    await run.play(17, "draft")
    assert sorted(patterns(run)) == ["claim-bold", "number-unsupported", "number-wrong-place"]

    mended = await run.play(17, "mended")
    assert len(mended.fields["mended"]["applied"]) == 4  # two cells of the swapped rows, bold off and on
    assert sorted(open_patterns(run)) == ["number-unsupported", "reference-without-record"]

    reviewed = await run.play(18)
    assert len(reviewed.reviews) == 2

    revised = await run.play(19, "draft")
    await run.play(19, "mended")
    assert open_patterns(run) == []
    assert revised.fields["points"] == {"changed": 2, "rebutted": 0, "deferred": 0}
    changes = json.loads(run.text(f"{WRITE_A}/changes.json"))["changes"]
    assert {c["answer"] for c in changes} == {"changed"}
    assert all(c["where"] for c in changes)
    resolved = [p.fix for o in run.view.ledger.obligations.values() for p in o.parts]
    assert sorted(str(fix) for fix in resolved) == [
        "citation-replaced", "claim-withdrawn", "corrected-from-results", "corrected-from-results",
    ]  # fmt: skip

    confirmed = await run.play(20)
    assert {r.purpose for r in confirmed.reviews} == {"confirmation"}
    assert min(r.acceptance_probability for r in confirmed.reviews) >= 0.55
    assert [u for u in run.gates.unmet(20, run.desk(20).tree, run.view) if "confirmation" in u] == []


async def test_a_credited_component_without_an_ablation_is_missed_by_reviewers_and_stays_open() -> None:
    run = room("shrinkage", faults=["missing-ablation"], missing=True)

    await first_version(run)
    reviewed = await run.play(18)

    assert {r.acceptance_probability for r in reviewed.reviews} == {0.35}
    assert all(r.dimensions["soundness"] < 0.5 for r in reviewed.reviews)
    assert set(open_patterns(run)) == {"experiment-missing"}
    assert any(o.finding.severity == "critical" for o in run.view.ledger.open)
    assert all(o.finding.owner == 9 for o in run.view.ledger.open)

    await run.play(19, "draft")
    changes = json.loads(run.text(f"{WRITE_A}/changes.json"))["changes"]
    assert {c["answer"] for c in changes} == {"deferred"}
    assert run.gates.unmet(19, run.desk(19).tree, run.view) == ()
    await run.play(19, "mended")

    await run.play(20)
    assert set(open_patterns(run)) == {"experiment-missing"}


async def test_unchanged_bytes_need_no_second_reviews() -> None:
    run = room()
    await first_version(run)
    await run.play(18)
    asked = len(run.door.asked)

    revised = await run.play(19, "draft")
    await run.play(19, "mended")
    confirmed = await run.play(20)

    assert len(run.door.asked) == asked
    assert revised.fields["changed_bytes"] is False
    assert confirmed.fields["confirmation"]["served_by_18"] is True
    assert confirmed.reviews == ()


async def test_the_package_is_complete_and_says_what_it_is() -> None:
    run = room("micro")
    await first_version(run)
    await run.play(18)
    await run.play(19, "draft")
    await run.play(19, "mended")
    await run.play(20)

    await run.play(22)
    report = await run.play(23)

    final = {path.removeprefix(f"{FINAL}/") for path in run.files if path.startswith(f"{FINAL}/")}
    assert set(PACKAGE) <= final
    paper = run.text(f"{FINAL}/paper.tex")
    assert "\\section*{How this paper was made}" in paper
    assert "REHEARSAL" in paper
    assert "REHEARSAL" in run.text(f"{FINAL}/review_report.md")
    assert "pending" in report.summary
    assert [f.title for f in run.found] == []
    provenance = run.text(f"{FINAL}/PROVENANCE.json")
    assert "2026-" not in provenance


async def test_a_second_round_writes_new_results_and_keeps_what_rests_on_nothing_new() -> None:
    run = room("micro", faults=tuple(OWN))
    await first_version(run)
    await run.play(18)
    await run.play(19, "draft")
    await run.play(19, "mended")
    assert open_patterns(run) == []
    before = run.text(f"{WRITE_A}/sections/related_work.tex")
    asked = len(run.door.asked)

    await run.play(17, "draft", revising=True, round=2)

    steps = [r.purpose for r in run.door.asked[asked:]]
    assert run.text(f"{WRITE_A}/sections/related_work.tex") == before
    assert steps == ["paper-writer/table", "paper-writer/polish"]
    assert [(f.title, f.spans, f.evidence) for f in run.found] == []


async def test_what_an_agent_did_not_find_in_the_program_s_map_is_said(tmp_path: object) -> None:
    run = room("micro")
    await first_version(run)

    claims = json.loads(run.text("06_paper_writing/stages/s17.json"))["reread"]["claims"]

    assert claims
    assert json.loads(run.text(f"{VER_A}/number_map.json"))["numbers"]
