"""From an idea file and settings to a run folder: what is checked, decided and said before the first cent.

Belongs here: reading the idea, choosing rehearsal, caps and notices known at the start, the unfinished
run of the same idea. Not here: merging settings (`cockpit/front/configuration.py`), flying (`launch.py`).
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from cockpit import launch
from cockpit.engine.clock import SystemClock
from cockpit.journal.places import RunFolder, all_runs, make_run, slug
from cockpit.journal.segments import read_journal
from cockpit.kernel import events as e
from cockpit.kernel.exits import CockpitError, Exit
from cockpit.kernel.fold import fold_all
from cockpit.kernel.ids import RunId, Sha256
from cockpit.kernel.levels import Assurance, at_least, lower
from cockpit.kernel.model import sha256
from cockpit.kernel.settings import ModelRole, Settings
from cockpit.kernel.view import RunView

IDEA_LIMIT = 2_000_000  # bytes; an idea, not a data set
OF_A_START = ("auto", "mode", "runs_dir", "data_dir", "theme", "keys", "clock")  # not of what a run does
REQUIRED_ROLES = ("executor", "reviewer")
RESUMABLE_ENDS = ("failed", "partial", "interrupted", "aborted")
TEMPLATE = """# A title for the idea

## Question
What do you want to know, and why does it matter? One question that an experiment can answer.

## Idea
What would you do differently, and why should it work?

## What would count as success
A measure, a direction, a comparison. What result would prove the idea wrong?

