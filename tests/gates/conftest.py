"""Fixtures of the judges' tests: an honest run."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from gates_world import World


@pytest.fixture
def world() -> World:
    """A run that has done everything up to the gate, without a fault."""
    return World().begin()


@pytest.fixture
def make_world() -> Callable[..., World]:
    """A run with other settings."""
    return lambda **settings: World(**settings).begin()
