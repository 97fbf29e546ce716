"""What experiment code says before it runs: read as syntax trees, never executed.

Belongs here: syntax, results written as literals, flags and parameters nobody reads, seeds nobody uses,
calls a job has no business with, a metric of something against itself. Not here: what came out (`collapse.py`).
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from cockpit.kernel.findings import Finding, Severity, Span
from cockpit.kernel.plan import ExperimentPlan
from cockpit.kernel.protocols import Tree
from cockpit.kernel.view import RunView
from gates.artifacts import SCRIPTS, bytes_of, plan_of

OWNER = 10
FORBIDDEN = {
    "os.system", "os.popen", "os.fork", "os.execv", "os.execve", "os.kill", "eval", "exec", "__import__",
    "subprocess.run", "subprocess.call", "subprocess.Popen", "subprocess.check_output", "subprocess.check_call",
    "socket.socket", "socket.create_connection", "urllib.request.urlopen", "requests.get", "requests.post",
    "httpx.get", "httpx.post", "shutil.rmtree", "ctypes.CDLL", "pickle.loads",
}  # fmt: skip
NETWORK = frozenset({"socket", "requests", "httpx", "urllib.request", "http.client", "ftplib", "smtplib", "paramiko"})
METRIC_WORDS = (
    "rmse",
    "mse",
    "mae",
    "error",
    "accuracy",
    "score",
    "loss",
    "f1",
    "auc",
    "distance",
    "correlation",
    "r2",
)
AGAINST_TRUTH = (
    "rmse",
    "mse",
    "mae",
    "accuracy",
    "f1",
    "auc",
    "r2",
    "squared_error",
    "absolute_error",
    "cross_entropy",
)
RESULT_NAMES = ("value", "score", "result", "results", "metrics", "values")
RANDOM = frozenset(
    {"random", "Random", "seed", "default_rng", "RandomState", "manual_seed", "PRNGKey", "set_seed", "Generator"}
)


@dataclass(frozen=True)
class Module:
    """One parsed file of the experiment."""

    path: str
    tree: ast.Module

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """All nodes of the tree, walked once."""
        return tuple(ast.walk(self.tree))


def find(tree: Tree, view: RunView) -> tuple[Finding, ...]:
    """Findings on all Python files under scripts/.

    Raises:
        ValueError: there is no script, or the plan cannot be read.
    """
    plan = plan_of(tree)
    if plan.value is None:
        raise ValueError(plan.problem)
    sources = {path: bytes_of(tree, path).value or b"" for path in script_files(tree)}
    if not sources:
        raise ValueError(f"{SCRIPTS} holds no Python file")
    return tuple(check(sources, plan.value))


def script_files(tree: Tree) -> tuple[str, ...]:
    """The experiment's Python files."""
    return tuple(path for path in tree.list(SCRIPTS) if path.endswith(".py"))


def check(sources: dict[str, bytes], plan: ExperimentPlan) -> list[Finding]:
    """Findings on `sources` (path → bytes), as an executor may ask before it hands code in."""
    return list(_check(tuple(sorted(sources.items())), plan.model_dump_json()))


@lru_cache(maxsize=8)
def _check(sources: tuple[tuple[str, bytes], ...], plan_json: str) -> tuple[Finding, ...]:
    """Remembered by content: the same code is judged at the end of several stages and by the policy."""
    plan = ExperimentPlan.model_validate_json(plan_json)
    modules, broken = [], []
    for path, data in sources:
        parsed = _parse(path, data)
        if isinstance(parsed, Module):
            modules.append(parsed)
        else:
            broken.append(parsed)
    missing = [_entry(c.entry, plan) for c in plan.conditions if not any(p.endswith("/" + c.entry) for p, _ in sources)]
    per_file = [f for m in modules for rule in (_literals, _calls, _self_metrics) for f in rule(m)]
    whole = [] if broken else [*_unread(modules, plan), *_seed(modules)]  # what is nowhere needs every file
    return tuple(dict.fromkeys([*broken, *missing, *per_file, *whole]))


