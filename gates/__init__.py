"""May this pass? Pure functions: a Tree and a RunView in, findings and verdicts out.

Belongs here: deterministic judgement. Not here: clock, randomness, network, writing, models.
"""
