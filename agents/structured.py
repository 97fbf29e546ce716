"""From a model's reply to a value: fences, prose and broken syntax are forgiven, missing values never.

Belongs here: finding the JSON object, the fenced block or the files in a reply, and saying exactly
what is wrong. Not here: asking again (`kit.py`), what a value must satisfy beyond its type
(`rosters.py`). Nothing here fills in, chooses between or guesses values.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from cockpit.kernel.model import JsonObject, canonical

T = TypeVar("T", bound=BaseModel)
ERRORS_SHOWN, ERROR_LENGTH = 12, 300
REPAIR_LIMIT = 200_000  # characters; beyond it a broken reply is asked for again
CANDIDATES = 32
REASONING = ("think", "thinking", "reasoning", "thought", "scratchpad")
FENCE = re.compile(r"^[ \t]{0,8}(`{3,}|~{3,})[ \t]*([^\n`]*)$")
FILE = re.compile(r"\bfile=(\"[^\"]+\"|'[^']+'|\S+)")
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
ALIASES = {"latex": ("latex", "tex"), "python": ("python", "py", "python3"), "markdown": ("markdown", "md"),
           "yaml": ("yaml", "yml"), "bash": ("bash", "sh", "shell")}  # fmt: skip
PROSE_FIELDS = ("claim", "summary", "text", "statement", "answer", "why", "reason", "rationale")
SHORTER = "Your last answer was cut off at the length limit. Give the whole answer again, shorter."


class Unreadable(ValueError):
    """A reply cannot be used; `errors` are sentences that are quoted to the model."""

    def __init__(self, errors: list[str] | tuple[str, ...]) -> None:
        self.errors = tuple(error[:ERROR_LENGTH] for error in errors[:ERRORS_SHOWN])
        super().__init__("; ".join(self.errors))


def value(text: str, reply: type[T]) -> T:
    """The one JSON object of type `reply` in `text`.

    Raises:
        Unreadable: no object, one that does not validate, or several different ones that do.
    """
    fits: dict[bytes, T] = {}
    worst: list[str] = []
    for candidate in _objects(without_reasoning(text)):
        try:
            found = reply.model_validate_json(json.dumps(_parsed(candidate)), strict=True)
        except Unreadable as error:
            worst = worst or list(error.errors)
        except ValidationError as error:
            worst = _sentences(error)
        else:
            fits[canonical(found)] = found
    match len(fits):
        case 1:
            return next(iter(fits.values()))
        case 0:
            raise Unreadable(worst or ["the reply holds no JSON object"])
        case _:
            raise Unreadable([f"the reply holds {len(fits)} different objects that fit; give exactly one"])


def fenced(text: str, language: str) -> str:
    """The text of the one block fenced as `language` (or, when none says so, of the only block).

    Raises:
        Unreadable: no such block, several, an empty one, or one that is not closed.
    """
    blocks = _blocks(without_reasoning(text))
    names = ALIASES.get(language, (language,))
    mine = [block for block in blocks if block.language in names] or [b for b in blocks if not b.language]
    if len(mine) != 1:
        what = f"{len(mine)} blocks" if mine else "no block"
        raise Unreadable([f"the reply holds {what} fenced as ```{language}; give exactly one"])
    if not mine[0].closed:
        raise Unreadable([f"the block fenced as ```{language} is not closed"])
    if not mine[0].text.strip():
        raise Unreadable([f"the block fenced as ```{language} is empty"])
    return mine[0].text


def files(text: str) -> dict[str, str]:
    """The files of fences whose first line says `file=path`, by path.

    Raises:
        Unreadable: none, an unsafe path, one path twice with different text, a fence that is not closed.
    """
    found: dict[str, str] = {}
    errors = []
    for block in _blocks(without_reasoning(text)):
        named = FILE.search(block.info)
        if named is None:
            continue
        path = named[1].strip("\"'")
        if not _safe(path):
            errors.append(f"file={path} is not a plain relative path")
        elif not block.closed:
            errors.append(f"the fence of {path} is not closed")
        elif found.get(path, block.text) != block.text:
            errors.append(f"{path} is given twice, with different text")
        else:
            found[path] = block.text
    if errors or not found:
        raise Unreadable(errors or ["the reply holds no fenced block with file=path"])
    return dict(sorted(found.items()))


def without_reasoning(text: str) -> str:
    """`text` without blocks of visible reasoning; what precedes a lone closing tag is reasoning, too."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    lower = text.lower() if "<" in text else ""
    for tag in (tag for tag in REASONING if f"{tag}>" in lower):
        text = re.sub(rf"<{tag}>.*?</{tag}>", "\n", text, flags=re.DOTALL | re.IGNORECASE)
        closing = re.search(rf"</{tag}>", text, flags=re.IGNORECASE)
        if closing:
            text = text[closing.end() :]
        opening = re.search(rf"(?m)^\s*<{tag}>", text, flags=re.IGNORECASE)
        if opening:
            text = text[: opening.start()]
    return text


