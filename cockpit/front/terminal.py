"""What a face says to the terminal besides its picture: clipboard, title, bell; what it knows of it.

Belongs here: every escape sequence of ours. Not here: Textual's. A text from outside is cleaned
before it goes into a sequence.
"""

from __future__ import annotations

import os
import subprocess
import termios
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING

from panes.text import clean

if TYPE_CHECKING:
    from textual.app import App

CLIPBOARD_BYTES = 74_000  # beyond this terminals drop the whole sequence
RATE, SLOW_RATE = 4.0, 1.0  # repaints a second: here, and over ssh


def rate(environment: Mapping[str, str]) -> float:
    """How often a face may repaint."""
    return SLOW_RATE if environment.get("SSH_CONNECTION") or environment.get("SSH_TTY") else RATE


def dumb(environment: Mapping[str, str]) -> bool:
    """Has this terminal no cursor to speak of?"""
    return environment.get("TERM", "dumb") in ("", "dumb", "unknown")


def copy(app: App[object], text: str) -> None:
    """To the clipboard of the terminal a person sits at: through tmux when it is there, else OSC 52."""
    text = "\n".join(line.rstrip() for line in text.splitlines())
    size = len(text.encode())
    if size > CLIPBOARD_BYTES:
        app.notify(f"{size} bytes are more than terminals take; nothing was copied", severity="warning", markup=False)
        return
    if os.environ.get("TMUX"):
        threading.Thread(target=_to_tmux, args=(text,), daemon=True, name="clipboard").start()
        app.notify(f"{len(text)} characters to tmux's buffer and the terminal", markup=False)
        return
    app.copy_to_clipboard(text)
    app.notify(f"{len(text)} characters sent to the terminal (OSC 52)", markup=False)


def _to_tmux(text: str) -> None:
    """Plain OSC 52 does not get through tmux as it is set by default; its own command does."""
    try:
        subprocess.run(["tmux", "load-buffer", "-w", "-"], input=text.encode(), timeout=1, check=False,
                       capture_output=True)  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return  # nothing can be said from here; the toast named where it went


def title(text: str) -> str:
    """The sequence that names the window."""
    return f"\x1b]0;{clean(text)}\x07"


def there() -> bool:
    """Is the terminal on standard input still there? A closed one answers with an I/O error."""
    try:
        termios.tcgetattr(0)
    except termios.error:
        return False
    return True
