"""The paper-writer: outline (16), draft (17), revision (19), package (22).

Belongs here: which module does which stage and part. Not here: any of the work.
"""

from __future__ import annotations

import importlib

from agents import drafting, exporting, mending, revision
from agents.kit import Kit
from cockpit.kernel.protocols import Desk, StageReport


async def work(desk: Desk, kit: Kit) -> StageReport:
    """Do the stage and part of `desk`."""
    match (desk.stage.number, desk.part):
        case (16, _):
            outlining = importlib.import_module("agents.outlining")
            report: StageReport = await outlining.work(desk, kit)
            return report
        case (17, "draft"):
            return await drafting.draft(desk, kit)
        case (19, "draft"):
            return await revision.revise(desk, kit)
        case (17 | 19, "mended"):
            return await mending.mended(desk, kit)
        case (22, _):
            return await exporting.export(desk)
        case other:
            raise ValueError(f"the paper-writer has no stage {other}")
