"""Surroundings: the sentence, paragraph and table a number stands in, and what they mention.

Belongs here: which conditions, metrics and aggregates the words around a number name, nearest first.
Not here: values (`judging.py`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TypeVar

from gates.latex.blocks import Block
from gates.numbers.reading import PrintedNumber, Reading
from gates.numbers.vocabulary import Mention, MentionKind, ParameterMention, Vocabulary

STRICT_HEADING = re.compile(
    r"\b(?:experiment|result|conclusion|evaluation|ablation|analysis|findings|abstract)|实验|结果|结论|评估|消融|摘要|分析",
    re.I,
)
_REFERENCE = re.compile(
    r"(?:\bthan|\bover|\bversus|\bvs\.?|\bagainst|\bcompared (?:to|with)|\brelative to"
    r"|\boutperform(?:s|ed|ing)?|\bbeat(?:s|ing)?"
    r"|\bimprov\w+ (?:on|upon|over)|\bsurpass\w*|\bfrom|相比|比|较|优于|低于|高于)(?:\s+(?:the|that of"
    r"|an?))*\s*$",
    re.I,
)
_AFTER_LINK = re.compile(r"\s*(?:[)\]]?\s*)(?:for|with|by|under|of|using|from)\s+(?:the\s+)?\Z", re.I)
_AT_LINK = re.compile(
    r"[\s$)\]]*(?:\([^()]*\)[\s$]*)?\(?(?:(?:at|for|with|when|on|under|using|in)\s+)?(?:only\s+)?\$?\s*", re.I
)
_RESPECTIVELY = re.compile(r"\brespectively\b|分别", re.I)
_HEDGED = re.compile(
    r"\b(?:hypothes\w+|predict\w*|expect\w*|refuted? if|whether|would|should|might|may|could|if"
    r"|suppose|assum\w+|conjecture\w*)\b"
    r"|假设|预期|预测|是否|如果|可能",
    re.I,
)


AnyMention = TypeVar("AnyMention", Mention, ParameterMention)


@dataclass(slots=True, eq=False)
class Sentence:
    """A sentence (or a heading, caption …) with what it names. Places are in its own text."""

    block: Block
    start: int
    end: int
    text: str
    mentions: list[Mention]
    parameters: list[ParameterMention]
    numbers: list[PrintedNumber] = field(default_factory=list)

    def of(self, kind: MentionKind) -> list[Mention]:
        return [m for m in self.mentions if m.kind == kind]

    @property
    def hedged(self) -> bool:
        """Does it say what would be, not what is?"""
        return bool(_HEDGED.search(self.text))

    @property
    def cites(self) -> tuple[str, ...]:
        """Keys cited in it."""
        return tuple(k for at, keys in self.block.cites if self.start <= at < self.end for k in keys)

    def is_reference(self, mention: Mention) -> bool:
        """Is the mention what something is compared to ("than OLS")?"""
        return bool(_REFERENCE.search(self.text[: mention.start]))


@dataclass(slots=True)
class Surroundings:
    """All sentences of a paper, made when asked for."""

    reading: Reading
    vocabulary: Vocabulary
    _sentences: dict[tuple[int, int], Sentence] = field(default_factory=dict)
    _numbers: dict[int, list[PrintedNumber]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for number in self.reading.numbers:
            self._numbers.setdefault(id(number.block), []).append(number)

    def sentence(self, block: Block, position: int) -> Sentence:
        """The sentence of `block` that holds `position`."""
        start, end = block.sentence(position)
        known = self._sentences.get((id(block), start))
        if known is None:
            text = block.plain[start:end]
            known = Sentence(
                block,
                start,
                end,
                text,
                self.vocabulary.mentions(text),
                self.vocabulary.parameter_mentions(text),
                [n for n in self._numbers.get(id(block), ()) if start <= n.start < end],
            )
            self._sentences[id(block), start] = known
        return known

    def before(self, sentence: Sentence) -> Sentence | None:
        """The sentence before, in the same block."""
        return self.sentence(sentence.block, sentence.start - 1) if sentence.start > 0 else None

    def sentences(self, block: Block) -> list[Sentence]:
        """The sentences of a block."""
        starts = [0, *block.stops()[:-1]] if block.plain else []
        return [self.sentence(block, s) for s in starts if s < len(block.plain)]

    def inherited(self, sentence: Sentence, kind: MentionKind) -> list[Mention]:
        """Mentions of `kind` from the nearest earlier sentence of the paragraph that has any; then the last heading."""
        earlier = self.before(sentence)
        while earlier is not None:
            if found := earlier.of(kind):
                return found
            earlier = self.before(earlier)
        for heading in reversed(sentence.block.headings):
            if found := [m for m in self.vocabulary.mentions(heading) if m.kind == kind]:
                return found
        return []

    def parameters(self, sentence: Sentence, position: int) -> list[ParameterMention]:
        """Parameter mentions that hold at `position`: of each parameter the last before it, else the first after it,
        else the last of an earlier sentence of the paragraph."""
        chosen: dict[tuple[str, ...], ParameterMention] = {}
        for mention in sentence.parameters:
            if mention.end <= position or mention.names not in chosen:
                chosen[mention.names] = mention
        earlier = self.before(sentence)
        while earlier is not None and not chosen:
            for mention in earlier.parameters:
                chosen[mention.names] = mention
            earlier = self.before(earlier)
        return list(chosen.values())

    def parameters_for(self, number: PrintedNumber, sentence: Sentence) -> list[ParameterMention]:
        """Parameter mentions that hold for a number: right after it ("0.27 at n=50"), else as `parameters` says."""
        chosen = {m.names: m for m in self.parameters(sentence, number.start - sentence.start)}
        end = _whole_end(number) - sentence.start
        linked = next((m for m in sentence.of("condition") if m.start >= end), None)
        if linked is not None and _AFTER_LINK.fullmatch(sentence.text[end : linked.start]):
            end = linked.end
        for mention in sentence.parameters:
            if mention.start >= end and _AT_LINK.fullmatch(sentence.text[end : mention.start]):
                chosen[mention.names] = mention
                break
        for names in list(chosen):
            paired = _paired(number, sentence, [m for m in sentence.parameters if m.names == names])
            chosen[names] = paired or chosen[names]
        return list(chosen.values())


def is_strict(number: PrintedNumber) -> bool:
    """Does the number stand where a wrong one is critical? (abstract, tables, captions, results, conclusion)"""
    if number.block.where in ("abstract", "caption", "table", "title") or number.grid is not None:
        return True
    return any(STRICT_HEADING.search(h) for h in number.block.headings)


def conditions_of(
    number: PrintedNumber, sentence: Sentence, around: Surroundings
) -> tuple[list[tuple[str, ...]], bool]:
    """Candidate sets of condition ids for a number in prose, best first; whether only the first may count."""
    mentions = sentence.of("condition")
    if not mentions:
        inherited = around.inherited(sentence, "condition")
        return [m.ids for m in inherited], False
    place, place_end = number.start - sentence.start, _whole_end(number) - sentence.start
    paired = _paired(number, sentence, mentions)
    if paired is not None:
        return [paired.ids], True
    after = [m for m in mentions if m.start >= place_end]
    if after and _AFTER_LINK.fullmatch(sentence.text[place_end : after[0].start]):
        return [after[0].ids], True
    before = [m for m in mentions if m.end <= place]
    if not before:
        free = [m for m in after if not _taken(m, number, sentence)]
        if not free:
            return [m.ids for m in around.inherited(sentence, "condition")], False
        return [m.ids for m in free], len(free) == 1
    return _preceding(number, sentence, before, mentions)


def _taken(mention: Mention, number: PrintedNumber, sentence: Sentence) -> bool:
    """Does another number have the mention right after it ("0.47 for OLS")?"""
    others = [n for n in sentence.numbers if n.start > number.start and n is not number.spread]
    ends = [n.suffix_end - sentence.start for n in others if n.suffix_end - sentence.start <= mention.start]
    return bool(ends) and bool(_AFTER_LINK.fullmatch(sentence.text[ends[-1] : mention.start]))


def _preceding(
    number: PrintedNumber, sentence: Sentence, before: list[Mention], mentions: list[Mention]
) -> tuple[list[tuple[str, ...]], bool]:
    nearest = before[-1]
    between = sentence.text[nearest.end : number.start - sentence.start]
    rest = [m for m in reversed(mentions) if m is not nearest]
    versus = _versus(number, sentence)
    if versus is not None and len(before) >= 2:
        first, second = before[-2], before[-1]
        order = [first, second] if versus == 0 else [second, first]
        return [m.ids for m in order], False
    if re.search(r"\b(?:from|to)\s+\$?$", between) and len(mentions) > 1:
        return [nearest.ids, *(m.ids for m in rest)], False
    if sentence.is_reference(nearest) and not re.fullmatch(r"[^,;]{0,40}[(]?\s*", between):
        return [*(m.ids for m in rest), nearest.ids], False
    if sentence.is_reference(nearest) and "(" not in between and len(before) > 1:
        return [nearest.ids, *(m.ids for m in rest)], False
    return [nearest.ids], True


def _versus(number: PrintedNumber, sentence: Sentence) -> int | None:
    """0 or 1: the number's place in a pair "0.41 vs. 0.47"; None if it is in none."""
    after = sentence.text[_whole_end(number) - sentence.start :][:24]
    if re.match(r"\s*(?:vs\.?|versus|compared (?:to|with)|against)\s*-?\d", after, re.I):
        return 0
    before = sentence.text[: number.start - sentence.start][-48:]
    return 1 if re.search(r"\d[^A-Za-z]*(?:vs\.?|versus|compared (?:to|with)|against)\s*\Z", before, re.I) else None


