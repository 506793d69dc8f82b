"""Counters for the operator, of all web processes together.

No label tells who asked what, nor why something was refused: that would tell on players to whoever reads the metrics.
prometheus_client decides when it is imported whether processes share their counters: call `share_folder` before that.
"""

import os
import tempfile
from typing import Final

FOLDER: Final = "PROMETHEUS_MULTIPROC_DIR"


def share_folder() -> str:
    """Name a folder through which the processes started from here share their counters; the caller removes it."""
    folder = tempfile.mkdtemp(prefix="reibach-metrics-")
    os.environ[FOLDER] = folder
    return folder
