"""The experiment's code: how hard it is, how it is written, checked, repaired, hashed and run.

Belongs here: what `agents/exp_executor.py` does its stages with. Not here: the stages themselves,
running jobs (sandbox), judging results (gates).
"""
