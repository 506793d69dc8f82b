"""The rows of the report, in their order."""

from collections.abc import Callable
from typing import Final, NamedTuple

from tests.faults.report.rows import kills
from tests.faults.report.scene import Run


class Row(NamedTuple):
    """A fault, what must hold, and the function that makes it."""

    name: str
    fault: str
    must: str
    play: Callable[[Run], None]


ROWS: Final = (
    Row("R1", "store killed, `always`", "0 lost, back within 2 s", kills.kill_store),
    Row("R2", "store killed, `everysec`, slow disk", "at most 2 s lost, 0 torn, said at the start", kills.kill_store_everysec),
    Row("kills", "every process killed", "0 lost", kills.kill_everything),
)
BY_NAME: Final = {row.name: row for row in ROWS}
