"""A client that a generator has written from the OpenAPI document."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

_PACKAGE = "generated_client"
_NDJSON = "Unsupported content_type application/x-ndjson"
"""What the generator says of the answer of `…/replay`, which it leaves untyped."""


class GeneratedClient:
    """What the generated package has: classes, operations, and clients that are closed in the end."""

    def __init__(self, stack: ExitStack) -> None:
        """`stack`: closes the clients."""
        self._stack = stack
        self.models = import_module(f"{_PACKAGE}.models")
        self.folder = Path(self.models.__file__ or "").parents[1]

    def open(self, url: str, token: str = "", **options: Any) -> Any:
        """A client of the service at `url`: a spectator's, or that of the seat with this token."""
        kind, more = ("AuthenticatedClient", {"token": token}) if token else ("Client", {})
        opened = self._find(f"client.{kind}")(base_url=url, raise_on_unexpected_status=True, **more, **options)
        return self._stack.enter_context(opened)

    def call(self, operation: str, *path: str, by: Any, **more: Any) -> Any:
        """The parsed answer to an operation, as `play.create_game`."""
        return self._find(f"api.{operation}.sync")(*path, client=by, **more)

    def _find(self, name: str) -> Any:
        module, _, attribute = name.rpartition(".")
        return getattr(import_module(f"{_PACKAGE}.{module}"), attribute)


@contextmanager
def generated_client(document: bytes, folder: Path) -> Iterator[GeneratedClient]:
    """The client of this document, written to an empty folder; nothing but NDJSON is beyond the generator."""
    from openapi_python_client import generate  # half a second, which every test process would spend
    from openapi_python_client.config import Config, ConfigFile, MetaType

    path = folder / "openapi.json"
    path.write_bytes(document)
    config = Config.from_sources(
        ConfigFile(post_hooks=[]),  # they would only format the code
        MetaType.NONE,
        path,
        "utf-8",
        overwrite=False,
        output_path=folder / _PACKAGE,
    )
    warnings = [error.detail or error.header for error in generate(config=config)]
    assert [text for text in warnings if _NDJSON not in text] == []
    with pytest.MonkeyPatch.context() as patch, ExitStack() as stack:
        patch.syspath_prepend(folder)
        yield GeneratedClient(stack)
