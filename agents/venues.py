"""Venues: review form and scale, limits, criteria, checklist.

Belongs here: the shape of `knowledge/venues/*.yml` and reading it; mapping a form to dimensions. Not
here: which venue is recommended (`recommending.py`), acceptance (reviewers say it apart from the form).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

import yaml
from pydantic import Field

from cockpit.kernel.model import Model
from cockpit.kernel.reviews import Dimension

FOLDER = Path(__file__).parent / "knowledge" / "venues"
GENERIC = "generic"


class FormField(Model):
    """One line of a venue's form: a scale with anchors, and the dimension it measures (none = not a quality)."""

    id: str
    dimension: Dimension | None = None
    low: float
    high: float
    anchors: dict[int, str] = {}


class Venue(Model):
    """What a venue asks of papers and reviewers; unknown facts are null, never guessed."""

    id: str
    name: str
    document_class: str = Field(alias="class")
    limits: dict[str, int | str] = {}
    sections: tuple[str, ...] = ()
    anonymity: str = ""
    historic_acceptance: float | None = None
    deadline: str | None = None
    criteria: tuple[str, ...]
    form: tuple[FormField, ...]
    checklist: tuple[str, ...] = ()


@lru_cache(maxsize=8)
def venue(id: str) -> tuple[Venue, bool]:
    """The venue of that id and True; for one that has no file, the generic one and False."""
    known = sorted(path.stem for path in FOLDER.glob("*.yml"))
    name = id.lower() if id.lower() in known else GENERIC
    read = Venue.model_validate(yaml.safe_load((FOLDER / f"{name}.yml").read_text(encoding="utf-8")))
    return read, name == id.lower()


def criteria_text(of: Venue) -> str:
    """Criteria and form as a reviewer reads them."""
    lines = [f"- {c}" for c in of.criteria] + ["", "Form:"]
    for field in of.form:
        anchors = "; ".join(f"{value}: {text}" for value, text in sorted(field.anchors.items()))
        lines.append(f"- {field.id}: {field.low:g} to {field.high:g}" + (f" ({anchors})" if anchors else ""))
    return "\n".join(lines)


def dimensions_of(of: Venue, filled: Mapping[str, float]) -> dict[Dimension, float]:
    """The form's values as dimensions in [0,1]; two fields of one dimension give the lower."""
    found: dict[Dimension, float] = {}
    for field in of.form:
        if field.dimension is not None and field.id in filled:
            value = (filled[field.id] - field.low) / (field.high - field.low)
            found[field.dimension] = min(value, found.get(field.dimension, 1.0))
    return found


def form_faults(of: Venue, filled: Mapping[str, float]) -> tuple[str, ...]:
    """Sentences about a form that is not filled in on its scale."""
    missing = [f"the form lacks {field.id}" for field in of.form if field.id not in filled]
    off = [f"{field.id} is {filled[field.id]:g}, its scale is {field.low:g} to {field.high:g}"
           for field in of.form if field.id in filled and not field.low <= filled[field.id] <= field.high]  # fmt: skip
    return (*missing, *off)