@lru_cache(maxsize=256)
def schema(reply: type[BaseModel]) -> JsonObject:
    """The JSON schema of a reply type."""
    return reply.model_json_schema()


def request(form: JsonObject) -> str:
    """The words that ask for one JSON object of that schema."""
    shown = json.dumps(form, ensure_ascii=False, separators=(",", ":"))
    return f"Answer with one JSON object by this schema, and nothing else:\n```json\n{shown}\n```"


def complaint(errors: tuple[str, ...]) -> str:
    """The words that ask again and say what was wrong."""
    listed = "\n".join(f"- {error}" for error in errors)
    return f"Your reply could not be used:\n{listed}\nGive the whole answer again, corrected, in the form asked for."


def excerpt(found: BaseModel, limit: int) -> str:
    """A few words of a value for the dialogue: its first prose field, else its JSON."""
    for name in PROSE_FIELDS:
        text = getattr(found, name, None)
        if isinstance(text, str) and text.strip():
            return text[:limit]
    return canonical(found).decode()[:limit]


@dataclass(frozen=True, slots=True)
class _Fenced:
    info: str
    text: str
    closed: bool

    @property
    def language(self) -> str:
        first = self.info.split(maxsplit=1)[0] if self.info.strip() else ""
        return "" if "=" in first else first.lower().strip("{}.")


def _blocks(text: str) -> list[_Fenced]:
    """Top-level fences. Inside one, a fence line with a language opens a nested one."""
    found: list[_Fenced] = []
    lines: list[str] = []
    sign, info, depth = "", "", 0
    for line in text.split("\n"):
        fence = FENCE.match(line)
        if depth == 0:
            if fence:
                sign, info, depth, lines = fence[1], fence[2].strip(), 1, []
            continue
        if fence and fence[1][0] == sign[0] and len(fence[1]) >= len(sign):
            depth += 1 if fence[2].strip() else -1
            if depth == 0:
                found.append(_Fenced(info, "".join(f"{kept}\n" for kept in lines), True))
                continue
        lines.append(line)
    if depth:
        found.append(_Fenced(info, "".join(f"{kept}\n" for kept in lines), False))
    return found


def _objects(text: str) -> Iterator[str]:
    """Pieces of `text` that may be the object: the whole, fenced blocks, outermost braces in prose."""
    whole = text.strip()
    if whole.startswith("{") and _strict(whole) is not None:
        yield whole
        return
    blocks = [block.text.strip() for block in _blocks(text)]
    inside = [block for block in blocks if block.startswith("{")]
    if inside:
        yield from inside[:CANDIDATES]
        return
    yield from _braced(text)


def _braced(text: str) -> Iterator[str]:
    """Outermost `{…}` of `text`, strings respected; the last may lack its end."""
    at, count = 0, 0
    while (start := text.find("{", at)) >= 0 and count < CANDIDATES:
        end = _closing(text, start)
        yield text[start:end]
        at, count = end, count + 1


def _closing(text: str, start: int) -> int:
    depth, quoted, escaped = 0, False, False
    for at in range(start, len(text)):
        char = text[at]
        if escaped:
            escaped = False
        elif quoted:
            escaped, quoted = char == "\\", char != '"'
        elif char == '"':
            quoted = True
        elif char in "{[":
            depth += 1
        elif char in "}]":
            depth -= 1
            if depth == 0:
                return at + 1
    return len(text)


