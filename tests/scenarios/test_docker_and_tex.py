"""Whole runs in containers, down to the PDF; a cockpit killed over a running container; a machine with neither."""

from __future__ import annotations

import ctypes
import json
import os
import re
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pypdfium2
import pypdfium2.raw as pdfium
import pytest

from cockpit.journal.canonical_tree import canonical_files
from cockpit.journal.places import RunFolder
from cockpit.journal.trees import WorkTree
from cockpit.kernel import events as e
from sandbox.container import JOB_LABEL, RUN_LABEL, run_of
from tests.scenarios.flights import MICRO, Flown, cockpit, command, surroundings, without_tex

PATH = os.environ["PATH"]  # before anybody takes TeX away
PATIENCE_S = 60.0
with_docker, with_tex = pytest.mark.docker, pytest.mark.tex
pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


def containers(*words: str) -> list[str]:
    """What `docker ps` says, a line each."""
    said = subprocess.run(["docker", "ps", *words], capture_output=True, text=True, check=True, timeout=60)
    return said.stdout.splitlines()


def of_run(run: RunFolder, *words: str) -> list[str]:
    return containers("--filter", f"label={RUN_LABEL}={run_of(run.jobs)}", *words)


def start(runs: Path) -> list[str | Path]:
    return [MICRO, "--auto", "--rehearsal", "--sandbox", "docker", "--set", f"runs_dir={runs}"]


def folder_in(runs: Path) -> RunFolder:
    (inner,) = runs.glob("*/.cockpit")
    return RunFolder(inner.parent)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Flown:
    """A run through containers, as typed."""
    runs = tmp_path_factory.mktemp("docker")
    said = cockpit(*start(runs), env={"PATH": PATH})
    assert said.returncode == 0, said.stderr[-2000:]
    assert "jobs: docker" in said.stderr and "no TeX" not in said.stderr
    return Flown(folder_in(runs), said.returncode)


@pytest.fixture(scope="module")
def paper(whole: Flown) -> Iterator[pypdfium2.PdfDocument]:
    document = pypdfium2.PdfDocument(whole.root / "final/paper.pdf")
    yield document
    document.close()


@with_docker
def test_every_job_ran_in_a_container_and_none_is_left(whole: Flown) -> None:
    receipts = [json.loads(path.read_text()) for path in sorted((whole.root / "ledger/receipts").glob("*.json"))]
    jobs = [receipt for receipt in receipts if "backend" in receipt]

    assert {"main", "ablation", "control", "tex"} <= {job["kind"] for job in jobs}
    assert {(job["backend"], job["isolated"]) for job in jobs} == {("docker", True)}
    assert all(job["image"].startswith("sha256:") and job["usage"]["wall_s"] > 0 for job in jobs)
    assert of_run(whole.folder, "-aq") == []
    assert whole.git("status", "--porcelain") == "" and whole.git("fsck", "--strict") == ""


@with_docker
@with_tex
def test_the_pdf_is_whole(whole: Flown, paper: pypdfium2.PdfDocument) -> None:
    text = text_of(paper)
    exported = next(ev for ev in whole.events if isinstance(ev, e.StageDone) and ev.position.stage == 22)

    assert 3 <= len(paper) <= 12
    assert f"PDF of {len(paper)} pages" in exported.summary
    assert "??" not in text and "(?)" not in text
    assert "REHEARSAL" in text and "References" in text
    assert [(name, held) for name, held in fonts(paper) if not held] == []
    assert len({name for name, _held in fonts(paper)}) >= 4


@with_docker
@with_tex
def test_every_decimal_of_every_table_is_in_the_pdf(whole: Flown, paper: pypdfium2.PdfDocument) -> None:
    tables = re.findall(r"\\begin\{tabular\}.*?\\end\{tabular\}", whole.text("final/paper.tex"), re.DOTALL)
    wanted = Counter(number for table in tables for number in re.findall(r"\d+\.\d+", table))
    found = Counter(re.findall(r"\d+\.\d+", text_of(paper)))

    assert len(tables) >= 2 and wanted.total() >= 12
    assert wanted - found == Counter()


@with_docker
@with_tex
def test_typesetting_is_cheap(whole: Flown) -> None:
    papers = [ev.receipt for ev in whole.events if isinstance(ev, e.JobFinished) and ev.receipt.kind == "tex"]

    assert papers and all(receipt.exit_code == 0 for receipt in papers)
    assert all(receipt.usage.cpu_s <= 1.5 for receipt in papers), [receipt.usage for receipt in papers]


