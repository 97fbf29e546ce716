"""The sections of a rehearsal paper, built from outline, plan, results, tests and cards of the prompt.

Belongs here: sound prose, one function a section. Not here: values (`measured_words.py`), faults (`planting.py`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from agents.latex_text import counted, escape, listed, ordinal
from agents.rehearsal.measured_words import Known, name, said
from agents.rehearsal.studies import Study
from cockpit.kernel.plan import Component, Condition, Hypothesis

Cards = Sequence[dict[str, Any]]
RELATED_SHOWN = 12
_WE = re.compile(r"^(?:In this (?:paper|work|article|note|study),? )?we (?P<verb>[a-z]+) (?P<rest>.+)$", re.IGNORECASE)
_THIS = re.compile(r"^This (?:paper|article|work|note|study) (?P<verb>[a-z]+)s (?P<rest>.+)$", re.IGNORECASE)
_PLAIN = re.compile(r"^[A-Za-z ,;:()'’.-]+$")
# words that point at text which a single sentence leaves behind
_LEANS = re.compile(
    r"\b(?:this|these|those|such|here|above|however|it|aforementioned|former|latter|also|then|further|therefore|"
    r"thus|moreover|furthermore)\b",
    re.IGNORECASE,
)
_OUR = ((r"\bour\b", "their"), (r"\bwe\b", "they"), (r"\bus\b", "them"))


def abstract(k: Known, study: Study, cards: Cards) -> str:
    """One paragraph: question, how, what came out, and that the data are synthetic."""
    if k.unpublishable or not k.values:
        return (
            f"{_question(k)} We set out to answer this with {escape(study.method)}, on {escape(study.setting)}."
            " The experiments could not be carried out, so this report supports no claim about the question.\n"
        )
    first = _baseline(k)
    parts = [
        _question(k),
        f"We study {escape(study.method)} on synthetic data: {escape(study.setting)}.",
        f"Conditions, measures and tests were fixed beforehand, and every condition ran with {_seeds(k)}.",
        k.pair(k.main, first) if first else "",
        k.difference(k.main, first) if first else "",
        _verdict_summary(k),
        _ablation_summary(k),
    ]
    return " ".join(p for p in parts if p) + "\n"


def introduction(k: Known, study: Study, cards: Cards) -> str:
    """Why, what is asked, what this paper adds."""
    near = _cite(cards[:3])
    more = _cite(cards[3:6])
    asked = "\n".join(f"\\item {escape(q)}" for q in study.sub_questions)
    adds = [f"a comparison of {escape(study.method)} with {_names(k.of_kind('baseline')) or 'its baselines'},"
            " fixed in a plan before the runs that carry the claims"]  # fmt: skip
    if k.of_kind("ablation"):
        adds.append(
            f"{counted(len(k.of_kind('ablation')), 'ablation')}, each of which takes one part of the method away"
        )
    adds.append("code and raw results for every number that is printed")
    return (
        f"Small problems are where a method's recommendations are used most and tested least. {_question(k)}"
        f" The question has a long history{near}, and its practical side is still discussed{more}."
        " What is often missing is a study in which every part of a recipe is taken away in turn,"
        " the comparison is fixed before the results are seen, and each printed number can be traced to a run.\n\n"
        f"We look at {escape(study.setting)}, where the truth is known and each run takes seconds, and ask:\n"
        f"\\begin{{itemize}}\n{asked}\n\\end{{itemize}}\n\n"
        f"The paper adds {listed(adds)}."
        " Section~\\ref{sec:method} describes the conditions, Section~\\ref{sec:experiments} what came out,"
        " and Section~\\ref{sec:limitations} what cannot be concluded.\n"
    )


def related_work(k: Known, study: Study, cards: Cards) -> str:
    """What earlier papers say, each in a sentence of its own."""
    told = [t for card in cards if (t := _told(card))]
    chosen = told[:RELATED_SHOWN]
    cut = (len(chosen) + 1) // 2
    rest = [c for c in cards if not _told(c)][: max(0, 8 - len(chosen))]
    paragraphs = [
        "\\paragraph{Nearest work.} The papers nearest to our question treat the same ingredients as"
        f" {escape(study.method)},"
        f" often in larger or more idealised problems. {' '.join(chosen[:cut])}",
        f"\\paragraph{{Background.}} Others bear on how such methods are tuned and judged. {' '.join(chosen[cut:])}"
        + (f" Further background is found in {_citet(rest)}." if rest else ""),
        "None of them isolates the parts of the recipe in the small setting that we look at,"
        " with the comparison fixed in advance; this is the gap that the present study fills.",
    ]
    return "\n\n".join(paragraphs) + "\n"


def method(k: Known, study: Study, cards: Cards) -> str:
    """The method, its parts, the conditions, how results are summarised."""
    parts = "\n".join(_component(k, c) for c in k.outline.components)
    conditions = "\n".join(f"\\item[{escape(c.label)}] {_note(study, c)}" for c in k.plan.conditions)
    data = " ".join(f"{_upper(escape(d.name))}: {escape(d.description)}" for d in k.plan.datasets)
    components = (
        (
            f"\\paragraph{{Components.}} The method has {counted(len(k.outline.components), 'part')} to which its"
            f" behaviour is credited:\n\\begin{{itemize}}\n{parts}\n\\end{{itemize}}\n\n"
        )
        if parts
        else ""
    )
    return (
        f"The method is {escape(study.method)}. It is studied on {escape(study.setting)}.\n\n"
        f"{components}"
        f"\\paragraph{{Data.}} {data} All data are synthetic.\n\n"
        "\\paragraph{Conditions.} The plan lists these conditions:\n"
        f"\\begin{{description}}\n{conditions}\n\\end{{description}}\n\n"
        f"\\paragraph{{Measures.}} {_measures(k)} With $S$ seeds and $m_{{c,s}}$ the value of a measure in condition"
        " $c$"
        " under seed $s$, tables show the mean\n"
        "\\begin{equation}\n\\bar m_c = \\frac{1}{S} \\sum_{s} m_{c,s},\n\\end{equation}\n"
        "and conditions are compared by the paired differences $m_{c,s} - m_{c',s}$, since the same seed draws the same"
        " data in every condition.\n"
    )


def experiments(k: Known, study: Study, cards: Cards) -> str:
    """What came out: main comparison, hypotheses, ablations, control, cost."""
    if k.unpublishable or not k.values:
        return (
            "The conditions of Section~\\ref{sec:method} were planned and their code was written, but the runs did not"
            " give results that a claim could rest on. No number is reported.\n"
        )
    parts = [_setup(k), _main_results(k), _tested(k), _ablations(k), _control(k), _cost(k)]
    return "\n\n".join(p for p in parts if p) + "\n"


def limitations(k: Known, study: Study, cards: Cards) -> str:
    """What the study cannot show."""
    seeds = (f"Each condition ran with {_seeds(k)}; small effects cannot be told from noise at this size."
             if k.seeds else "No run gave a result.")  # fmt: skip
    return (
        f"{' '.join(escape(x) for x in study.limits)} {seeds}"
        " The conclusions hold for the setting that was run; how far they carry over to measured data was not"
        " looked at."
        " The comparison was fixed in advance, which protects against chance findings but not against a question"
        " that was put too narrowly.\n"
    )


def conclusion(k: Known, study: Study, cards: Cards) -> str:
    """The answer, as far as there is one."""
    if k.unpublishable or not k.values:
        return "The question is still open: nothing was measured. The plan and the code are ready to be run again.\n"
    first = _baseline(k)
    parts = [
        f"We asked whether {escape(study.method)} keeps its promise on {escape(study.setting)}.",
        k.pair(k.main, first) if first else "",
        _verdict_summary(k),
        _ablation_summary(k),
        "Whether the same holds beyond this setting is a question for further data, not for further tuning.",
    ]
    return " ".join(p for p in parts if p) + "\n"


SECTIONS: dict[str, Callable[[Known, Study, Cards], str]] = {
    "abstract": abstract,
    "introduction": introduction,
    "related_work": related_work,
    "method": method,
    "experiments": experiments,
    "limitations": limitations,
    "conclusion": conclusion,
}


# --- pieces --------------------------------------------------------------------------------------------------------


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def _question(k: Known) -> str:
    return escape(k.plan.question)


def _seeds(k: Known) -> str:
    return counted(k.seeds, "seed")


def _baseline(k: Known) -> Condition | None:
    same = [c for c in k.of_kind("baseline") if c.compares_to in (None, k.main.id)]
    return next(iter(same or k.of_kind("baseline")), None)


def _names(conditions: Sequence[Condition]) -> str:
    return listed(said(c) for c in conditions)


def _cite(cards: Cards) -> str:
    return f" \\citep{{{','.join(c['key'] for c in cards)}}}" if cards else ""


def _citet(cards: Cards) -> str:
    return listed(f"\\citet{{{c['key']}}}" for c in cards)


def _told(card: dict[str, Any]) -> str:
    """What a paper says, by its card, as a sentence with its citation; empty if that needs more than plain words."""
    claim = " ".join(str(card.get("claim", "")).split())
    said_here = _WE.sub(r"\g<rest>", _THIS.sub(r"\g<rest>", claim))
    if not 30 <= len(claim) <= 260 or not _PLAIN.match(claim) or _LEANS.search(said_here):
        return ""
    alone = len(card.get("authors", ())) == 1
    cited = f"\\citet{{{card['key']}}}"
    if found := _WE.match(claim):
        verb = _third(found["verb"]) if alone else found["verb"].lower()
        return f"{cited} {verb} {_theirs(found['rest'])}"
    if found := _THIS.match(claim):
        verb = f"{found['verb'].lower()}s" if alone else found["verb"].lower()
        return f"{cited} {verb} {_theirs(found['rest'])}"
    return f"In the words of {cited}, ``{claim.rstrip('.')}''."


def _third(verb: str) -> str:
    verb = verb.lower()
    irregular = {"have": "has", "are": "is", "do": "does"}
    if verb in irregular:
        return irregular[verb]
    if verb.endswith("y") and verb[-2:-1] not in "aeiou":
        return f"{verb[:-1]}ies"
    return f"{verb}es" if verb.endswith(("s", "x", "ch", "sh", "o")) else f"{verb}s"


def _theirs(rest: str) -> str:
    for pattern, word in _OUR:
        rest = re.sub(pattern, word, rest)
    return rest if rest.endswith(".") else f"{rest}."


def _component(k: Known, component: Component) -> str:
    ablation = k.plan.condition(component.ablation) if component.ablation else None
    if ablation is None:
        return f"\\item \\textbf{{{escape(component.name)}}}: it contributes to the behaviour of the method throughout."
    return f"\\item \\textbf{{{escape(component.name)}}}: taken away in the condition {said(ablation)}."


def _note(study: Study, condition: Condition) -> str:
    note = study.notes.get(condition.id, condition.kind)
    return escape(_upper(note.rstrip("."))) + "."


def _measures(k: Known) -> str:
    better = {"lower": "lower is better", "higher": "higher is better", "none": "no direction is better"}
    told = [
        f"{name(m)} on the {escape(m.split)} split ({better[m.direction]}{_a_cost(k, m.name)})" for m in k.plan.metrics
    ]
    return f"Reported are {listed(told)}."


def _a_cost(k: Known, metric: str) -> str:
    return "; a cost" if metric in k.plan.efficiency else ""


def _setup(k: Known) -> str:
    table = k.float_of("table")
    shown = f" Table~{table['refer']} holds the means." if table else ""
    ran = f"All conditions ran with {_seeds(k)} and the same data for the same seed."
    return f"\\paragraph{{Main comparison.}} {ran}{shown}"


def _main_results(k: Known) -> str:
    placed = [f["place"] for f in k.floats if f["kind"] == "table" and f["made"] == "by code"][:1]
    sentences = []
    for baseline in k.of_kind("baseline"):
        against = (k.plan.condition(baseline.compares_to) if baseline.compares_to else None) or k.main
        sentences += [k.pair(against, baseline, macro=True), k.difference(against, baseline)]
    figures = [f for f in k.floats if f["kind"] == "figure"]
    if figures:
        sentences.append(f"Figure~{figures[0]['refer']} shows all conditions with their spread.")
    text = " ".join(s for s in sentences if s)
    return "\n\n".join([text, *placed, *(f["place"] for f in figures)])


def _tested(k: Known) -> str:
    told = [t for h in k.hypotheses if (t := _test(k, h))]
    return f"\\paragraph{{Hypotheses.}} {' '.join(told)}" if told else ""


def _test(k: Known, h: Hypothesis) -> str:
    verdict = k.verdict(h)
    if not verdict:
        return ""
    ended = {"supported": "is supported", "refuted": "is refuted"}.get(verdict, "could not be decided")
    statement = escape(h.statement.rstrip("."))
    return f"Hypothesis {h.id}, that {_lowered(statement)}, {ended} by the test that the plan fixed for it."


def _lowered(statement: str) -> str:
    first = statement.split(" ", 1)[0]
    return statement if first.isupper() else statement[:1].lower() + statement[1:]


def _ablations(k: Known) -> str:
    ablations = k.of_kind("ablation")
    if not ablations:
        return ""
    table = next((f for f in k.floats if f["kind"] == "table" and f["made"] == "by hand"), None)
    shown = f" (Table~{table['refer']})" if table else ""
    told = []
    for c in ablations:
        word = _EFFECTS[k.better(k.main, c)]
        told.append(
            f"Without {escape(c.component or c.label)}, {said(c)} reaches {k.typed(c)} in mean {name(k.metric)},"
            f" {word}."
        )
    first = f"Each ablation takes one part away and leaves the rest as it is{shown}."
    text = f"\\paragraph{{Ablations.}} {first} {' '.join(told)}"
    return f"{text}\n\n{table['place']}" if table else text


_EFFECTS: dict[bool | None, str] = {
    True: "so the method loses by it",
    False: "so the method does not need it here",
    None: "which is no difference at the printed precision",
}


def _control(k: Known) -> str:
    control = k.plan.condition(k.plan.positive_control)
    if control is None or k.mean(control) is None:
        return ""
    as_it_must = k.better(k.main, control)
    told = ("worse than the method, as it must be if the measure means anything" if as_it_must
            else "not worse than the method, so the measure itself is in doubt")  # fmt: skip
    return f"\\paragraph{{Control.}} {said(control)} reaches {k.macro(control)} in mean {name(k.metric)}: {told}."


def _cost(k: Known) -> str:
    costs = [m for m in k.plan.metrics if m.name in k.plan.efficiency]
    first = _baseline(k)
    told = [k.pair(k.main, first, m, macro=True).replace("The mean ", "The mean number of ", 1) for m in costs if first]
    told = [t for t in told if t]
    return f"\\paragraph{{Cost.}} {' '.join(told)} Counts do not depend on the machine." if told else ""


def _verdict_summary(k: Known) -> str:
    words: dict[str, list[str]] = {"supported": [], "refuted": [], "inconclusive": []}
    for number, h in enumerate(k.hypotheses):
        words.get(k.verdict(h), []).append(f"the {ordinal(number)}")
    told = [f"{listed(ids)} {'was' if len(ids) == 1 else 'were'} {'left undecided' if word == 'inconclusive' else word}"
            for word, ids in words.items() if ids]  # fmt: skip
    return f"Of the hypotheses fixed beforehand, {listed(told)}." if told else ""


def _ablation_summary(k: Known) -> str:
    needed = [escape(c.component) for c in k.of_kind("ablation") if c.component and k.better(k.main, c)]
    spare = [escape(c.component) for c in k.of_kind("ablation") if c.component and k.better(k.main, c) is False]
    told = []
    if needed:
        told.append(f"taking away {listed(needed)} made the method worse")
    if spare:
        told.append(f"it did not suffer from taking away {listed(spare)}")
    return f"Among its parts, {listed(told)}." if told else ""
