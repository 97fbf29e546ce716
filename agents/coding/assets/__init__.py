"""Files that go into every experiment's `scripts/` as they are, as text (`*.py.txt`).

Belongs here: nothing that Python imports.
"""
