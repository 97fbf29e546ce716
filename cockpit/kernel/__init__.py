"""The vocabulary of a run: ids, stages, events, view, commands, artifacts, protocols.

Belongs here: frozen data and pure functions that every room speaks. Not here: files, git, network,
models, widgets, clocks. May import: the standard library and pydantic.
"""
