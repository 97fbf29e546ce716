"""The house rules that no linter knows: sizes, owners of dependencies, imports at the door, names that clash."""

from __future__ import annotations

import ast
import importlib.metadata
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ROOMS = ("cockpit", "panes", "agents", "gates", "sandbox", "themes")
SOURCES = sorted(p for room in ROOMS for p in (ROOT / room).rglob("*.py"))
OWNERS = {
    "litellm": {"agents/gateway.py", "agents/models_loop.py", "agents/streaming.py", "agents/faults.py",
                "agents/rehearsal/provider.py"},
    "git": {"cockpit/journal/history.py"},
    "docker": {"sandbox/docker_backend.py", "sandbox/image.py"},
    "httpx2": {"agents/literature/net.py"},
    "bibtexparser": {"agents/literature/bibtex.py", "agents/literature/library.py"},
}  # fmt: skip


def imports(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.split(".")[0])
    return found


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ROOT)))
def test_modules_and_functions_stay_small(path: Path) -> None:
    text = path.read_text()
    assert text.count("\n") <= 400, "split by noun"
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno:
            start = node.body[1].lineno if ast.get_docstring(node) and len(node.body) > 1 else node.lineno
            assert node.end_lineno - start < 40, f"{node.name} is too long"


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ROOT)))
def test_modules_say_what_belongs_in_them(path: Path) -> None:
    assert ast.get_docstring(ast.parse(path.read_text())), "a module docstring says what belongs here and what not"
    assert path.stem not in {"utils", "helpers", "common", "misc", "manager"}


def test_each_dependency_has_one_owner() -> None:
    strays = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in SOURCES
        for name in sorted(imports(path) & set(OWNERS))
        if str(path.relative_to(ROOT)) not in OWNERS[name]
    ]
    assert strays == []


def loaded(code: str) -> set[str]:
    out = subprocess.run([sys.executable, "-c", f"{code}\nimport sys; print(' '.join(sys.modules))"],
                         check=True, capture_output=True, text=True, cwd=ROOT)  # fmt: skip
    return {name.split(".")[0] for name in out.stdout.splitlines()[-1].split()}


def test_help_loads_nothing_heavy() -> None:
    modules = loaded("from cockpit.commands.cli import main\nassert main(['--help']) == 0")
    assert not modules & {"textual", "litellm", "docker", "scipy", "git", "httpx2", "agents", "sandbox", "gates"}


def test_importing_the_package_imports_nothing() -> None:
    assert not loaded("import cockpit") & {"textual", "rich", "click", "pydantic", "asyncio"}


def test_no_dependency_ships_one_of_our_names() -> None:
    ours = set(ROOMS)
    clashes = [
        dist.metadata["Name"]
        for dist in importlib.metadata.distributions()
        if dist.metadata["Name"] != "research-cockpit"
        and ours & {str(f).split("/")[0].removesuffix(".py") for f in dist.files or [] if str(f).endswith(".py")}
    ]
    assert clashes == []
