"""`reibach analyse`: what each turn of a finished game was worth, from an exported file."""

import os
import signal
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from multiprocessing import parent_process
from threading import Thread
from typing import Any

import click
import orjson

from domain.analysis import PlayedTurn, answer_of, judge_turn, played_turns
from domain.audit.checks import audit
from domain.events import EventRecord
from service.commands.errors import BadUsage, CommandFailed
from service.commands.source import parse_log, printable, read_file
from service.commands.terminal import track


def analyse_file(path: str, jobs: int | None) -> None:
    """Print the analysis of the game in a file: the bytes with which the API answers when it is done.

    `jobs`: number of turns that are judged side by side; None for one on each processor that this process may use.
    Raises BadUsage where the game isn't over or was cancelled, and CommandFailed where its log fails the audit.
    """
    log = parse_log(read_file(path), path)
    findings = audit(log.events)
    first = findings.first_offence
    if fault := log.fault or (first and f"{first.name} fails at version {first.version}"):
        raise CommandFailed(f"{printable(path)}: {fault}")
    if not findings.over:
        raise BadUsage(f"{printable(path)}: this game is still running; only a finished one can be analysed")
    if unknown := findings.passed_over.unknown:
        raise BadUsage(f"{printable(path)}: this release doesn't know its events {printable(', '.join(unknown))}")
    if any(event["type"] == "GameCancelled" for event in log.events):
        raise BadUsage(f"{printable(path)}: this game was cancelled; there is nothing to analyse")
    played = played_turns(log.events)
    jobs = jobs or (len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)
    turns = _judge_all(log.events, played, min(jobs, len(played)))
    click.echo(orjson.dumps(answer_of(turns, log.events[0]["data"]["seats"])), nl=sys.stdout.isatty())


def _judge_all(events: Sequence[EventRecord], played: Sequence[PlayedTurn], jobs: int) -> list[dict[str, Any]]:
    judge = partial(judge_turn, events)  # the log goes along with each turn, in half a millisecond
    if jobs <= 1:
        return list(track(map(judge, played), "Analysing", len(played)))
    pool = ProcessPoolExecutor(jobs, initializer=_start)
    try:
        return list(track(pool.map(judge, played), "Analysing", len(played)))
    except BrokenProcessPool:
        raise CommandFailed(
            "a process that judged turns was killed, perhaps for lack of memory: try --jobs 1"
        ) from None
    finally:
        pool.shutdown(cancel_futures=True)


def _start() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the command ends on Ctrl-C, and its processes with it
    Thread(target=_end_with_command, daemon=True).start()


def _end_with_command() -> None:
    """The pool's processes would outlive a command that is killed."""
    if command := parent_process():
        command.join()
        os._exit(1)
