"""Whole runs, as promised: what a newcomer, a doubter and a careless hand would see."""
