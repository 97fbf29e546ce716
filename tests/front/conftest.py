"""Fixtures of the faces' tests: the demo engine's folder on the path."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
