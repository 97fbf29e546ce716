"""LaTeX as bytes with places: rendering (expand what TeX expands) and reading (what a reader sees).

Belongs here: tokens, macro expansion with a line map, blocks of plain text with the offset of every
character, tables as cells with headers. Not here: what a number means (`gates/numbers`), style and
lint rules (`gates/lint`).

    rendered = render(tree, "06…/paper.tex", resolve)      # rendered.text, rendered.line_map_json()
    document = read(rendered.text)                         # document.blocks, .tables, .citations, .labels

Everything is linear in the length of the text and never raises on broken LaTeX: what cannot be
understood is read as plain text.
"""
