"""Run this code, safely, and say exactly how it went.

Belongs here: backends, the job launcher, receipts. Not here: which code to run (agents), what results mean (gates).
"""
