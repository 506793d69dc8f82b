"""What lets the site be installed as an app, and its rules and replays be read without a connection."""

import json
from functools import cache
from typing import Final

from flask import Response

from service.api.docs.static_content import REVALIDATE, StaticContent
from service.api.protocol.routing import RouteTable
from service.web.assets import asset_path, read_static
from service.web.frame import read_tongue

routes: Final = RouteTable()

_ICONS: Final = {"icon-192.png": ("192x192", "any"), "icon-512.png": ("512x512", "any")} | {
    "icon-maskable-512.png": ("512x512", "maskable")
}


def _show_manifest() -> Response:
    language = read_tongue().language
    answer = _manifest(language).respond("application/manifest+json", REVALIDATE)
    answer.headers.add("Vary", "Accept-Language")
    return answer


@cache
def _manifest(language: str) -> StaticContent:
    content = {
        "name": "Reibach & Co.",
        "short_name": "Reibach",
        "lang": language,
        "id": "/",
        "start_url": "/games",
        "scope": "/",
        "display": "standalone",
        "background_color": "#f7f3ea",
        "theme_color": "#24523f",
        "icons": [
            {"src": asset_path(name), "type": "image/png", "sizes": sizes, "purpose": purpose}
            for name, (sizes, purpose) in _ICONS.items()
        ],
    }
    return StaticContent.of(json.dumps(content).encode())


@cache
def _service_worker() -> StaticContent:
    return StaticContent.of(read_static("worker/service-worker.js").encode())


routes.serve("/manifest.webmanifest", _show_manifest)  # the installed site opens with one's own games
# At the root: it serves the paths below its own.
routes.serve("/service-worker.js", lambda: _service_worker().respond("text/javascript; charset=utf-8", REVALIDATE))
