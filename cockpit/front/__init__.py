"""Faces: Textual app, headless, plain; terminal facts; the action table.

Belongs here: how a person sees and steers a run. Not here: widgets (panes), colours (themes), decisions (engine).
"""
