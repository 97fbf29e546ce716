"""The cockpit: kernel, journal, engine, faces and commands of an autonomous research run.

Imports nothing: the console script forks before any heavy import (see `cockpit/front/shim.py`).
"""
