"""Code that the scripts of every study share, as text (`*.py.txt`): read by `code.py`, run only as jobs.

Belongs here: nothing that Python imports.
"""
