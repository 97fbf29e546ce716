"""The resolved settings of a run: typed, unknown keys refused.

Belongs here: the shape and defaults of `cockpit.yml`. Not here: merging files, environment and
flags (`cockpit/front/configuration.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from cockpit.kernel.levels import Assurance, Effort, Mode
from cockpit.kernel.model import Model
from cockpit.kernel.results import JobLimits

Fault = Literal["invented-number", "wrong-row", "wrong-bold", "reference-without-record", "crashing-script",
                "missing-ablation"]  # fmt: skip
FAULTS: tuple[Fault, ...] = ("invented-number", "wrong-row", "wrong-bold", "reference-without-record",
                             "crashing-script", "missing-ablation")  # fmt: skip


class Price(Model):
    """USD per million tokens; `source` and `date` say where it is from."""

    input: float
    output: float
    cached: float = 0
    source: str = "declared"
    date: str = ""


class ModelRole(Model):
    """One model as configured: litellm's name, where, with which key, whose family, at what price."""

    model: str
    api_base: str | None = None
    api_key_env: str | None = None
    family: str | None = None
    price: Price | Literal["free"] | None = None
    reasoning: Literal["none", "low", "medium", "high", "highest"] | None = None
    max_tokens: int = 8192


class LiteratureSource(Model):
    """One literature service; `base_url` may point at a mirror or a loopback server."""

    enabled: bool = True
    base_url: str | None = None
    key_env: str | None = None


class SandboxSettings(Model):
    """Where jobs run."""

    backend: Literal["auto", "docker", "process"] = "auto"
    image: str = "host"
    parallel: int = 2
    unsafe_no_isolation: bool = False
    limits: JobLimits = JobLimits()


class RehearsalSettings(Model):
    """The built-in models: which study, which faults, from which seed. `fits`: is the study what the idea asks for?"""

    on: bool = False
    study: str = ""
    fits: bool = True
    seed: int = 0
    faults: tuple[Fault, ...] = FAULTS


class Deadlines(Model):
    """Seconds a model call may take: connect, first token, gap between tokens, whole."""

    connect: float = 20
    first: float = 180
    idle: float = 90
    total: float = 1800


class Settings(Model):
    """`cockpit.yml` of a run. No secrets, ever."""

    effort: Effort = "balanced"
    assurance: Assurance = "draft"
    mode: Mode = "co-pilot"
    auto: bool = False
    venue: str = "generic"
    language: Literal["en", "zh"] = "en"
    rounds: int | None = None
    threshold: float = 0.5
    budget_usd: float | None = None
    wall: str | None = None  # 8h; the time that the experiment's jobs are planned into
    seed: int = 0
    offline: bool = False
    library: str | None = None
    from_stage: int | None = None
    until_stage: int | None = None
    custom_pauses: tuple[int, ...] = ()  # stages that mode `custom` pauses after
    models: dict[str, ModelRole] = {}
    deadlines: Deadlines = Deadlines()
    concurrency: int = 8  # model calls at once
    literature: dict[str, LiteratureSource] = {}
    sandbox: SandboxSettings = SandboxSettings()
    rehearsal: RehearsalSettings = RehearsalSettings()
    runs_dir: str = "runs"
    theme: str = "auto"


def changed(settings: Settings, changes: Mapping[str, str]) -> Settings:
    """`settings` with what a resume may change: `budget_usd` and `models.<role>` (a model name).

    A role's other fields stay; its family and price are forgotten with the old model.

    Raises:
        ValueError: another key, or a budget that is no number.
    """
    models = dict(settings.models)
    budget = settings.budget_usd
    for key, value in changes.items():
        role = key.removeprefix("models.")
        if key == "budget_usd":
            budget = float(value)
        elif role != key and role:
            old = models.get(role, ModelRole(model=value))
            models[role] = old.model_copy(update={"model": value, "family": None, "price": None})
        else:
            raise ValueError(f"{key} cannot be changed on resume")
    return settings.model_copy(update={"models": models, "budget_usd": budget})
