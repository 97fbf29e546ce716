"""Rehearsal answers of the orchestrator: plan, brief, archive, from the records in the prompt.

Belongs here: what stages 2, 20 and 21 ask of it. Not here: the recommendation (export's answers).
"""

from __future__ import annotations

from typing import Any

from agents.rehearsal.abstracts import dumps
from agents.rehearsal.answers import answers
from agents.rehearsal.reading import Prompt, Rehearsal
from agents.rehearsal.topics import TOPICS

# phase → deliverable, risk, watch
PHASES = {
    "01_idea_analysis": ("goal and sub-questions", "a question that no observation settles",
                         "a sub-question without an answer to look for"),
    "02_literature_review": ("cards with located quotations, gaps tied to them", "reading only what agrees",
                             "no card that contradicts the expected answer"),
    "03_experiment_plan": ("hypotheses and a frozen plan", "a comparison that cannot fail",
                           "a control that comes out as good as the method"),
    "04_experiment_execution": ("result files with receipts", "code that ignores a setting",
                                "two conditions equal to the last digit"),
    "05_result_analysis": ("a verdict a hypothesis", "reading size out of few seeds",
                           "an interval wider than the effect"),
    "06_paper_writing": ("a paper whose numbers are bound to results", "a claim that grew in the telling",
                         "a number that no result supports"),
    "07_data_verification": ("a map of every number", "a right number in the wrong place",
                             "rows that were typed by hand"),
    "08_paper_review": ("independent reviews and what became of them", "mending words in place of work",
                        "a finding that vanished without evidence"),
}  # fmt: skip
DEEDS = (
    ("experiment-missing", "plan and run the missing condition, and give it a row in the paper's table"),
    ("number-", "bring the number to what the results say, or withdraw the sentence with it"),
    ("reference-", "cite a stored record instead, or take the reference and its sentence out"),
    ("citation-", "take the paper out or correct its entry from the source"),
    ("lint-", "correct the place that is named"),
    ("collapse", "find out why the conditions agree, mend the code and run again"),
    ("result-without-job", "run the condition again so that its numbers have a receipt"),
)


@answers("orchestrator/project-plan")
def project_plan(prompt: Prompt, how: Rehearsal) -> str:
    """One page from the study's facts and the phases listed."""
    study, facts = how.study, TOPICS[how.study.id]
    phases = []
    for entry in prompt.json("phases"):
        deliverable, risk, watch = PHASES[entry["phase"]]
        goal = f"For {study.method}: {deliverable}."
        phases.append({"phase": entry["phase"], "goal": goal, "deliverable": deliverable, "risk": risk, "watch": watch})
    return dumps(
        {
            "aim": f"{study.question} An answer says what the parts are worth; a no is worth as much.",
            "phases": phases,
            "decisions": [
                {"when": "After the analysis", "turns_if": facts.would_refute},
                {"when": "After a round", "turns_if": "reviewers name an experiment that is missing"},
            ],
            "stop_rules": ["every primary hypothesis has a verdict on confirmatory seeds and no finding is open"],
        }
    )


@answers("orchestrator/brief")
def brief(prompt: Prompt, how: Rehearsal) -> str:
    """One change for each open obligation, by its pattern."""
    asked: list[dict[str, Any]] = prompt.json("open_obligations")
    changes = [{"obligation": o["number"], "stage": o["stage"], "do": _deed(o)} for o in asked]
    route = prompt.json("route")
    onward = f"Work goes on at stage {route['entry']}." if route["entry"] else "No further round follows."
    first = min((c["stage"] for c in changes), default=0)
    later = any(c["stage"] > first for c in changes)
    return dumps(
        {
            "summary": f"{len(asked)} obligations are open. {onward} Each is met by a change that a checker can see.",
            "changes": changes,
            "keep": ["hypotheses, tests and the positive control", "conditions that have run"],
            "order": f"Stage {first} first: later ones rest on it." if later else "",
        }
    )


def _deed(obligation: dict[str, Any]) -> str:
    parts = "; ".join(obligation["open_parts"]) or obligation["title"]
    for start, deed in DEEDS:
        if obligation["pattern"].startswith(start):
            return f"{deed}: {parts}"
    return f"change the work so that this holds: {parts}"


@answers("orchestrator/archive")
def archive(prompt: Prompt, how: Rehearsal) -> str:
    """The retrospective, from the record's events."""
    record: dict[str, Any] = prompt.json("record")
    fates = "; ".join(f"{h['id']} {h['verdict']}" for h in record["hypotheses"]) or "no hypothesis was tested"
    closed = sum(o["state"] == "resolved" for o in record["obligations"])
    story = (
        f"{len(record['rounds'])} round(s), {len(record['obligations'])} obligations of which {closed} were resolved, "
        f"{len(record['ways_back'])} change(s) of direction, {len(record['repairs'])} repaired failure(s). "
        "The plan was frozen before its results were seen."
    )
    caught = [event for event in record["events"] if event["event"].startswith(("#", "repair"))]
    lessons = [
        {"lesson": f"What was caught once is worth a check at the start: {event['what']}", "from_event": event["event"]}
        for event in caught[:3]
    ]
    start = {"lesson": "A frozen plan and checks from the start leave little to mend.", "from_event": "start"}
    return dumps(
        {
            "story": story,
            "answer": f"By the frozen tests: {fates}. This holds for {how.study.setting}.",
            "lessons": lessons or [start],
            "open": list(how.study.limits),
            "would_do_differently": ["plan an ablation for every part that the paper will credit"],
        }
    )
