"""The studies that rehearsal can do, and which of them an idea is nearest to.

Belongs here: the registry, the match by keywords and by hash. Not here: one study's facts or code.
"""

from __future__ import annotations

import hashlib
import re

from agents.rehearsal.studies.bootstrap import STUDY as BOOTSTRAP
from agents.rehearsal.studies.micro import STUDY as MICRO
from agents.rehearsal.studies.schedules import STUDY as SCHEDULES
from agents.rehearsal.studies.shrinkage import STUDY as SHRINKAGE
from agents.rehearsal.studies.study import Study, StudyId, seed_blocks

__all__ = ["STUDIES", "Study", "StudyId", "example_of", "fit", "seed_blocks"]

STUDIES: dict[str, Study] = {s.id: s for s in (SHRINKAGE, BOOTSTRAP, SCHEDULES, MICRO)}
FITS_FROM = 3  # different keywords of a study that an idea must name before we say that it fits
# SHA-256 of the shipped idea files, kept true by a test
EXAMPLES: dict[str, StudyId] = {
    "8d757cd668020a876372dfcda05e5840906d419ea68b2910233002f2ef808d49": "shrinkage",  # ridge-small-n.md
    "c1bc2965a9851fb2f244bdbc9fa98cb26d10db4c9c8dc2c841028070e92d655f": "bootstrap",  # bootstrap-coverage.md
    "b7a8a821b09a00eb25bc045bfe8caba2962b127ccd1f2e3ed19c3794f3c8a87e": "schedules",  # lr-schedules.md
    "24d17722e90b04617f0de69f70684dca49e4373fa2f0ca485f227166e80f9e9c": "micro",  # micro.md
}


def fit(idea: str) -> tuple[str, bool]:
    """The nearest study's id by the number of its keywords that `idea` names, and whether it really fits.

    Ties go to the first in `STUDIES`; an idea that names none gets the first and does not fit.
    """
    text = " ".join(idea.lower().split())
    scores = {name: sum(_names(text, word) for word in study.keywords) for name, study in STUDIES.items()}
    best = max(STUDIES, key=lambda name: scores[name])
    return best, scores[best] >= FITS_FROM


def _names(text: str, word: str) -> bool:
    """Is `word` in `text`, as a whole word where the script has words ("ols" is not in "tools")?"""
    if word not in text:
        return False
    return not word.isascii() or re.search(rf"(?<![a-z0-9]){re.escape(word)}(?![a-z0-9])", text) is not None


def example_of(idea_text: str) -> StudyId | None:
    """The study that a shipped example file is for, by the SHA-256 of its text; None for any other text."""
    return EXAMPLES.get(hashlib.sha256(idea_text.encode()).hexdigest())
