"""One widget a file with its `.tcss`: `show(view)` draws a RunView.

Belongs here: drawing. Not here: queries upward, I/O, keys (front), colours by value (themes).
"""
