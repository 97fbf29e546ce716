"""Settings out of files, environment, `--set` and flags; errors name file, line, and what would be valid.

Belongs here: reading and merging. Not here: the shape and defaults (kernel's `settings.py`).
Later wins: the user's `config.yml`, `./cockpit.yml`, environment (`COCKPIT_SANDBOX__IMAGE`), `--set
sandbox.image=…`, flags. Nested keys join with a dot; in the environment with two underscores.
"""

from __future__ import annotations

import difflib
import getpass
import os
import platform
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args, get_origin

import yaml
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from cockpit.kernel.exits import CockpitError, Exit
from cockpit.kernel.ids import Actor
from cockpit.kernel.settings import Settings

PREFIX = "COCKPIT_"
# what jobs, faces, the token and the test suite read themselves; no settings
RESERVED = ("COCKPIT_WORKSPACE", "COCKPIT_BUDGET_S", "COCKPIT_CHECKPOINTS", "COCKPIT_ASCII", "COCKPIT_CONFIG_DIR",
            "COCKPIT_DATA_DIR", "COCKPIT_FORBID_SKIPS")  # fmt: skip
LOCAL = "cockpit.yml"
MEND = "Mend it, or move it away and give the settings with --set key=value."


@dataclass(frozen=True)
class Layer:
    """Values of one source, nested, and where each key stands in it (dotted path → words)."""

    values: dict[str, Any] = field(default_factory=dict)
    places: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Configuration:
    """The resolved settings, and for every key that was set, where."""

    settings: Settings
    places: dict[str, str]

    def place(self, key: str) -> str:
        """Where `models.reviewer.model` was set: "./cockpit.yml line 7"; "default" if nowhere."""
        parts = key.split(".")
        for n in range(len(parts), 0, -1):
            if found := self.places.get(".".join(parts[:n])):
                return found
        return "default"


def resolve(sets: Iterable[str] = (), flags: Mapping[str, Any] | None = None, *, here: Path | None = None,
            environment: Mapping[str, str] | None = None) -> Configuration:  # fmt: skip
    """All sources together. `flags`: dotted key → value, None = not given.

    Raises:
        CockpitError: unreadable file, YAML typo, unknown key, wrong value; with place and valid ones.
    """
    environment = os.environ if environment is None else environment
    layers = [
        read_file(config_folder(environment) / "config.yml"),
        read_file((here or Path()) / LOCAL, shown=f"./{LOCAL}"),
        from_environment(environment),
        from_sets(sets),
        from_flags(flags or {}),
    ]
    values: dict[str, Any] = {}
    places: dict[str, str] = {}
    for layer in layers:
        values = merged(values, layer.values)
        places |= layer.places
    return Configuration(validated(values, places), places)


def config_folder(environment: Mapping[str, str]) -> Path:
    """The user's configuration folder, by the platform's convention; COCKPIT_CONFIG_DIR moves it."""
    if moved := environment.get("COCKPIT_CONFIG_DIR"):
        return Path(moved)
    import platformdirs

    return Path(platformdirs.user_config_dir("cockpit", appauthor=False))


def read_file(path: Path, shown: str = "") -> Layer:
    """A YAML file's values with their lines; an absent file is empty.

    Raises:
        CockpitError: not readable, not YAML (line named), not a mapping, a key given twice.
    """
    shown = shown or str(path)
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return Layer()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise CockpitError(f"cannot read the configuration: {reason}", where=shown, hint=MEND) from error
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        values = yaml.safe_load(text)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        if error.context_mark and mark and mark.line >= len(text.splitlines()):
            mark = error.context_mark  # what is not closed, rather than the end of the file
        line = f"{shown} line {mark.line + 1}" if mark else shown
        what = f"the configuration is not YAML: {error.problem or error.context}"
        raise CockpitError(what, where=_with_line(line, text, mark.line if mark else -1), hint=MEND) from error
    except yaml.YAMLError as error:
        raise CockpitError(f"the configuration is not YAML: {error}", where=shown, hint=MEND) from error
    if node is None:
        return Layer()
    if not isinstance(values, dict):
        raise CockpitError("the configuration must be `key: value` lines", where=f"{shown} line 1", hint=MEND)
    places: dict[str, str] = {}
    _places_of(node, "", shown, places)
    return Layer(values, places)


def _with_line(place: str, text: str, index: int) -> str:
    lines = text.splitlines()
    return f"{place}: {lines[index].strip()}" if 0 <= index < len(lines) and lines[index].strip() else place


def _places_of(node: yaml.Node, path: str, shown: str, places: dict[str, str]) -> None:
    if not isinstance(node, yaml.MappingNode):
        return
    seen: set[str] = set()
    for key, value in node.value:
        dotted = f"{path}.{key.value}" if path else str(key.value)
        place = f"{shown} line {key.start_mark.line + 1}"
        if key.value in seen:
            raise CockpitError(f"`{dotted}` is given twice", where=place, hint="Take one of them out.")
        seen.add(key.value)
        places[dotted] = place
        _places_of(value, dotted, shown, places)


