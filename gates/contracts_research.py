"""Contracts of stages 1 to 9: idea, literature, hypotheses, plan.

Belongs here: one function a demand of `run.md`; each yields sentences that say what and where. Not here:
the table (`contracts.py`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from math import isfinite
from typing import Any

from cockpit.kernel.levels import EFFORTS, KEPT_PAPERS_FLOOR, EffortLimits
from cockpit.kernel.plan import ExperimentPlan, Hypothesis
from cockpit.kernel.protocols import Tree
from cockpit.kernel.stages import BY_NUMBER
from cockpit.kernel.view import RunView
from gates.artifacts import (
    CARDS,
    HYPOTHESES,
    PAPERS,
    PLAN,
    SHORTLIST,
    hypotheses_of,
    papers_of,
    plan_of,
    report_of,
    shortlist_of,
    text_of,
)
from gates.cards import front_matter
from gates.fingerprints import normal_text

SOURCE_STATES = frozenset({"ok", "empty", "limited", "down", "not-asked"})
KINDS = frozenset({"empirical", "theory", "survey"})


def topic(tree: Tree, view: RunView) -> Iterator[str]:
    """1: topic, scope, constraints, a measurable outcome; domain and kind; ethics, dual use, rights noted."""
    where, said = _report(tree, 1)
    for name in (
        "topic",
        "in_scope",
        "constraints",
        "outcome",
        "measures",
        "domain",
        "ethics",
        "dual_use",
        "data_rights",
    ):
        if not said.get(name):
            yield f"{where}: {name} is not said"
    if said.get("kind") not in KINDS:
        yield f"{where}: kind is {said.get('kind')!r}, not one of {', '.join(sorted(KINDS))}"


def searched_first(tree: Tree, view: RunView) -> Iterator[str]:
    """2: searched before it was judged."""
    where, said = _report(tree, 2)
    if not said.get("searches") and not said.get("sources"):
        yield f"{where}: no search was made before judging"


def sub_questions(tree: Tree, view: RunView) -> Iterator[str]:
    """2: at least three ranked sub-questions."""
    where, said = _report(tree, 2)
    parts = _list(said.get("sub_questions"))
    ranks = [p.get("rank") for p in parts if isinstance(p, dict)]
    if len(parts) < 3:
        yield f"{where}: {len(parts)} sub-questions, at least 3 are needed"
    elif None in ranks or len(set(ranks)) != len(ranks):
        yield f"{where}: the sub-questions are not ranked"


def novelty(tree: Tree, view: RunView) -> Iterator[str]:
    """2: a novelty score in [0, 1], tied to named neighbours."""
    where, said = _report(tree, 2)
    value = said.get("novelty_score")
    if not _share(value):
        yield f"{where}: novelty_score is {value!r}, not a number in [0, 1]"
    neighbours = _list(said.get("neighbours"))
    if not neighbours and said.get("papers_seen") != 0:
        yield f"{where}: the novelty score names no neighbour"


def strategies(tree: Tree, view: RunView) -> Iterator[str]:
    """3: at least two strategies."""
    where, said = _report(tree, 3)
    found = _list(said.get("strategies"))
    if len(found) < 2:
        yield f"{where}: {len(found)} search strategies, at least 2 are needed"


def probed(tree: Tree, view: RunView) -> Iterator[str]:
    """3: each source probed, with its state."""
    where, said = _report(tree, 3)
    states = said.get("sources")
    if not isinstance(states, dict) or not states:
        yield f"{where}: no source was probed"
        return
    for name, state in sorted(states.items()):
        if state not in SOURCE_STATES:
            yield f"{where}: source {name} is {state!r}, not one of {', '.join(sorted(SOURCE_STATES))}"


def candidates(tree: Tree, view: RunView) -> Iterator[str]:
    """4: the effort's number of candidates, merged; or exhausted, and said so."""
    papers = papers_of(tree)
    if papers.value is None:
        yield papers.problem
        return
    _, said = _report(tree, 4)
    wanted = _limits(view).candidates
    if len(papers.value) < wanted and said.get("exhausted") is not True:
        yield f"{PAPERS}: {len(papers.value)} of {wanted} candidates, and nothing says that the sources are exhausted"
    for name in ("key", "doi", "arxiv_id"):
        values = [v.casefold() for p in papers.value if (v := getattr(p, name))]
        yield from (f"{PAPERS}: two records have {name} {v}" for v in sorted(_repeated(values)))
    titles = _repeated([normal_text(p.title) for p in papers.value])
    yield from (f"{PAPERS}: two records have the title “{title[:80]}”" for title in sorted(titles))


