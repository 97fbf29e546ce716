"""Steering from another terminal: a file for the cockpit that flies the run, or a record where none does.

Belongs here: delivering a command to a run. Not here: obeying (`cockpit/engine/people.py`), options
(commands). Clearing verbs carry the person's token: a 0600 file in the data directory, outside the run and
out of any job's sight.
"""

from __future__ import annotations

import asyncio
import os
import secrets
from pathlib import Path

import platformdirs

from cockpit.engine.clock import SystemClock
from cockpit.engine.people import record_for_later
from cockpit.engine.recovery import take_up
from cockpit.journal.files import write_durably
from cockpit.journal.lock import is_locked
from cockpit.journal.places import RunFolder
from cockpit.kernel.commands import CLEARING, AnyCommand, Continue, Hold, Pivot, Quiesce, Step
from cockpit.kernel.exits import CockpitError
from cockpit.launch import NoFace, real_rooms

NEEDS_FLIGHT = (Quiesce, Hold, Continue, Step)


def data_dir() -> Path:
    """Where the cockpit keeps what belongs to no run; `$COCKPIT_DATA_DIR` moves it."""
    return Path(os.environ.get("COCKPIT_DATA_DIR") or platformdirs.user_data_dir("cockpit"))


def person_token() -> str:
    """The token of whoever owns this account; made at first use, readable by them alone.

    Raises:
        CockpitError: it cannot be written, or others may read it.
    """
    path = data_dir() / "token"
    try:
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            os.write(fd, secrets.token_hex(32).encode())
            os.close(fd)
        if path.stat().st_mode & 0o077:
            raise CockpitError("the token file may be read by others", where=str(path), hint=f"`chmod 600 {path}`")
        return path.read_text().strip()
    except FileExistsError:
        return path.read_text().strip()
    except OSError as error:
        raise CockpitError(f"cannot keep a token: {error.strerror}", where=str(path)) from error


def deliver(folder: RunFolder, command: AnyCommand) -> str:
    """Hand `command` to the run; returns a sentence about what happens now.

    Raises:
        CockpitError: it needs a flying run, or the run is damaged.
    """
    if command.verb in CLEARING:
        command = command.model_copy(update={"token": person_token()})
    if is_locked(folder.cockpit):
        _drop(folder, command)
        return f"{command.verb}: handed to the cockpit that flies {folder.run}"
    if isinstance(command, NEEDS_FLIGHT):
        raise CockpitError(f"nothing is flying, so there is nothing to {command.verb}",
                           hint=f"`cockpit resume {folder.run}` goes on with the run.")  # fmt: skip
    return asyncio.run(_record(folder, command))


def _drop(folder: RunFolder, command: AnyCommand) -> None:
    folder.control.mkdir(parents=True, exist_ok=True)
    name = f"{secrets.token_hex(8)}.json"
    write_durably(folder.control / name, command.model_dump_json().encode())


async def _record(folder: RunFolder, command: AnyCommand) -> str:
    clock = SystemClock()
    run = await take_up(folder, clock, NoFace().facts)
    try:
        said = record_for_later(command, run.recorder, real_rooms().judge(), clock, folder.root)
        await run.keeper.commit()
    finally:
        run.close()
    back = " `cockpit resume` goes there." if isinstance(command, Pivot) else ""
    return said + back
