"""`references.bib` made by program from stored records: entry types, fields, escaping, keys.

Belongs here: turning a `PaperRecord` into BibTeX, and making keys that BibTeX and a file system can
hold. Not here: reading .bib files (literature), checking citations (gates).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from cockpit.kernel.papers import PaperRecord

UNSAFE_IN_KEY = re.compile(r"[^A-Za-z0-9._+-]")
# a formula: unescaped dollars around something short without blank edges
MATH = re.compile(r"(?<!\\)\$(?!\s)(?:[^$\\]|\\.){1,200}?(?<!\s)(?<!\\)\$")
ACCENT = re.compile(r"""\{?\\(?:["'`^~=.]|[uvHcdbtrk](?=[\s{]))\s*\{?\\?[A-Za-z]\}?\}?""")
# commands that print in running text; any other (\alpha) is shown as it is spelled
COMMAND = re.compile(
    r"\\(?:(?:emph|text(?:it|bf|sc|sl|tt|rm|sf|superscript|subscript))\s?\{[^{}\\]*\}"
    r"|(?:LaTeX|TeX|ss|ae|AE|oe|OE|aa|AA|o|O|l|L|i|j)(?![A-Za-z])(?:\{\})?)"
)
SPECIAL = {
    "&": r"\&",
    "%": r"\%",
    "#": r"\#",
    "_": r"\_",
    "$": r"\$",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "\\": r"\textbackslash{}",
    "{": r"\textbraceleft{}",
    "}": r"\textbraceright{}",
}
# typewriter's quotation marks around words; a lone one, or one of an accent, stays
QUOTED = re.compile(r'(?<![\\\w{])"(?=\S)([^"\\{}]+?)(?<=\S)"(?!\w)')
# not printable, or unseen: BibTeX would carry them into the paper
DROPPED = ("Cc", "Cf", "Cs", "Co", "Cn")
IN_URL = {"%": "%", "{": "%7B", "}": "%7D", "\\": "%5C", " ": "%20", '"': "%22", "^": "%5E", "`": "%60"}


def bibliography(records: Iterable[PaperRecord]) -> str:
    """The entries of `records`, sorted by key, with a final newline. Keys are the records' own."""
    return "\n".join(entry(record) for record in sorted(records, key=lambda r: r.key))


def entry(record: PaperRecord) -> str:
    """One BibTeX entry, from the record's own fields only; what the record lacks is left out."""
    article = bool(record.venue) and not record.arxiv_id
    fields = {
        "title": f"{{{escape(record.title)}}}",
        "author": " and ".join(_author(name) for name in record.authors),
        "year": str(record.year) if record.year is not None else "",
        "journal" if article else "note": escape(record.venue),
        "doi": _plain(record.doi),
        "eprint": _plain(record.arxiv_id),
        "archiveprefix": "arXiv" if record.arxiv_id else "",
        "howpublished": f"arXiv:{_plain(record.arxiv_id)}" if record.arxiv_id else "",
        "url": _url(record.url),
    }
    lines = [f"  {name:<13} = {{{value}}}," for name, value in fields.items() if value]
    return "\n".join((f"@{'article' if article else 'misc'}{{{record.key},", *lines, "}", ""))


def escape(text: str) -> str:
    """`text` so that LaTeX prints it: specials escaped, formulas, accents and plain commands kept, braces balanced."""
    text = QUOTED.sub(r"``\1''", _visible(text))
    kept, at = [], 0
    for found in _verbatim(text):
        kept += [_escaped(text[at : found.start()]), found[0]]
        at = found.end()
    kept.append(_escaped(text[at:]))
    return "".join(kept)


def keyed(records: Iterable[PaperRecord]) -> list[PaperRecord]:
    """`records` with keys that are unique without regard to case and safe in BibTeX and as file names.

    Order is kept. A key that is safe already stays; a second one of the same name gets a letter.
    """
    taken: set[str] = set()
    out = []
    for record in records:
        stem = UNSAFE_IN_KEY.sub("", unicodedata.normalize("NFKD", record.key)).strip(".-+") or "paper"
        key, n = stem, 1
        while key.casefold() in taken:
            n += 1
            key = f"{stem}-{n}"
        taken.add(key.casefold())
        out.append(record if key == record.key else record.model_copy(update={"key": key}))
    return out


def _verbatim(text: str) -> list[re.Match[str]]:
    """Places that are LaTeX already and whole: formulas with balanced braces, accents, simple commands."""
    found: list[re.Match[str]] = []
    at = 0
    while at < len(text):
        matches = [m for p in (MATH, ACCENT, COMMAND) if (m := p.search(text, at))]
        if not matches:
            break
        first = min(matches, key=lambda m: (m.start(), -m.end()))
        if _balanced(first[0]):
            found.append(first)
        at = first.end()
    return found


def _escaped(text: str) -> str:
    """Specials escaped; a brace pair that protects letters stays, a lone brace is printed."""
    keep = _paired(text)
    out, at = [], 0
    while at < len(text):
        sign = text[at]
        after = text[at + 1 : at + 2]
        if sign == "\\" and after and after in "&%#_${}":  # escaped already; BibTeX counts even \{ as a brace
            out.append(SPECIAL[after])
            at += 2
            continue
        out.append(sign if at in keep else SPECIAL.get(sign, sign))
        at += 1
    return "".join(out)


def _paired(text: str) -> set[int]:
    """Indices of braces that have a partner within `text`."""
    opened: list[int] = []
    pairs: set[int] = set()
    for at, sign in enumerate(text):
        if at and text[at - 1] == "\\":
            continue
        if sign == "{":
            opened.append(at)
        elif sign == "}" and opened:
            pairs |= {opened.pop(), at}
    return pairs


def _balanced(text: str) -> bool:
    """As BibTeX counts: every brace, escaped or not."""
    depth = 0
    for sign in text:
        depth += (sign == "{") - (sign == "}")
        if depth < 0:
            return False
    return depth == 0


def _author(name: str) -> str:
    """A name that BibTeX takes for one: an "and" in it, or too many commas, is protected by braces."""
    shown = escape(name)
    if re.search(r"\band\b", name, re.IGNORECASE) or name.count(",") > 2 or name.rstrip().endswith(","):
        return f"{{{shown}}}"
    return shown


def _plain(text: str) -> str:
    """An identifier: no blanks, nothing that could end a field."""
    return re.sub(r"[\s{}\\\"]", "", _visible(text))


def _url(text: str) -> str:
    return "".join(IN_URL.get(sign, sign) for sign in _visible(text).strip())


def _visible(text: str) -> str:
    flat = re.sub(r"\s+", " ", text).strip()
    return "".join(sign for sign in flat if unicodedata.category(sign) not in DROPPED)
