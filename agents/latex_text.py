"""LaTeX as text: escaping, cleaning what a model wrote, sentences, the keys it cites, what is wrong with it.

Belongs here: pure functions on strings. Not here: rendering macros (`gates/latex`), putting a paper
together (`assembly.py`), running TeX (`typesetting.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_ESCAPES = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#",
    "_": r"\_", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "“": "``", "”": "''", "‘": "`", "’": "'", "–": "--", "—": "---", "…": r"\ldots{}", "·": r"\textperiodcentered{}",
    "→": r"$\to$", "×": r"$\times$", "±": r"$\pm$", "≥": r"$\ge$", "≤": r"$\le$", "−": "--", "\u00a0": "~",
}  # fmt: skip
_CITE = re.compile(r"\\(?:no)?cite[a-zA-Z]*\*?\s*(?:\[[^\]]*\]\s*){0,2}\{([^{}]*)\}")
_ENVIRONMENT = re.compile(r"\\(begin|end)\s*\{([^{}]*)\}")
_HEADING = re.compile(r"\\(?:section|chapter)\*?\s*\{(?:[^{}]|\{[^{}]*\})*\}[ \t]*(?:\\label\{[^{}]*\})?[ \t]*\n?")
_COMMENT = re.compile(r"(?<!\\)%.*")
_INPUT = re.compile(r"\\(?:input|include)\s*\{([^{}]*)\}")
_FORBIDDEN = re.compile(
    r"\\(documentclass|usepackage|write18|immediate|openin|openout|read|write|catcode|csname|def|newcommand|renewcommand"
    r"|bibliography|bibliographystyle|maketitle|ShellEscape|directlua|special|lstinputlisting|verbatiminput)(?![a-zA-Z])"
)
_SENTENCE_END = re.compile(r"(?<=[.!?])(?:(?:\}|''|\))*)\s+(?=[A-Z\\`$(])|(?<=[。！？])")
_NOT_AN_END = re.compile(r"(?:\b(?:e\.g|i\.e|cf|vs|et al|Fig|Eq|Sec|Tab|resp|approx|no|No|Dr)\.|\b[A-Z]\.)$")


def escape(text: str) -> str:
    """`text` so that LaTeX prints it as it is."""
    return "".join(_ESCAPES.get(sign, sign) for sign in text)


def cited(latex: str) -> tuple[str, ...]:
    """Keys cited in `latex`, in the order of first use; comments do not count."""
    keys: dict[str, None] = {}
    for group in _CITE.findall(_COMMENT.sub("", latex)):
        keys.update(dict.fromkeys(key.strip() for key in group.split(",") if key.strip() not in ("", "*")))
    return tuple(keys)


def inputs(latex: str) -> tuple[str, ...]:
    r"""What `latex` takes in by `\input` or `\include`, in order."""
    return tuple(name.strip() for name in _INPUT.findall(_COMMENT.sub("", latex)))


def body(latex: str, *, abstract: bool = False) -> str:
    """A section as a model wrote it, without the heading, preamble and document frame that the program makes.

    The result ends with one newline. With `abstract`, the abstract environment is taken off too.
    """
    text = latex.replace("\r\n", "\n").strip()
    if r"\begin{document}" in text:
        text = text.split(r"\begin{document}", 1)[1].split(r"\end{document}", 1)[0].strip()
    if abstract:
        inside = re.search(r"\\begin\{abstract\}(.*?)\\end\{abstract\}", text, re.DOTALL)
        text = inside[1].strip() if inside else text
    heading = _HEADING.match(text)
    text = text[heading.end() :] if heading else text
    text = re.sub(r"\A\s*\\label\{sec:[^{}]*\}[ \t]*\n?", "", text)
    return text.strip() + "\n"


def faults(latex: str, *, may_input: Iterable[str] = ()) -> tuple[str, ...]:
    """Sentences about what would break the paper: open braces or environments, forbidden commands; none = fit."""
    text = _COMMENT.sub("", latex)
    found = [f"\\{name} does not belong into a section" for name in dict.fromkeys(_FORBIDDEN.findall(text))]
    allowed = {name.removesuffix(".tex") for name in may_input}
    found += [f"\\input{{{n}}} is not one of the offered floats" for n in inputs(text)
              if n.removesuffix(".tex") not in allowed]  # fmt: skip
    found += _unbalanced(text)
    if not text.strip():
        found.append("it is empty")
    return tuple(found)


def _unbalanced(text: str) -> list[str]:
    bare = re.sub(r"\\[{}\\]", "", text)
    found = []
    if bare.count("{") != bare.count("}"):
        found.append(f"{bare.count('{')} opening and {bare.count('}')} closing braces")
    if len(re.findall(r"(?<!\\)\$", re.sub(r"\\\\", "", text))) % 2:
        found.append("an odd number of dollar signs")
    stack: list[str] = []
    for kind, name in _ENVIRONMENT.findall(text):
        if kind == "begin":
            stack.append(name)
        elif not stack or stack.pop() != name:
            return [*found, f"\\end{{{name}}} closes nothing"]
    return [*found, *(f"\\begin{{{name}}} is never closed" for name in stack)]


def sentences(latex: str) -> tuple[str, ...]:
    """The sentences of a passage, verbatim, so that each can be found again in it."""
    found: list[str] = []
    for paragraph in re.split(r"\n\s*\n", latex):
        held = ""
        start = 0
        for end in _SENTENCE_END.finditer(paragraph):
            piece = paragraph[start : end.start()]
            if _NOT_AN_END.search(piece):
                continue
            held = piece.strip()
            if held:
                found.append(held)
            start = end.end()
        held = paragraph[start:].strip()
        if held:
            found.append(held)
    return tuple(found)


def listed(names: Iterable[str], last: str = "and") -> str:
    """`a, b and c` for prose; empty for none."""
    items = list(names)
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} {last} {items[-1]}"


_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


def ordinal(index: int) -> str:
    """The place of the item at `index` (from 0) in words: `first`."""
    return _ORDINALS[index] if 0 <= index < len(_ORDINALS) else f"number {index + 1}"


_ACRONYMS = frozenset({"rmse", "mse", "mae", "auc", "auroc", "kl", "bleu", "nll", "r2", "crps"})


def measure(name: str) -> str:
    """A metric's name as people write it: `RMSE`, `error`."""
    return name.upper() if name in _ACRONYMS else name


