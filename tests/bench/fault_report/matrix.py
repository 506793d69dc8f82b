"""The rows of the report, in their order."""

from collections.abc import Callable
from typing import Final, NamedTuple

from tests.bench.fault_report.rows import (
    backlog,
    disk,
    erasures,
    floods,
    gaps,
    kills,
    machines,
    pauses,
    receivers,
    rivals,
    soak,
    space,
    stores,
)
from tests.bench.fault_report.scene import Run


class Row(NamedTuple):
    """A fault, what must hold, and the function that makes it."""

    name: str
    fault: str
    must: str
    play: Callable[[Run], None]


ROWS: Final = (
    Row("R1", "store killed, `always`", "0 lost, back within 2 s", kills.kill_store),
    Row("R2", "store killed, `everysec`, slow disk", "2 s lost at most, 0 torn, told", kills.kill_store_everysec),
    Row("R3", "power cut", "0 lost of what was answered before", disk.cut_at_syncs),
    Row("R4", "file cut within the last batches", "whole batches, new appends stay", disk.cut_tail),
    Row("R5", "flipped bits in the file", "refused or found, 0 silent", disk.flip_bytes),
    Row("R6", "disk full", "0 lost, reads go on, heals within 5 s", space.fill_disk),
    Row("R7", "web process dies between append and call", "every round scored, once", gaps.before_call),
    Row("R8", "web process dies around its append", "a retry gets the first answer", gaps.before_answer),
    Row("R9", "worker dies around a job", "one result, within 10 s", gaps.in_job),
    Row("R10", "the same job many times", "one effect", gaps.same_job),
    Row("R11", "the same request many times", "one effect, one answer", gaps.same_request),
    Row(
        "R12",
        "many writers of one game",
        "no double, no 503; 2 and 10 told within 50 ms",
        rivals.write_one_game,
    ),
    Row("R13", "replica cut off, then promoted", "0 lost with REIBACH_REPLICAS=1", machines.fail_over),
    Row("R14", "store that lost its past", "losses told, in no stream; a mixed game refused", machines.lose_past),
    Row("R15", "slots of a cluster move", "0 lost, no error after retries", machines.move_slots),
    Row("R16", "clocks jump", "play goes on, no time goes back, deadlines kept", pauses.jump),
    Row("R17", "processes stand still", "503 or waiting, then as before", pauses.pause),
    Row("R18", "bad receivers of webhooks", "requests not 1.5 times as long, 0 notices lost", receivers.misbehave),
    Row("R19", "poisoned jobs, due games and events", "others unharmed", backlog.poison),
    Row("R20", "many scoring rounds at once", "each once, within 60 s, 24 ms of a worker", backlog.burst),
    Row("R23", "streams and polls drop and resume", "each event once", rivals.drop_streams),
    Row("R24", "store out of memory; eviction", "0 torn, reads go on; refused", space.fill_memory),
    Row("R25", "another, or an older, store in service", "503 until its own is back; losses told", stores.swap_store),
    Row("R26", "backup under load, restored", "0 lost of what was there", stores.back_up),
    Row("R27", "games of earlier releases", "the same bytes, the same scores", stores.read_older),
    Row("R28", "all of it at random", "0 lost, doubled, torn", soak.everything),
    Row("flood", "one client floods", "others' requests not 3 times as long", floods.flood),
    Row("kills", "every process killed", "0 lost, each part back in time", kills.kill_everything),
    Row("erasures", "`forget` and `delete` killed", "no word is left after a repeat", erasures.kill_commands),
    Row("cluster", "primaries of a cluster killed", "0 lost, writes go on within 10 s", machines.kill_primaries),
    Row("losses", "primaries killed whose replicas are behind", "losses told", machines.lose_primaries),
    Row("minority", "a primary cut off with a minority", "0 lost with REIBACH_REPLICAS=1", machines.divide),
    Row("soak", "no fault, half of the speed", "memory, files, threads, keys flat", soak.calm),
)
BY_NAME: Final = {row.name: row for row in ROWS}