@lru_cache(maxsize=128)
def _parse(path: str, data: bytes) -> Module | Finding:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return Module(path, ast.parse(data, filename=path))
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = getattr(error, "lineno", 0) or 0
        return _finding(
            "static-syntax", f"not Python: {error.__class__.__name__}", Span(file=path, line=line, text=path)
        )


def _entry(entry: str, plan: ExperimentPlan) -> Finding:
    span = Span(file=SCRIPTS, text=entry)
    return _finding("static-entry", f"the entry point {entry} of the plan does not exist", span)


def _literals(module: Module) -> Iterator[Finding]:
    """A result that was typed in: a row or a metric whose value is a constant."""
    for node in module.nodes:
        if isinstance(node, ast.Dict):
            named = {k.value: v for k, v in zip(node.keys, node.values, strict=True)
                     if isinstance(k, ast.Constant) and isinstance(k.value, str)}  # fmt: skip
            row = "value" in named and {"metric", "condition"} & named.keys()
            if row and _is_float(named["value"]):
                yield _at("static-result-literal", "a result row holds a typed-in value", module, named["value"])
        elif isinstance(node, ast.Call) and _name(node.func).rsplit(".", 1)[-1] in (
            "write",
            "report",
            "record",
            "ResultRow",
        ):
            for keyword in node.keywords:
                if keyword.arg in RESULT_NAMES and _holds_result(keyword.value):
                    yield _at("static-result-literal", "a reported result is a typed-in value", module, keyword.value)
            for argument in node.args:
                if isinstance(argument, ast.Dict) and _holds_result(argument):
                    yield _at("static-result-literal", "a reported result is a typed-in value", module, argument)


def _holds_result(node: ast.AST) -> bool:
    if isinstance(node, ast.Dict):
        named = zip(node.keys, node.values, strict=True)
        return any(_is_metric(k) and _is_float(v) for k, v in named)
    return _is_float(node)


def _is_metric(key: ast.AST | None) -> bool:
    return (
        isinstance(key, ast.Constant)
        and isinstance(key.value, str)
        and any(w in key.value.lower() for w in METRIC_WORDS)
    )


def _is_float(node: ast.AST) -> bool:
    if isinstance(node, ast.UnaryOp):
        node = node.operand
    return isinstance(node, ast.Constant) and isinstance(node.value, float) and node.value not in (0.0, 1.0)


def _calls(module: Module) -> Iterator[Finding]:
    aliases = _aliases(module)
    for node in module.nodes:
        if isinstance(node, ast.Call):
            name = _name(node.func)
            head, _, rest = name.partition(".")
            full = ".".join(p for p in (aliases.get(head, head), rest) if p)
            if full in FORBIDDEN:
                yield _at("static-forbidden-call", f"calls {full}", module, node)
        for imported in _imports(node):
            if imported in NETWORK or imported.split(".")[0] in NETWORK:
                yield _at("static-forbidden-call", f"imports {imported}", module, node)


