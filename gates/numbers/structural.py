"""Numbers that claim nothing, each by a named rule: years, references, parts of names, formulas.

Belongs here: rules that need only the words around. Not here: the plan's constants (`constants.py`).
A rule must be narrow: it may never take a number that somebody could mistake for a result.
"""

from __future__ import annotations

import re

from gates.latex.blocks import CITATION, CLOSE, SUB, SUP
from gates.numbers.reading import PrintedNumber

NOT_COUNTED = frozenset({"axis-tick", "subscript", "exponent", "formula", "reference-number", "front-matter", "code"})
_REFERRED = re.compile(
    r"(?:\b(?:Tables?|Tabs?\.|Figs?\.?|Figures?|Sections?|Secs?\.|Eqs?\.?|Equations?|Algorithms?"
    r"|Appendix|Theorems?|Lemmas?|Propositions?"
    r"|Definitions?|Corollary|Chapters?|Steps?|Phases?|Stages?|Rounds?|Hypothes[ie]s|Lines?|Pages?"
    r"|pp?\.|Runs?|Experiments?|Cases?|Footnotes?"
    r"|Parts?|Questions?|RQ|Claims?|Assumptions?|Panels?|Columns?|Rows?|Layers?|Volume|Vol\.|No\."
    r"|Version|Level|Type|Claim|Task)|[第图表节])"
    r"[\s~\u00a0(#]*(?:\d+(?:\.\d+)?\s*(?:,|and|to|or|&|–|--?|和|至)+\s*)*\Z",
    re.I,
)
_NAME_BEFORE = re.compile(r"[A-Za-z_]\Z|[A-Za-z][A-Za-z0-9]*-\Z|[A-Za-z]\d*[./]\Z")
_YEAR_BEFORE = re.compile(
    r"(?:\b(?:in|since|until|by|from|of|year|before|after|during|and|late|early|mid)\s|©\s?"
    r"|[A-Z][\w.]+,?\s|[(\[]|;\s|,\s)\Z"
)
_VERSION = re.compile(
    r"\b(?:version|v|python|pytorch|numpy|scipy|cuda|ubuntu|linux|docker|tex ?live|jax|tensorflow"
    r"|scikit-learn|r)\s*\Z",
    re.I,
)
_IDENTIFIER = re.compile(r"(?:arxiv:|doi:|https?://|www\.|10\.\d{4,}/|@)\S*\Z", re.I)
_LEVEL_AFTER = re.compile(
    r"\s*(?:\(?two-sided\)?\s*)?(?:[A-Za-z-]+\s){0,2}?(?:confidence|CIs?\b|intervals?|credible)|\s*(?:的)?置信", re.I
)
_BOUNDS = re.compile(
    r"\b(?:between|from) 0(?:\.0)? (?:and|to) 1(?:\.0)?(?![\d.]*\d)"
    r"|[\[(]\s*-?\d+(?:\.\d+)?\s*,\s*-?\d+(?:\.\d+)?\s*[\])]"
)
_ASSIGNED = re.compile(
    r"\s*(?:[A-Za-z ,'’_\ue002-\ue004*λσαμρ\u0370-\u03ff-]*(?:\(\d+\)\s*)?(?:=|≈|<|>|≤|≥|:"
    r"|∈))?\s*[~∼≈<>≤≥]?\s*[+\-−±]?[\d.,]+[^A-Za-z]*\Z"
)
_SYMBOL = re.compile(r"(?:\b[a-zA-Z]|lambda|epsilon|alpha|beta|gamma|sigma|tau|eta|[\u0370-\u03ff])\s*=\s*\Z")
_SETTING = re.compile(
    r"\b(?:learning rate|batch size|epochs?|steps?|layers?|units?|hidden|dimensions?|heads?"
    r"|dropout|weight\w*|bias|momentum|beta|betas|lr"
    r"|timesteps?|iterations?|samples?|points?|seeds?|runs?|GPUs?|parameters?|prime|modulus|size"
    r"|rate|probability|schedule|warmup|decay"
    r"|threshold|vocabulary|updates?|split|training set|validation set|tokens?|neurons?|examples?"
    r"|embedding)\b",
    re.I,
)