## Constraints
Data, time, hardware, rights, what must not be done.
"""


@dataclass(frozen=True)
class Idea:
    """An idea file as read."""

    path: Path
    data: bytes
    text: str
    title: str
    front: dict[str, str]


@dataclass(frozen=True)
class Start:
    """What is decided and said before a run begins."""

    settings: Settings
    cap: Assurance
    caps: tuple[str, ...]
    notices: tuple[str, ...]
    sandbox: str


def read_idea(path: Path) -> Idea:
    """The idea in `path`.

    Raises:
        CockpitError: missing, a folder, empty, not text, too large, unreadable front matter.
    """
    template = "Write one: see examples/ridge-small-n.md, or `cockpit --idea-template > idea.md`."
    if path.is_dir():
        raise CockpitError(f"{path} is a folder, not an idea file", hint="Name the Markdown file in it.")
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise CockpitError(f"there is no idea file {path}", where=str(path.parent.resolve()), hint=template) from None
    except OSError as error:
        raise CockpitError(f"cannot read {path}: {error.strerror}", hint="Check its permissions.") from error
    if len(data) > IDEA_LIMIT:
        raise CockpitError(f"{path} has {len(data):,} bytes, more than an idea should ({IDEA_LIMIT:,})",
                           hint="Give data with `--data`, papers with `--library`.")  # fmt: skip
    text = _decode(path, data)
    front, body = _front_matter(path, text)
    if not body.strip():
        raise CockpitError(f"{path} is empty", hint=template)
    return Idea(path, data, text, _title(path, body), front)


def _decode(path: Path, data: bytes) -> str:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        hint = "Save it as UTF-8 text."
        raise CockpitError(f"{path} is not text (byte {error.start})", hint=hint) from error
    if "\0" in text:
        raise CockpitError(f"{path} is not text (it holds NUL bytes)", hint="Save it as UTF-8 text.")
    return text


def _front_matter(path: Path, text: str) -> tuple[dict[str, str], str]:
    if not text.startswith("---\n") or "\n---\n" not in text[4:]:
        return {}, text
    head, _, body = text[4:].partition("\n---\n")
    try:
        front = yaml.safe_load(head) or {}
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 2 if mark else 1
        raise CockpitError(
            f"the head of {path} is not YAML", where=f"{path}:{line}", hint="Mend or drop it."
        ) from error
    if not isinstance(front, dict):
        raise CockpitError(f"the head of {path} is not a list of settings", where=f"{path}:2", hint="Use `key: value`.")
    return {str(k): str(v) for k, v in front.items()}, body


def _title(path: Path, body: str) -> str:
    for line in body.splitlines():
        if line.strip():
            return line.strip().lstrip("#").strip()[:120] or path.stem
    return path.stem


def decide(idea: Idea, settings: Settings, *, level_asked: bool) -> Start:
    """Models, sandbox, level: what holds for this run. `level_asked` = the person named an assurance.

    Raises:
        CockpitError: no model (7), no sandbox (6), a level that cannot be reached (2).
    """
    from agents import typesetting
    from sandbox.choose import choose

    notices: list[str] = []
    settings = _with_library(idea, settings)
    settings = _with_models(idea, settings, notices)
    sandbox = choose(settings.sandbox, rehearsal=settings.rehearsal.on)
    settings = settings.model_copy(
        update={"sandbox": settings.sandbox.model_copy(update={"backend": _kept(sandbox.name)})}
    )
    cap, caps = _cap(settings, isolated=sandbox.isolated)
    if not at_least(cap, settings.assurance):
        if level_asked:
            raise CockpitError(f"this run cannot reach {settings.assurance}: {caps[0]}",
                               hint=f"Ask for `--assurance {cap}`, or lift the cap: {'; '.join(caps)}.")  # fmt: skip
        caps = (*caps, f"level lowered from {settings.assurance} to {cap}")
        settings = settings.model_copy(update={"assurance": cap})
    if lacking := typesetting.missing(settings.language):
        notices.append(f"no TeX: {lacking} is not installed, so no PDF will be made")
    if settings.offline:
        notices.append("offline: references stay pending")
    return Start(settings, cap, caps, tuple(notices), sandbox.describe())


def _kept(name: str) -> str:
    return "docker" if name == "docker" else "process"


def _with_library(idea: Idea, settings: Settings) -> Settings:
    named = settings.library or idea.front.get("library")
    if named is None:
        return settings
    base = Path() if settings.library else idea.path.parent
    path = (base / named).resolve()
    if not path.exists():
        raise CockpitError(
            f"the library {named} is not there", where=str(path), hint="Name another with `--library PATH`."
        )
    return settings.model_copy(update={"library": str(path)})


def _with_models(idea: Idea, settings: Settings, notices: list[str]) -> Settings:
    missing = [role for role in REQUIRED_ROLES if role not in settings.models]
    if not missing and not settings.rehearsal.on:
        _check_keys(settings)
        return settings
    from agents.rehearsal import studies

    example = studies.example_of(idea.text)
    if not settings.rehearsal.on and example is None:
        raise CockpitError(f"no model is configured for {' and '.join(missing)}",
                           where="models.<role>.model in ./cockpit.yml, or `--model executor=… --model reviewer=…`",
                           hint=_models_hint(idea), code=Exit.MODELS)  # fmt: skip
    nearest, fits = studies.fit(idea.text)
    study = settings.rehearsal.study or example or nearest
    notices.append("REHEARSAL: built-in models; this is no research result")
    fits = fits or example is not None or bool(settings.rehearsal.study)
    if not fits:
        notices.append(
            f"REHEARSAL: the idea fits none of the built-in studies; the nearest one, {study}, is done instead"
        )
    rehearsal = settings.rehearsal.model_copy(update={"on": True, "study": study, "fits": fits})
    models = {"executor": ModelRole(model="rehearsal/a", family="rehearsal-a", price="free"),
              "reviewer": ModelRole(model="rehearsal/b", family="rehearsal-b", price="free")}  # fmt: skip
    settings = settings.model_copy(update={"rehearsal": rehearsal, "models": {**models, **settings.models}})
    if settings.library is None:
        library = _shipped_library(study)
        settings = settings.model_copy(update={"library": str(library) if library else None})
    return settings


def _shipped_library(study: str) -> Path | None:
    """The records shipped for a rehearsal study, where the examples are installed beside the packages."""
    path = Path(__file__).resolve().parent.parent / "examples" / "libraries" / f"{study}.jsonl"
    return path if path.exists() else None


def _models_hint(idea: Idea) -> str:
    two = "--model executor=anthropic/NAME --model reviewer=openai/NAME"
    return (
        f"Two families, author and reviewer, keys in ANTHROPIC_API_KEY and OPENAI_API_KEY:\n"
        f"  `cockpit {idea.path} {two}`\n"
        f"Or see the built-in rehearsal, which needs no key: `cockpit {idea.path} --rehearsal`"
    )


def _check_keys(settings: Settings) -> None:
    for role, model in settings.models.items():
        if model.api_key_env and not os.environ.get(model.api_key_env):
            raise CockpitError(f"the key for role {role} ({model.model}) is not set", code=Exit.MODELS,
                               hint=f"`export {model.api_key_env}=…`, then start again.")  # fmt: skip


def _cap(settings: Settings, *, isolated: bool) -> tuple[Assurance, tuple[str, ...]]:
    cap: Assurance = "submission"
    why: list[str] = []
    if settings.rehearsal.on:
        cap = lower(cap, "polished")
        why.append("rehearsal caps at polished; real models lift it")
    if not isolated:
        cap = lower(cap, "draft")
        why.append("jobs run without isolation, which caps at draft; Docker or bubblewrap lifts it")
    if settings.offline and settings.library is None:
        cap = lower(cap, "draft")
        why.append("no literature (offline and no library) caps at draft; `--library` or the network lifts it")
    return cap, tuple(why)


def create(idea: Idea, start: Start) -> RunFolder:
    """A new run folder with journal and first commit.

    Raises:
        CockpitError: the folder cannot be written.
    """
    settings = start.settings
    now = SystemClock().now()
    runs = Path(settings.runs_dir)

    def fill(folder: RunFolder) -> None:
        run = RunId(folder.root.name.split("half-made-", 1)[-1])
        created = e.RunCreated(at=now, run=run, secret=launch.new_secret(), idea_sha256=Sha256(sha256(idea.data)),
                               title=idea.title, settings=settings, assurance_cap=start.cap, caps=start.caps,
                               notices=start.notices, sandbox=start.sandbox, version=launch.our_version())  # fmt: skip
        launch.lay_out(folder, idea.data, created, dump(settings))

    return make_run(runs, slug(idea.path.stem), now, fill)


def dump(settings: Settings) -> str:
    """`cockpit.yml` of a run."""
    return yaml.safe_dump(settings.model_dump(mode="json", exclude_none=True), sort_keys=False, allow_unicode=True)


def unfinished(idea: Idea, settings: Settings) -> RunFolder | None:
    """The newest run of this very idea that has not come to its end."""
    digest = sha256(idea.data)
    for folder in reversed(all_runs(Path(settings.runs_dir))):
        try:
            view = load(folder)
        except CockpitError:
            continue
        if view.run is not None and view.run.idea_sha256 == digest and not at_its_end(view):
            return folder
    return None


def not_applied(folder: RunFolder, places: Mapping[str, str], asked: Settings) -> list[str]:
    """What was asked for (`places`: key → where it was set) and is otherwise in the unfinished run that is taken up."""
    run = load(folder).run
    if run is None:
        return []
    wanted, has = (settings.model_dump(mode="json") for settings in (asked, run.settings))
    found = []
    for key, place in sorted(places.items()):
        want, now = _at(wanted, key), _at(has, key)
        if key.split(".")[0] in OF_A_START or isinstance(want, dict) or want == now:
            continue
        if key == "library" and now is not None and Path(str(want)).resolve() == Path(str(now)):
            continue
        found.append(f"not applied: {key} = {want} ({place}); this run has {now}")
    return found


def _at(values: Any, key: str) -> Any:
    for part in key.split("."):
        values = values.get(part) if isinstance(values, dict) else None
    return values


def load(folder: RunFolder) -> RunView:
    """The run as its journal tells it; for readers."""
    return fold_all((r.seq, r.event) for r in read_journal(folder.cockpit))


def at_its_end(view: RunView) -> bool:
    """Has the run come to an end that going on would not change?"""
    return view.finished is not None and view.finished.outcome not in RESUMABLE_ENDS
