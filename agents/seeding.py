"""Seeds of an experiment: disjoint blocks, one to explore and one to confirm in each round.

Belongs here: making the blocks from the run's settings. Not here: when a block is used up (executors).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from cockpit.kernel.model import canonical, sha256
from cockpit.kernel.settings import Settings

ROUNDS = 5
BLOCK, SPAN = 100, 1000  # a block may hold up to 100 seeds; a run's blocks lie within one thousand
STARTS = 9000


def seed_blocks(settings: Settings, size: int) -> dict[str, tuple[int, ...]]:
    """`exploration` and `round-1` … `round-5`, each of `size` (≤ 100) seeds, from the setting `seed`.

    A rehearsal's own seed and study shift them too, so that another rehearsal measures other data.
    """
    start = SPAN * (1 + _offset(settings))
    names = ["exploration", *(f"round-{n}" for n in range(1, ROUNDS + 1))]
    return {name: tuple(range(start + BLOCK * k + 1, start + BLOCK * k + 1 + size)) for k, name in enumerate(names)}


def grown(blocks: Mapping[str, tuple[int, ...]], size: int, seen: Collection[str]) -> dict[str, tuple[int, ...]]:
    """`blocks` of an earlier plan with at least `size` seeds each; blocks whose results were seen stay."""
    return {
        name: block if name in seen or len(block) >= size else tuple(range(block[0], block[0] + size))
        for name, block in blocks.items()
    }


def _offset(settings: Settings) -> int:
    rehearsal = settings.rehearsal
    basis = [settings.seed, rehearsal.seed, rehearsal.study] if rehearsal.on else [settings.seed]
    return int(sha256(canonical(basis))[:8], 16) % STARTS
