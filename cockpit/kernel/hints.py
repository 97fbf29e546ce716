"""What is shown while it happens and may be dropped: tokens, log lines, samples.

Belongs here: lossy, counted traffic to the panes. Not here: facts (`events.py`). Whole copies are on
disk: replies in `.cockpit/calls/`, logs in each job's folder.
"""

from __future__ import annotations

from dataclasses import dataclass

from cockpit.kernel.ids import CallPath, JobId


@dataclass(frozen=True, slots=True)
class Tokens:
    """A piece of a streaming reply; `discard` = forget what was streamed on this path so far."""

    path: CallPath
    speaker: str
    model: str
    text: str
    discard: bool = False


@dataclass(frozen=True, slots=True)
class LogLines:
    """Lines a job printed, raw (they may hold anything; panes clean them)."""

    job: JobId
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class JobSample:
    """What a job uses now: CPU as a share of one core, memory in MiB, seconds since its last output."""

    job: JobId
    cpu: float
    memory_mb: float
    silent_s: float


Hint = Tokens | LogLines | JobSample
