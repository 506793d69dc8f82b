"""Pages about the API and of documents, where those stood before, the icon, and what robots may read."""

import base64
import html
import json
import re
from hashlib import sha256
from xml.etree import ElementTree as ET

import pytest
from werkzeug.test import TestResponse

from domain.refusals import Reason
from service.api.docs.html.documents import DOCUMENTS
from service.api.problems.problem import CODES
from tests.api.worlds import World
from tests.support.shell import ROOT

PAGES = [f"/docs/{name}" for name in sorted(DOCUMENTS)]


@pytest.fixture(scope="module")
def world() -> World:
    """One for all tests: none changes anything."""
    return World()


def check_policy(page: TestResponse) -> None:
    """Its own style alone is allowed; it has colours for the dark, and tells other sites nothing."""
    (style,) = re.findall(r"<style>(.*?)</style>", page.text, re.DOTALL)
    digest = base64.b64encode(sha256(style.encode()).digest()).decode()
    policy = page.headers["Content-Security-Policy"]
    assert f"style-src 'sha256-{digest}'" in policy
    assert "unsafe" not in policy
    assert "prefers-color-scheme: dark" in style
    assert page.headers["Referrer-Policy"] == "no-referrer"
    assert "frame-ancestors 'none'" in policy


@pytest.mark.parametrize("path", PAGES)
def test_a_page_needs_nothing_but_itself(world: World, path: str) -> None:
    """No script, no other host; its policy allows its own style and icon, and nothing else."""
    page = world.ask("GET", path)
    assert (page.status_code, page.mimetype) == (200, "text/html")
    check_policy(page)
    assert page.headers["Content-Security-Policy"].startswith("default-src 'none';")
    assert not re.search(r"<script|\son\w+=|\sstyle=|<(?!a )[^>]*(?:src|href)=\"(?:https?:)?//", page.text)
    assert 'href="/favicon.ico"' in page.text


def test_the_pages_have_the_documents(world: World) -> None:
    """All that are in the folder, with headings, tables and code; links into the repository are text."""
    assert DOCUMENTS | {"README"} == {path.stem for path in (ROOT / "docs").glob("*.md")}
    listed, by_post, protocol = (world.ask("GET", f"/docs{name}").text for name in ("", "/by-post", "/protocol"))
    assert '<li><a href="/docs/by-post#lost-link">Lost link</a></li>' in listed
    assert "<h1>Play by post</h1>" in by_post
    assert "<table>" in protocol
    assert '<h2 id="lost-link">Lost link</h2>' in by_post
    assert 'href="/docs/host-mail"' in by_post
    assert '<h2 id="2-errors">2. Errors</h2>' in protocol
    assert 'href="/rules"' in protocol
    assert 'href="/protocol/vectors.json"' in protocol


def test_the_site_has_its_small_addresses(world: World) -> None:
    """An icon, what robots may read, and where documents were."""
    icon, robots = world.ask("GET", "/favicon.ico"), world.ask("GET", "/robots.txt")
    assert (icon.status_code, icon.mimetype) == (200, "image/svg+xml")
    assert ET.fromstring(icon.data).tag.endswith("svg")
    assert (robots.status_code, robots.mimetype) == (200, "text/plain")
    rules = [line for line in robots.text.splitlines() if line and not line.startswith("#")]
    assert rules == ["User-agent: *", "Allow: /$", "Disallow: /"]
    for old, new in (("/api", "/docs"), ("/by-post", "/docs/by-post"), ("/protocol", "/docs/protocol")):
        moved = world.ask("GET", old)
        assert (moved.status_code, moved.headers["Location"]) == (301, new)


@pytest.mark.parametrize("path", [*PAGES, "/favicon.ico", "/robots.txt"])
def test_a_page_is_cached(world: World, path: str) -> None:
    page = world.ask("GET", path)
    again = world.ask("GET", path, headers={"If-None-Match": page.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")


def test_docs_load_no_foreign_files(world: World) -> None:
    """The page names only files of its own, all there, under a policy that lets it load nothing else."""
    page = world.ask("GET", "/docs")
    assert page.status_code == 200
    assert page.headers["Content-Security-Policy"].startswith("default-src 'self';")
    assert "private" not in page.headers["Cache-Control"]
    names = re.findall(r'(?:src|href)="(/(?:docs/[^"]+\?v=|v1/)[^"]+)"', page.text)
    assert len(names) == 5
    for name in names:
        part, unversioned = world.ask("GET", name), world.ask("GET", name.partition("?")[0])
        assert part.status_code == 200
        assert ("immutable" in part.headers["Cache-Control"]) == name.startswith("/docs/")
        assert (unversioned.data, unversioned.headers["Cache-Control"]) == (part.data, "no-cache")
    path = "/docs/swagger-ui-bundle.js"
    asset = world.ask("GET", path, headers={"Accept-Encoding": "gzip"})
    assert (asset.mimetype, asset.headers["Content-Encoding"]) == ("text/javascript", "gzip")
    assert world.ask("GET", path, headers={"If-None-Match": asset.headers["ETag"]}).status_code == 304
    for other in ("swagger-editor.js", "docs.html", "..%2f..%2fapp.py", "%2e%2e", "docs.js%00"):
        assert world.ask("GET", f"/docs/{other}").status_code == 404, other  # of the same folders, and not needed


def test_every_code_has_its_page(world: World) -> None:
    """The page that a problem's `type` names exists for each code, and for no other word."""
    assert set(Reason) <= CODES.keys()
    for code in CODES:
        page = world.ask("GET", f"/problems/{code}")
        assert (page.status_code, page.headers["Content-Type"]) == (200, "text/html; charset=utf-8")
        assert f"<code>{code}</code>" in page.text
        assert f"<h1>{html.escape(CODES[code].title, quote=False)}</h1>" in page.text
        assert "`" not in page.text
        assert page.headers["Cache-Control"] == "public, max-age=86400"
        check_policy(page)
        (example,) = re.findall("<pre><code>(.*?)</code></pre>", page.text, re.DOTALL)
        assert json.loads(html.unescape(example))["type"] == f"/problems/{code}"
    unknown = world.ask("GET", "/problems/no-such-code")
    assert (unknown.status_code, unknown.get_json()["type"]) == (404, "/problems/not-found")