def screened(tree: Tree, view: RunView) -> Iterator[str]:
    """5: relevance and quality both scored, with reasons, on stored records."""
    entries, papers = shortlist_of(tree), papers_of(tree)
    if entries.value is None or papers.value is None:
        yield entries.problem or papers.problem
        return
    known = {p.key for p in papers.value}
    for entry in entries.value:
        if not (_share(entry.relevance) and _share(entry.quality)):
            yield f"{SHORTLIST}: {entry.key} has a score outside [0, 1]"
        if not entry.reason.strip():
            yield f"{SHORTLIST}: {entry.key} has no reason"
        if entry.key not in known:
            yield f"{SHORTLIST}: {entry.key} is no stored record"
    yield from (f"{SHORTLIST}: {key} stands there twice" for key in sorted(_repeated([e.key for e in entries.value])))


def kept(tree: Tree, view: RunView) -> Iterator[str]:
    """5: at least 20 kept at every effort, or all there are, and said so."""
    entries, papers = shortlist_of(tree), papers_of(tree)
    if entries.value is None or papers.value is None:
        return
    count = len({e.key for e in entries.value if e.kept})
    if count >= KEPT_PAPERS_FLOOR:
        return
    where, said = _report(tree, 5)
    if count < len(papers.value):
        yield f"{SHORTLIST}: {count} papers kept of {len(papers.value)}; at least {KEPT_PAPERS_FLOOR}, or all, must be"
    elif not said.get("reason"):
        yield f"{where}: only {count} papers, and nothing says that there are no more"


def cards(tree: Tree, view: RunView) -> Iterator[str]:
    """6: one card a kept paper; its quotes stand in the stored text."""
    entries, papers = shortlist_of(tree), papers_of(tree)
    if entries.value is None or papers.value is None:
        yield entries.problem or papers.problem
        return
    stored = {p.key: normal_text(p.abstract) for p in papers.value}
    for key in (e.key for e in entries.value if e.kept):
        card = text_of(tree, f"{CARDS}{key}.md")
        if card.value is None:
            yield card.problem
            continue
        front = front_matter(card.value)
        if front is None or front.get("key") != key:
            yield f"{CARDS}{key}.md has no front matter with key {key}"
            continue
        lost = [q for q in _list(front.get("quotes")) if normal_text(str(q)) not in stored.get(key, "")]
        yield from (f"{CARDS}{key}.md: its quote “{str(q)[:60]}” is not in the stored text" for q in lost)


def synthesis(tree: Tree, view: RunView) -> Iterator[str]:
    """7: clusters, and at least two gaps, each tied to cards; nothing to cluster is said so."""
    where, said = _report(tree, 7)
    gaps, clusters = _list(said.get("gaps")), _list(said.get("clusters"))
    if said.get("cards") == 0:
        return
    if not clusters:
        yield f"{where}: no clusters"
    if len(gaps) < 2:
        yield f"{where}: {len(gaps)} gaps, at least 2 are needed"
    for gap in (g for g in gaps if isinstance(g, dict)):
        keys = [str(k) for k in _list(gap.get("cards"))]
        if not any(tree.exists(f"{CARDS}{key}.md") for key in keys):
            yield f"{where}: gap {gap.get('id')} is tied to no card"


def hypotheses(tree: Tree, view: RunView) -> Iterator[str]:
    """8: two to four falsifiable hypotheses: a predicted direction, and what would refute it."""
    read = hypotheses_of(tree)
    if read.value is None:
        yield read.problem
        return
    if not 2 <= len(read.value) <= 4:
        yield f"{HYPOTHESES}: {len(read.value)} hypotheses, 2 to 4 are needed"
    if not any(h.primary for h in read.value):
        yield f"{HYPOTHESES}: none is primary"
    for h in read.value:
        yield from _falsifiable(h)
    yield from (f"{HYPOTHESES}: {name} stands there twice" for name in sorted(_repeated([h.id for h in read.value])))


def _falsifiable(h: Hypothesis) -> Iterator[str]:
    if not h.statement.strip():
        yield f"{HYPOTHESES}: {h.id} says nothing"
    if not h.refuted_if.strip():
        yield f"{HYPOTHESES}: {h.id} does not say what would refute it"
    if h.prediction.left == h.prediction.right:
        yield f"{HYPOTHESES}: {h.id} compares {h.prediction.left} with itself"
    if h.prediction.relation == "different" and h.primary:
        yield f"{HYPOTHESES}: {h.id} is primary but predicts no direction"