def _strict(text: str) -> JsonObject | None:
    try:
        found = json.loads(text, object_pairs_hook=_once, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _once(pairs: list[tuple[str, Any]]) -> JsonObject:
    names = [name for name, _ in pairs]
    if len(set(names)) != len(names):
        raise ValueError("a name is given twice")
    return dict(pairs)


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is no JSON number")


def _parsed(candidate: str) -> JsonObject:
    """The object in `candidate`, repaired in syntax only.

    Raises:
        Unreadable: it is no JSON, is cut off, or a repair would invent or drop something.
    """
    found = _strict(candidate)
    if found is not None:
        return found
    if len(candidate) > REPAIR_LIMIT:
        raise Unreadable(["the reply is not valid JSON"])
    if not re.search(r"(?:[}\]\"']|true|false|null)$", candidate.rstrip().rstrip(",;`")):
        raise Unreadable(["the JSON object is cut off"])
    from json_repair import repair_json

    try:
        repaired = repair_json(candidate, return_objects=True, skip_json_loads=True)
    except (ValueError, RecursionError, IndexError, TypeError, AttributeError) as error:
        raise Unreadable([f"the reply is not valid JSON ({type(error).__name__})"]) from None
    if not isinstance(repaired, dict) or not repaired:
        raise Unreadable(["the reply is not valid JSON"])
    _check_faithful(repaired, candidate)
    return repaired


def _check_faithful(repaired: JsonObject, source: str) -> None:
    """Each name and value of a repaired object must stand in its source, and no name more often than there."""
    numbers = {float(token) for token in NUMBER.findall(source)}
    squeezed = _squeezed(source)
    names: dict[str, int] = {}
    for name, leaf in _leaves(repaired):
        if name:
            names[name] = names.get(name, 0) + 1
        if leaf is not _NONE and not _stands(leaf, squeezed, numbers):
            raise Unreadable([f"the reply is not valid JSON (near {str(leaf)[:60]!r})"])
    for name, count in names.items():
        given = len(re.findall(rf"[\"'“”]?{re.escape(name)}[\"'“”]?\s*:", source))
        if given != count:
            raise Unreadable([f"the reply is not valid JSON (field {name} stands there {given} times)"])


_NONE = object()


def _leaves(found: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    match found:
        case dict():
            if name:
                yield name, _NONE
            for key, item in found.items():
                yield from _leaves(item, str(key))
        case list():
            if name:
                yield name, _NONE
            for item in found:
                yield from _leaves(item)
        case _:
            yield name, found


def _stands(leaf: Any, squeezed: str, numbers: set[float]) -> bool:
    match leaf:
        case bool() | None:
            word = {True: "true", False: "false", None: "null"}[leaf]
            other = {True: "True", False: "False", None: "None"}[leaf]
            return word in squeezed or other in squeezed
        case int() | float():
            return math.isfinite(leaf) and float(leaf) in numbers
        case "":
            return '""' in squeezed or "''" in squeezed
        case str():
            return _squeezed(leaf) in squeezed
        case _:
            return False


def _squeezed(text: str) -> str:
    """Without space and escapes: a repair may join lines and undo escapes, not change letters."""
    return re.sub(r"\\[nrt]|\\u[0-9a-fA-F]{4}|[\s\\]", "", text)


def _sentences(error: ValidationError) -> list[str]:
    said = []
    for item in error.errors(include_url=False, include_context=False):
        where = ".".join(str(part) for part in item["loc"]) or "the object"
        given = "" if item["type"] == "missing" else f" (given: {str(item['input'])[:80]})"
        said.append(f"{where}: {item['msg']}{given}")
    return said


def _safe(path: str) -> bool:
    parts = path.split("/")
    plain = re.fullmatch(r"[A-Za-z0-9_.\-/]+", path) is not None
    return plain and not path.startswith("/") and all(part not in ("", ".", "..", ".git") for part in parts)
