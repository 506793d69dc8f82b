"""The pages about the OpenAPI document: complete, and under a policy that loads nothing foreign."""

import base64
import hashlib
import html
import json
import re

import pytest

from domain.refusals import Reason
from service.api.problems.codes import CODES
from tests.support.client import Api


def test_docs_load_no_foreign_files(api: Api) -> None:
    """The page names only files of its own, all there, under a policy that lets it load nothing else."""
    page = api.get("/docs")
    assert page.status_code == 200
    assert page.headers["Content-Security-Policy"].startswith("default-src 'self';")
    assert "private" not in page.headers["Cache-Control"]
    names = re.findall(r'(?:src|href)="(/(?:docs/[^"]+\?v=|v1/)[^"]+)"', page.text)
    assert len(names) == 5
    for name in names:
        part = api.get(name)
        assert part.status_code == 200
        assert ("immutable" in part.headers["Cache-Control"]) == name.startswith("/docs/")
        unversioned = api.get(name.partition("?")[0])
        assert (unversioned.content, unversioned.headers["Cache-Control"]) == (part.content, "no-cache")
    asset = api.get("/docs/swagger-ui-bundle.js")
    assert asset.headers["Content-Type"].startswith("text/javascript")
    assert asset.headers["Content-Encoding"] == "gzip"
    assert api.get("/docs/swagger-ui-bundle.js", headers={"If-None-Match": asset.headers["ETag"]}).status_code == 304


@pytest.mark.parametrize("name", ["swagger-editor.js", "docs.html", "..%2f..%2fapp.py", "%2e%2e", "docs.js%00"])
def test_docs_serve_no_other_files(api: Api, name: str) -> None:
    """Files of the same folders that the page doesn't need aren't served."""
    assert api.get(f"/docs/{name}").status_code == 404


def test_every_code_has_its_page(api: Api) -> None:
    """The page that a problem's `type` names exists for each code, and for no other word."""
    assert set(Reason) <= CODES.keys()
    for code in CODES:
        page = api.get(f"/problems/{code}")
        assert page.status_code == 200
        assert page.headers["Content-Type"] == "text/html; charset=utf-8"
        assert f"<code>{code}</code>" in page.text
        assert f"<h1>{html.escape(CODES[code].title, quote=False)}</h1>" in page.text
        assert "`" not in page.text
        assert "prefers-color-scheme: dark" in page.text
        assert page.headers["Cache-Control"] == "public, max-age=86400"
        style = re.search("<style>(.*?)</style>", page.text, re.DOTALL)
        assert style is not None
        digest = base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
        assert f"style-src 'sha256-{digest}'" in page.headers["Content-Security-Policy"]
        example = re.search("<pre><code>(.*?)</code></pre>", page.text, re.DOTALL)
        assert example is not None
        assert json.loads(html.unescape(example[1]))["type"] == f"/problems/{code}"
    unknown = api.get("/problems/no-such-code")
    assert (unknown.status_code, unknown.json()["type"]) == (404, "/problems/not-found")
