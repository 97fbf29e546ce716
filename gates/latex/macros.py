r"""Macros that the paper defines itself: `\newcommand`, `\providecommand`, `\def` with arguments.

Belongs here: reading definitions and substituting bodies. Not here: files (`render.py`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from gates.latex.tokens import argument, option, skip_space

DEFINERS = {"newcommand", "providecommand", "renewcommand", "DeclareRobustCommand", "def"}
_PARAMETER = re.compile(r"#([1-9])")
_NAME = re.compile(r"\\([A-Za-z]+)\Z")
_DEF = re.compile(r"\s*\\([A-Za-z]+)((?:#[1-9])*)\s*(?=\{)")
_TOO_CLEVER = re.compile(r"\\(?:if|else|fi\b|csname|expandafter|futurelet|@|def\b|new|begin\b|end\b)|@|##")


@dataclass(frozen=True, slots=True)
class Macro:
    """A macro: number of arguments, the default of the first (None = mandatory), body with #1…#9."""

    name: str
    arguments: int
    default: str | None
    body: str

    @property
    def simple(self) -> bool:
        """Can it be expanded by substituting text? (no conditionals, no TeX programming)"""
        return not _TOO_CLEVER.search(self.body)


def definition(text: str, command: str, at: int) -> tuple[Macro, int] | None:
    r"""The macro defined at `at`, right after `\newcommand` or the like, and the offset after it."""
    if command == "def":
        found = _DEF.match(text, at)
        body = argument(text, found.end()) if found else None
        if found is None or body is None:
            return None
        return Macro(found.group(1), found.group(2).count("#"), None, body[0]), body[2]
    name = argument(text, at)
    matched = _NAME.match(name[0].strip()) if name else None
    if name is None or matched is None:
        return None
    at, count, default = name[2], 0, None
    if given := option(text, at):
        if not given[0].strip().isdigit():
            return None
        count, at = int(given[0]), given[1]
        if given := option(text, at):
            default, at = given
    body = argument(text, at)
    return (Macro(matched.group(1), count, default, body[0]), body[2]) if body else None


def use(text: str, macro: Macro, at: int) -> tuple[str, int]:
    """The expansion of `macro` used right before `at`, and the offset after its arguments."""
    given: list[str] = []
    if macro.default is not None:
        chosen = option(text, at)
        given.append(chosen[0] if chosen else macro.default)
        at = chosen[1] if chosen else at
    while len(given) < macro.arguments:
        found = argument(text, at)
        if found is None:
            break
        given.append(found[0])
        at = found[2]
    if not macro.arguments:
        at = skip_space(text, at) if text[at : at + 1] in (" ", "\t") else at
    body = _PARAMETER.sub(lambda m: given[int(m.group(1)) - 1] if int(m.group(1)) <= len(given) else "", macro.body)
    if re.search(r"\\[A-Za-z]+\Z", body) and text[at : at + 1].isalpha():
        body += " "
    return body, at