def from_environment(environment: Mapping[str, str]) -> Layer:
    """`COCKPIT_BUDGET_USD=10` → `budget_usd`, `COCKPIT_SANDBOX__IMAGE` → `sandbox.image`."""
    layer = Layer()
    for name in sorted(environment):
        if name.startswith(PREFIX) and name not in RESERVED:
            key = name.removeprefix(PREFIX).lower().replace("__", ".")
            _put(layer, key, _value(environment[name], f"${name}"), f"${name}")
    return layer


def from_sets(sets: Iterable[str]) -> Layer:
    """`--set rehearsal.faults=[]`; the value is YAML.

    Raises:
        CockpitError: no `=`.
    """
    layer = Layer()
    for text in sets:
        key, equals, value = text.partition("=")
        if not equals or not key.strip():
            raise CockpitError(f"`--set {text}` is not key=value", hint="For instance: --set sandbox.parallel=4")
        place = f"--set {key.strip()}"
        _put(layer, key.strip(), _value(value, place), place)
    return layer


def from_flags(flags: Mapping[str, Any]) -> Layer:
    """Flags of the command line that were given."""
    layer = Layer()
    for key, value in flags.items():
        if value is not None:
            _put(layer, key, value, f"--{key.rpartition('.')[2].replace('_', '-')}")
    return layer


def _value(text: str, place: str) -> Any:
    try:
        return yaml.safe_load(text) if text.strip() else ""
    except yaml.YAMLError as error:
        raise CockpitError(f"the value “{text}” cannot be read", where=place) from error


def _put(layer: Layer, key: str, value: Any, place: str) -> None:
    now = layer.values
    *above, last = key.split(".")
    for part in above:
        inner = now.setdefault(part, {})
        if not isinstance(inner, dict):
            raise CockpitError(f"`{key}` and `{part}` cannot both be given", where=place)
        now = inner
    now[last] = value
    layer.places[key] = place


def merged(below: dict[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """`above` over `below`, mapping by mapping; lists are replaced."""
    out = dict(below)
    for key, value in above.items():
        known = out.get(key)
        out[key] = merged(known, value) if isinstance(known, dict) and isinstance(value, Mapping) else value
    return out


def validated(values: Mapping[str, Any], places: Mapping[str, str]) -> Settings:
    """The settings of `values`.

    Raises:
        CockpitError: the first thing that is wrong, where it was set, and what would be right.
    """
    try:
        return Settings.model_validate(values)
    except ValidationError as error:
        # an unknown key first: it often explains what is missing
        faults = sorted(error.errors(), key=lambda detail: detail["type"] != "extra_forbidden")
        raise _fault(faults[0], places) from error


def _fault(detail: ErrorDetails, places: Mapping[str, str]) -> CockpitError:
    location = [str(part) for part in detail["loc"]]
    dotted = ".".join(location)
    where = next((places[k] for n in range(len(location), 0, -1) if (k := ".".join(location[:n])) in places), "")
    if detail["type"] == "extra_forbidden":
        valid = keys_under(location[:-1])
        close = difflib.get_close_matches(location[-1], valid, 1)
        hint = (f"Did you mean `{close[0]}`? " if close else "") + f"Valid here: {', '.join(valid)}."
        return CockpitError(f"unknown setting `{dotted}`", where=where, hint=hint, code=Exit.USAGE)
    if detail["type"] == "missing":
        return CockpitError(f"`{dotted}` is missing", where=where, hint=f"Give it: --set {dotted}=…", code=Exit.USAGE)
    given = detail.get("input")
    said = f"`{dotted}` cannot be {given!r}" if not isinstance(given, (dict, list)) else f"`{dotted}` is not right"
    expected = detail.get("ctx", {}).get("expected")
    hint = f"Valid: {expected}." if expected else f"{detail['msg']}."
    return CockpitError(said, where=where, hint=hint.replace("Input should", "It should"), code=Exit.USAGE)


def keys_under(location: Iterable[str]) -> list[str]:
    """The keys that may stand at a place in the settings."""
    model: type[BaseModel] | None = Settings
    for part in location:
        if model is None:
            return []
        known = model.model_fields.get(part)
        model = _model_in(known.annotation) if known is not None else model
    return sorted(model.model_fields) if model is not None else []


def _model_in(annotation: Any) -> type[BaseModel] | None:
    """The record type in an annotation: itself, in a union, or as the values of a mapping."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    if get_origin(annotation) is None:
        return None
    return next((found for arg in get_args(annotation) if (found := _model_in(arg))), None)


def who() -> Actor:
    """Who sits here: user, terminal, host; an attestation, not a proof."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):
        user = str(os.getuid())
    try:
        terminal = os.ttyname(0).removeprefix("/dev/")
    except OSError:
        terminal = ""
    return Actor(user=user, terminal=terminal, host=platform.node())
