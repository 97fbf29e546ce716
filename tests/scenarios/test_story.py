"""The demonstration, start to end: two rounds, every planted fault caught, closed by who may, told by git."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from cockpit.kernel import events as e
from cockpit.kernel.model import sha256
from cockpit.kernel.stages import PHASES
from tests.scenarios.flights import Flown, cockpit

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]

CLOSERS = {  # who may close what, on what evidence
    "number-unsupported": (r"program:numbers", {"claim-withdrawn"}),
    "number-wrong-place": (r"program:numbers", {"corrected-from-results"}),
    "claim-bold": (r"program:numbers", {"corrected-from-results"}),
    "reference-without-record": (r"program:references", {"citation-replaced"}),
    "experiment-missing": (r"program:ablations\+review:rehearsal/b", {"experiment-added"}),
}
FINAL = ("STATUS", "PROVENANCE.json", "paper.tex", "references.bib", "figures", "supplementary", "experiment_data",
         "code", "review_report.md", "submission_checklist.md", "submission_recommendation.json", "archive.md",
         "evidence.json", "verification_report.json")  # fmt: skip


def trailers(run: Flown, name: str) -> list[str]:
    form = f"--format=%(trailers:key={name},valueonly,separator=)"
    return [line for line in run.git("log", "--reverse", form).splitlines() if line]


def test_it_ends_well(story: Flown) -> None:
    assert story.code == 0
    assert story.text("final/STATUS").split()[0] == "accepted"
    assert [r.round for r in story.view.rounds] == [1, 2]
    assert {"round-1", "round-2", "final"} <= set(story.git("tag").split())
    lines = [json.loads(line) for line in Path(f"{story.root.parent}.out").read_text().splitlines()]
    assert (lines[-1]["kind"], lines[-1]["outcome"], lines[-1]["exit_code"]) == ("run-finished", "accepted", 0)
    assert lines[-1]["run_folder"] == str(story.root)
    assert "REHEARSAL" in Path(f"{story.root.parent}.err").read_text()


def test_each_planted_fault_became_an_obligation_with_file_and_line(story: Flown) -> None:
    found = Counter(o.finding.pattern for o in story.view.ledger.obligations.values())
    assert found == {"number-unsupported": 1, "number-wrong-place": 1, "claim-bold": 1, "reference-without-record": 1,
                     "experiment-missing": 2}  # fmt: skip
    for o in story.view.ledger.obligations.values():
        for span in o.finding.spans:
            line = story.text(span.file, at=commit_of(story, o.opened, span.file)).splitlines()[span.line - 1]
            words = re.findall(r"\w+", span.text)
            assert words and all(word in line for word in words), (span, line)


def commit_of(run: Flown, position: object, path: str) -> str:
    """The first commit of a stage instance that has `path`."""
    form = "--format=%H %(trailers:key=Position,valueonly,separator=)"
    at = [line.split()[0] for line in run.git("log", "--reverse", form).splitlines() if f" {position}/" in line]
    return next(commit for commit in at if path in run.git("ls-tree", "-r", "--name-only", commit).splitlines())


def test_each_part_was_closed_by_who_may_on_evidence_that_is_still_there(story: Flown) -> None:
    for o in story.view.ledger.obligations.values():
        closer, fixes = CLOSERS[o.finding.pattern]
        assert o.state == "resolved" and o.parts
        for part in o.parts:
            assert re.fullmatch(closer, part.closer) and part.fix in fixes and part.evidence
            for proof in part.evidence:
                copy = story.root / "ledger" / "evidence" / proof.sha256
                assert sha256(copy.read_bytes()) == proof.sha256
                then = {sha256(story.git_bytes(commit, proof.path)) for commit in commits_at(story, proof.position)}
                assert proof.sha256 in then, f"{proof.path} of {proof.position} is in no commit of that instance"


def commits_at(run: Flown, position: object) -> list[str]:
    form = "--format=%H %(trailers:key=Position,valueonly,separator=)"
    return [line.split()[0] for line in run.git("log", form).splitlines() if f" {position}/" in line]


def test_the_script_crashed_and_was_mended_and_run_again(story: Flown) -> None:
    events = story.events
    crashed = [j for j in story.view.jobs.values() if j.signature and j.kind in ("main", "ablation", "control")]
    [repair] = [event for event in events if isinstance(event, e.RepairMade)]
    assert crashed and {j.signature for j in crashed} == {repair.signature}
    again = {(j.condition, j.seed) for j in story.view.jobs.values()
             if j.receipt and j.receipt.exit_code == 0 and j.position == repair.position}  # fmt: skip
    assert {(j.condition, j.seed) for j in crashed} <= again
    subjects = story.git("log", "--reverse", "--format=%s").splitlines()
    signature = repair.signature.split(":")[0]
    assert sum(signature in subject for subject in subjects) == 2, "the crash, then repair and rerun"


def test_one_commit_a_stage_part(story: Flown) -> None:
    ended = [f"{x.position}/{x.part}" for x in story.events if isinstance(x, e.StageDone)]
    ended += [f"{x.position}/whole" for x in story.events if isinstance(x, e.StageReused)]
    marks = Counter(trailers(story, "Position"))
    assert all(marks[end] == 1 for end in ended)
    assert sorted(set(marks) - set(ended)) == ["end", "r2.s09.o1/back", "r2.s21.o1/back", "start"]
    assert len(trailers(story, "Seq")) == sum(marks.values()) == len(ended) + 4


def test_git_agrees_with_itself_and_the_journal(story: Flown) -> None:
    assert story.git("status", "--porcelain") == ""
    assert story.git("fsck", "--strict", "--no-dangling") == ""
    checked = cockpit("verify", story.root)
    assert (checked.returncode, checked.stderr) == (0, "")
    seqs = [int(seq) for seq in trailers(story, "Seq")]
    assert seqs == sorted(seqs)


def test_the_log_reads_as_the_story_of_the_night(story: Flown) -> None:
    subjects = story.git("log", "--reverse", "--format=%s").splitlines()
    told = ["run created", "r1 s09 experiment_design: plan v1 frozen", "r1 s12 experiment_run",
            "r1 s13 iterative_refine", "r1 s17 paper_draft: four numbers corrected from results",
            "r1 s18 peer_review", "r1 s20 quality_gate",
            "r1 back to experiment_design", "r2 s09 experiment_design: plan v2 frozen", "r2 s20 quality_gate",
            "r2 s22 export_publish: accepted", "run finished: accepted"]  # fmt: skip
    places = [next(n for n, s in enumerate(subjects) if s.startswith(words)) for words in told]
    assert places == sorted(places)
    assert all(len(subject) <= 160 for subject in subjects)


def test_every_phase_has_plan_and_report(story: Flown) -> None:
    for phase in PHASES:
        assert story.text(f"{phase}/work_plan.md").strip() and story.text(f"{phase}/report.md").strip()
        meta = json.loads(story.text(f"{phase}/report.json"))["_meta"]
        assert meta["phase"] == phase and meta["status"] == "completed" and meta["artifacts"] and meta["stages"]
        assert all((story.root / path).exists() for path in meta["artifacts"])


def test_the_package_is_whole(story: Flown) -> None:
    final = story.root / "final"
    assert [name for name in FINAL if not (final / name).exists()] == []
    paper = story.text("final/paper.tex")
    made = paper.index("\\section*{How this paper was made}")
    assert "Round 1" in paper[made:] and "Round 2" in paper[made:] and "REHEARSAL" in paper[made:]
    listed = json.loads(story.text("final/PROVENANCE.json"))["files"]
    assert {path: sha256((story.root / path).read_bytes()) for path in listed} == {
        p: f["sha256"] for p, f in listed.items()
    }
    found = {str(p.relative_to(story.root)) for p in final.rglob("*") if p.is_file()}
    unlisted = {p.split("/")[1] for p in found - set(listed)}
    assert unlisted <= {"PROVENANCE.json", "archive.md", "evidence.json", "stages", "verification_report.json"}
    checklist = story.text("final/submission_checklist.md")
    assert "None is open" in checklist and "REHEARSAL" in checklist


def test_numbers_from_the_library_alone_are_pending(story: Flown) -> None:
    report = json.loads(story.text("final/verification_report.json"))
    assert {r["verdict"] for r in report["references"]} == {"pending"}
    assert all("in your library" in r["why"] for r in report["references"])


def test_the_second_round_added_the_ablation(story: Flown) -> None:
    missing = next(o for o in story.view.ledger.obligations.values() if o.finding.auditor == "ablations")
    component = missing.finding.spans[0].text
    added = [line for line in story.git("diff", "round-1", "round-2", "--", "06_paper_writing").splitlines()
             if line.startswith("+") and "&" in line]  # fmt: skip
    assert any(component in line.lower() for line in added), added
    before = story.text("06_paper_writing/artifacts/paper_rendered.tex", at="round-1")
    assert f"No {component} &" not in before
    shown = cockpit("diff", story.root, "1", "2")
    assert shown.returncode == 0 and component in shown.stdout.lower()


def test_the_commands_of_the_readme_tell_the_same(story: Flown) -> None:
    at = ("--runs-dir", story.root.parent)
    status = cockpit("status", "last", *at)
    assert status.returncode == 0 and "accepted" in status.stdout and "REHEARSAL" in status.stdout
    ledger = cockpit("ledger", "last", *at)
    assert ledger.returncode == 0 and ledger.stdout.count("resolved") >= 6
    one = cockpit("show", "last", "#1", *at)
    assert one.returncode == 0 and "06_paper_writing/artifacts/sections/" in one.stdout
    log = cockpit("log", "last", "--reverse", *at)
    assert log.returncode == 0 and "run finished" in log.stdout
    gate = cockpit("gate", "last", *at)
    assert gate.returncode == 0 and gate.stdout.startswith("WARN")


@pytest.mark.tex
def test_the_pdf(story: Flown) -> None:
    pdf = story.root / "final" / "paper.pdf"
    assert pdf.read_bytes().startswith(b"%PDF-")
    text = text_of(pdf)
    assert "??" not in text and "How this paper was made" in text
    tables = re.findall(r"\\begin\{tabular\}.*?\\end\{tabular\}", story.text("final/paper.tex"), re.DOTALL)
    decimals = [d for table in tables for d in re.findall(r"\d+\.\d+", table)]
    assert len(tables) == 2 and len(decimals) >= 18
    printed = Counter(re.findall(r"\d+\.\d+", text))
    assert not Counter(decimals) - printed
    assert fonts_not_embedded(pdf) == []


def text_of(pdf: Path) -> str:
    import pypdfium2

    document = pypdfium2.PdfDocument(pdf)
    return "\n".join(page.get_textpage().get_text_range() for page in document)


def fonts_not_embedded(pdf: Path) -> list[str]:
    if shutil.which("pdffonts") is None:
        pytest.skip("no pdffonts")
    table = subprocess.run(["pdffonts", str(pdf)], capture_output=True, text=True, check=True).stdout.splitlines()[2:]
    assert table
    return [line for line in table if line.split()[-5] != "yes"]