@with_docker
def test_a_cockpit_killed_over_a_container_finds_it_again(whole: Flown, tmp_path: Path) -> None:
    """Twice: once the job still runs (held, so that it must) when the next cockpit comes, once it has ended."""
    env = surroundings({"PATH": PATH})
    killed: list[str] = []
    words: Sequence[str | Path] = start(tmp_path)
    for still_running in (True, False):
        with subprocess.Popen([*command(), *map(str, words)], env=env, stderr=subprocess.DEVNULL) as process:
            name, job = container_in_flight(tmp_path, process, besides=killed)
            if still_running:
                docker("pause", name)
            process.send_signal(signal.SIGKILL)
        if not still_running:
            docker("wait", name)
        assert name in containers("-a", "--format", "{{.Names}}")
        killed.append(job)
        words = ["resume", folder_in(tmp_path).root, "--auto"]
    assert cockpit(*words, env={"PATH": PATH}).returncode == 0

    run = Flown(folder_in(tmp_path), 0)
    for job in killed:
        starts = [ev for ev in run.events if isinstance(ev, e.JobStarted) and ev.job.id == job]
        assert [ev.handle[-2:] for ev in starts] == ["-1"], "started once"
        assert len(endings(run, job)) == 1 and endings(run, job) == endings(whole, job), "collected once"
    assert of_run(run.folder, "-aq") == []
    assert canonical_files(WorkTree(run.root)) == canonical_files(WorkTree(whole.root))


def test_a_machine_with_neither_says_so_and_flies(tmp_path: Path) -> None:
    env = {"PATH": without_tex(tmp_path / "bin"), "DOCKER_HOST": f"unix://{tmp_path}/none.sock"}
    said = cockpit(MICRO, "--auto", "--rehearsal", "--set", f"runs_dir={tmp_path}/runs", env=env)
    beginning = said.stderr[: said.stderr.index("cockpit started")]

    assert said.returncode == 0, said.stderr[-2000:]
    assert "no TeX: pdflatex is not installed, so no PDF will be made" in beginning
    assert "no Docker daemon answers" in beginning
    run = Flown(folder_in(tmp_path / "runs"), 0)
    assert not (run.root / "final/paper.pdf").exists()
    assert "no PDF (TeX is not installed here)" in run.text("final/submission_checklist.md")


def test_docker_that_is_asked_for_and_not_there_ends_with_what_to_type(tmp_path: Path) -> None:
    said = cockpit(*start(tmp_path), env={"DOCKER_HOST": f"unix://{tmp_path}/none.sock"})

    assert said.returncode == 6
    assert "no Docker daemon answers: no such file or directory" in said.stderr and "--sandbox auto" in said.stderr
    assert "Traceback" not in said.stderr and list(tmp_path.iterdir()) == []


def container_in_flight(runs: Path, process: subprocess.Popen[bytes], *, besides: Sequence[str]) -> tuple[str, str]:
    """Name and job of a container of the run's experiments, as soon as one runs."""
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        assert process.poll() is None, "the run ended before a container was seen"
        for inner in runs.glob("*/.cockpit"):
            form = f'{{{{.Names}}}}\t{{{{.Label "{JOB_LABEL}"}}}}'
            for line in of_run(RunFolder(inner.parent), "--filter", "status=running", "--format", form):
                name, job = line.split("\t")
                if ".seed-" in job and job not in besides:
                    return name, job
        time.sleep(0.01)
    raise AssertionError("no container was seen")


def endings(run: Flown, job: str) -> list[tuple[str, int | None, dict[str, str]]]:
    """Why a job ended, with which code and outputs, each time the journal says so."""
    ends = [ev.receipt for ev in run.events if isinstance(ev, e.JobFinished) and ev.job == job]
    return [(receipt.reason, receipt.exit_code, dict(receipt.outputs)) for receipt in ends]


def docker(*words: str) -> None:
    subprocess.run(["docker", *words], capture_output=True, check=True, timeout=60)


def text_of(document: pypdfium2.PdfDocument) -> str:
    return "\n".join(page.get_textpage().get_text_bounded() for page in document)


def fonts(document: pypdfium2.PdfDocument) -> list[tuple[str, bool]]:
    """Name and whether it is embedded, of the font of each piece of text."""
    found: dict[tuple[str, bool], None] = {}
    for page in document:
        for piece in page.get_objects(filter=[pdfium.FPDF_PAGEOBJ_TEXT]):
            font = pdfium.FPDFTextObj_GetFont(piece.raw)
            found[font_name(font), bool(pdfium.FPDFFont_GetIsEmbedded(font))] = None
    return list(found)


def font_name(font: Any) -> str:
    size = pdfium.FPDFFont_GetBaseFontName(font, None, 0)
    name = ctypes.create_string_buffer(size)
    pdfium.FPDFFont_GetBaseFontName(font, name, size)
    return name.value.decode()
