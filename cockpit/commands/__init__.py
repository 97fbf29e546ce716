"""One file a command, no logic of its own.

Belongs here: options, help, calling the rooms, printing. Not here: anything a second command would need.
"""
