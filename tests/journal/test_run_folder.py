"""Run folders: made whole or not at all, found by what people type, one writer each."""

from __future__ import annotations

import multiprocessing
import os
from pathlib import Path

import pytest

from cockpit.journal.canonical_tree import canonical_files, counts, tree_hash
from cockpit.journal.history import History, message
from cockpit.journal.lock import RunInUse, RunLock, is_locked
from cockpit.journal.places import RunFolder, all_runs, find_run, make_run, slug
from cockpit.journal.trees import OverlayTree, WorkTree
from cockpit.kernel.exits import CockpitError
from cockpit.kernel.ids import Instant
from tests.memory_tree import DictTree

AT = Instant("2026-11-30T18:22:07Z")


def fill(folder: RunFolder) -> None:
    (folder.cockpit / "journal").mkdir(parents=True)


def test_names_and_finding(tmp_path: Path) -> None:
    one = make_run(tmp_path, "ridge", AT, fill)
    two = make_run(tmp_path, "ridge", AT, fill)
    assert one.run == "20261130-182207-ridge"
    assert two.run == "20261130-182207-ridge-2"
    assert find_run("last", tmp_path).run == two.run
    assert find_run(one.run, tmp_path).run == one.run
    assert find_run(str(one.root), tmp_path).run == one.run
    with pytest.raises(CockpitError, match="several"):
        find_run("2026", tmp_path)
    with pytest.raises(CockpitError, match="no run is called"):
        find_run("nothing", tmp_path)
    assert (tmp_path / ".gitignore").read_text() == "*\n"


def test_a_half_made_run_is_swept_away(tmp_path: Path) -> None:
    def break_down(folder: RunFolder) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make_run(tmp_path, "x", AT, break_down)
    assert all_runs(tmp_path) == []
    make_run(tmp_path, "x", AT, fill)
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith(".half")] == []


def test_slugs() -> None:
    assert slug("Ridge & small n!") == "ridge-small-n"
    assert slug("小样本岭回归") == "idea"


def test_a_folder_that_cannot_be_written_is_an_error_for_people(tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("a file")
    with pytest.raises(CockpitError, match="cannot make a run folder"):
        make_run(tmp_path / "runs", "x", AT, fill)


def hold(folder: Path, ready: object, go: object) -> None:
    lock = RunLock(folder)
    ready.set()  # type: ignore[attr-defined]
    go.wait(20)  # type: ignore[attr-defined]
    lock.release()


def test_one_writer(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    ready, go = context.Event(), context.Event()
    other = context.Process(target=hold, args=(tmp_path, ready, go))
    other.start()
    assert ready.wait(20)
    assert is_locked(tmp_path)
    with pytest.raises(RunInUse, match=str(other.pid)):
        RunLock(tmp_path, retry_s=0.1)
    assert other.pid is not None
    os.kill(other.pid, 9)
    other.join(10)
    RunLock(tmp_path).release()
    assert not is_locked(tmp_path)


def test_history_heals_and_restores(tmp_path: Path) -> None:
    history = History(tmp_path)
    history.create()
    (tmp_path / "a.txt").write_text("one")
    commit = history.commit(message("first", "", {"Position": "r1.s01.o1/whole"}))
    (tmp_path / ".git" / "index.lock").write_text("")
    (tmp_path / ".git" / "refs" / "heads" / "main.lock").write_text("")
    assert history.heal() == ["index.lock", "refs/heads/main.lock"]
    (tmp_path / "a.txt").write_text("two")
    assert history.dirty() == ["a.txt"]
    history.discard(["a.txt"])
    assert (tmp_path / "a.txt").read_text() == "one"
    assert History(tmp_path).commit_of("r1.s01.o1/whole") == commit
    assert history.tree(commit).read("a.txt") == b"one"
    history.tag("round-1")
    (tmp_path / "a.txt").write_text("three")
    history.commit("second")
    history.tag("round-1")
    assert history.git("rev-parse", "round-1") == commit


def test_the_canonical_tree_drops_when_and_where() -> None:
    files = {"a.json": b'{"x": 1, "made_at": "now", "nonce": "1"}', "cockpit.yml": b"1", "04/logs/x.log": b"t"}
    one = DictTree(files)
    files = {"a.json": b'{"nonce": "2", "x": 1, "made_at": "then"}', "cockpit.yml": b"2", "04/logs/x.log": b"u"}
    two = DictTree(files)
    assert tree_hash(one) == tree_hash(two)
    assert set(canonical_files(one)) == {"a.json"}
    assert tree_hash(DictTree({"a.json": b'{"x": 2}'})) != tree_hash(one)
    assert not counts("ledger/receipts/job.json")


def test_trees(tmp_path: Path) -> None:
    (tmp_path / "p" / "q").mkdir(parents=True)
    (tmp_path / "p" / "q" / "x.md").write_text("x")
    (tmp_path / ".cockpit").mkdir()
    (tmp_path / ".cockpit" / "y").write_text("y")
    tree = WorkTree(tmp_path)
    assert tree.list() == ["p/q/x.md"]
    assert tree.list("p/q/") == ["p/q/x.md"]
    over = OverlayTree(tree, {"p/q/x.md": None, "p/new.md": b"n"})
    assert over.list("p/") == ["p/new.md"]
    assert not over.exists("p/q/x.md")
    with pytest.raises(FileNotFoundError):
        over.read("p/q/x.md")
