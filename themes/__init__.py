"""Semantic colour tokens and the palettes behind them.

Belongs here: tokens, palettes, base style. Not here: widgets.
"""
