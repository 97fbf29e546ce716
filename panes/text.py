"""Text as a terminal shows it: cleaned of control sequences, measured and wrapped by cells.

Belongs here: plain functions on strings. Not here: colours, widgets. Papers, logs and model output
are hostile until cleaned: no escape, no bidirectional override, no invisible character gets through.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rich.cells import cell_len, set_cell_size, split_graphemes

_ESCAPES = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # CSI
    r"|(?:\x1b\]|\x9d)[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?"  # OSC
    r"|(?:\x1b[PX^_]|[\x90\x98\x9e\x9f])[^\x1b\x9c]*(?:\x1b\\|\x9c)?"  # DCS, SOS, PM, APC
    r"|\x1b[ -/]*[0-~]?"
)
# controls, lone surrogates, zero-width and bidirectional signs, joiners, variation selectors, keycaps, skin
# tones, tags: what terminals disagree about or what lets text lie about its own order
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufe00-\ufe0f\u20e3"
    "\ud800-\udfff\U0001f3fb-\U0001f3ff\U000e0000-\U000e01ef]"
)
_STACKED = re.compile("([\u0300-\u036f]{3})[\u0300-\u036f]+")
_REGIONAL = re.compile("[\U0001f1e6-\U0001f1ff]")  # flags: terminals disagree by two cells, letters do not
_BREAKS = re.compile("[\u2028\u2029\x85]")
_PLAIN = re.compile(r"[ -~]*")


def clean(text: str) -> str:
    """`text` on one line, as it may be shown; a carriage return keeps what was printed last (progress bars)."""
    if _PLAIN.fullmatch(text):
        return text
    text = _BREAKS.sub(" ", _ESCAPES.sub("", text)).replace("\n", " ").rstrip("\r")
    if "\r" in text:
        text = text.rpartition("\r")[2]
    text = _UNSEEN.sub("", text).replace("\t", "    ")
    text = _REGIONAL.sub(lambda m: chr(ord(m[0]) - 0x1F1E6 + ord("A")), text)
    return _STACKED.sub(r"\1", text)


def clean_lines(text: str) -> list[str]:
    """`text` cleaned line by line."""
    return [clean(line) for line in text.split("\n")]


def crop(text: str, width: int, more: str = "…") -> str:
    """`text` in at most `width` cells; what is cut off is shown by `more`."""
    if cell_len(text) <= width:
        return text
    if width <= 0:
        return ""
    return set_cell_size(text, width - 1).rstrip() + more


def fit(text: str, width: int, more: str = "…") -> str:
    """`text` in exactly `width` cells."""
    return set_cell_size(crop(text, width, more), max(0, width))


def wrap(text: str, width: int) -> list[str]:
    """`text` (one line, cleaned) in lines of at most `width` cells (at least 2), broken at spaces and beside
    wide characters, inside a word only if it is longer than a line."""
    width = max(2, width)
    if cell_len(text) <= width:
        return [text]
    lines: list[str] = []
    now, gap = "", ""
    for piece in _pieces(text, width):
        if piece.isspace():
            gap += piece
            continue
        if cell_len(now) + cell_len(gap) + cell_len(piece) <= width:
            now += gap + piece
        else:
            if now:
                lines.append(now)
            now = piece
        gap = ""
    return [*lines, now] if now or not lines else lines


def _pieces(text: str, width: int) -> Iterator[str]:
    """Runs of spaces, words (chopped if longer than a line), and wide characters one by one."""
    for run in re.findall(r"\s+|\S+", text):
        if run.isspace() or (run.isascii() and len(run) <= width):
            yield run
            continue
        word, size, at = "", 0, 0
        for _, end, cells in split_graphemes(run)[0]:
            part, at = run[at:end], end  # not from the span's start: a mark without a base has no span
            if word and (cells >= 2 or size + cells > width):
                yield word
                word, size = "", 0
            if cells >= 2:
                yield part
            else:
                word, size = word + part, size + cells
        if word or at < len(run):
            yield word + run[at:]
