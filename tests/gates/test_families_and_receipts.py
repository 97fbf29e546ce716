"""Who made a model, who is independent of whom, which receipts count."""

from __future__ import annotations

import pytest

from cockpit.kernel.reviews import Family
from gates.families import WORDS, families_in, model_family
from gates.independence import counts_at, independence

NAMES = {
    "anthropic/claude-opus-4-5": {"anthropic"},
    "us.anthropic.claude-3-5-sonnet-20241022-v2:0": {"anthropic"},
    "openai/gpt-5.2": {"openai"},
    "azure/gpt-4o-mini": {"openai"},
    "o3": {"openai"},
    "openai/o4-mini": {"openai"},
    "gpt-oss-120b": {"openai"},
    "groq/openai/gpt-oss-20b": {"openai"},
    "gemini/gemini-3-pro": {"google"},
    "vertex_ai/gemma-3-27b-it": {"google"},
    "ollama/deepseek-r1": {"deepseek"},
    "deepseek/deepseek-chat": {"deepseek"},
    "deepseek-ai/DeepSeek-R1-Distill-Llama-70B": {"deepseek", "meta"},
    "glm-4.6": {"zhipu"},
    "zai-org/GLM-4.5": {"zhipu"},
    "minimax-m2": {"minimax"},
    "moonshot/kimi-k2": {"moonshot"},
    "Qwen/Qwen3-235B-A22B": {"qwen"},
    "qwq-32b": {"qwen"},
    "qwen2.5-coder": {"qwen"},
    "xiaomi/mimo-v2": {"xiaomi"},
    "doubao-seed-1.6": {"bytedance"},
    "xai/grok-4": {"xai"},
    "meta-llama/Llama-3.3-70B-Instruct": {"meta"},
    "llama3.1": {"meta"},
    "mistral/mistral-large-2411": {"mistral"},
    "mistralai/Mixtral-8x7B": {"mistral"},
    "codestral-latest": {"mistral"},
    "microsoft/phi-4": {"microsoft"},
    "command-r-plus": {"cohere"},
    "bedrock/amazon.nova-pro-v1:0": {"amazon"},
    "hunyuan-large": {"tencent"},
    "ernie-4.5": {"baidu"},
    "01-ai/Yi-34B": {"yi"},
    "ibm/granite-3.3": {"ibm"},
    "jamba-1.5": {"ai21"},
    "olmo-2": {"allenai"},
    "tiiuae/falcon3-10b": {"tii"},
    "internlm2.5-20b": {"internlm"},
    "baichuan2-13b": {"baichuan"},
    "nvidia/llama-3.1-nemotron-ultra": {"meta", "nvidia"},
    "rehearsal/a": {"rehearsal-a"},
    "rehearsal/b": {"rehearsal-b"},
    # unknown is unknown, never probably another
    "": set(),
    "my-finetune": set(),
    "ollama/custom": set(),
    "openai/my-finetune": set(),
    "solar-pro": set(),
    "photo3": set(),
    "biogptx": set(),
    "claudette": set(),
    "gptq-model": set(),
    "o3mini": set(),
    "anthropic/": set(),
}


@pytest.mark.parametrize("name", sorted(NAMES))
def test_families_by_whole_words(name: str) -> None:
    assert set(families_in(name)) == NAMES[name]
    assert families_in(name) == families_in(name.upper())


def test_there_are_at_least_fifteen_families() -> None:
    assert len(WORDS) >= 15


def test_what_the_provider_reports_wins_and_contradiction_is_unknown() -> None:
    assert model_family("my-alias", reported="claude-opus-4-5") == Family(
        families=("anthropic",), grade="reported", why="reported as claude-opus-4-5"
    )
    liar = model_family("openai/gpt-5", reported="claude-3-haiku")
    assert (liar.families, liar.grade) == ((), "unknown")
    assert model_family("gpt-5").grade == "declared"
    assert model_family("gpt-5", declared="anthropic").grade == "unknown"
    assert model_family("my-model", declared="Mistral").families == ("mistral",)
    assert model_family("my-model").grade == "unknown"
    assert model_family("my-model", "api.openai.com/v1").grade == "unknown", "half the world speaks that protocol"
    assert model_family("my-model", "api.deepseek.com").families == ("deepseek",)
    assert model_family("rehearsal/b", reported="rehearsal/b").grade == "rehearsal"


def family(*names: str, grade: str = "reported") -> Family:
    return Family(families=names, grade=grade)  # type: ignore[arg-type]


RELATIONS = [
    (family("openai"), family("anthropic"), "independent"),
    (family("openai"), family("openai"), "provisional"),
    (family("deepseek", "meta"), family("meta"), "provisional"),
    (family("deepseek", "meta"), family("qwen"), "independent"),
    (family(), family("openai"), "unknown"),
    (family("openai"), family("anthropic", grade="unknown"), "unknown"),
    (family("rehearsal-a", grade="rehearsal"), family("rehearsal-b", grade="rehearsal"), "independent"),
    (family("rehearsal-a", grade="rehearsal"), family("rehearsal-a", grade="rehearsal"), "provisional"),
    (family("rehearsal-a", grade="rehearsal"), family("openai"), "unknown"),
]


@pytest.mark.parametrize(("author", "reviewer", "expected"), RELATIONS)
def test_independence_is_disjoint_known_sets_and_symmetric(author: Family, reviewer: Family, expected: str) -> None:
    assert independence(author, reviewer) == independence(reviewer, author) == expected


def test_what_counts_from_conference_ready() -> None:
    good = family("openai"), family("anthropic")
    assert counts_at("submission", *good)
    assert not counts_at("conference-ready", family("openai", grade="declared"), good[1])
    assert not counts_at("conference-ready", good[0], good[0])
    rehearsal = family("rehearsal-a", grade="rehearsal"), family("rehearsal-b", grade="rehearsal")
    assert counts_at("polished", *rehearsal)
    assert not counts_at("conference-ready", *rehearsal)
