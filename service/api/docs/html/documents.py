"""The documents of `docs/` as pages, and the list of them."""

import re
from functools import cache
from html import escape
from typing import Final

from service.api.docs.html.page_frame import read_static, render_page
from service.api.docs.static_content import StaticContent

DOCUMENTS: Final = frozenset(re.findall(r"\]\(([\w-]+)\.md\)", read_static("documents/README.md")))
"""Names of what is served: all that the list names."""
_ELSEWHERE: Final = {"rules.md": "/rules", "../tests/oracle/vectors.json": "/protocol/vectors.json"}
"""What links lead to that a player or program is served better from another address."""


@cache
def render_document(name: str) -> StaticContent:
    """One of DOCUMENTS as a page; links to its parts stand below its title."""
    content = _render(name)
    title = re.sub(r"<[^>]*>", "", content.partition("</h1>")[0]).strip()
    content = content.replace("</h1>", f"</h1>{_list_parts(name)}", 1)
    footer = '<a href="/docs">All documents</a> · <a href="/">Reibach &amp; Co.</a>'
    return render_page(f"{title} · Reibach &amp; Co.", content, footer)


def list_documents() -> str:
    """The lists of `README.md`, without its first and last paragraphs; links to its parts stand below each document."""
    content = _render("README").partition("</p>")[2].rpartition("<p>")[0]
    return re.sub(
        r'(<li><a href="(?:/docs)?/([\w-]+)">.*)(?=</li>)', lambda item: item[1] + _list_parts(item[2]), content
    )


def _list_parts(name: str) -> str:
    parts = re.findall(r'<h[23] id="([^"]*)">(.*?)</h', _render(name))
    links = (f'<li><a href="/docs/{name}#{anchor}">{title}</a></li>' for anchor, title in parts)
    return f'<ul class="parts">{"".join(links)}</ul>'


@cache
def _render(name: str) -> str:
    from markdown_it import MarkdownIt  # a web process needn't import it to start

    content = MarkdownIt("commonmark").enable("table").render(read_static(f"documents/{name}.md"))
    content = re.sub(r'<a href="([^"]*)">(.*?)</a>', _link, content, flags=re.DOTALL)
    content = re.sub(r"<(h[23])>(.*?)</\1>", _heading, content)
    content = content.replace("<th></th>", "<td></td>")  # a corner is no heading
    return content.replace("<table>", '<div class="table" tabindex="0"><table>').replace("</table>", "</table></div>")


def _link(match: re.Match[str]) -> str:
    """To what is served; one that leads into the repository is dropped."""
    name, _, place = match[1].partition(".md")
    target = _ELSEWHERE.get(match[1]) or (f"/docs/{name}{place}" if name in DOCUMENTS else match[1])
    return f'<a href="{target}">{match[2]}</a>' if target.startswith(("/", "#", "https://")) else match[2]


def _heading(match: re.Match[str]) -> str:
    """With the anchor by which the document's own links name it."""
    words = re.sub(r"<[^>]*>", "", match[2]).lower()
    anchor = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
    return f'<{match[1]} id="{escape(anchor)}">{match[2]}</{match[1]}>'
