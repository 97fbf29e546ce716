"""What comes next: stage machine, rounds, routing, controls, budgets; the single writer of run state.

Belongs here: decisions about order.
Not here: doing the work (agents), judging it (gates), running it (sandbox); all three are known by protocol only.
"""
