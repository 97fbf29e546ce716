r"""What commands print, skip or mean: tables for the reader.

Belongs here: data. Not here: code. Commands that are in no table are dropped and their groups read.
"""

from __future__ import annotations

PRINTS: dict[str, str] = {
    "%": "%", "&": "&", "_": "_", "#": "#", "$": "$", "{": "{", "}": "}", "pm": "±", "textpm": "±", "times": "×",
    "cdot": "·", "approx": "≈", "sim": "∼", "simeq": "≈", "leq": "≤", "le": "≤", "geq": "≥", "ge": "≥", "ll": "≪",
    "gg": "≫", "lt": "<", "gt": ">", "neq": "≠", "ne": "≠", "percent": "%", "ldots": "…", "dots": "…",
    "cdots": "…", "textendash": "–", "textemdash": "—", "textminus": "-", ",": "\u2009", "thinspace": "\u2009",
    ";": " ", ":": " ", "!": "", "quad": " ", "qquad": " ", " ": " ", "\n": " ", "to": "→", "rightarrow": "→",
    "uparrow": "↑", "downarrow": "↓", "infty": "∞", "circ": "°", "degree": "°", "-": "", "/": "", "@": "",
    "in": "∈", "textless": "<", "textgreater": ">", "textbackslash": "\\", "textasciitilde": "~",
    "textunderscore": "_", "S": "§", "par": "\n", "newline": " ", "linebreak": " ", "textpercent": "%",
    "nobreakspace": " ", "enspace": " ", "lbrack": "[", "rbrack": "]", "mid": "|", "vert": "|", "div": "÷",
}  # fmt: skip

# how many mandatory arguments are not printed (options before and after them neither) → commands
_SKIPPED: dict[int, str] = {
    0: """
        vskip makebox addlinespace qbezier oval multicolsep itemsep arraybackslash hskip kern tabcolsep
        pdfoutput looseness penalty columnwidth textwidth linewidth unitlength phantomsection hline toprule
        midrule bottomrule paperwidth paperheight textheight hfuzz vfuzz cref@x
    """,
    1: """
        documentclass usepackage RequirePackage bibliography bibliographystyle vspace hspace color textcolor
        colorbox cellcolor rowcolor hypersetup geometry raisebox scalebox parbox url href path pagestyle
        thispagestyle graphicspath captionsetup cline cmidrule theoremstyle newlength newcounter hyphenation
        input include includeonly sisetup phantom hphantom vphantom pgfplotsset usetikzlibrary tikzset
        linethickness circle line vector lstset AtBeginDocument selectlanguage setmainfont setCJKmainfont
        linespread SetWatermarkText SetWatermarkScale SetWatermarkAngle SetWatermarkColor setstretch
        enlargethispage thanks bibitem nocite SetWatermarkHorCenter SetWatermarkVerCenter
    """,
    2: """
        setlength addtolength setcounter addtocounter fontsize rule resizebox newtheorem DeclareMathOperator
        numberwithin newcommand renewcommand providecommand
    """,
    3: """
        rowcolors definecolor specialrule crefname Crefname addcontentsline
    """,
}
SKIPS: dict[str, int] = {name: count for count, names in _SKIPPED.items() for name in names.split()}

GRAPHICS = frozenset({
    "includegraphics",
})  # fmt: skip
REFERENCES = frozenset({
    "Cref", "autoref", "cref", "eqref", "hyperref", "nameref", "pageref", "ref", "subref", "vref",
})  # fmt: skip
BOLD_GROUPS = frozenset({
    "bf", "bfseries", "bm", "boldmath", "boldsymbol", "mathbf", "pmb", "textbf",
})  # fmt: skip
HEADINGS = {
    "part": 0, "chapter": 0, "section": 1, "subsection": 2, "subsubsection": 3, "paragraph": 4, "subparagraph": 5,
}  # fmt: skip
# commands that only set how something looks
QUIET_IN_MATH = frozenset({
    "Big", "Bigg", "Bigl", "Bigr", "bar", "bf", "big", "bigg", "bigl", "bigr", "bm", "boldsymbol", "displaystyle",
    "ensuremath", "footnotesize", "hat", "hbox", "it", "label", "left", "limits", "mathbb", "mathbf", "mathbin",
    "mathcal", "mathit", "mathop", "mathrel", "mathrm", "mathsf", "mathtt", "mbox", "nolimits", "nonumber", "notag",
    "num", "operatorname", "overline", "pmb", "right", "rm", "scriptstyle", "small", "tag", "text", "textbf",
    "textit", "textnormal", "textrm", "textstyle", "tilde", "underline", "vec",
})  # fmt: skip
DISPLAYS = frozenset({
    "align", "align*", "alignat", "alignat*", "displaymath", "eqnarray", "eqnarray*", "equation", "equation*",
    "flalign", "flalign*", "gather", "gather*", "math", "multline", "multline*",
})  # fmt: skip
CODE = frozenset({
    "Verbatim", "comment", "filecontents", "filecontents*", "lstlisting", "minted", "thebibliography", "verbatim",
    "verbatim*",
})  # fmt: skip
PICTURES = frozenset({
    "pgfpicture", "picture", "tikzpicture",
})  # fmt: skip
FLOATS = frozenset({
    "SCtable", "figure", "figure*", "longtable", "sidewaystable", "subtable", "table", "table*", "wrapfigure",
    "wraptable",
})  # fmt: skip
# mandatory arguments of tabular environments
TABULARS = {
    "tabular": 1, "tabular*": 2, "tabularx": 2, "tabulary": 2, "longtable": 1, "tabu": 1, "tblr": 1,
    "NiceTabular": 1, "array": -1,
}  # fmt: skip
ENVIRONMENT_ARGUMENTS = {
    "minipage": 1, "multicols": 1, "wrapfigure": 2, "wraptable": 2, "adjustbox": 1, "picture": 0, "spacing": 1,
    "subfigure": 1, "subtable": 1, "algorithmic": 0, "threeparttable": 0, "alignat": 1, "alignat*": 1,
}  # fmt: skip
UNITS = {
    "milli": "m", "micro": "µ", "nano": "n", "kilo": "k", "mega": "M", "giga": "G", "second": "s", "byte": "B",
    "hour": "h", "minute": "min", "percent": "%", "meter": "m", "gram": "g", "hertz": "Hz", "watt": "W",
    "joule": "J", "per": "/",
}  # fmt: skip
