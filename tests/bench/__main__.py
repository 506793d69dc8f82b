"""The benchmarks, one after the other: `python -m tests.bench [--short] [--against COMMIT] [--only NAME] [--all]
[--write DOCUMENT]`.

Each part runs in a process of its own and prints ratios of what it measured in turns, with what they should be; the end
is a table of all of them in Markdown, the goals (`goals.py`) first. A ratio that misses its goal is no error: another
machine, or another load on it, gives other figures. The exit status is 1 only where a part couldn't be run.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from tests.bench.common import ROOT, ROWS, SHORT
from tests.bench.services import AGAINST, other_checkout
from tests.bench.summary import Row, machine_lines, replace_measured, table_lines

BASE, NOTHING = "621823d", "none"
"""The commit that "before" is, unless another one is named: the last one before the work on speed; and no commit."""

SPEED = {
    "whole_games": "whole games and accepted actions over HTTP beside a bare route and boardgame.io",
    "scoring_pause": "the pause for a scoring round beside a bare hand-over",
    "bot_turns": "turns of bots that one worker plays in a second",
    "processor_time": "requests in process, without a web server, beside the bare route",
}
"""What runs without an option."""
OTHERS = {
    "flood": "the scoring pause, and a bot's answer, while 800 games between bots are played",
    "streams": "playing with and without 800 open event streams",
    "post": "notices to 200 receivers of which a fifth are broken, and actions with and without them",
    "analysis": "the best turns and the chances of the analysis, played out",
}
OPTIONS = {
    "bot_turns": ["--runs", "1", "--seconds", "1", "--games", "40"],
    "processor_time": ["--rounds", "2"],
}
"""Options of the short form, of parts that take the other checkout as an option, `--beside`, too."""
PARTS = SPEED | OTHERS


def options(name: str, environment: dict[str, str]) -> list[str]:
    """What a part is told on its command line; the others read the environment."""
    if name not in OPTIONS:
        return []
    beside = ["--beside", environment[AGAINST]] if environment.get(AGAINST) else []
    return beside + (OPTIONS[name] if environment[SHORT] == "1" else [])


def run(name: str, environment: dict[str, str]) -> tuple[bool, list[Row]]:
    """Run a part; whether it could be run, and its rows."""
    print(f"\n{name}: {PARTS[name]}", flush=True)
    begun = time.monotonic()
    with tempfile.NamedTemporaryFile("r", encoding="utf-8") as file:
        command = [sys.executable, "-m", f"tests.bench.{name}", *options(name, environment)]
        ended = subprocess.run(command, cwd=ROOT, env=environment | {ROWS: file.name}, check=False)
        rows = [Row(**json.loads(line)) for line in file]
    print(f"({time.monotonic() - begun:.0f} s)", flush=True)
    return not ended.returncode, rows


def compiled(stack: ExitStack) -> dict[str, str]:
    """This environment, but modules are compiled once a run, in a folder of its own, whatever it says of that.

    Otherwise each process of a checkout that was just unpacked would compile them, or each of both.
    """
    folder = stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return environment | {"PYTHONPYCACHEPREFIX": folder}


def main() -> int:
    """Run the parts; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description="Measure the service.")
    parser.add_argument("--only", action="append", choices=PARTS, metavar="NAME", help=f"one of {', '.join(PARTS)}")
    parser.add_argument("--all", action="store_true", help="every part, not only those of the speed of requests")
    parser.add_argument("--short", action="store_true", help="two minutes, to see that it works")
    text = f"the commit, or checkout, that is measured as `before` in the same run; {BASE}; `{NOTHING}`: none"
    parser.add_argument("--against", metavar="COMMIT", default=BASE, help=text)
    text = "put the tables between the marks of this document, if all parts could be run"
    parser.add_argument("--write", type=Path, metavar="DOCUMENT", help=text)
    chosen = parser.parse_args()
    if chosen.write and chosen.only:
        parser.error("--write needs all parts: leave --only out")
    if chosen.write:
        try:
            replace_measured(chosen.write.read_text(encoding="utf-8"), [])
        except (OSError, ValueError) as error:
            parser.error(f"--write: {error}")
    names = chosen.only or [name for name in PARTS if chosen.all or name in SPEED]
    against = None if chosen.against == NOTHING else chosen.against
    began, failed, rows = time.monotonic(), [], {}
    about = machine_lines(against, short=chosen.short)
    with ExitStack() as stack:
        environment = {**compiled(stack), SHORT: "1" if chosen.short else "0"}
        if against:
            environment[AGAINST] = str(stack.enter_context(other_checkout(against)))
        for name in names:
            ran, rows[name] = run(name, environment)
            if not ran:
                failed.append(name)
    print("\n" + "\n".join([*about, *table_lines(rows)]))
    print(f"\n{time.monotonic() - began:.0f} s in all" + (f"; could not run: {', '.join(failed)}" if failed else ""))
    if chosen.write and not failed:
        lines = [*about, *table_lines(rows, only_goals=True)]
        chosen.write.write_text(replace_measured(chosen.write.read_text(encoding="utf-8"), lines), encoding="utf-8")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