def counted(number: int, one: str, many: str = "") -> str:
    """A small count in words with its noun: `three conditions`, `one round`, `no ablation`."""
    noun = one if number == 1 else (many or f"{one}s")
    return f"{_WORDS[number] if 0 <= number < len(_WORDS) else number} {noun}"


# --- characters that the fonts have --------------------------------------------------------------------------------

_MATH = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "ζ": "zeta", "η": "eta", "θ": "theta",
    "κ": "kappa", "λ": "lambda", "μ": "mu", "ν": "nu", "ξ": "xi", "π": "pi", "ρ": "rho", "σ": "sigma", "τ": "tau",
    "φ": "phi", "χ": "chi", "ψ": "psi", "ω": "omega", "Γ": "Gamma", "Δ": "Delta", "Θ": "Theta", "Λ": "Lambda",
    "Σ": "Sigma", "Φ": "Phi", "Ψ": "Psi", "Ω": "Omega", "ℓ": "ell", "∈": "in", "∞": "infty", "≈": "approx",
    "≠": "neq", "≤": "leq", "≥": "geq", "→": "to", "←": "leftarrow", "⇒": "Rightarrow", "√": "surd", "∑": "sum",
    "∏": "prod", "∂": "partial", "∇": "nabla", "∼": "sim", "⊂": "subset", "∪": "cup", "∩": "cap", "∀": "forall",
    "∃": "exists", "−": "-", "⋅": "cdot", "×": "times", "±": "pm", "°": "circ", "′": "prime", "≪": "ll", "≫": "gg",
}  # fmt: skip
_TYPED = frozenset("–—‘’“”„…•†‡€™§©®£") | {chr(n) for n in range(0xA1, 0x180)}
_SPACES = dict.fromkeys("\u00a0\u2009\u202f\u2007", "~") | dict.fromkeys("\u200b\ufeff\u00ad\u2060", "")


def typable(latex: str, *, drop: bool = False) -> str:
    r"""`latex` with Unicode mathematics as commands that pdfTeX knows (`\ensuremath{\alpha}`), odd spaces as ties.

    With `drop`, what is left that no font here has is taken out; without, it stays, for `untypable` to name.
    """
    if latex.isascii():
        return latex
    return "".join(_typed(sign, drop) for sign in latex)


def untypable(latex: str) -> tuple[str, ...]:
    """The characters of `latex` that pdfTeX's fonts lack, each once."""
    return tuple(dict.fromkeys(s for s in latex if not s.isascii() and s not in _TYPED))


def _typed(sign: str, drop: bool) -> str:
    if sign.isascii() or (sign in _TYPED and sign not in _MATH):
        return sign
    if sign in _MATH:
        name = _MATH[sign]
        return (
            "\\ensuremath{-}" if name == "-" else f"\\ensuremath{{{'^' if name in ('circ', 'prime') else ''}\\{name}}}"
        )
    if sign in _SPACES:
        return _SPACES[sign]
    return "" if drop else sign
