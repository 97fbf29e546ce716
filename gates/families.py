"""Who made a model, by the whole words of its name.

Belongs here: the table of families and the one function that reads a model's name. Not here: whether
two families are independent (`independence.py`).

The table follows the names providers use; a word hits only as a whole token (`ollama` is not `llama`),
with an optional version (`qwen2.5`, `llama3`). Two families in one name are both (a merge or a
distillate is of neither alone); no hit is unknown, never "probably another".
"""

from __future__ import annotations

import re
from functools import lru_cache

from cockpit.kernel.reviews import Family, FamilyGrade

WORDS: dict[str, tuple[str, ...]] = {
    "anthropic": ("claude", "anthropic", "opus", "sonnet", "haiku"),
    "openai": ("gpt", "chatgpt", "codex", "openai", "davinci", "o1", "o3", "o4"),
    "google": ("gemini", "gemma", "palm", "bard", "medgemma", "codegemma"),
    "deepseek": ("deepseek",),
    "zhipu": ("glm", "chatglm", "zhipu", "zai"),
    "minimax": ("minimax", "abab"),
    "moonshot": ("kimi", "moonshot"),
    "qwen": ("qwen", "qwq", "qvq", "tongyi"),
    "xiaomi": ("mimo", "xiaomi"),
    "bytedance": ("doubao", "bytedance", "volcengine"),
    "xai": ("grok", "xai"),
    "meta": ("llama", "codellama", "meta"),
    "mistral": ("mistral", "mistralai", "mixtral", "codestral", "devstral", "magistral", "ministral", "pixtral"),
    "microsoft": ("phi", "wizardlm", "orca"),
    "cohere": ("command", "cohere", "aya"),
    "amazon": ("nova", "titan"),
    "nvidia": ("nemotron", "nvidia"),
    "tencent": ("hunyuan", "tencent"),
    "baidu": ("ernie", "baidu", "wenxin"),
    "yi": ("yi", "lingyiwanwu"),
    "ibm": ("granite", "ibm"),
    "ai21": ("jamba", "jurassic", "ai21"),
    "allenai": ("olmo", "tulu", "allenai"),
    "tii": ("falcon",),
    "internlm": ("internlm", "internvl"),
    "baichuan": ("baichuan",),
    "stepfun": ("stepfun",),
    "perplexity": ("sonar",),
}
NO_SUFFIX = frozenset({"o1", "o3", "o4", "ai21", "xai", "zai"})
# prefixes that say by which protocol or host a model is reached, not who made it
ROUTES = frozenset({"openai", "anthropic", "nvidia", "amazon", "cohere", "perplexity", "volcengine", "xai", "zai"})
REHEARSAL = re.compile(r"^rehearsal/([a-z])\b")
_SPLIT = re.compile(r"[^a-z0-9.]+|(?<!\d)\.|\.(?!\d)")
_VERSION = re.compile(r"^[0-9][0-9.]*[a-z]?$")


@lru_cache(maxsize=1024)
def families_in(name: str) -> tuple[str, ...]:
    """All families that `name` names, sorted; empty = none that we know."""
    rehearsal = REHEARSAL.match(name.lower())
    if rehearsal:
        return (f"rehearsal-{rehearsal[1]}",)
    path = name.lower().split("/")
    found = _hits(path[-1])
    for part in path[:-1]:
        found |= _hits(part) if part not in ROUTES else set()
    return tuple(sorted(found))


def model_family(model: str, route: str = "", *, reported: str = "", declared: str | None = None) -> Family:
    """The makers of `model`, and how well that is known.

    Args:
        model: the name that was asked for (litellm form, with or without a provider's prefix).
        route: provider or host it is reached by; counts only when the model's name says nothing.
        reported: the name the provider gave in its reply; wins over what was asked.
        declared: a family from the configuration; used only when no name says anything.
    """
    asked, told = families_in(model), families_in(reported) if reported else ()
    if told and asked and not set(told) & set(asked):
        return Family(families=(), grade="unknown", why=f"asked for {model}, the provider reports {reported}")
    if told:
        return _known(told, "reported", f"reported as {reported}")
    if declared and asked and declared.lower() not in asked:
        return Family(families=(), grade="unknown", why=f"declared {declared}, but {model} names {', '.join(asked)}")
    if asked:
        return _known(asked, "declared", f"configured as {model}")
    if declared:
        return _known((declared.lower(),), "declared", f"declared for {model}")
    routed = tuple(sorted(_hits(route.lower()) - {"openai"}))  # half the world speaks OpenAI's protocol
    if routed:
        return _known(routed, "declared", f"reached by {route}")
    return Family(families=(), grade="unknown", why=f"no known family in {model or 'an empty name'}")


def _known(families: tuple[str, ...], grade: FamilyGrade, why: str) -> Family:
    if all(f.startswith("rehearsal-") for f in families):
        return Family(families=families, grade="rehearsal", why=why)
    return Family(families=families, grade=grade, why=why)


def _hits(part: str) -> set[str]:
    tokens = [t for t in _SPLIT.split(part) if t]
    return {family for family, words in WORDS.items() if any(_is(word, token) for word in words for token in tokens)}


def _is(word: str, token: str) -> bool:
    if token == word:
        return True
    if word in NO_SUFFIX or not token.startswith(word):
        return False
    return bool(_VERSION.match(token[len(word) :]))
