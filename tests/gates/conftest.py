"""Fixtures of the judges' tests: an honest run, and a numbers program that finds nothing.

The real numbers program has its own tests; here it is quiet unless a test says otherwise.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from gates_world import World

from gates import auditors, clearing
from gates.numbers_audit import Report


@pytest.fixture
def quiet_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """The numbers program says: no finding, and nothing is still wrong."""
    from dataclasses import replace

    quiet = replace(auditors.AUDITORS["numbers"], find=lambda tree, view: Report((), {}))
    monkeypatch.setitem(auditors.AUDITORS, "numbers", quiet)
    monkeypatch.setattr(clearing.Fates, "of", lambda self, finding: "mended")


@pytest.fixture
def world(quiet_numbers: None) -> World:
    """A run that has done everything up to the gate, without a fault."""
    return World().begin()


@pytest.fixture
def make_world(quiet_numbers: None) -> Callable[..., World]:
    """A run with other settings."""
    return lambda **settings: World(**settings).begin()
