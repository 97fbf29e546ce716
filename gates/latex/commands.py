r"""What commands and environments do to reading: blocks, tables, captions, bold, references.

Belongs here: one handler a command, and `read`. Not here: the walk (`reader.py`), plain data (`words.py`).
"""

from __future__ import annotations

import re

from gates.latex import words
from gates.latex.blocks import CLOSE, REFERENCE, SUB, SUP, Block, Document, Mark
from gates.latex.reader import Frame, Handler, Reader
from gates.latex.tokens import argument, option, skip_space

_BEGIN_DOCUMENT = re.compile(r"(?m)^[^%\n]*?\\begin\s*\{document\}")


def read(text: str) -> Document:
    """The document as a reader sees it: its body, the title, captions, cells, footnotes."""
    found = _BEGIN_DOCUMENT.search(text)
    reader = Reader(text, COMMANDS)
    if found:
        reader.preamble(found.start())
    reader.walk(found.end() if found else 0)
    return reader.document


# environments ---------------------------------------------------------------------------------
def begin(r: Reader, _: str, start: int, at: int) -> int:
    given = argument(r.text, at)
    if given is None:
        return at
    name, at = given[0], given[2]
    if name in words.CODE:
        return _skip_environment(r, name, at)
    frame = Frame(environment=name, start=start)
    r.frames.append(frame)
    r.document.marks.append(Mark("environment", name, start))
    if name in words.FLOATS:
        _float(r, name, frame)
    if name in words.TABULARS and not (name == "array" and r.math):
        at = _tabular(r, name, frame, at)
    elif name in words.DISPLAYS:
        r.math.append(r.open[-1].size)
        frame.closers.append(lambda: r.math_off(True))
    elif name == "abstract":
        _abstract(r, frame)
    elif name in words.PICTURES:
        _picture(r, frame)
        at = r.options(at)
    for _i in range(words.ENVIRONMENT_ARGUMENTS.get(name, 0)):
        skipped = argument(r.text, r.options(at))
        at = skipped[2] if skipped else at
    return r.options(at) if name in words.FLOATS or name in words.ENVIRONMENT_ARGUMENTS else at


def end(r: Reader, _: str, start: int, at: int) -> int:
    given = argument(r.text, at)
    if given is None:
        return at
    name, at = given[0], given[2]
    if name == "document":
        r.finish()
        return -1
    if not any(f.environment == name for f in r.frames):
        return at
    r.offset = start
    while len(r.frames) > 1:
        frame = r.frames.pop()
        for closer in reversed(frame.closers):
            closer()
        if frame.environment == name:
            break
    return at


def _skip_environment(r: Reader, name: str, at: int) -> int:
    stop = r.text.find(f"\\end{{{name}}}", at)
    return len(r.text) if stop < 0 else stop + len(name) + 6


def _float(r: Reader, name: str, frame: Frame) -> None:
    r.paragraph()
    r.float_count += 1
    r.floats.append(r.float_count)

    def close() -> None:
        r.floats.pop()
        r.paragraph()

    frame.closers.append(close)


def _tabular(r: Reader, name: str, frame: Frame, at: int) -> int:
    for _ in range(abs(words.TABULARS[name])):
        at = r.options(at)
        given = argument(r.text, at)
        at = given[2] if given else at
    outside, r.math = r.math, []
    r.begin_table(frame.start)

    def close() -> None:
        r.end_table(r.offset)
        r.math = outside

    frame.closers.append(close)
    return at


def _abstract(r: Reader, frame: Frame) -> None:
    r.paragraph()
    before, r.base = r.base, "abstract"
    if len(r.open) == 1:
        r.open[-1].where = "abstract"

    def close() -> None:
        r.base = before
        r.paragraph()

    frame.closers.append(close)


def _picture(r: Reader, frame: Frame) -> None:
    block = r.begin("figure")
    r.picture += 1

    def close() -> None:
        r.picture -= 1
        r.close(block)

    frame.closers.append(close)


