"""All benchmarks, one after the other: `python -m tests.benchmarks [--only NAME]`.

Each part runs in a process of its own and prints ratios of what it measured in turns, with what they should be. A ratio
that misses its aim is no error: another machine, or another load on it, gives other figures. The exit status is 1 only
where a part couldn't be run.
"""

import argparse
import os
import subprocess
import sys
import time

from tests.benchmarks.common import ROOT, disk_sync_ms, load_client

PARTS = {
    "actions": "accepted actions over HTTP beside a bare route",
    "length": "the 150th action of a game beside the 5th",
    "many_games": "10,000 stored games beside 10",
    "fold": "replay from the store beside the eventsourcing library",
    "scoring_pause": "the real pause for a scoring round beside a bare hand-over",
    "flood": "the same pause, and a bot's answer, while 800 games between bots are played",
    "scoring_queue": "the job queue beside other ways to hand a job over",
    "memory": "what a finished game weighs",
    "past": "the past of a game with 1,000 messages beside that of one with none",
    "polls": "playing with and without 200 open long polls",
    "post": "notices to 200 receivers of which a fifth are broken, and actions with and without them",
    "web_server": "the web server alone, with and without 200 open long polls",
    "threads": "three threads a web process beside the default, with a store at hand and with one that is 5 ms away",
    "boardgame_io": "accepted actions over HTTP beside boardgame.io's server",
}


def main() -> int:
    """Run the parts; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description="Measure the service.")
    parser.add_argument("--only", action="append", choices=PARTS, metavar="NAME", help=f"one of {', '.join(PARTS)}")
    chosen = parser.parse_args().only or PARTS
    print(f"load client: {load_client()}; {os.cpu_count()} processors; the disk syncs in {disk_sync_ms():.2f} ms")
    began = time.monotonic()
    failed = []
    for name in chosen:
        print(f"\n{name}: {PARTS[name]}", flush=True)
        begun = time.monotonic()
        if subprocess.run([sys.executable, "-m", f"tests.benchmarks.{name}"], cwd=ROOT, check=False).returncode:
            failed.append(name)
        print(f"({time.monotonic() - begun:.0f} s)", flush=True)
    print(f"\n{time.monotonic() - began:.0f} s in all" + (f"; could not run: {', '.join(failed)}" if failed else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