def plan_parts(tree: Tree, view: RunView) -> Iterator[str]:
    """9: datasets, metrics (direction, unit, split), baselines, data rights."""
    read = plan_of(tree)
    if read.value is None:
        yield read.problem
        return
    plan = read.value
    kinds = [c.kind for c in plan.conditions]
    needed = (("datasets", plan.datasets), ("metrics", plan.metrics), ("tests", plan.tests),
              ("main condition", kinds.count("main")), ("baselines", kinds.count("baseline")),
              ("efficiency measures", plan.efficiency))  # fmt: skip
    yield from (f"{PLAN}: no {name}" for name, there in needed if not there)
    splits = {split for d in plan.datasets for split in d.splits}
    yield from (f"{PLAN}: data set {d.name} says nothing about rights" for d in plan.datasets if not d.rights.strip())
    yield from (f"{PLAN}: metric {m.name} is on split {m.split}, which no data set has" for m in plan.metrics
                if m.split not in splits)  # fmt: skip
    if plan.metrics and all(m.direction == "none" for m in plan.metrics):
        yield f"{PLAN}: no metric has a direction"


def plan_conditions(tree: Tree, view: RunView) -> Iterator[str]:
    """9: distinct conditions, the effort's number of ablations, a positive control."""
    plan = plan_of(tree).value
    if plan is None:
        return
    yield from (f"{PLAN}: condition {i} stands there twice" for i in sorted(_repeated([c.id for c in plan.conditions])))
    yield from (f"{PLAN}: label {i} stands there twice" for i in sorted(_repeated([c.label for c in plan.conditions])))
    ablations = [c for c in plan.conditions if c.kind == "ablation"]
    wanted = ablations_wanted(plan, _limits(view))
    if len(ablations) < wanted:
        yield f"{PLAN}: {len(ablations)} ablations, this effort asks for {wanted}"
    control = plan.condition(plan.positive_control)
    if control is None:
        yield f"{PLAN}: the positive control {plan.positive_control} is no condition"
    elif control.compares_to is not None and plan.condition(control.compares_to) is None:
        yield f"{PLAN}: the positive control compares to {control.compares_to}, which is no condition"


def ablations_wanted(plan: ExperimentPlan, limits: EffortLimits) -> int:
    """The effort's number; no more than the method has components (and at least one)."""
    components = max(1, len(plan.components))
    return components if limits.ablations < 0 else min(limits.ablations, components)


def plan_seeds(tree: Tree, view: RunView) -> Iterator[str]:
    """9: disjoint blocks of seeds, one for exploration and one for each round, of the effort's size."""
    plan = plan_of(tree).value
    if plan is None:
        return
    blocks, need = plan.seed_blocks, _limits(view).seeds
    if "exploration" not in blocks:
        yield f"{PLAN}: no block of seeds for exploration"
    rounds = [name for name in blocks if name != "exploration"]
    wanted = _rounds(view)
    if len(rounds) < wanted:
        yield f"{PLAN}: {len(rounds)} confirmatory blocks of seeds for {wanted} rounds"
    everything = [seed for seeds in blocks.values() for seed in seeds]
    yield from (f"{PLAN}: seed {seed} stands in two blocks" for seed in sorted(_repeated(everything)))
    yield from (f"{PLAN}: block {name} has {len(blocks[name])} seeds, {need} are needed" for name in sorted(rounds)
                if len(blocks[name]) < need)  # fmt: skip


def plan_tests(tree: Tree, view: RunView) -> Iterator[str]:
    """9: each hypothesis has a frozen test; tests and hypotheses speak of conditions and metrics of the plan."""
    plan, read = plan_of(tree).value, hypotheses_of(tree)
    if plan is None:
        return
    if read.value is None:
        yield read.problem
        return
    tested = {t.hypothesis for t in plan.tests}
    yield from (f"{PLAN}: hypothesis {h.id} has no test" for h in read.value if h.id not in tested)
    metrics = {m.name for m in plan.metrics}
    for test in plan.tests:
        c = test.comparison
        lost = [i for i in (c.left, c.right) if plan.condition(i) is None]
        yield from (f"{PLAN}: test {test.id} compares {i}, which is no condition" for i in lost)
        if c.metric not in metrics:
            yield f"{PLAN}: test {test.id} is on {c.metric}, which is no metric of the plan"
        if not 0 < test.alpha < 1:
            yield f"{PLAN}: test {test.id} has alpha {test.alpha}"


def _report(tree: Tree, number: int) -> tuple[str, dict[str, Any]]:
    path = BY_NUMBER[number].report
    return path, report_of(tree, path).value or {}


def _limits(view: RunView) -> EffortLimits:
    return EFFORTS[view.run.settings.effort] if view.run else EFFORTS["beast"]


def _rounds(view: RunView) -> int:
    if view.run is None or view.run.settings.rounds is None:
        return _limits(view).rounds
    return min(view.run.settings.rounds, 5)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _share(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and isfinite(value) and 0 <= value <= 1


def _repeated(values: list[Any]) -> set[Any]:
    return {value for value, times in Counter(values).items() if times > 1}
