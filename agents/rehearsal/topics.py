"""What rehearsal planners know about each study beyond its facts: scope, terms, debate, gaps.

Belongs here: words for stages 1 to 9 of each study. Not here: what is measured (`studies/`), answers
(`answers/`). No sentence here is a result, names a paper, or cites anybody.
"""

from __future__ import annotations

from agents.rehearsal.studies import StudyId
from agents.rehearsal.topic_facts import TopicFacts
from agents.rehearsal.topics_estimation import MICRO, SHRINKAGE
from agents.rehearsal.topics_sampling import BOOTSTRAP, SCHEDULES

TOPICS: dict[StudyId, TopicFacts] = {
    "shrinkage": SHRINKAGE,
    "bootstrap": BOOTSTRAP,
    "schedules": SCHEDULES,
    "micro": MICRO,
}
