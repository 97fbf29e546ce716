"""The console script: fork for a full-screen run before anything is imported, then hand over to the commands.

Belongs here: what must happen before the first import, and leaving.
Not here: commands, errors. Imports the standard library only.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NoReturn

FULL_SCREEN_COMMANDS = ("run", "resume", "watch", "branch")  # the others never open the cockpit
WITHOUT_SCREEN = ("--auto", "--json", "--plain", "--help", "-h", "--version", "--idea-template")
BUG, INTERRUPTED = 1, 130


def main() -> NoReturn:
    """`cockpit …`: never returns; leaves with the documented exit code."""
    from cockpit.front import shim

    arguments = sys.argv[1:]
    if wants_screen(arguments, os.environ, commands()) and os.isatty(0) and os.isatty(2):
        shim.split()
    code = _run()
    _flush()
    if shim.LINK is None:
        sys.exit(code)
    shim.LINK.untouched()
    os._exit(code)  # a thread of the screen's may hang in a write to a frozen terminal


def wants_screen(arguments: Sequence[str], environment: Mapping[str, str], known: Sequence[str]) -> bool:
    """Will this command line open the full screen, as far as one can tell without parsing it?

    A wrong yes costs a process that waits; a wrong no costs the detach.
    """
    if not arguments or any(argument in WITHOUT_SCREEN for argument in arguments):
        return False
    if environment.get("TERM", "dumb") in ("", "dumb", "unknown"):
        return False
    first = arguments[0]
    return first in FULL_SCREEN_COMMANDS or first not in known


def commands() -> list[str]:
    """Names of the commands, by their files; nothing is imported."""
    folder = Path(__file__).with_name("commands")
    return [path.stem.strip("_").replace("_", "-") for path in folder.glob("*.py") if not path.stem.startswith("_")]


def _run() -> int:
    """Run the command. It turns what a person can mend into a message; what is left is a bug of ours."""
    try:
        from cockpit.commands.cli import main as command

        return int(command())
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # `cockpit log | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0
    except Exception as error:  # noqa: BLE001 - the last place that can turn a bug into a sentence
        return _failed(error)


def _failed(error: Exception) -> int:
    import traceback

    from cockpit.front import crash

    story = crash.keep("".join(traceback.format_exception(error)))
    sys.stderr.write(
        f"cockpit: internal error: {type(error).__name__}: {error}\n  That is a bug of ours. See {story}\n"
    )
    return BUG


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            continue  # a closed pipe; the exit code still counts
