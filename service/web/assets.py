"""What pages load besides their HTML: scripts, styles and icons, at addresses that name their content's digest."""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from threading import Event, Thread
from typing import Final

from flask import Response

from domain.words.appearance import APPEARANCES
from domain.words.refusals.sentences import Sentence
from service.api.docs.static_content import FOR_EVER, StaticContent
from service.api.problems.problem import Problem
from service.api.protocol.request import ApiRequest
from service.api.protocol.routing import RouteTable
from service.api.routes.reading.scores import TEMPLATES
from service.gamelog.store.streams import Store
from service.web.modules import join_modules
from service.web.releases import find_asset, start_publishing

routes: Final = RouteTable()

_STATIC: Final = Path(__file__).with_name("static")
ENTRIES: Final = (
    *("start.js", "lobby.js", "games.js", "game.js"),
    *("replaypage.js", "rulespage.js", "scorespage.js", "checkpage.js"),
)
"""The scripts of pages; what they import is joined with them."""
_STYLES: Final = (
    *("base.css", "cards.css", "table.css", "pages.css"),
    *("check.css", "plain.css", "replay.css", "rules.css"),
)
"""The files of the style sheet, in the order in which they apply."""
_MEDIA_TYPES: Final = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
}
_DIGEST: Final = re.compile(r"[0-9a-f]{16}")
_NAME: Final = re.compile(rf"[a-z0-9-]{{1,64}}(?:{'|'.join(map(re.escape, _MEDIA_TYPES))})")


@routes.get("/static/<digest>/<name>")
def show_asset(request: ApiRequest) -> Response:
    """An asset, for ever, since another content has another address. Only one of another release asks the store."""
    digest, name = request.path["digest"], request.path["name"]
    asset = load_assets().get(name)
    if asset is None or asset.digest != digest:
        # What isn't there yet may be published: no cache must remember that.
        missing = Problem("not-found", Sentence("not-found"), headers={"Cache-Control": "no-store"})
        if not _DIGEST.fullmatch(digest) or not _NAME.fullmatch(name):
            raise missing
        try:
            asset = find_asset(request.web.services.store, digest, name)
        except LookupError:
            raise missing from None
    return asset.respond(_MEDIA_TYPES[Path(name).suffix], FOR_EVER)


@cache
def load_assets() -> Mapping[str, StaticContent]:
    """All assets, by name."""
    return {name: StaticContent.of(content) for name, content in _contents()}


def publish_assets(store: Store, stopped: Event) -> Thread:
    """Let processes of other releases find these assets in the store. A thread does it: nothing waits for the store."""
    return start_publishing(
        store, lambda: {f"{one.digest}/{name}": one.plain for name, one in load_assets().items()}, stopped
    )


@cache
def asset_path(name: str) -> str:
    """The address of an asset. Raises KeyError where there is none of that name."""
    return f"/static/{load_assets()[name].digest}/{name}"


def read_static(path: str) -> str:
    """A file of the folder `static`."""
    return (_STATIC / path).read_text("utf-8")


def _contents() -> Iterator[tuple[str, bytes]]:
    for entry in ENTRIES:
        yield entry, join_modules(lambda path: read_static(f"js/{path}"), entry).encode()
    yield "app.css", (_card_colours() + "".join(read_static(f"css/{name}") for name in _STYLES)).encode()
    own = [
        read_static("css/base.css"),
        (TEMPLATES / "score_sheet.css").read_text("utf-8"),
        read_static("css/scores.css"),
    ]
    yield "scores.css", "".join(own).encode()
    for icon in sorted((_STATIC / "icons").iterdir()):
        yield icon.name, icon.read_bytes()


def _card_colours() -> str:
    """A rule for each card. No style sheet of a page names a colour of a card itself."""
    return "".join(
        f'[data-card="{card}"]{{--ground:{look.background};--mark:{look.ink}}}\n' for card, look in APPEARANCES.items()
    )


@cache
def read_sprite() -> str:
    """The symbols of the cards as one hidden drawing, for the HTML of pages that show cards."""
    return re.sub(r"\n\s*", "", read_static("sprite.svg"))
