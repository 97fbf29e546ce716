"""Outputs are taken with suspicion: only plain files inside the folder, of bounded size, by their hash."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from sandbox_bench import Bench

from cockpit.kernel.ids import JobId
from cockpit.kernel.results import JobLimits, JobSpec
from sandbox import receipts
from sandbox.fake import FakeSandbox, Played


def spec(*outputs: str, disk_mb: int = 1) -> JobSpec:
    return JobSpec(id=JobId("j"), kind="main", command=("python",), outputs=outputs, limits=JobLimits(disk_mb=disk_mb))


def test_globs_name_outputs(tmp_path: Path) -> None:
    for name in ("results.json", "figures/a.png", "figures/deep/b.png", "raw/x.csv", "notes.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)

    assert list(receipts.collect(tmp_path, spec("results.json", "figures/*.png")).hashes) == [
        "figures/a.png",
        "results.json",
    ]
    assert list(receipts.collect(tmp_path, spec("figures/**/*.png")).hashes) == ["figures/a.png", "figures/deep/b.png"]
    assert list(receipts.collect(tmp_path, spec("**")).hashes) == sorted(
        ["results.json", "figures/a.png", "figures/deep/b.png", "raw/x.csv", "notes.txt"]
    )
    assert receipts.collect(tmp_path, spec("../*")).hashes == {}


def test_what_is_not_a_plain_file_is_refused(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "results.json").write_text("not yours")
    work = tmp_path / "work"
    work.mkdir()
    (work / "results.json").symlink_to(secret / "results.json")
    (work / "figures").symlink_to(secret)
    os.mkfifo(work / "pipe.json")
    (work / "bad\nname.json").write_text("x")
    (work / "big.json").write_bytes(bytes(2 << 20))
    (work / os.fsdecode(b"caf\xe9.json")).write_text("x")
    (work / "dir.json").mkdir()
    (work / "shut").mkdir(mode=0)
    (work / "fine.json").write_text("{}")

    taken = receipts.collect(work, spec("*.json", "figures/*", "shut/*"))

    assert list(taken.hashes) == ["fine.json"]
    assert "results.json: a link" in taken.refused and "pipe.json: not a regular file" in taken.refused
    assert len(taken.refused) == 5


def test_a_sparse_giant_and_a_crowd_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(receipts, "MOST_FILES", 50)
    with (tmp_path / "sparse.json").open("wb") as file:
        file.truncate(1 << 40)
    for n in range(receipts.MOST_FILES + 10):
        (tmp_path / f"n{n}").touch()

    taken = receipts.collect(tmp_path, spec("*.json", "x*"))
    assert taken.hashes == {} and any("files" in note for note in taken.refused)


async def test_an_output_that_changed_after_its_receipt_is_not_given_out(tmp_path: Path) -> None:
    def script(asked: JobSpec) -> Played:
        return Played(files={"results.json": '{"rows": []}'}, prints=("epoch 1",), wall_s=2)

    bench = Bench(FakeSandbox(script), tmp_path)
    job = bench.spec("print()", condition="ridge")
    result = await bench.run(job, block="round-2")

    assert result.ok and result.tail == ("epoch 1",) and result.receipt.block == "round-2"
    assert result.receipt.ended_s - result.receipt.started_s == 2
    assert receipts.read_output(bench.jobs / job.id, result.receipt, "results.json") == b'{"rows": []}'
    assert await bench.run(job, handle=bench.watch.handles[0]) == result
    with pytest.raises(FileNotFoundError):
        receipts.read_output(bench.jobs / job.id, result.receipt, "other.json")
    bench.file(job, "work/results.json").write_text("{}")
    with pytest.raises(ValueError, match="not what its receipt says"):
        receipts.read_output(bench.jobs / job.id, result.receipt, "results.json")


def test_a_tail_is_short_and_whole_lines(tmp_path: Path) -> None:
    log = tmp_path / "log"
    assert receipts.tail_of(log) == ()
    log.write_bytes(b"".join(b"line %d \xff\r\n" % n for n in range(20_000)))
    tail = receipts.tail_of(log)
    assert len(tail) == receipts.TAIL_LINES and tail[-1] == "line 19999 \ufffd" and tail[0].startswith("line 1994")
