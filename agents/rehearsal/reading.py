"""What a rehearsal model sees: the step it was asked, the data blocks of the prompt, its own seed.

Belongs here: reading a prompt back into step and blocks, the randomness an answer may use. Not
here: answers (`answers/`), choosing them (`brain.py`).
"""

from __future__ import annotations

import json
import random
import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from cockpit.kernel.model import sha256
from cockpit.kernel.settings import Fault

if TYPE_CHECKING:
    from agents.rehearsal.studies import Study

TASK = re.compile(r"^# Task ([a-z-]+/[a-z0-9_-]+): ?(.*)$", re.MULTILINE)
BEGIN = re.compile(r"^--- begin ([a-z][a-z0-9_.-]*) \[([0-9a-f]+)\] ---$", re.MULTILINE)


@dataclass(frozen=True)
class Prompt:
    """A request as a model reads it. `blocks`: name → text; a name that comes twice is `name`, `name#2`, …"""

    step: str  # exp-planner/plan
    title: str
    text: str  # the whole user message
    blocks: dict[str, str] = field(default_factory=dict)
    system: str = ""
    model: str = ""  # rehearsal/a
    tries: int = 1  # 2 and more: the earlier reply was not usable, `complaint` says why
    complaint: str = ""

    @property
    def revising(self) -> bool:
        """Does the step have obligations to meet? Faults are never planted then."""
        return bool(self.blocks.get("obligations", "").strip())

    def json(self, name: str) -> Any:
        """The JSON value in a block.

        Raises:
            KeyError: no such block.
            ValueError: the block holds no JSON.
        """
        return json.loads(self.blocks[name])

    def all(self, name: str) -> list[str]:
        """The texts of all blocks of that name, in order."""
        return [text for key, text in self.blocks.items() if key == name or key.startswith(f"{name}#")]


@dataclass(frozen=True)
class Rehearsal:
    """How a rehearsal run is played: the study, the seed that chooses, the faults to plant."""

    study: Study
    seed: int
    faults: frozenset[Fault]

    def rng(self, name: str) -> random.Random:
        """Randomness of its own for each `name`, the same for the same seed."""
        return random.Random(int(sha256(f"{self.seed}\0{name}")[:16], 16))

    @cached_property
    def clean(self) -> bool:
        """Is nothing to be planted?"""
        return not self.faults


def read(messages: list[dict[str, Any]], model: str = "") -> Prompt:
    """The prompt in chat `messages`: the first user message that begins a task, and later complaints.

    Raises:
        ValueError: no message begins with `# Task <agent>/<step>:`.
    """
    texts = [(str(m.get("role")), _text(m.get("content"))) for m in messages]
    system = "\n".join(text for role, text in texts if role == "system")
    asked = [text for role, text in texts if role == "user"]
    task = next((text for text in asked if text.startswith("# Task ")), None)
    found = TASK.match(task) if task is not None else None
    if task is None or found is None:
        raise ValueError("no message begins with “# Task <agent>/<step>:”")
    tries = 1 + sum(role == "assistant" for role, _ in texts)
    complaint = asked[-1] if tries > 1 else ""
    return Prompt(found[1], found[2].strip(), task, _blocks(task), system, model, tries, complaint)


def _blocks(text: str) -> dict[str, str]:
    """Blocks by name. Only the first marker counts: another one was written by outside text."""
    blocks: dict[str, str] = {}
    marker = None
    at = 0
    while begin := BEGIN.search(text, at):
        name, at = begin[1], begin.end()
        marker = marker or begin[2]
        if begin[2] != marker:
            continue
        end = text.find(f"\n--- end {name} [{marker}] ---", at)
        if end < 0:
            continue
        key, n = name, 1
        while key in blocks:
            n += 1
            key = f"{name}#{n}"
        blocks[key] = text[at + 1 : end]
        at = end
    return blocks


def _text(content: Any) -> str:
    if isinstance(content, list):  # the parts form of the wire format
        return "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return "" if content is None else str(content)