# blocks ---------------------------------------------------------------------------------------
def caption(r: Reader, _: str, start: int, at: int) -> int:
    number = r.floats[-1] if r.floats else -1

    def then(block: Block) -> None:
        r.captions.append((number, start, block))

    return r.group(at, "caption", then)


def footnote(r: Reader, _: str, start: int, at: int) -> int:
    return r.group(at, "footnote")


def title(r: Reader, _: str, start: int, at: int) -> int:
    return r.group(at, "title")


def front(r: Reader, _: str, start: int, at: int) -> int:
    return r.group(at, "front")


def heading(r: Reader, name: str, start: int, at: int) -> int:
    r.paragraph()
    level = words.HEADINGS[name]

    def then(block: Block) -> None:
        text = block.plain.strip()
        r.headings = (*(h for h in r.headings if h[0] < level), (level, text))
        r.document.sections.append((level, text, start))
        r.paragraph()

    return r.group(at, "heading", then)


def item(r: Reader, _: str, start: int, at: int) -> int:
    r.put("\n", start)
    here = skip_space(r.text, at)
    return here + 1 if r.text[here : here + 1] == "[" else at


def label(r: Reader, _: str, start: int, at: int) -> int:
    given = argument(r.text, at)
    if given is None:
        return at
    r.document.marks.append(Mark("label", given[0].strip(), start, given[2]))
    r.labels.append((r.floats[-1] if r.floats else -1, given[0].strip()))
    return given[2]


def reference(r: Reader, name: str, start: int, at: int) -> int:
    if name == "hyperref":
        given = option(r.text, at)
        return given[1] if given else at
    found = argument(r.text, r.options(at))
    if found is None:
        return at
    r.document.marks.extend(Mark("ref", k.strip(), start, found[2]) for k in found[0].split(","))
    r.put(REFERENCE, start)
    return found[2]


def graphic(r: Reader, _: str, start: int, at: int) -> int:
    found = argument(r.text, r.options(at))
    if found is None:
        return at
    r.document.marks.append(Mark("graphic", found[0].strip(), start, found[2]))
    return found[2]


# inside text ----------------------------------------------------------------------------------
def bold(r: Reader, name: str, start: int, at: int) -> int:
    block, begun = r.open[-1], r.open[-1].size

    def close() -> None:
        if block.size > begun:
            block.bold.append((begun, block.size))

    here = skip_space(r.text, at)
    if name in ("bfseries", "bf", "boldmath"):
        r.frames[-1].closers.append(close)
        return at
    if r.text[here : here + 1] != "{":
        return at
    r.frames.append(Frame(start=here, closers=[close]))
    return here + 1


def script(r: Reader, name: str, start: int, at: int) -> int:
    here = skip_space(r.text, at)
    if r.text[here : here + 1] != "{":
        return at
    r.put(SUP if name.endswith("superscript") else SUB, start)
    r.frames.append(Frame(start=here, closers=[lambda: r.put(CLOSE, here)]))
    return here + 1


def line_end(r: Reader, _: str, start: int, at: int) -> int:
    if r.text[at : at + 1] == "*":
        at += 1
    given = option(r.text, at) if r.text[at : at + 1] == "[" else None
    at = given[1] if given else at
    if r.tables and r.tables[-1][1] == len(r.frames):
        r.next_row()
    else:
        r.put(" ", start)
    return at


def multicolumn(r: Reader, _: str, start: int, at: int) -> int:
    count = argument(r.text, at)
    spec = argument(r.text, count[2]) if count else None
    if count is None or spec is None:
        return at
    block = id(r.open[-1])
    r.spans[block] = (int(count[0]) if count[0].strip().isdigit() else 1, r.spans.get(block, (1, 1))[1])
    return spec[2]


