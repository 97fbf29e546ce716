"""Rehearsal answers of the literature searcher: read from the records in the prompt.

Belongs here: stages 3 to 7. Not here: reading records (`abstracts.py`), words of a study (`topics.py`).
"""

from __future__ import annotations

from typing import Any

from agents.rehearsal.abstracts import (
    claim_sentence,
    dumps,
    figures,
    hits,
    passage,
    quality,
    relevance,
    sentences,
    text_of,
)
from agents.rehearsal.answers import answers
from agents.rehearsal.reading import Prompt, Rehearsal
from agents.rehearsal.topics import TOPICS

GAP_CARDS = 3
MOST_FIGURES = 3
LIMIT_WORDS = ("however", "limit", "although", "caution", "fail", "only when", "restrict")


@answers("lit-searcher/strategy")
def strategy(prompt: Prompt, how: Rehearsal) -> str:
    """By method, by setting, and against the project; barren queries give way to wider ones."""
    study, facts = how.study, TOPICS[how.study.id]
    barren: list[str] = prompt.json("barren") if "barren" in prompt.blocks else []
    half = (len(study.queries) + 1) // 2
    plans = [
        ("method", "By method", f"Papers that use or judge {study.method}.", study.queries[:half]),
        ("setting", "By setting", f"Papers on the same conditions: {study.setting}.", study.queries[half:]),
        ("against", "Against the project", "Work that makes the question needless or answers it.", facts.against),
    ]  # fmt: skip
    spare = iter([q for q in facts.wide if q not in barren])
    chosen = [
        {"id": name, "name": title, "why": why, "queries": [next(spare, q) if q in barren else q for q in asked]}
        for name, title, why, asked in plans
    ]
    return dumps(
        {
            "strategies": chosen,
            "include": [f"says something about {facts.keywords[0]} or {facts.keywords[1]}", "states how it knows"],
            "exclude": [f"is about {item} only" for item in facts.out_of_scope],
            "year_from": None,
        }
    )


@answers("lit-searcher/collect")
def collect(prompt: Prompt, how: Rehearsal) -> str:
    """The plan of the collection, and the topic's wide queries in reserve."""
    facts = TOPICS[how.study.id]
    plan = {
        "goal": f"Enough papers on {facts.keywords[0]} to see what is known and what is left open.",
        "method": "Ask by method first, then by setting, then against the project; merge; widen only if too few come.",
        "risks": ["The sources may favour theory over practice; clusters without an experiment would show it."],
    }
    return dumps({"plan": plan, "expansions": facts.wide})


@answers("lit-searcher/screen")
def screen(prompt: Prompt, how: Rehearsal) -> str:
    """Each candidate by the words of its title and abstract."""
    terms = TOPICS[how.study.id].terms
    return dumps({"papers": [_scored(p, terms) for p in prompt.json("papers")]})


def _scored(paper: dict[str, Any], terms: tuple[str, ...]) -> dict[str, Any]:
    named = [word for word in terms if word in text_of(paper).lower()][:3]
    topic = f"Names {', '.join(named)}" if named else "Names none of the topic's terms"
    abstract = str(paper.get("abstract", ""))
    shown = "its abstract states what is shown" if claim_sentence(abstract) else "no abstract is stored"
    return {
        "key": paper["key"],
        "relevance": relevance(paper, terms),
        "quality": quality(paper),
        "reason": f"{topic}; {shown}.",
    }


@answers("lit-searcher/card")
def card(prompt: Prompt, how: Rehearsal) -> str:
    """What each abstract says, in its own sentences."""
    return dumps({"cards": [_card(p, how) for p in prompt.json("papers")]})


def _card(paper: dict[str, Any], how: Rehearsal) -> dict[str, Any]:
    abstract = str(paper["abstract"])
    said = sentences(abstract)
    main = claim_sentence(abstract)
    facts = TOPICS[how.study.id]
    close = hits(text_of(paper), facts.terms)
    relation = "a method or result to compare with" if close >= len(facts.terms) // 3 else "background"
    return {
        "key": paper["key"],
        "claim": main,
        "method": said[0],
        "finding": said[-1],
        "limits": next((s for s in said if hits(s, LIMIT_WORDS)), ""),
        "relation": f"It is {relation} for the question about {facts.keywords[0]}: it names {close} of its terms.",
        "quotes": [passage(main)],
        "numbers": figures(abstract, MOST_FIGURES),
    }


@answers("lit-searcher/synthesis")
def synthesis(prompt: Prompt, how: Rehearsal) -> str:
    """Cards by the topic's themes; gaps tied to the cards that come nearest."""
    facts = TOPICS[how.study.id]
    cards: list[dict[str, Any]] = prompt.json("cards")
    placed: dict[str, list[str]] = {theme.name: [] for theme in facts.themes}
    for one in cards:
        best = max(facts.themes, key=lambda t: hits(_words(one), t.words))
        placed[best.name].append(one["key"])
    common = {theme.name: theme.common for theme in facts.themes}
    groups = [(name, keys) for name, keys in placed.items() if keys]
    if len(groups) < 2:  # all fell together: the older half and the younger half still differ
        keys = [c["key"] for c in sorted(cards, key=lambda c: (c["year"] or 0, c["key"]))]
        groups = [("Earlier work", keys[: len(keys) // 2] or keys), ("Later work", keys[len(keys) // 2 :])]
    clusters = [
        {
            "id": f"C{n}",
            "name": name,
            "theme": f"{len(keys)} of {len(cards)} cards.",
            "cards": keys,
            "agreement": f"By their own abstracts, {common.get(name, 'they ask about one method')}.",
            "difference": "Theory states rates, experiments state cases; none settles the case of this project.",
        }
        for n, (name, keys) in enumerate(groups, start=1)
    ]
    near = sorted(cards, key=lambda c: (-hits(_words(c), facts.terms), c["key"]))
    gaps = [
        {
            "id": f"G{n}",
            "statement": statement,
            "why_open": "The nearest cards stop at the whole method; none reports these parts side by side.",
            "cards": [c["key"] for c in near[(n - 1) * GAP_CARDS :][:GAP_CARDS]] or [near[0]["key"]],
            "test": test,
        }
        for n, (statement, test) in enumerate(facts.gaps, start=1)
    ]
    return dumps({"clusters": clusters, "gaps": gaps, "contradictions": []})


def _words(one: dict[str, Any]) -> str:
    return f"{one.get('title', '')} {one.get('claim', '')} {one.get('notes', '')}"
