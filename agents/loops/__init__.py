"""The four ways in which agents ask more than once: chain, parallel, react, debate.

Belongs here: order, bounds and what each ask gets to see. Not here: what is asked (prompts), what
comes of it (the agents). Each ask is journalled by its path, so a loop resumes by running again.
"""

from agents.loops.chain import Step, chain
from agents.loops.debate import Debate, Speech, debate
from agents.loops.parallel import parallel
from agents.loops.react import Observation, Tool, react

__all__ = ["Debate", "Observation", "Speech", "Step", "Tool", "chain", "debate", "parallel", "react"]
