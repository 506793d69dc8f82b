"""A server's content as a file in RDB format; such a file as a server, and as commands.

The embedded store's comes from a copy of its append-only files; other servers give it to their program, `valkey-cli` or
`redis-cli`. Each is of one moment, and made while the server serves.
"""

import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final

import hiredis
import redis
from redis.sentinel import SentinelConnectionPool

from service.commands.errors import CommandFailed
from service.commands.source import printable
from service.runtime.embedded import EmbeddedStore

LOG: Final = "appendonlydir"
"""Where a server keeps its append-only files, in its folder."""
_MANIFEST, _BASE = "appendonly.aof.manifest", "appendonly.aof.1.base.rdb"
_FILES: Final = re.compile(r"^file (\S+) seq \d+ type [bi]\n", re.MULTILINE)
"""Lines of the manifest: a base, and what was appended to it; files of type h are about to be deleted."""
_PROGRAMS: Final = ("valkey-cli", "redis-cli")
_OPTIONS: Final = {
    "username": "--user",
    "ssl_ca_certs": "--cacert",
    "ssl_ca_path": "--cacertdir",
    "ssl_certfile": "--cert",
    "ssl_keyfile": "--key",
}
"""What a client's options are called there."""
_BLOCK: Final = 1 << 20
_POLL_S: Final = 0.02
_WORDS: Final = {b"XSETID": 3, b"XGROUP": 5}
"""Words of a command that Redis 6.2 knows; later ones are counts, which no process of the service reads."""


class _Copy(EmbeddedStore):
    def note_start(self) -> None:
        """Without the warning about an incomplete entry: a copy of a log that is written to ends anywhere."""


def dump_embedded(data: Path, binary: str, path: Path) -> None:
    """Write the content of the embedded store over the folder `data`, which is served, to a file. Raises StoreError."""
    folder = path.with_name("copy")
    _copy_log(data / LOG, folder / LOG)
    with _serving(folder, binary) as url, redis.Redis.from_url(url, socket_timeout=None) as copy:
        copy.save()
        (folder / "dump.rdb").rename(path)


def _copy_log(source: Path, target: Path) -> None:
    """Copy an append-only log that is written to: all that was acknowledged before, and a part of what comes.

    Files of one manifest are one log. Once they are open they stay, also if the server rewrites its log and deletes
    them: no setting of the server is changed, and nothing is left behind where the copy breaks off.
    """
    target.mkdir(parents=True)
    while True:
        manifest = (source / _MANIFEST).read_text("utf-8")
        with ExitStack() as stack:
            try:
                files = {name: stack.enter_context((source / name).open("rb")) for name in _FILES.findall(manifest)}
            except FileNotFoundError:  # rewritten since
                continue
            if (source / _MANIFEST).read_text("utf-8") != manifest:
                continue
            for name, file in files.items():
                with (target / name).open("xb") as copy:
                    shutil.copyfileobj(file, copy, _BLOCK)
        (target / _MANIFEST).write_text("".join(match[0] for match in _FILES.finditer(manifest)), "utf-8")
        return


def dump_server(server: redis.Redis, path: Path) -> None:
    """Have another server's content written to a file. Raises CommandFailed."""
    program = next(filter(None, map(shutil.which, _PROGRAMS)), None)
    if program is None:
        raise CommandFailed(f"a store elsewhere is copied by {' or '.join(_PROGRAMS)}: install one of them")
    pool: Any = server.connection_pool
    options = pool.connection_kwargs
    if "path" in options:
        words = ["-s", options["path"]]
    else:
        is_found = isinstance(pool, SentinelConnectionPool)
        host, port = pool.get_master_address() if is_found else (options["host"], options["port"])
        words = ["-h", host, "-p", str(port)]
    words += [word for name, option in _OPTIONS.items() if options.get(name) for word in (option, options[name])]
    if issubclass(pool.connection_class, redis.SSLConnection):
        words += ["--tls", *(["--insecure"] if options.get("ssl_cert_reqs") == "none" else [])]
    # The password isn't among the words, which every user of the machine can list.
    secret = {"REDISCLI_AUTH": options["password"]} if options.get("password") else {}
    command, environment = [program, *words, "--rdb", str(path)], os.environ | secret
    ended = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    if ended.returncode or not path.exists():
        said = (ended.stderr or ended.stdout).decode(errors="replace").strip().splitlines() or ["no reason"]
        raise CommandFailed(f"the store can't be copied: {Path(program).name} says: {printable(said[-1])}")


@contextmanager
def serve_dump(file: Path, folder: Path, binary: str, database: int) -> Iterator[str]:
    """The URL of a server that has loaded the file; the folder is made, and deleted at last.

    The file itself isn't changed. Raises StoreError, where the server can't read it, too.
    """
    (folder / LOG).mkdir(mode=0o700, parents=True)
    try:
        os.link(file, folder / LOG / _BASE)  # the server never writes to its base, it replaces it
    except OSError:  # another disk
        shutil.copyfile(file, folder / LOG / _BASE)
    (folder / LOG / _MANIFEST).write_text(f"file {_BASE} seq 1 type b\n", "ascii")
    with _serving(folder, binary) as url:
        yield f"{url}?db={database}"


@contextmanager
def _serving(folder: Path, binary: str) -> Iterator[str]:
    """A server over the folder, which is deleted at last. Raises StoreError."""
    server = _Copy(folder, binary)
    try:
        server.start()
        yield server.url
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


def commands_of(url: str, folder: Path) -> Iterator[list[bytes]]:
    """The commands that make the content of a database, as the server over the folder writes them itself.

    Every release knows them. `DUMP` and `RESTORE` would be quicker, but no server reads dumps of a newer release, and
    no Redis those of Valkey 9.
    """
    with redis.Redis.from_url(url, socket_timeout=None) as server:
        server.config_set("aof-use-rdb-preamble", "no")
        server.bgrewriteaof()
        while (state := server.info("persistence"))["aof_rewrite_in_progress"] or state["aof_rewrite_scheduled"]:
            time.sleep(_POLL_S)
        database = str(server.connection_pool.connection_kwargs["db"]).encode()
    reader, chosen = hiredis.Reader(), b"0"
    (base,) = (folder / LOG).glob("*.base.aof")
    with base.open("rb") as file:
        while block := file.read(_BLOCK):
            reader.feed(block)
            while words := reader.gets():
                if words[0] == b"SELECT":
                    chosen = words[1]
                elif chosen == database:
                    yield words[: _WORDS.get(words[0])]
