"""Replies as models really write them: syntax is forgiven, values are never made up."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field

from agents import structured
from agents.structured import Unreadable

PLACES = [folder / "shared" / "data" / "llm_output" for folder in Path(__file__).parents]
DATA = next((place for place in PLACES if place.is_dir()), PLACES[0])


class Verdict(BaseModel):
    model_config = ConfigDict(extra="forbid")
    met: Literal["met", "not-met", "refuted"]
    why: str
    probability: float = Field(ge=0, le=1)


class Loose(BaseModel):
    model_config = ConfigDict(extra="allow")


GOOD = {"met": "met", "why": "Table 2 says so: {0.41}", "probability": 0.5}
BARE = json.dumps(GOOD)


@pytest.mark.parametrize(
    "reply",
    [
        BARE,
        f"  \n{json.dumps(GOOD, indent=2)}\n",
        f"```json\n{BARE}\n```",
        f"```\n{BARE}\n```",
        f"~~~json\n{BARE}\n~~~",
        f"Sure! Here it is:\n\n```json\n{BARE}\n```\nLet me know {{if}} it helps.",
        f"Here it is: {BARE} Hope that helps.",
        f"<think>Maybe {{'met': 'refuted'}}? no</think>\n{BARE}",
        f"so the answer is not-met... wait</think>{BARE}",
        f"```json\n{BARE}\n```\nAgain, as asked:\n```json\n{BARE}\n```",
        f"```python\nprint(1)\n```\n```json\n{BARE}\n```",
        BARE.replace('"met": "met"', "'met': 'met'"),
        BARE.replace("}", ",}").replace("{0.41,}", "{0.41}"),
        BARE.replace('{"met"', "{met"),
        '{\n  "met": "met", // the verdict\n  "why": "Table 2 says so: {0.41}",\n  "probability": 0.5\n}',
        BARE.replace('"probability": 0.5', '"probability": 5e-1'),
        BARE[:-1].replace('"probability": 0.5', '"probability": 0.5')[: -0 or None] + "\n}",
        '{"met": "met", "probability": 0.5, "why": "Table 2 says so: {0.41}"',
        f"\ufeff{BARE}",
        BARE.replace("{", "{\r\n", 1),
    ],
)
def test_ordinary_manners_are_forgiven(reply: str) -> None:
    found = structured.value(reply.lstrip("\ufeff"), Verdict)
    assert found.model_dump() == GOOD


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "met",
        "{}",
        "[]",
        "null",
        "I think it is met, with probability 0.5.",
        '{"met": "met"}',
        '{"met": "met", "why": "x"}',
        '{"met": "met", "why": "x", "probability": }',
        '{"met": , "why": "x", "probability": 0.5}',
        '{"met": "met", "why": "x", "probability": 0.',
        '{"met": "met", "why": "x", "probability": 1.5}',
        '{"met": "met", "why": "x", "probability": NaN}',
        '{"met": "met", "why": "x", "probability": "high"}',
        '{"met": "met", "why": "x", "probability": null}',
        '{"met": "met", "why": "x", "probability": true}',
        '{"met": "Met!", "why": "x", "probability": 0.5}',
        '{"met": "met or not-met", "why": "x", "probability": 0.5}',
        '{"met": "not-met", "met": "met", "why": "x", "probability": 0.5}',
        "{'met': 'not-met', 'met': 'met', 'why': 'x', 'probability': 0.5,}",
        f"{BARE}\n{BARE.replace(chr(34) + 'met' + chr(34) + ',', chr(34) + 'refuted' + chr(34) + ',')}",
        '{"met": "met", "why": "x", "probability": 0.5, "score": 10}',
        '{"met": "met", "why": "and then it was cut o',
        f"<think>{BARE}</think>",
        f"<think>{BARE}",
        '{"met": "met", "why": "x", "probability": 1/2}',
        '{"met": "met", "why": "x", "probability": 1,2}',
        '{"properties": {"met": {"enum": ["met"]}}, "required": ["met"]}',
    ],
)
def test_what_is_not_a_verdict_never_becomes_one(reply: str) -> None:
    with pytest.raises(Unreadable) as error:
        structured.value(reply, Verdict)
    assert error.value.errors and all(error.value.errors)


@given(st.text(max_size=200) | st.text(alphabet="{}[]\":,'`met-no why0.5probability\n\\", max_size=120))
@settings(max_examples=200, deadline=None)
def test_garbage_never_passes(text: str) -> None:
    with pytest.raises(Unreadable):
        structured.value(text, Verdict)


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_a_damaged_reply_passes_only_with_the_values_it_held(data: st.DataObject) -> None:
    text = json.dumps({"met": "refuted", "why": "the 'row' {x} is gone", "probability": 0.25}, indent=1)
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(text) - 1))
        text = text[:at] + data.draw(st.sampled_from(["", '"', ",", "}", "{", "\n", "'"])) + text[at + 1 :]
    try:
        found = structured.value(text, Verdict)
    except Unreadable:
        return
    assert found.met == "refuted"
    assert (
        found.probability in {0.25, 0.2, 0.5, 25.0, 0.0, 2.0, 5.0}
        and str(found.probability).rstrip("0") in f"{text} 0."
    )


@given(
    st.dictionaries(st.text(min_size=1, max_size=8), st.none() | st.booleans() | st.integers() | st.text(max_size=20))
)
@settings(max_examples=100, deadline=None)
def test_valid_json_is_taken_as_it_is(value: dict[str, Any]) -> None:
    assert structured.value(json.dumps(value), Loose).model_dump() == value


def test_errors_quote_the_field() -> None:
    with pytest.raises(Unreadable) as error:
        structured.value('{"met": "yes", "why": "x"}', Verdict)
    said = "\n".join(error.value.errors)
    assert "met:" in said and "yes" in said and "probability: Field required" in said


FENCED = "\\section{Intro}\nWe see \\res{a/b/c/d}.\n"


@pytest.mark.parametrize(
    "reply",
    [
        f"```latex\n{FENCED}```",
        f"Here:\n```tex\n{FENCED}```\nDone.",
        f"```LaTeX\n{FENCED}```",
        f"```\n{FENCED}```",
        f"````latex\n{FENCED}````",
        f"<think>```latex\nno\n```</think>```latex\n{FENCED}```",
        f"```json\n{{}}\n```\n```latex\n{FENCED}```",
        f"  ```latex\n{FENCED}  ```",
    ],
)
def test_one_fenced_block(reply: str) -> None:
    assert structured.fenced(reply, "latex") == FENCED


@pytest.mark.parametrize(
    "reply", ["", FENCED, f"```latex\n{FENCED}", "```latex\n\n```", f"```latex\n{FENCED}```\n" * 2]
)
def test_not_one_block(reply: str) -> None:
    with pytest.raises(Unreadable):
        structured.fenced(reply, "latex")


def test_markdown_may_hold_fences() -> None:
    inner = "# T\n```python\nx = 1\n```\nend\n"
    assert structured.fenced(f"```markdown\n{inner}```", "markdown") == inner


def test_files() -> None:
    reply = 'Two files.\n```python file=scripts/run.py\nimport a\n```\nand\n```text file="scripts/a.py"\nx = 1\n```\n'
    assert structured.files(reply) == {"scripts/a.py": "x = 1\n", "scripts/run.py": "import a\n"}


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "../x.py", "a/../../x", "a//b", "a\\b", ".git/hooks/x", "a/./b", "a b"]
)
def test_a_file_cannot_leave_its_folder(path: str) -> None:
    with pytest.raises(Unreadable):
        structured.files(f"```python file='{path}'\nx\n```")


def test_one_path_twice_is_refused() -> None:
    with pytest.raises(Unreadable, match="twice"):
        structured.files("```python file=a.py\nx\n```\n```python file=a.py\ny\n```")


@given(st.text(max_size=300))
@settings(max_examples=100, deadline=None)
def test_readers_only_raise_what_they_say(text: str) -> None:
    for read in (lambda t: structured.fenced(t, "latex"), structured.files):
        with contextlib.suppress(Unreadable):
            read(text)


def _texts() -> list[str]:
    texts = []
    for path in sorted(p for p in DATA.rglob("*") if p.is_file()):
        raw = path.read_text(encoding="utf-8", errors="replace")
        texts.append(raw)
        if path.suffix == ".jsonl":
            texts += [str(json.loads(line).get("input") or line) for line in raw.splitlines() if line.strip()]
    return texts


@pytest.mark.skipif(not DATA.is_dir(), reason="no shared data: model replies")
def test_real_replies_raise_nothing_else() -> None:
    read, verdicts = 0, 0
    for text in _texts():
        for reader in (
            lambda t: structured.value(t, Loose),
            lambda t: structured.fenced(t, "python"),
            structured.files,
        ):
            try:
                reader(text)
                read += 1
            except Unreadable as error:
                assert error.errors
        with contextlib.suppress(Unreadable):
            structured.value(text, Verdict)
            verdicts += 1
    assert read > 50
    assert verdicts == 0
