"""Servers that are started on files of a backup, to read them."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from config.settings import Settings
from service.runtime.embedded import EmbeddedStore

LOG_FOLDER: Final = "appendonlydir"
"""Where a server keeps its files, in its folder."""
_BASE: Final = "appendonly.aof.1.base.rdb"
_CONTENTS: Final = f"file {_BASE} seq 1 type b\n"


@contextmanager
def serve_copy(file: Path, folder: Path, settings: Settings, database: int) -> Iterator[str]:
    """The URL of a server that has loaded the copy of a store, in RDB format; the folder is made, and deleted at last.

    The file itself isn't changed. Raises StoreError, where the server can't read it, too.
    """
    try:
        log = folder / LOG_FOLDER
        log.mkdir(mode=0o700, parents=True)
        try:
            os.link(file, log / _BASE)  # the server never writes to its base, it replaces it
        except OSError:  # another disk
            shutil.copyfile(file, log / _BASE)
        (log / "appendonly.aof.manifest").write_text(_CONTENTS, "ascii")
        server = EmbeddedStore(folder, settings.valkey_binary)
        server.start()
        try:
            yield f"{server.url}?db={database}"
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
