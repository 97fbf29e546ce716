"""Built-in rule-based models: they answer every step from the context they are given, with no key.

Belongs here: the litellm provider, the answers, the small studies. Not here: anything the product
needs when real models are configured; without this package it must still run.
"""
