"""The shipped guides, as blocks of prompts.

Belongs here: finding a guide by name. Not here: the guides (`knowledge/guides/`), a venue's form (`knowledge/venues/`).
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Literal

from agents.prompting import Block, own

KNOWLEDGE = Path(__file__).parent / "knowledge"
Guide = Literal["methodology", "statistics", "writing"]


@lru_cache(maxsize=8)
def guide(*names: Guide) -> Block:
    """The guides of these names as one block called `guide`."""
    texts = [(KNOWLEDGE / "guides" / f"{name}.md").read_text(encoding="utf-8").strip() for name in names]
    return own("guide", "\n\n".join(texts))
