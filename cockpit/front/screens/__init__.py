"""Dialogs and screens over the panes.

Belongs here: what asks a person something or shows one thing at length. Not here: panes, commands' effects.
"""