def _aliases(module: Module) -> dict[str, str]:
    found: dict[str, str] = {}
    for node in module.nodes:
        if isinstance(node, ast.Import):
            found |= {a.asname or a.name: a.name for a in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {a.asname or a.name: f"{node.module}.{a.name}" for a in node.names}
    return found


def _imports(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [a.name for a in node.names]
    return [node.module] if isinstance(node, ast.ImportFrom) and node.module and not node.level else []


def _self_metrics(module: Module) -> Iterator[Finding]:
    """`rmse(y, y)`: a measure of a thing against itself (a distance may be a norm, so it is left alone)."""
    for node in module.nodes:
        if not isinstance(node, ast.Call) or len(node.args) < 2:
            continue
        name = _name(node.func).rsplit(".", 1)[-1].lower()
        one, other = node.args[0], node.args[1]
        measured = any(word in name for word in AGAINST_TRUTH)
        if measured and not isinstance(one, ast.Constant) and ast.dump(one) == ast.dump(other):
            yield _at("static-self-metric", f"{name} compares {ast.unparse(one)} with itself", module, node)


def _unread(modules: list[Module], plan: ExperimentPlan) -> Iterator[Finding]:
    """Flags that are declared and parameters that differ between conditions, but which no code reads."""
    read = _words_read(modules)
    for module in modules:
        for node in module.nodes:
            for flag in _flags(node):
                if flag not in read:
                    yield _at("static-unread-flag", f"flag {flag} is declared and never read", module, node)
    everything = read | _strings(modules)
    for name in sorted(varying(plan) - everything):
        span = Span(file=SCRIPTS, text=name)
        yield _finding("static-unread-flag", f"parameter {name} differs between conditions, but no code reads it", span)


def varying(plan: ExperimentPlan) -> set[str]:
    """Parameters that tell conditions of one entry point apart."""
    found: set[str] = set()
    for entry in {c.entry for c in plan.conditions}:
        settings = [c.parameters for c in plan.conditions if c.entry == entry]
        names = {name for s in settings for name in s}
        found |= {n for n in names if len({repr(s.get(n)) for s in settings}) > 1}
    return found


def _flags(node: ast.AST) -> list[str]:
    if not (isinstance(node, ast.Call) and _name(node.func).endswith("add_argument")):
        return []
    dest = [k.value.value for k in node.keywords if k.arg == "dest" and isinstance(k.value, ast.Constant)]
    names = [a.value for a in node.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
    long = [n for n in names if n.startswith("--")] or names
    return [str(d) for d in dest] or [n.lstrip("-").replace("-", "_") for n in long[:1]]


def _words_read(modules: list[Module]) -> set[str]:
    """Attributes read, names in `getattr`, and everything when a namespace is taken whole (`vars(args)`)."""
    found: set[str] = set()
    for module in modules:
        for node in module.nodes:
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
                found.add(node.attr)
            elif isinstance(node, ast.Call) and _name(node.func) == "getattr" and len(node.args) > 1:
                found |= set(_constants([node.args[1]]))
            elif isinstance(node, ast.Call) and _name(node.func) == "vars":
                found |= _strings(modules)
    return found


def _strings(modules: list[Module]) -> set[str]:
    """String constants, names, keywords and attributes: every way code can name a parameter."""
    found: set[str] = set()
    for module in modules:
        for node in module.nodes:
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.add(node.value)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                found.add(node.id)
            elif isinstance(node, ast.Attribute):
                found.add(node.attr)
            elif isinstance(node, ast.arg):
                found.add(node.arg)
    return found


def _seed(modules: list[Module]) -> Iterator[Finding]:
    """Random draws in a program where no seed reaches a generator."""
    draws = [(m, n) for m in modules for n in m.nodes if _is_random(n)]
    fed = any(isinstance(n, ast.Call) and (n.args or n.keywords) and _mentions_seed(n) for _, n in draws)
    if draws and not fed:
        module, node = draws[0]
        yield _at("static-unused-seed", "draws random numbers that no seed decides", module, node)


def _is_random(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and _name(node.func).rsplit(".", 1)[-1] in RANDOM


def _mentions_seed(node: ast.Call) -> bool:
    names = (n for part in (*node.args, *(k.value for k in node.keywords)) for n in ast.walk(part))
    return any("seed" in (getattr(n, "id", "") or getattr(n, "attr", "")).lower() for n in names)


def _constants(nodes: Iterable[ast.AST]) -> list[str]:
    return [n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str)]


def _name(node: ast.AST) -> str:
    """`a.b.c` of a call's function; what is computed has no name."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if isinstance(node, ast.Name):
        parts.append(node.id)
    return ".".join(reversed(parts))


def _at(pattern: str, title: str, module: Module, node: ast.AST) -> Finding:
    line, column = getattr(node, "lineno", 0), getattr(node, "col_offset", -1) + 1
    text = ast.unparse(node)[:120]
    return _finding(pattern, title, Span(file=module.path, line=line, column=column, text=text))


def _finding(pattern: str, title: str, span: Span, severity: Severity = "critical") -> Finding:
    return Finding(auditor="static", pattern=pattern, severity=severity, title=title, spans=(span,), owner=OWNER)
