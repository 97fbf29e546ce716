"""The scanner: cuts LaTeX into commands, groups, math shifts, text, one after the other.

Belongs here: the token pattern and argument look-ahead. Not here: what a command means.
"""

from __future__ import annotations

import re
from bisect import bisect_right

TOKEN = re.compile(
    r"(?P<command>\\(?:[A-Za-z@]+\*?|.|\n))"
    r"|(?P<comment>%[^\n]*(?:\n[ \t]*(?=[^\s])|\n(?=[ \t]*\n)|\n[ \t]*|$))"
    r"|(?P<par>\n[ \t]*\n\s*)"
    r"|(?P<line>\n[ \t]*)"
    r"|(?P<open>\{)|(?P<close>\})|(?P<math>\$\$?)|(?P<cell>&)|(?P<script>[\^_])|(?P<tie>~)"
    r"|(?P<text>[^\\%{}$&~^_\n]+)",
    re.S,
)
_SPACE = re.compile(r"(?:[ \t]|%[^\n]*\n|\n(?![ \t]*\n))*")
_BRACE = re.compile(r"\\.|%[^\n]*|[{}]", re.S)
_BRACKET = re.compile(r"\\.|%[^\n]*|[{}\]]", re.S)


class Lines:
    """Offset → line and column of a text, both counted from 1."""

    def __init__(self, text: str) -> None:
        starts = [0]
        find = text.find
        at = find("\n")
        while at >= 0:
            starts.append(at + 1)
            at = find("\n", at + 1)
        self._starts = starts

    def place(self, offset: int) -> tuple[int, int]:
        """Line and column of `offset`."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def start(self, line: int) -> int:
        """Offset of the first character of `line` (from 1); the text's last line start if beyond."""
        return self._starts[min(max(line, 1), len(self._starts)) - 1]


def skip_space(text: str, at: int) -> int:
    """The offset after blanks, single line ends and comments."""
    found = _SPACE.match(text, at)
    return found.end() if found else at


def group_end(text: str, at: int) -> int:
    """Offset of the `}` that closes the `{` at `at`; the text's length if none does."""
    depth = 0
    for found in _BRACE.finditer(text, at):
        mark = found.group()
        if mark == "{":
            depth += 1
        elif mark == "}":
            depth -= 1
            if depth == 0:
                return found.start()
    return len(text)


def bracket_end(text: str, at: int) -> int:
    """Offset of the `]` that closes the `[` at `at`, braces respected; -1 if none does."""
    depth = 0
    for found in _BRACKET.finditer(text, at + 1):
        mark = found.group()
        if mark == "{":
            depth += 1
        elif mark == "}":
            depth -= 1
            if depth < 0:
                return -1
        elif mark == "]" and depth == 0:
            return found.start()
    return -1


def argument(text: str, at: int) -> tuple[str, int, int] | None:
    """The mandatory argument after `at`: its text, where it starts, the offset after it.

    A brace group, or the next command, or the next character. None at the end of the text or group.
    """
    at = skip_space(text, at)
    if at >= len(text) or text[at] == "}":
        return None
    if text[at] == "{":
        end = group_end(text, at)
        return text[at + 1 : end], at + 1, min(end + 1, len(text))
    found = TOKEN.match(text, at)
    if text[at] == "\\" and found:
        return found.group(), at, found.end()
    return text[at], at, at + 1


def option(text: str, at: int) -> tuple[str, int] | None:
    """The optional argument directly at `at` (blanks allowed): its text and the offset after it."""
    here = skip_space(text, at)
    if here >= len(text) or text[here] != "[":
        return None
    end = bracket_end(text, here)
    return None if end < 0 else (text[here + 1 : end], end + 1)
