"""Where papers come from: sources behind one protocol, merged records, recorded look-ups.

Belongs here: searching and looking up, and saying how each source answered. Not here: judging a
citation (`gates/citations`), choosing what to read (lit-searcher).
"""