def _whole_end(number: PrintedNumber) -> int:
    return number.spread.suffix_end if number.spread is not None else number.suffix_end


def _paired(number: PrintedNumber, sentence: Sentence, mentions: list[AnyMention]) -> AnyMention | None:
    """The mention that a number is paired with by order, in a sentence that says "respectively"."""
    if len(mentions) < 2 or not _RESPECTIVELY.search(sentence.text):
        return None
    alike = [
        n
        for n in sentence.numbers
        if n.spread_of is None
        and n.unit == number.unit
        and n.is_integer == number.is_integer
        and not names_something(n, sentence)
    ]
    return mentions[alike.index(number)] if number in alike and len(alike) == len(mentions) else None


def names_something(number: PrintedNumber, sentence: Sentence) -> bool:
    """Is the number a part of a name or parameter (`n=20`)?"""
    place = number.start - sentence.start
    spans = [(m.start, m.end) for m in sentence.parameters] + [(m.start, m.end) for m in sentence.of("condition")]
    return any(start <= place < end for start, end in spans)


def nearest(number: PrintedNumber, sentence: Sentence, kind: MentionKind) -> Mention | None:
    """The mention of `kind` a number in prose goes with: right after it, else last before, else first after."""
    mentions = sentence.of(kind)
    place, place_end = number.start - sentence.start, _whole_end(number) - sentence.start
    after = [m for m in mentions if m.start >= place_end]
    if after and not sentence.text[place_end : after[0].start].strip(" ~(\u2009"):
        return after[0]
    before = [m for m in mentions if m.end <= place]
    return before[-1] if before else after[0] if after else None


def aggregate_of(number: PrintedNumber, sentence: Sentence) -> Mention | None:
    """The aggregate that a number in prose is called: between the number before and it, or right after it.

    "The standard deviation of A is 0.1, that of B 0.2": *that* takes up what was said.
    """
    mentions = sentence.of("aggregate")
    place, place_end = number.start - sentence.start, _whole_end(number) - sentence.start
    after = [m for m in mentions if m.start >= place_end]
    if after and not sentence.text[place_end : after[0].start].replace("on", "").strip(" ~\u2009"):
        return after[0]
    before = [m for m in mentions if m.end <= place]
    said = [n for n in sentence.numbers if n.start < number.start and n is not number.spread_of]
    last = max((_whole_end(n) - sentence.start for n in said if not names_something(n, sentence)), default=0)
    here = [m for m in before if m.start >= last]
    if not here and re.search(r"\bthat (?:of|for)\b|\bthose\b", sentence.text[last:place]):
        here = before
    return here[-1] if here else None
