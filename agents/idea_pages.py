"""goal.md and problem_tree.md, written from the analyst's replies.

Belongs here: the two pages. Not here: asking for what stands on them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from agents.idea_replies import Concern, Decomposition, Topic
from agents.pages import bullets, line, page, section, table
from cockpit.kernel.papers import PaperRecord


def goal_page(topic: Topic, notices: Sequence[str]) -> str:
    """goal.md: what is asked, within what, and what would answer it."""
    return page(
        topic.title,
        f"**Question.** {line(topic.question)}",
        bullets(notices),
        section("Topic", topic.topic, f"Keywords: {', '.join(topic.keywords)}."),
        section("Scope", bullets(topic.in_scope)),
        section("Out of scope", bullets(topic.out_of_scope)),
        section("Constraints", bullets(topic.constraints)),
        section("Measurable outcome", topic.outcome, bullets(topic.measures)),
        section("Domain and kind", f"{topic.domain}, {topic.kind}."),
        section("Ethics, dual use, data rights", _concerns(topic)),
        section("Left open by the idea, and how it was read", bullets(topic.open_points)),
    )


def _concerns(topic: Topic) -> str:
    rows: list[tuple[str, Concern]] = [
        ("Ethics", topic.ethics),
        ("Dual use", topic.dual_use),
        ("Data rights", topic.data_rights),
    ]
    return bullets(f"{name}: {concern.level.replace('-', ' ')}. {concern.note}" for name, concern in rows)


def problem_page(answer: Decomposition, papers: Mapping[str, PaperRecord]) -> str:
    """problem_tree.md: sub-questions by rank, nearest work, novelty, feasibility."""
    ranked = sorted(answer.sub_questions, key=lambda q: (q.rank, q.id))
    feasible = answer.feasibility
    return page(
        "The problem, taken apart",
        section(
            "Sub-questions",
            "\n".join(
                f"{q.rank}. **{line(q.id)}** {line(q.question)}\n   - Why: {line(q.why)}\n"
                f"   - Answered when: {line(q.answered_when)}"
                for q in ranked
            ),
        ),
        section(
            "Nearest known work",
            table(
                ("key", "paper", "what it has", "what it leaves"),
                ((n.key, _title(papers.get(n.key)), n.overlap, n.delta) for n in answer.neighbours),
            )
            or "None could be seen.",
        ),
        section("Novelty", f"{answer.novelty_score:.2f} of 1. {answer.novelty_why}"),
        section(
            "Feasibility",
            f"{feasible.verdict}. {feasible.route}",
            bullets(f"needs: {item}" for item in feasible.needs),
            bullets(f"risk: {item}" for item in feasible.risks),
            bullets(f"advice: {item}" for item in feasible.advice),
        ),
    )


def _title(paper: PaperRecord | None) -> str:
    if paper is None:
        return ""
    return f"{paper.title} ({paper.year})" if paper.year else paper.title
