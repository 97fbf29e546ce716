"""The run's git repository, through the real git. The only module that knows GitPython.

Belongs here: init, commit, tag, restore, look back, heal. Not here: what a commit says
(`cockpit/engine/commits.py`), when it is made. Facts: never GitPython's index API (879 ms a commit at
5,000 commits), never a side index (leaves the tree dirty), hooks, signing and global config off.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cockpit.journal.trees import CommitTree
from cockpit.kernel.exits import CockpitError, Exit

if TYPE_CHECKING:
    import git

NOBODY = "cockpit"
ENVIRONMENT = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "LC_ALL": "C.UTF-8",
    "GIT_AUTHOR_NAME": NOBODY,
    "GIT_AUTHOR_EMAIL": "",
    "GIT_COMMITTER_NAME": NOBODY,
    "GIT_COMMITTER_EMAIL": "",
}
CONFIG = {
    "user.name": NOBODY,
    "user.email": "",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "core.fsync": "committed",
    "core.hooksPath": os.devnull,
    "core.autocrlf": "false",
    "core.quotePath": "false",
    "commit.gpgSign": "false",
    "tag.gpgSign": "false",
    "advice.detachedHead": "false",
}
IGNORED = ("open.jsonl", "lock", "children", "control/", "inbox/", "jobs/", "blobs/", "large/", "staging/",
           "recovered/", "ballast", "open.log")  # fmt: skip


class GitFailed(CockpitError):
    """Git refused or is not there."""

    def __init__(self, args: Sequence[str], said: str) -> None:
        said = said.strip() or "no message"
        code = Exit.RUN_FOLDER
        super().__init__(
            f"git {args[0]} failed: {said.splitlines()[-1]}", where=" ".join(("git", *args))[:300], code=code
        )


class History:
    """The repository at `root`. `children` is the descriptor that git children inherit, or None for readers."""

    def __init__(self, root: Path, children: int | None = None) -> None:
        self.root, self._children = root, children
        self._repo: git.Repo | None = None
        self._commits: dict[str, str] = {}

    def create(self) -> None:
        """Make (or finish making) the repository with branch main; safe to repeat after a crash."""
        self._run_outside("init", "-q", "-b", "main", str(self.root))
        for key, value in CONFIG.items():
            self.git("config", key, value)
        exclude = self.root / ".git" / "info" / "exclude"
        exclude.parent.mkdir(parents=True, exist_ok=True)
        exclude.write_text("".join(f"/.cockpit/{name}\n" for name in IGNORED) + ".*.tmp\n")

    def git(self, *args: str) -> str:
        """Run git here; stdout without the last newline.

        Raises:
            GitFailed: non-zero exit.
        """
        return self._execute(args).decode(errors="surrogateescape").removesuffix("\n")

    def _execute(self, args: Sequence[str], *, feed: bytes | None = None) -> bytes:
        import git

        if self._repo is None:
            try:
                self._repo = git.Repo(self.root)
            except (git.InvalidGitRepositoryError, git.NoSuchPathError) as error:
                raise GitFailed(("open",), f"{self.root.name} is not a git repository") from error
            self._repo.git.update_environment(**ENVIRONMENT)
        pass_fds = () if self._children is None else (self._children,)
        try:
            with tempfile.TemporaryFile() as source:
                if feed is not None:
                    source.write(feed)
                    source.seek(0)
                out = self._repo.git.execute(
                    ["git", *args], pass_fds=pass_fds, stdout_as_string=False, strip_newline_in_stdout=False,
                    istream=source if feed is not None else None)  # fmt: skip
        except git.GitCommandError as error:
            raise GitFailed(args, str(error.stderr)) from error
        except git.GitCommandNotFound as error:
            raise CockpitError("git is not installed", hint="Install git (2.31 or later).") from error
        return out if isinstance(out, bytes) else str(out).encode()

    def _run_outside(self, *args: str) -> None:
        import git

        try:
            git.Git().execute(["git", *args], env={**os.environ, **ENVIRONMENT})
        except git.GitCommandError as error:
            raise GitFailed(args, str(error.stderr)) from error
        except git.GitCommandNotFound as error:
            raise CockpitError("git is not installed", hint="Install git (2.31 or later).") from error

    def has_head(self) -> bool:
        """Is there any commit?"""
        return bool(self.git("for-each-ref", "--count=1", "refs/heads/main"))

    def commit(self, message: str, *, author: str = NOBODY, paths: Iterable[str] | None = None) -> str:
        """Commit `paths` as they are on disk (None: everything that is not ignored); an empty commit is made too.

        What else lies changed in the tree stays as it is: it is somebody else's. Returns the commit id.
        """
        if paths is None:
            self.git("add", "-A", "--", ".")
        else:
            listed = "".join(f"{path}\0" for path in sorted(set(paths))).encode(errors="surrogateescape")
            self._execute(("update-index", "--add", "--remove", "--replace", "-z", "--stdin"), feed=listed)
        self.git("commit", "-q", "--allow-empty", "--no-verify", f"--author={author} <>", "-m", message)
        commit = self.git("rev-parse", "HEAD")
        for position in _trailers(message, "Position"):
            self._commits[position] = commit
        return commit

    def tag(self, name: str) -> None:
        """Set a tag at HEAD; an existing one stays (tags never move)."""
        if not self.git("tag", "--list", name):
            self.git("tag", name)

    def tags(self) -> list[str]:
        return self.git("tag", "--list").split()

    def dirty(self) -> list[str]:
        """Paths that differ from HEAD or are untracked and not ignored."""
        out = self.git("status", "--porcelain", "-z", "--untracked-files=all", "--no-renames")
        return [entry[3:] for entry in out.split("\0") if entry]

    def trailer_values(self, key: str) -> list[str]:
        """Values of a trailer over all commits of main, newest first."""
        if not self.has_head():
            return []
        return [v for v in self.git("log", f"--format=%(trailers:key={key},valueonly)").splitlines() if v]

    def commit_of(self, position: str) -> str | None:
        """The commit that carries a stage part, by its trailer `Position: r1.s12.o1/whole`."""
        if position not in self._commits and self.has_head():
            log = self.git("log", "--format=%H%x00%(trailers:key=Position,valueonly,separator=%x2C)%x01")
            for entry in log.split("\x01"):
                commit, _, positions = entry.strip().partition("\0")
                for name in positions.split(","):
                    if name:
                        self._commits.setdefault(name.strip(), commit)
        return self._commits.get(position)

    def tree(self, commit: str) -> CommitTree:
        """The files of a commit or tag."""
        return CommitTree(self.names(commit), self.blob)

    def names(self, commit: str) -> dict[str, str]:
        """path → blob id of a commit."""
        out = self.git("ls-tree", "-r", "-z", commit)
        entries = (entry.split("\t", 1) for entry in out.split("\0") if entry)
        return {path: meta.split()[2] for meta, path in entries}

    def known(self, prefix: str) -> list[str]:
        """Tracked paths under `prefix`."""
        return [path for path in self.git("ls-files", "-z", "--", prefix).split("\0") if path]

    def blob(self, blob_id: str) -> bytes:
        return self._execute(("cat-file", "blob", blob_id))

    def restore(self, commit: str, paths: Iterable[str]) -> None:
        """Put files of a commit back into the work tree (and index)."""
        batch = list(paths)
        for i in range(0, len(batch), 200):
            self.git("checkout", "-q", commit, "--", *batch[i : i + 200])

    def discard(self, paths: Iterable[str]) -> None:
        """Set tracked paths back to HEAD."""
        self.restore("HEAD", paths)

    def heal(self) -> list[str]:
        """Remove what a killed git left behind. Only with the run's lock and no live git child."""
        git_folder = self.root / ".git"
        gone = []
        for pattern in ("**/*.lock", "objects/**/tmp_*", "gc.pid"):
            for path in sorted(git_folder.glob(pattern)):
                path.unlink(missing_ok=True)
                gone.append(path.relative_to(git_folder).as_posix())
        return gone

    def close(self) -> None:
        if self._repo is not None:
            self._repo.close()


def message(subject: str, body: str, trailers: Mapping[str, str]) -> str:
    """A commit message in the form that `commit_of` and people read."""
    lines = [subject, ""]
    if body.strip():
        lines += [body.strip(), ""]
    return "\n".join([*lines, *(f"{key}: {value}" for key, value in trailers.items() if value)])


def _trailers(text: str, key: str) -> list[str]:
    return [line.split(": ", 1)[1] for line in text.splitlines() if line.startswith(f"{key}: ")]
