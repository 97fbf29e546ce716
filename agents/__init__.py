"""Do the work of a stage; talk to models and literature.

Belongs here: gateway, loops, roster, prompts, the nine agents, literature, knowledge, rehearsal models.
Not here: deciding what comes next (engine), clearing anything (gates).
"""
