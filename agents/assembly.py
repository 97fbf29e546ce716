r"""Putting the paper together by program: preamble, order of sections, floats, bibliography, rendering.

Belongs here: everything of `paper.tex` that no model words, and what follows from it by program:
`references.bib`, `paper_rendered.tex`, `line_map.json`. Not here: sections (`drafting.py`), TeX (`typesetting.py`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from agents import conduct
from agents.bibliography import chosen
from agents.latex_text import cited, counted, escape, inputs, typable
from agents.manuscript import (
    FIGURE_SUFFIXES,
    FIGURES,
    LINE_MAP,
    PAPER_TEX,
    REFERENCES,
    RENDERED,
    SECTIONS,
    Float,
    Material,
)
from cockpit.kernel.protocols import Desk, Tree
from cockpit.kernel.settings import Settings
from cockpit.kernel.stages import ANA_A
from gates import artifacts
from gates.latex.render import render
from gates.registry import build

CONDUCT = f"{SECTIONS}conduct.tex"
PREAMBLE = r"""\documentclass{article}
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\usepackage{lmodern}
\usepackage[a4paper,margin=2.8cm]{geometry}
\usepackage{amsmath,amssymb}
\usepackage{booktabs}
\usepackage{graphicx}
\usepackage{url}
\usepackage[round]{natbib}
\IfFileExists{microtype.sty}{\usepackage{microtype}}{}
\setlength{\belowcaptionskip}{6pt}
\renewcommand{\UrlBigBreaks}{}
\renewcommand{\bibfont}{\small\raggedright}
"""
CHINESE_PREAMBLE = PREAMBLE.replace(r"\documentclass{article}", r"\documentclass[UTF8]{ctexart}").replace(
    "\\usepackage[T1]{fontenc}\n\\usepackage[utf8]{inputenc}\n\\usepackage{lmodern}\n", ""
)
# lines of about equal length: no last word of the title stands alone
BALANCED_TITLE = (
    r"\makeatletter\g@addto@macro\@title{\leftskip=0pt plus 12em\rightskip=\leftskip\parfillskip=0pt\relax}\makeatother"
)
REHEARSAL_DATE = r"\textbf{REHEARSAL}: written by rule-based models for a built-in study"
_RESULT = re.compile(r"\\res(?:\[[^\]]*\])?\{([^{}]+)\}")


def _dated(settings: Settings) -> str:
    """In the place of a date: nothing, or that this is a rehearsal, and whether of what was asked."""
    if not settings.rehearsal.on:
        return ""
    return REHEARSAL_DATE if settings.rehearsal.fits else f"{REHEARSAL_DATE}; the idea that was given fits none of them"


def section_path(id: str) -> str:
    """Where a section is kept."""
    return f"{SECTIONS}{id}.tex"


def sections_of(tree: Tree, material: Material) -> dict[str, str]:
    """The sections that are there, in the outline's order."""
    return {
        s.id: tree.read(section_path(s.id)).decode("utf-8", "replace")
        for s in material.outline.sections
        if tree.exists(section_path(s.id))
    }


def paper(material: Material, sections: Mapping[str, str], settings: Settings) -> str:
    r"""`paper.tex`: macros and `\input` kept. Floats that no section places stand at the end of the experiments."""
    preamble = CHINESE_PREAMBLE if settings.language == "zh" else PREAMBLE
    parts = [
        preamble,
        f"\\title{{{escape(material.outline.title)}}}",
        BALANCED_TITLE,
        "\\author{Anonymous authors}",
        f"\\date{{{_dated(settings)}}}",
        "",
        "\\begin{document}",
        "\\maketitle",
    ]
    if notice := conduct.head(material.unpublishable):
        parts.append(notice)
    if "abstract" in sections:
        parts += ["\\begin{abstract}", "\\input{sections/abstract}", "\\end{abstract}"]
    for plan in material.outline.sections:
        if plan.id in sections and plan.id != "abstract":
            parts += ["", *_section(material, plan.id, escape(plan.title), sections)]
    parts += ["", "\\bibliographystyle{plainnat}", "\\bibliography{references}", "\\end{document}", ""]
    return "\n".join(parts)


def _section(material: Material, id: str, title: str, sections: Mapping[str, str]) -> list[str]:
    lines = [f"\\section{{{title}}}\\label{{sec:{id.replace('_', '-')}}}", f"\\input{{sections/{id}}}"]
    if id == experiments_of(material):
        lines += [f.place for f in unplaced(material, sections)]
        lines.append("\\input{sections/conduct}")
    if id == "limitations" and material.unpublishable:
        lines.append(conduct.limitation(material.unpublishable))
    return lines


