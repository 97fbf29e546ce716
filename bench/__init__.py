"""Measurements that prove promises: kills, gates, times. Not shipped; run from a clone."""
