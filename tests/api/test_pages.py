"""Documents as pages, where they stood before, the icon, and what robots may read."""

import base64
import re
from hashlib import sha256
from xml.etree import ElementTree as ET

import pytest

from service.api.docs.html.documents import DOCUMENTS
from tests.api.worlds import World
from tests.support.shell import ROOT

PAGES = [f"/docs/{name}" for name in sorted(DOCUMENTS)]


@pytest.mark.parametrize("path", PAGES)
def test_a_page_needs_nothing_but_itself(world: World, path: str) -> None:
    """No script, no other host; its policy allows its own style and icon, and nothing else."""
    page = world.ask("GET", path)
    assert (page.status_code, page.mimetype) == (200, "text/html")
    style = re.findall(r"<style>(.*?)</style>", page.text, re.DOTALL)
    assert len(style) == 1
    digest = base64.b64encode(sha256(style[0].encode()).digest()).decode()
    policy = page.headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none';")
    assert f"style-src 'sha256-{digest}'" in policy
    assert "unsafe" not in policy
    assert not re.search(r"<script|\son\w+=|\sstyle=|<(?!a )[^>]*(?:src|href)=\"(?:https?:)?//", page.text)
    assert "prefers-color-scheme: dark" in style[0]
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


@pytest.mark.parametrize(
    ("old", "new"), [("/api", "/docs"), ("/by-post", "/docs/by-post"), ("/protocol", "/docs/protocol")]
)
def test_where_a_document_was_it_is_found(world: World, old: str, new: str) -> None:
    answer = world.ask("GET", old)
    assert (answer.status_code, answer.headers["Location"]) == (301, new)


def test_the_icon_is_a_picture(world: World) -> None:
    icon = world.ask("GET", "/favicon.ico")
    assert (icon.status_code, icon.mimetype) == (200, "image/svg+xml")
    assert ET.fromstring(icon.data).tag.endswith("svg")


def test_robots_may_read_the_first_page_alone(world: World) -> None:
    robots = world.ask("GET", "/robots.txt")
    assert (robots.status_code, robots.mimetype) == (200, "text/plain")
    rules = [line for line in robots.text.splitlines() if line and not line.startswith("#")]
    assert rules == ["User-agent: *", "Allow: /$", "Disallow: /"]


@pytest.mark.parametrize("path", [*PAGES, "/favicon.ico", "/robots.txt"])
def test_a_page_is_cached(world: World, path: str) -> None:
    page = world.ask("GET", path)
    again = world.ask("GET", path, headers={"If-None-Match": page.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")