def structural_rule(number: PrintedNumber) -> str | None:
    """The name of the rule by which the number claims nothing; None if it may be a claim."""
    return _by_place(number) or _by_neighbour(number) or _by_words(number)


def _by_place(number: PrintedNumber) -> str | None:
    if number.block.where == "figure":
        return "axis-tick"
    if number.block.where == "front":
        return "front-matter"
    plain, start = number.block.plain, number.start
    opened = max(plain.rfind(SUB, 0, start), plain.rfind(SUP, 0, start))
    if opened >= 0 and plain.rfind(CLOSE, 0, start) < opened:
        return "subscript" if plain[opened] == SUB else "exponent"
    if plain.count("`", 0, start) % 2 == 1 and "`" in plain[number.end :]:
        quoted = plain[plain.rfind("`", 0, start) : number.end]
        return (
            "code" if len(quoted) < 80 and "``" not in plain[max(0, plain.rfind("`", 0, start) - 1) : start] else None
        )
    return _formula(number)


def _formula(number: PrintedNumber) -> str | None:
    if not number.in_math:
        return None
    for start, end, display in number.block.math:
        if start <= number.start < end:
            inside = number.block.plain[start:end]
            if _ASSIGNED.fullmatch(inside):
                return None
            letters = re.search(r"[A-Za-z\u0370-\u03ff]", inside)
            return "formula" if letters or display else None
    return None


def _by_neighbour(number: PrintedNumber) -> str | None:
    plain, start, end = number.block.plain, number.start, number.end
    before, after = plain[max(0, start - 40) : start], plain[end : end + 40]
    if re.match(r"(?:st|nd|rd|th)\b", after):
        return "ordinal"
    if not number.in_math and number.is_integer and _NAME_BEFORE.search(before):
        return "name-part"
    if not number.in_math and re.search(r"[A-Z][A-Za-z]*-\Z", before) and not number.unit:
        return "name-part"
    if number.suffix_end == end and re.match(r"[A-Za-z]", after) and number.is_integer:
        return "name-part"
    if re.match(r"-\d\d-\d\d\b", after) or re.search(r"\b(?:19|20)\d\d-(?:\d\d-)?\Z", before):
        return "date"
    return "identifier" if _IDENTIFIER.search(before) else None


def _by_words(number: PrintedNumber) -> str | None:
    before, after = number.before, number.after
    if not number.unit and _REFERRED.search(before) and number.ulp >= 0 and len(number.text) <= 4:
        return "reference-number"
    if (
        number.is_integer
        and not number.unit
        and 1900 <= number.value <= 2099
        and len(number.text) == 4
        and (_YEAR_BEFORE.search(before) or after.lstrip().startswith(CITATION))
    ):
        return "year"
    if number.value in (80, 90, 95, 99) and number.unit == "percent" and _LEVEL_AFTER.match(after):
        return "confidence-level"
    if _VERSION.search(before) and len(number.text) <= 5:
        return "version"
    if number.value in (-1, 0, 1) and any(
        m.start() <= number.start < m.end() for m in _BOUNDS.finditer(number.block.plain)
    ):
        return "bounds"
    return _enumeration(number)


def _enumeration(number: PrintedNumber) -> str | None:
    plain = number.block.plain
    if not number.is_integer or number.value > 20 or number.value < 1:
        return None
    enclosed = plain[number.start - 1 : number.start] == "(" and plain[number.end : number.end + 1] == ")"
    if (
        enclosed
        and re.search(r"\(1\)", plain)
        and re.search(r"\(2\)", plain)
        and plain[number.end + 1 : number.end + 2] in " \u00a0"
    ):
        return "enumeration"
    before = plain[: number.start].rstrip(" ")
    opens = not before.strip() or before.endswith(("\n", ".", ":", ";"))
    return "enumeration" if opens and re.match(r"[.)]\s", plain[number.end :]) else None


def is_setting(number: PrintedNumber) -> bool:
    """In a paper checked without a plan: do the words beside the number name a setting?"""
    before, after = number.before[-30:], number.after[:30]
    return bool(_SETTING.search(before) or _SETTING.search(after) or _SYMBOL.search(before))
