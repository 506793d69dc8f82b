"""The page at `/`, documents as pages, the icon, and what robots may read."""

import base64
import re
from hashlib import sha256
from xml.etree import ElementTree as ET

import pytest

from tests.api.worlds import World

PAGES = ["/api", "/by-post", "/protocol"]


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
    assert not re.search(r"<script|\son\w+=|\sstyle=|(?:src|href)=\"(?:https?:)?//", page.text)
    assert "prefers-color-scheme: dark" in style[0]
    assert 'href="/favicon.ico"' in page.text


def test_the_pages_have_the_documents(world: World) -> None:
    """Headings, tables and code of the documents; links into the repository are text."""
    home, by_post, protocol = (world.ask("GET", path).text for path in PAGES)
    assert all(f'href="{path}"' in home for path in ["/rules", "/by-post", "/docs", "/protocol", "/v1/openapi.json"])
    assert "<h1>Play by post</h1>" in by_post
    assert "<table>" in protocol
    assert '<h2 id="lost-link">Lost link</h2>' in by_post
    assert 'href="/protocol"' in by_post
    assert '<h2 id="2-errors">2. Errors</h2>' in protocol
    assert 'href="/rules"' in protocol
    assert 'href="/protocol/vectors.json"' in protocol


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
