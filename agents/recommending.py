"""Where the paper might be submitted: venues by CCF rank, fit, and whether their deadline is known.

Belongs here: the recommendation, by program from the ranking and the outcome. Not here: the ranking's data
(`knowledge/ccf_ranking.json`). What is not known is null; no deadline is ever guessed.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from pathlib import Path
from typing import Any

from agents.manuscript import Material
from cockpit.kernel.model import JsonObject
from cockpit.kernel.protocols import Desk

RANKING = Path(__file__).parent / "knowledge" / "ccf_ranking.json"
SHOWN_A_RANK = 4
RANKS = ("A", "B", "C")
_WORD = re.compile(r"[a-z]{4,}")


def recommendation(desk: Desk, material: Material, status: str) -> JsonObject:
    """`submission_recommendation.json`."""
    score = desk.view.score.value if desk.view.score else None
    ready = status in ("accepted", "pending", "negative-result") and not desk.settings.rehearsal.on
    return {
        "schema": "cockpit.submission-recommendation/1",
        "status": status,
        "score": score,
        "score_note": desk.view.score.note if desk.view.score else "no score",
        "rehearsal": desk.settings.rehearsal.on,
        "submit_now": ready,
        "advice": advice(desk, status, score),
        "missing": missing(desk),
        "venues": _venues(material, score, desk.settings.threshold),
        "ranks_from": _ranking_file()["source"],
    }


def advice(desk: Desk, status: str, score: float | None) -> str:
    """One sentence on what to do with the package."""
    if desk.settings.rehearsal.on:
        return "This was a rehearsal with rule-based models: do not submit it anywhere."
    shown = "no score" if score is None else f"score {score:.2f}"
    return {
        "accepted": f"The score reached the threshold ({shown}); read it yourself, then submit.",
        "pending": f"Only a person's word is missing ({shown}); see the checklist.",
        "negative-result": "An honest negative result: offer it where such results are welcome.",
        "best-effort": f"Below the threshold ({shown}): not ready for a selective venue; see what is missing.",
        "degenerate": "The results are degenerate: mend the experiment before writing.",
        "blocked": "Something critical is open: do not submit before it is closed.",
        "unpublishable": "The experiments could not be carried out: this is a report, not a paper.",
        "partial": "Budget or time ended first: resume with more, this package is partial.",
    }.get(status, "The run did not come to an end that allows advice.")


def missing(desk: Desk) -> list[str]:
    """What stands open, heaviest first."""
    order = {"critical": 0, "major": 1, "minor": 2, "info": 3}
    still = sorted(desk.view.ledger.open, key=lambda o: (order[o.finding.severity], o.number))
    return [f"#{o.number} ({o.finding.severity}): {o.finding.title}" for o in still]


def _venues(material: Material, score: float | None, threshold: float) -> list[JsonObject]:
    topic = set(_WORD.findall(f"{material.plan.domain} {material.plan.question} {material.outline.title}".lower()))
    found = []
    for entry in ranking():
        words = set(
            _WORD.findall(
                f"{entry.get('area', '')} {entry.get('name', '')} {' '.join(entry.get('topics', ()))}".lower()
            )
        )
        found.append(
            (
                RANKS.index(str(entry["rank"])),
                -len(topic & words),
                str(entry["abbreviation"]),
                entry,
                len(topic & words),
            )
        )
    found.sort(key=lambda item: item[:3])
    chosen = [item for rank in range(len(RANKS)) for item in [i for i in found if i[0] == rank and i[4]][:SHOWN_A_RANK]]
    return [{"venue": e["abbreviation"], "name": e.get("name", ""), "rank": e["rank"], "kind": e.get("kind", ""),
             "topic_words_in_common": common, "fit": _fit(RANKS[rank], score, threshold),
             "deadline": None, "deadline_known": False} for rank, _, _, e, common in chosen]  # fmt: skip


def _fit(rank: str, score: float | None, threshold: float) -> str:
    """The score speaks of a rank A conference; lower ranks ask for less, by no known measure."""
    if score is None:
        return "unknown: no score"
    if rank == "A":
        return "within reach" if score >= threshold else "below the threshold"
    return "within reach" if score >= threshold else "not measured: the score speaks of rank A"


def ranking() -> tuple[dict[str, Any], ...]:
    """The shipped ranking's venues."""
    return tuple(e for e in _ranking_file()["venues"] if e.get("rank") in RANKS and e.get("abbreviation"))


@lru_cache(maxsize=1)
def _ranking_file() -> dict[str, Any]:
    read: dict[str, Any] = json.loads(RANKING.read_text(encoding="utf-8"))
    return read
