"""Where a run is kept: append-only journal, the run's git repository, workspace paths, lock.

Belongs here: everything that makes what was shown survive `kill -9`.
Not here: what events mean (kernel), what comes next (engine).
"""
