"""Entry of the launcher, run by file: `python -I -S job.py DIR name=value … -- COMMAND`.

Belongs here: nothing but getting `launcher.py` imported without a site or a user's paths in the way.
"""

import os
import sys

if __name__ == "__main__":
    sys.path.append(os.path.dirname(os.path.dirname(__file__)))  # noqa: PTH120  last, so it shadows nothing
    from sandbox.launcher import launch

    launch(sys.argv[1], sys.argv[2:])
    os._exit(0)
