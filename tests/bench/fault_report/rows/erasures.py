"""`forget` and `delete` are killed in every gap between two side effects, and repeated: the row `erasures`."""

import os
import signal
from collections.abc import Callable
from functools import wraps
from itertools import count
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

from domain.commands import PostMessage, SeatPlan
from service import cli
from service.commands.store import erasure
from service.gamelog.archive.compaction import compact
from service.gamelog.copies.forks import Fork, copy_game
from service.gamelog.store.form.places import Folder
from service.gamelog.store.streams import Store
from service.post.quotas import MailQuotas
from service.post.subscriptions import Subscriptions
from service.runtime.embedded import EmbeddedStore
from service.signing.deployment import open_deployment
from tests.bench.fault_report.scene import Run, store_on, store_version
from tests.faults.served import SHARDS
from tests.gamelog.ledger import finish, new_game
from tests.post.processes import wish
from tests.support.waiting import patience
from tests.support.words import find_words
from tests.support.world import new_log

_LATER: Final = 10**15
_SEAT: Final = 1
_EFFECTS: Final[list[tuple[Any, str]]] = [
    (Store, "commit"),
    (Store, "call_each"),
    (Folder, "delete"),
    (erasure, "note_forgotten"),
    (erasure, "_begin_rewrite"),
    (erasure, "_await_rewrite"),
]
"""What changes something, in the commands' own process."""


def kill_commands(run: Run) -> None:
    """No key, file or append-only file has the words after a repeat, wherever the first call was killed."""
    data, folder = run.folder / "data", run.folder / "archive"
    kills = {"forget": 0, "delete": 0}
    with store_on(data) as client:
        run.outcome.store = store_version(client)
        open_deployment(client, SHARDS, "")
        store = Store(client, SHARDS, patience(3), files=Folder(folder))
        for command in kills:
            for gap in count(1):
                name = f"game-{command}-{gap}"
                words = _leave_words(store, folder, name, is_forked=command == "forget")
                held = len(find_words(client, folder, *words))
                argv = [command, name, *([str(_SEAT), "--end-proof"] if command == "forget" else []), "--yes"]
                was_killed = _call(run, argv, gap) == -signal.SIGKILL
                run.need(_call(run, argv, 0) == 0, f"{name}: the repeat failed")
                left = find_words(client, folder, *words)
                logs = (data / "appendonlydir").iterdir()
                left += [path.name for path in logs if words[0].encode() in path.read_bytes()]
                run.need(held > 3 and not left, f"{name}: {held} keys and files had the words, {left} have them still")
                if not was_killed:
                    break
                kills[command] += 1
    run.need(min(kills.values()) > 4, f"kills: {kills}")
    told = " and ".join(f"`{command}` {number} times" for command, number in kills.items())
    run.outcome.how = f"SIGKILL before each side effect of {told}, then the command again; archives in files, forks"


def _leave_words(store: Store, folder: Path, name: str, *, is_forked: bool) -> tuple[str, str]:
    """A finished game with a message and an address, archived twice, with what an archiver left that was killed."""
    text, address, games = f"Zwiebelkuchen {name}", f"{name}@example.org", new_log(store)
    games.create(new_game(name))
    games.handle(name, PostMessage(seat=_SEAT, text=text))
    finish(games, name)
    end = games.load(name).game.version - 1
    for number in range(2):
        games.handle(name, PostMessage(seat=_SEAT, text=f"{text} {number}"))
        assert compact(store, name, "files", _LATER)
        place = store.place(name)
        assert place
        kept = place.file(name), (folder / place.file(name)).read_bytes()
    (folder / "unfinished" / f"{kept[0]}.0123456789abcdef").write_bytes(kept[1])
    if is_forked:
        history = games.load_history(name)
        seats = SeatPlan(name="Carla"), SeatPlan(name="Dora")
        fork = Fork(game=f"fork-of-{name}", parent=name, version=end, until=end, seats=seats, listed=False)
        games.import_game(copy_game(history.entries, fork))
        assert compact(store, fork.game, "files", _LATER)
    Subscriptions(store).save(name, _SEAT, wish(email=address))
    MailQuotas(store, b"secret").name(name, _SEAT, address, None, ("", "nonce"))
    store.client.lpush(store.lanes(name)[2], f'["{name}|r|{_SEAT}|email|answer|4|x","{text}"]')
    return text, address


def _call(run: Run, argv: list[str], gap: int) -> int | None:
    """The exit code of a command that dies before so many effects; 0: not at all."""
    process = get_context("fork").Process(target=_run_until, args=(run.folder, argv, gap))
    process.start()
    process.join(patience(60))
    return process.exitcode


def _run_until(folder: Path, argv: list[str], gap: int) -> None:
    os.environ["REIBACH_REDIS_URL"] = EmbeddedStore(folder / "data").url
    os.environ["REIBACH_ARCHIVE_FILES"] = str(folder / "archive")
    os.environ["REIBACH_DATA"] = str(folder)
    effects = count(1)
    for owner, name in _EFFECTS:
        setattr(owner, name, _deadly(getattr(owner, name), lambda: next(effects) == gap))
    with (folder / "output").open("a") as output:
        os.dup2(output.fileno(), 1)
        os.dup2(output.fileno(), 2)
        cli.main(argv)


def _deadly(effect: Callable[..., Any], is_last: Callable[[], bool]) -> Callable[..., Any]:
    @wraps(effect)
    def call(*arguments: Any, **more: Any) -> Any:
        if is_last():
            os.kill(os.getpid(), signal.SIGKILL)
        return effect(*arguments, **more)

    return call
