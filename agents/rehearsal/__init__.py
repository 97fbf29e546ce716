"""Rehearsal: built-in rule-based models that answer every step from the context they are given.

Belongs here: the provider, the answers, the studies, the planted faults. Not here: anything that a
run with real models needs.
"""
