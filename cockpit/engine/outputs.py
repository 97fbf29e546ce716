"""Files of a stage: moved in whole, restored, taken out on the way back.

Belongs here: the engine's writes to the run's tree. Not here: what is in the files.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from cockpit.journal.files import write_durably, write_many
from cockpit.journal.history import History
from cockpit.journal.places import RunFolder
from cockpit.journal.trees import WorkTree
from cockpit.kernel.ids import Part, Position, Sha256
from cockpit.kernel.ledger_lines import EVIDENCE_FOLDER
from cockpit.kernel.model import sha256
from cockpit.kernel.protocols import Tree
from cockpit.kernel.stages import EXEC_A, STAGES, Stage, owns, stage
from cockpit.kernel.view import RunView

LARGE = 5_000_000  # bytes; larger files are links into .cockpit/large, so that git stays small
KEPT_ON_THE_WAY_BACK = (f"{EXEC_A}/raw_results/", f"{EXEC_A}/logs/", f"{EXEC_A}/checkpoints/")


def move_in(folder: RunFolder, staged: Mapping[str, bytes | None]) -> dict[str, Sha256]:
    """Put staged files into the tree, each by rename; None takes one out. Returns path → hash of those staged."""
    written: dict[str, Sha256] = {}
    small: dict[Path, bytes] = {}
    for path, content in sorted(staged.items()):
        target = folder.root / path
        if content is None:
            target.unlink(missing_ok=True)
            continue
        written[path] = Sha256(sha256(content))
        if len(content) > LARGE:
            _link_large(folder, path, content, written[path])
        elif not _holds(target, content):
            small[target] = content
    write_many(small)
    return written


def evidence_copies(view: RunView, tree: Tree) -> dict[str, bytes]:
    """What resolutions rest on, as `tree` has it: `ledger/evidence/<sha256>` → bytes, for copies not yet made."""
    copies: dict[str, bytes] = {}
    for obligation in view.ledger.obligations.values():
        for evidence in (ev for part in obligation.parts for ev in part.evidence):
            path = f"{EVIDENCE_FOLDER}{evidence.sha256}"
            if not tree.exists(path) and tree.exists(evidence.path) and tree.sha(evidence.path) == evidence.sha256:
                copies[path] = tree.read(evidence.path)
    return copies


def _holds(target: Path, content: bytes) -> bool:
    """Does the file have that content already? A link is replaced in any case."""
    if target.is_symlink():
        target.unlink()
        return False
    try:
        return target.stat().st_size == len(content) and target.read_bytes() == content
    except FileNotFoundError:
        return False


def _link_large(folder: RunFolder, path: str, content: bytes, digest: Sha256) -> None:
    stored = folder.large / digest
    if not stored.exists():
        write_durably(stored, content)
    target = folder.root / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.unlink(missing_ok=True)
    up = "../" * path.count("/")
    target.symlink_to(f"{up}.cockpit/large/{digest}")


def outputs_of(owner: Stage, tree: WorkTree) -> dict[str, Sha256]:
    """Hashes of all files in the tree that `owner` may write."""
    prefixes = (*owner.owns, *owner.revises, owner.report)
    paths = sorted({path for prefix in prefixes for path in tree.list(prefix) if owns(owner, path)})
    return {path: tree.sha(path) for path in paths}


def inputs_of(reader: Stage, tree: WorkTree) -> dict[str, Sha256]:
    """Hashes of all files in the tree that `reader` declares as inputs."""
    paths = sorted({p for prefix in reader.inputs for p in tree.list(prefix) if prefix.endswith("/") or p == prefix})
    return {path: tree.sha(path) for path in paths}


def take_out(folder: RunFolder, tree: WorkTree, target: int) -> list[str]:
    """Remove what the stages from `target` on own; results stay. Git keeps the removed."""
    gone = []
    for later in STAGES[target - 1 :]:
        for path in outputs_of(later, tree):
            belongs = owns_first(later, path)
            if belongs and not path.startswith(KEPT_ON_THE_WAY_BACK):
                (folder.root / path).unlink(missing_ok=True)
                gone.append(path)
    return gone


def owns_first(owner: Stage, path: str) -> bool:
    """Is `path` owned (not only revised) by `owner`?"""
    mine = (*owner.owns, owner.report)
    return any(path.startswith(p) if p.endswith("/") else path == p for p in mine)


def last_writers(number: int, view: RunView) -> list[tuple[Position, Part]]:
    """Instances that wrote what stage `number` owns, newest first: its own, or a reviser's."""
    target = stage(number)
    writers = {number} | {s.number for s in STAGES if set(s.revises) & set(target.owns)}
    found = [
        v for v in view.instances.values() if v.number in writers and v.status in ("done", "reused") and v.position
    ]
    newest_first = reversed(found)
    return [(v.position, v.parts[-1] if v.parts else "whole") for v in newest_first if v.position]


def bring_back(history: History, view: RunView, number: int, tree: WorkTree) -> list[str]:
    """Put a stage's last outputs back into the tree where they are missing. Returns what came back."""
    owner = stage(number)
    for position, part in last_writers(number, view):
        commit = history.commit_of(f"{position}/{part}")
        if commit is None:
            continue
        wanted = [p for p in history.names(commit) if owns_first(owner, p) and not tree.exists(p)]
        if wanted:
            history.restore(commit, wanted)
        return wanted
    return []


def put_back(history: History, view: RunView, source: Position, number: int) -> dict[str, Sha256]:
    """The outputs of an earlier instance, put back from its commit, with their hashes."""
    instance = view.instances[str(source)]
    part: Part = instance.parts[-1] if instance.parts else "whole"
    commit = history.commit_of(f"{source}/{part}")
    if commit is None:
        return {}
    names = history.names(commit)
    wanted: Sequence[str] = [p for p in instance.outputs if p in names and owns(stage(number), p)]
    history.restore(commit, wanted)
    return {p: Sha256(instance.outputs[p]) for p in wanted}
