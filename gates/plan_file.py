"""The experiment plan out of its YAML; one reader for gates and agents.

Belongs here: parsing `exp_plan.yaml`. Not here: where it lies, what a damaged one means.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import yaml

from cockpit.kernel.plan import ExperimentPlan

LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the C one is ten times faster


@lru_cache(maxsize=16)
def parse_plan(data: bytes) -> ExperimentPlan:
    """The plan in `data`; remembered by content, since every stage and gate reads it.

    Raises:
        yaml.YAMLError, RecursionError: not YAML.
        pydantic.ValidationError: not a plan.
    """
    return ExperimentPlan.model_validate(yaml.load(data, Loader=LOADER))
