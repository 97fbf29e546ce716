"""A paper is compiled in the sandbox: the same bytes whenever it is, and nothing that TeX could do harm with."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import pytest
from sandbox_bench import Bench

from agents.tex_log import read_log
from agents.typesetting import inputs, typesetting_job
from cockpit.kernel.ids import JobId
from cockpit.kernel.results import JobResult, JobSpec
from sandbox import receipts
from sandbox.docker_backend import connect, ping
from sandbox.process_backend import ProcessBackend

pytestmark = pytest.mark.tex

PAPER = r"""\documentclass{article}
\usepackage[T1]{fontenc}
\usepackage{lmodern,booktabs,natbib,amsmath}
\begin{document}
\title{Shrinkage}\author{A}\date{}\maketitle
As shown before \citep{stein1956}, see Table~\ref{tab:main}: $x^2$.
\begin{table}\begin{tabular}{lr}\toprule a & 0.4127\\\bottomrule\end{tabular}\caption{T}\label{tab:main}\end{table}
\bibliographystyle{plainnat}\bibliography{references}
\end{document}
"""
REFERENCES = "@article{stein1956, title={Inadmissibility}, author={Stein, C.}, journal={J}, year={1956}}\n"


def paper(bench: Bench, name: str, text: str = PAPER, epoch: int = 1_796_000_000) -> JobSpec:
    files = {path: bench.store.put(data) for path, data in inputs(text, REFERENCES, {}).items()}
    return typesetting_job(JobId(name), files, epoch=epoch)


def log_of(bench: Bench, spec: JobSpec, result: JobResult) -> str:
    return receipts.read_output(bench.jobs / spec.id, result.receipt, "paper.log").decode(errors="replace")


async def test_the_same_paper_gives_the_same_pdf(isolated: Bench) -> None:
    dated = PAPER.replace(r"\date{}", r"\date{\today}")
    specs = [paper(isolated, "first"), paper(isolated, "later", epoch=1_796_100_000), paper(isolated, "dated", dated),
             paper(isolated, "dated-later", dated, epoch=1_796_100_000)]  # fmt: skip
    first = await isolated.run(specs[0])
    later, dated_now, dated_later = [(await isolated.run(spec)).receipt.outputs["paper.pdf"] for spec in specs[1:]]

    assert first.ok and first.receipt.usage.cpu_s < 1.5  # alone on the machine: half a second
    assert first.receipt.outputs["paper.pdf"] == later
    assert len({later, dated_now, dated_later}) == 3
    pdf = receipts.read_output(isolated.jobs / "first", first.receipt, "paper.pdf")
    assert pdf.startswith(b"%PDF-1.") and b"/tmp" not in pdf
    log = read_log(log_of(isolated, specs[0], first))
    assert log.pages == 1 and log.problems == ()


async def test_an_error_names_its_line(processes: Bench) -> None:
    spec = paper(processes, "bad", PAPER.replace("$x^2$", r"\nosuchmacro"))
    result = await processes.run(spec)

    assert result.receipt.reason == "failed"
    (error,) = read_log(log_of(processes, spec, result)).of("error")[:1]
    assert (error.file, error.line, error.message) == ("paper.tex", 6, "Undefined control sequence.")


async def test_undefined_references_and_overfull_boxes_are_found(processes: Bench) -> None:
    text = PAPER.replace("$x^2$", r"\ref{fig:gone} \citep{nobody2000} \mbox{" + "wide" * 60 + "}")
    spec = paper(processes, "undefined", text)
    log = read_log(log_of(processes, spec, await processes.run(spec)))

    assert {(p.message, p.line) for p in log.of("undefined-reference")} == {("fig:gone", 6)}
    assert {p.message for p in log.of("undefined-citation")} == {"nobody2000"}
    assert log.of("overfull")[0].points > 100 and log.pages == 1


ATTACKS = {
    "shell": r"\immediate\write18{touch pwned}",
    "absolute": r"\input{/etc/passwd}",
    "upward": r"\openin5=../launch.json \ifeof5 \else\errmessage{read it}\fi",
    "write": r"\immediate\openout5=/tmp/x",
}


def attack(bench: Bench, name: str) -> JobSpec:
    return paper(bench, "attack", PAPER.replace("$x^2$", ATTACKS[name]))


@pytest.mark.parametrize("name", ATTACKS)
async def test_tex_reaches_nothing_outside(isolated: Bench, name: str) -> None:
    spec = attack(isolated, name)
    log = log_of(isolated, spec, await isolated.run(spec))

    assert not (isolated.jobs / "attack/work/pwned").exists()
    assert "(/etc/passwd" not in log and "read it" not in log


@pytest.mark.parametrize(("name", "mark"), [("absolute", "(/etc/passwd"), ("upward", "read it")])
async def test_the_attacks_work_where_tex_is_let_loose(jobs: Path, name: str, mark: str) -> None:
    bench = Bench(ProcessBackend(boxed=False), jobs)
    spec = attack(bench, name)
    loose = spec.model_copy(update={"environment": {**spec.environment, "openin_any": "a"}})

    assert mark in log_of(bench, loose, await bench.run(loose))


@pytest.mark.docker
async def test_tex_runs_among_its_own_libraries_whatever_the_image(jobs: Path) -> None:
    empty = io.BytesIO()
    with tarfile.open(fileobj=empty, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("nothing"))
    client = ping()
    client.api.import_image_from_data(empty.getvalue(), repository="cockpit-tests", tag="empty")
    bench = Bench(connect("cockpit-tests:empty", jobs=jobs), jobs)
    spec = paper(bench, "paper")
    result = await bench.run(spec)

    assert result.ok and result.receipt.isolated
    assert result.receipt.image != client.images.get("cockpit-tests:empty").id
    assert (await bench.ran("print(1)")).receipt.reason == "could-not-start"
    client.images.remove("cockpit-tests:empty")