def experiments_of(material: Material) -> str:
    """The id of the section that reports the experiments (by name; else the last but two)."""
    ids = [s.id for s in material.outline.sections]
    for wanted in ("experiments", "results", "experiment", "evaluation"):
        if wanted in ids:
            return wanted
    return ids[max(0, len(ids) - 3)] if ids else ""


def unplaced(material: Material, sections: Mapping[str, str]) -> tuple[Float, ...]:
    """Floats that no section takes in."""
    placed = {name.removesuffix(".tex") for text in sections.values() for name in inputs(text)}
    return tuple(f for f in material.floats if f"sections/{f.kind}_{f.id}" not in placed)


def float_text(item: Float, content: str, note: str = "") -> str:
    """A float around `content`: caption above a table, below a figure. `note`: LaTeX of a sentence for the caption."""
    said = f"{escape(item.caption.rstrip('.'))}. {note}" if note else escape(item.caption)
    caption = f"\\caption{{{said}}}\\label{{{item.label}}}"
    if item.kind == "table":
        return f"\\begin{{table}}[t]\n\\centering\n{caption}\n{content.strip()}\n\\end{{table}}\n"
    return f"\\begin{{figure}}[t]\n\\centering\n{content.strip()}\n{caption}\n\\end{{figure}}\n"


def legend(item: Float, material: Material) -> str:
    """What the cells of a table by code show, unless the caption says it already; empty for a figure."""
    if item.kind != "table" or "deviation" in item.caption.lower():
        return ""
    keys = set(_RESULT.findall(item.content))
    counts = {v.n for v in material.values if v.key in keys}
    over = f"over {counted(counts.pop(), 'seed')}" if len(counts) == 1 else "over seeds"
    shown = f"Mean $\\pm$ standard deviation {over}" if "\\pm" in item.content else f"Means {over}"
    return f"{shown}; the best mean of each column is bold." if "\\textbf" in item.content else f"{shown}."


def write_floats(desk: Desk, material: Material) -> None:
    """Write the floats that code makes, and copy the figures' files; take away those the outline no longer has."""
    for item in material.floats:
        if item.made == "by code":
            desk.write(item.file, float_text(item, item.content, legend(item, material)))
    wanted = {f.id for f in material.floats if f.kind == "figure"}
    for figure in sorted(wanted):
        for suffix in (*FIGURE_SUFFIXES, ".json"):
            if desk.tree.exists(f"{ANA_A}/figures/{figure}{suffix}"):
                desk.write(f"{FIGURES}{figure}{suffix}", desk.tree.read(f"{ANA_A}/figures/{figure}{suffix}"))
    for path in desk.tree.list(FIGURES):
        if path.removeprefix(FIGURES).rsplit(".", 1)[0] not in wanted:
            desk.remove(path)
    kept = {f.file for f in material.floats} | {section_path(s.id) for s in material.outline.sections} | {CONDUCT}
    for path in desk.tree.list(SECTIONS):
        if path not in kept:
            desk.remove(path)


def put_together(desk: Desk, material: Material) -> str:
    """Write `paper.tex`, `references.bib`, the rendered text and its map from the sections in the desk's tree.

    Returns the rendered text.
    """
    desk.write(CONDUCT, conduct.paragraph(material, desk.view))
    sections = sections_of(desk.tree, material)
    desk.write(PAPER_TEX, paper(material, sections, desk.settings))
    everything = [*sections.values(), *(read(desk.tree, f.file) for f in material.floats)]
    keys = [key for text in everything for key in cited(text)]
    entries = chosen(read(desk.tree, artifacts.BIB), keys)
    desk.write(REFERENCES, typable(entries, drop=True) if desk.settings.language == "en" else entries)
    return rerender(desk)


def rerender(desk: Desk) -> str:
    """Write the rendered text and its map from what the desk's tree holds now. Returns the rendered text."""
    rendered = render(desk.tree, PAPER_TEX, build(desk.tree, desk.view)[0].resolve)
    desk.write(RENDERED, rendered.text)
    desk.write(LINE_MAP, rendered.line_map_json())
    return rendered.text


def read(tree: Tree, path: str) -> str:
    """A text of the tree; empty when it is not there."""
    return tree.read(path).decode("utf-8", "replace") if tree.exists(path) else ""