def multirow(r: Reader, _: str, start: int, at: int) -> int:
    at = r.options(at)
    count = argument(r.text, at)
    if count is None:
        return at
    at = r.options(count[2])
    width = argument(r.text, at)
    digits = count[0].strip().lstrip("-")
    block = id(r.open[-1])
    r.spans[block] = (r.spans.get(block, (1, 1))[0], int(digits) if digits.isdigit() else 1)
    return r.options(width[2]) if width else at


def math_on(r: Reader, name: str, start: int, at: int) -> int:
    r.math.append(r.open[-1].size)
    return at


def math_end(r: Reader, name: str, start: int, at: int) -> int:
    if r.math:
        r.math_off(name == "]")
    return at


def quantity(r: Reader, name: str, start: int, at: int) -> int:
    """siunitx: the numbers, then the units, as text."""
    at = r.options(at)
    count = 3 if name in {"SIrange", "qtyrange"} else 1 if name in ("num", "ang", "si", "unit", "numlist") else 2
    for i in range(count):
        given = argument(r.text, at)
        if given is None:
            return at
        text, where, at = given
        if i == count - 1 and name not in ("num", "ang", "numlist"):
            r.put(" " + re.sub(r"\\([A-Za-z]+)", lambda m: words.UNITS.get(m.group(1), m.group(1)), text), where)
        else:
            r.put("–" if i else "", where)
            r.put(text, where, verbatim=True)
    return at


def number_range(r: Reader, name: str, start: int, at: int) -> int:
    first = argument(r.text, r.options(at))
    second = argument(r.text, first[2]) if first else None
    if first is None or second is None:
        return at
    r.put(first[0], first[1], verbatim=True)
    r.put("–", first[2])
    r.put(second[0], second[1], verbatim=True)
    return second[2]


def verb(r: Reader, _: str, start: int, at: int) -> int:
    mark = r.text[at : at + 1]
    stop = r.text.find(mark, at + 1) if mark else -1
    if stop < 0:
        return at
    r.put("`" + r.text[at + 1 : stop] + "`", start)
    return stop + 1


def put(r: Reader, name: str, start: int, at: int) -> int:
    return r.options(at)


def fraction(r: Reader, _: str, start: int, at: int) -> int:
    """`\\frac{a}{b}` reads as (a)/(b); only inside mathematics, where it is a formula."""
    here = skip_space(r.text, at)
    if r.text[here : here + 1] != "{":
        return at

    def middle() -> None:
        r.put(")/", start)

    r.put("(", start)
    r.frames.append(Frame(start=here, closers=[middle]))
    return here + 1


COMMANDS: dict[str, Handler] = {
    "begin": begin,
    "end": end,
    "caption": caption,
    "captionof": caption,
    "footnote": footnote,
    "footnotetext": footnote,
    "title": title,
    "author": front,
    "date": front,
    "affil": front,
    "address": front,
    "email": front,
    "institute": front,
    "item": item,
    "label": label,
    "\\": line_end,
    "tabularnewline": line_end,
    "cr": line_end,
    "multicolumn": multicolumn,
    "multirow": multirow,
    "(": math_on,
    ")": math_end,
    "[": math_on,
    "]": math_end,
    "num": quantity,
    "SI": quantity,
    "qty": quantity,
    "SIrange": quantity,
    "qtyrange": quantity,
    "ang": quantity,
    "si": quantity,
    "unit": quantity,
    "numlist": quantity,
    "numrange": number_range,
    "verb": verb,
    "put": put,
    "multiput": put,
    "makebox": put,
    "framebox": put,
    "frac": fraction,
    "dfrac": fraction,
    "tfrac": fraction,
    "nicefrac": fraction,
    "textsuperscript": script,
    "textsubscript": script,
    **dict.fromkeys(words.HEADINGS, heading),
    **dict.fromkeys(words.BOLD_GROUPS, bold),
    **dict.fromkeys(words.REFERENCES, reference),
    **dict.fromkeys(words.GRAPHICS, graphic),
}
