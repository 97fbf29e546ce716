"""Names: how conditions, metrics, aggregates, parameters and tests are called in a paper.

Belongs here: finding what a stretch of words mentions. Not here: numbers (`reading.py`), what a
mention binds (`binding.py`).
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal, NamedTuple

from cockpit.kernel.plan import Condition
from gates.registry import Registry

MentionKind = Literal["condition", "metric", "aggregate", "split", "test"]
_WORD = re.compile(r"[A-Za-z]+|\d+(?:\.\d+)?|[\u4e00-\u9fff]|[\u0370-\u03ff]")
_DIGIT = re.compile(r"\d")
_LABELLED = re.compile(r"([A-Za-z\u0370-\u03ff]+)\s*=\s*(\d+(?:\.\d+)?)")
_CUT = re.compile(r"\s*(?:[,(:;@|]|\bat\b|\bwith\b|—|–)\s*")
FILLERS = frozenset({"at", "with", "for", "of", "the", "a", "an", "on", "when", "where", "using", "in"})
METRIC_WORDS: dict[str, tuple[str, ...]] = {
    "rmse": ("rmse", "root mean squared error", "root mean square error", "均方根误差"),
    "mse": ("mse", "mean squared error", "mean square error", "均方误差"),
    "mae": ("mae", "mean absolute error", "平均绝对误差"),
    "accuracy": ("accuracy", "acc", "准确率"),
    "acc": ("accuracy", "acc", "准确率"),
    "coverage": ("coverage", "coverage rate", "coverage probability", "覆盖率"),
    "loss": ("loss", "损失"),
    "f1": ("f1", "f1 score", "f score"),
    "auc": ("auc", "auroc", "area under the curve"),
    "r2": ("r2", "coefficient of determination"),
    "width": ("width", "interval width", "length"),
    "nll": ("nll", "negative log likelihood"),
    "perplexity": ("perplexity", "ppl"),
    "bias": ("bias",),
    "kl": ("kl divergence", "kullback leibler divergence", "kl"),
    "regret": ("regret",),
}
AGGREGATE_WORDS: dict[tuple[str, ...], tuple[str, ...]] = {
    ("mean",): ("mean", "average", "avg", "averaged", "averages", "均值", "平均", "平均值"),
    ("median",): ("median", "中位数"),
    ("std", "std0"): ("std", "standard deviation", "sd", "stdev", "std dev", "s d", "标准差"),
    ("stderr",): ("stderr", "standard error", "sem", "standard error mean", "标准误", "标准误差"),
    ("ci", "ci-low", "ci-high"): ("ci", "confidence interval", "confidence", "置信区间"),
    ("min",): ("min", "minimum", "smallest", "最小", "最小值"),
    ("max",): ("max", "maximum", "largest", "最大", "最大值"),
    ("count",): ("count",),
}
SPLIT_WORDS = {"train": "training", "val": "validation", "test": "held-out"}
# words that mean the same parameter, whatever its key in the plan
PARAMETER_FAMILIES: tuple[tuple[str, ...], ...] = (
    ("n", "n train", "rows", "size", "samples", "training samples", "training examples", "observations", "examples",
     "data points", "sample size", "training points", "training rows", "个样本", "样本", "个观测", "样本量"),
    ("p", "d", "features", "dimensions", "predictors", "covariates", "dim", "个特征", "特征", "维"),
    ("lambda", "λ", "penalty", "regularisation strength", "regularization strength"),
    ("sigma", "σ", "noise level", "noise", "noise standard deviation"),
    ("rho", "ρ", "correlation"),
    ("alpha", "α"),
    ("lr", "learning rate", "step size", "学习率"),
    ("epochs", "epoch"),
    ("steps", "iterations", "training steps", "gradient steps", "步"),
    ("batch", "batch size"),
    ("k", "folds", "fold", "neighbours", "neighbors"),
    ("b", "resamples", "bootstrap resamples", "replicates", "bootstrap samples"),
    ("trials", "repetitions", "replications"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Mention:
    """Something named at [start, end) of a text: one of `ids`."""

    kind: MentionKind
    start: int
    end: int
    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ParameterMention:
    """A parameter named beside a number: `n = 20`, `20 samples`. `names` = keys of plan parameters it may be."""

    names: tuple[str, ...]
    value: Decimal
    start: int
    end: int


class _Word(NamedTuple):
    text: str
    start: int
    end: int


@dataclass(slots=True)
class _Name:
    words: tuple[str, ...]
    kind: MentionKind
    ids: tuple[str, ...]
    rank: int


def words_of(text: str) -> list[_Word]:
    """The words of a text, lower case, singular, with their places; without fillers."""
    found = []
    lower = text.lower()
    for match in _WORD.finditer(lower if len(lower) == len(text) else text):
        word = match.group()
        if len(word) > 3 and word[-1] == "s" and word[-2] != "s":
            word = word[:-1]
        if word not in FILLERS:
            found.append(_Word(word, match.start(), match.end()))
    return found


@functools.lru_cache(maxsize=4096)  # pure: the same names are asked for at each check
def _phrase(text: str) -> tuple[str, ...]:
    return tuple(w.text for w in words_of(text))


@dataclass
class Vocabulary:
    """The names of one registry."""

    registry: Registry
    _names: dict[str, list[_Name]] = field(default_factory=dict)
    _parameters: dict[str, list[tuple[tuple[str, ...], tuple[str, ...]]]] = field(default_factory=dict)
    _seen: dict[str, list[Mention]] = field(default_factory=dict)
    _like: dict[str, tuple[str, ...]] = field(default_factory=dict)
    _words: dict[str, list[_Word]] = field(default_factory=dict)
    _valued: dict[str, list[ParameterMention]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        names: dict[tuple[MentionKind, tuple[str, ...]], _Name] = {}
        for rank, kind, ident, text in self._all():
            words = _phrase(text)
            known = names.get((kind, words))
            if not words or (known and known.rank < rank):
                continue
            ids = (
                (ident,)
                if known is None or known.rank > rank
                else (*known.ids, *([ident] if ident not in known.ids else []))
            )
            names[kind, words] = _Name(words, kind, ids, rank)
        for name in sorted(names.values(), key=lambda n: (-len(n.words), n.rank, n.kind, n.words)):
            self._names.setdefault(name.words[0], []).append(name)
        meant: dict[tuple[str, ...], list[str]] = {}
        measured = {n.words for named in self._names.values() for n in named if n.kind == "metric"}
        for key in self.parameters:
            for words in {_phrase(text): None for text in self._words_of(key)}:
                if words and words not in measured:
                    meant.setdefault(words, []).append(key)
        for words, keys in sorted(meant.items(), key=lambda m: (-len(m[0]), m[0])):
            self._parameters.setdefault(words[0], []).append((words, tuple(keys)))

    @property
    def parameters(self) -> tuple[str, ...]:
        """Keys of the plan's parameters."""
        plan = self.registry.plan
        return tuple(sorted({k for c in plan.conditions for k in c.parameters})) if plan else ()

    def _words_of(self, key: str) -> list[str]:
        """How a parameter may be called: its key, what labels call it ("n=20"), and the words of its family."""
        names = [key, key.replace("_", " "), *self._symbols(key)]
        own = {" ".join(_phrase(n)) for n in names}
        families = [f for f in PARAMETER_FAMILIES if own & {" ".join(_phrase(w)) for w in f}]
        return [*names, *(w for f in families for w in f)]

    def _symbols(self, key: str) -> list[str]:
        """What labels call a parameter: the name before "=" wherever the value after it is the parameter's."""
        plan = self.registry.plan
        said: dict[str, bool] = {}
        for condition in plan.conditions if plan else ():
            for name, value in _LABELLED.findall(condition.label):
                agrees = str(condition.parameters.get(key)) in (value, f"{value}.0")
                said[name] = said.get(name, True) and agrees
        return [name for name, always in said.items() if always]

    # names ------------------------------------------------------------------------------------
    def _all(self) -> Iterable[tuple[int, MentionKind, str, str]]:
        plan = self.registry.plan
        planned = {str(c.id): c for c in plan.conditions} if plan else {}
        for condition in dict.fromkeys([*self.registry.conditions, *planned]):
            yield from self._of_condition(condition, planned.get(condition))
        for metric in self.registry.metrics:
            yield from self._of_metric(metric)
        for aggregates, texts in AGGREGATE_WORDS.items():
            for aggregate in aggregates:
                for text in texts:
                    yield 0, "aggregate", aggregate, text
        for split in self.registry.splits if len(self.registry.splits) > 1 else ():
            yield 0, "split", split, split
            yield 1, "split", split, SPLIT_WORDS.get(split, split)
        for test in plan.tests if plan else ():
            yield 0, "test", test.id, test.id
            yield 1, "test", test.id, test.hypothesis

    def _of_condition(self, id: str, condition: Condition | None) -> Iterable[tuple[int, MentionKind, str, str]]:
        yield 0, "condition", id, id
        if condition is None:
            return
        yield 0, "condition", id, condition.label
        for word in condition.short_words:
            yield 1, "condition", id, word
        head = _CUT.split(condition.label)[0]
        if len(head) > 1 and head != condition.label:
            yield 2, "condition", id, head
        if condition.component:
            for prefix in ("without", "no", "removing", "minus", "w/o", "ablating", "去掉", "无"):
                yield 2, "condition", id, f"{prefix} {condition.component}"
        if condition.kind == "baseline":
            yield 3, "condition", id, "baseline"
            yield 3, "condition", id, "基线"
        if condition.kind == "main":
            for word in ("our method", "ours", "proposed method", "full method", "full model"):
                yield 3, "condition", id, word

    def _of_metric(self, metric: str) -> Iterable[tuple[int, MentionKind, str, str]]:
        spaced = re.sub(r"[_\-.]+", " ", metric)
        yield 0, "metric", metric, spaced
        for suffix in (" mean", " avg", " score", " rate"):
            yield 1, "metric", metric, spaced.removesuffix(suffix)
        for part in (metric.lower(), *_phrase(spaced)):
            for text in METRIC_WORDS.get(part, ()):
                yield (0 if part == metric.lower() else 2), "metric", metric, text
                if part != metric.lower():
                    rest = " ".join(w for w in spaced.lower().split() if w != part)
                    yield 1, "metric", metric, f"{rest} {text}"
        if any(w in metric.lower() for w in ("error", "rmse", "mse", "mae")):
            yield 4, "metric", metric, "error"
            yield 4, "metric", metric, "误差"

    def learn(self, label: str, condition: str) -> None:
        """From now on `label` names `condition`."""
        words = _phrase(label)
        if words and not any(n.words == words for n in self._names.get(words[0], ())):
            names = self._names.setdefault(words[0], [])
            names.append(_Name(words, "condition", (condition,), 2))
            names.sort(key=lambda n: (-len(n.words), n.rank, n.kind, n.words))
            self._seen.clear()

    def is_name(self, text: str) -> bool:
        """Does a text name metrics, splits or aggregates and nothing else? (Units in brackets aside.)"""
        text = re.sub(r"[(\[].*", "", text)
        spans = [(m.start, m.end) for m in self.mentions(text) if m.kind in ("metric", "split", "aggregate")]
        return bool(spans) and all(any(a <= w.start < b for a, b in spans) for w in self._split(text))

    def metric_like(self, text: str) -> tuple[str, ...]:
        """Metrics whose words are what a table head abbreviates ("Infer Time (s)" is inference_time)."""
        if text not in self._like:
            head = [w for w in _phrase(re.sub(r"[(\[].*", "", text)) if len(w) > 1]
            scored = [(self._likeness(head, _phrase(re.sub(r"[_\-.]+", " ", m))), m) for m in self.registry.metrics]
            best = max((score for score, _ in scored), default=0.0)
            self._like[text] = tuple(m for score, m in scored if score == best) if best > 0 else ()
        return self._like[text]

    @staticmethod
    def _likeness(head: list[str], metric: tuple[str, ...]) -> float:
        """Share of the metric's words that the head abbreviates; 0 if a word of the head is none of them."""
        hit = {m for h in head for m in metric if m.startswith(h) or (len(m) > 2 and h.startswith(m))}
        missed = [h for h in head if not any(m.startswith(h) or (len(m) > 2 and h.startswith(m)) for m in metric)]
        return len(hit) / len(metric) if hit and not missed else 0.0

    def _split(self, text: str) -> list[_Word]:
        words = self._words.get(text)
        if words is None:
            words = self._words[text] = words_of(text)
        return words

    # looking ----------------------------------------------------------------------------------
    def mentions(self, text: str) -> list[Mention]:
        """What `text` names, longest names first, without overlap, in order of place."""
        known = self._seen.get(text)
        if known is None:
            known = self._seen[text] = self._look(text)
        return known

    def _look(self, text: str) -> list[Mention]:
        words = self._split(text)
        found: list[Mention] = []
        i = 0
        while i < len(words):
            best = self._best(words, i)
            if not best:
                i += 1
                continue
            end = words[i + len(best[0].words) - 1].end
            found.extend(Mention(name.kind, words[i].start, end, name.ids) for name in best)
            i += len(best[0].words)
        return found

    def _best(self, words: list[_Word], i: int) -> list[_Name]:
        """The longest names that begin at word `i` (several if of different kinds)."""
        best: list[_Name] = []
        for name in self._names.get(words[i].text, ()):
            if best and len(name.words) < len(best[0].words):
                break
            if all(i + k < len(words) and words[i + k].text == w for k, w in enumerate(name.words)):
                best.append(name)
        return best

    def parameter_mentions(self, text: str) -> list[ParameterMention]:
        """Parameters with a value beside them."""
        if not self._parameters or not _DIGIT.search(text):
            return []
        known = self._valued.get(text)
        if known is None:
            known = self._valued[text] = self._look_for_values(text)
        return known

    def _look_for_values(self, text: str) -> list[ParameterMention]:
        words = self._split(text)
        found: list[ParameterMention] = []
        for i, word in enumerate(words):
            for phrase, keys in self._parameters.get(word.text, ()):
                if not all(i + k < len(words) and words[i + k].text == w for k, w in enumerate(phrase)):
                    continue
                value = self._value_beside(text, words, i, len(phrase))
                if value is not None:
                    end = words[i + len(phrase) - 1].end
                    start, end = min(word.start, value.start), max(end, value.end)
                    found.append(ParameterMention(keys, Decimal(value.text), start, end))
                    break
        return found

    @staticmethod
    def _value_beside(text: str, words: list[_Word], i: int, length: int) -> _Word | None:
        last = words[i + length - 1]
        after = words[i + length] if i + length < len(words) else None
        if (
            after
            and after.text[0].isdigit()
            and re.fullmatch(r"\s*(?:[=≈:]|is|of|was|to|set to|equal to|为|是|取)?\s*", text[last.end : after.start])
        ):
            return after
        before = words[i - 1] if i else None
        if (
            before
            and before.text[0].isdigit()
            and len(words[i].text) > 1
            and not text[before.end : words[i].start].strip(" -~\u2009\u00a0")
        ):
            return before
        return None


def narrow(ids: tuple[str, ...], parameters: Iterable[ParameterMention], registry: Registry) -> tuple[str, ...]:
    """Those of `ids` whose parameters agree with what is mentioned; all of them if none does."""
    for mention in parameters:
        kept = tuple(i for i in ids if any(registry.parameter(i, n) == mention.value for n in mention.names))
        ids = kept or ids
    return ids
