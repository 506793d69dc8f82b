"""The frame of all pages for players: head, links, languages, and the headers that keep a page to itself."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from flask import Response
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from domain.words.catalogue import LANGUAGES, read
from domain.words.wording import capitalise, words_of
from service.api.content.compression import compress
from service.api.docs.html.page_frame import read_static as read_api_static
from service.api.docs.static_content import REVALIDATE, StaticContent
from service.api.problems.language import language_headers, preferred_language
from service.api.protocol.request import GameRequest
from service.api.routes.reading.scores import TEMPLATES as API_TEMPLATES
from service.api.wsgi import current_request
from service.gamelog.store.errors import CorruptLog, NoSuchGame, StoreUnavailable
from service.web.assets import asset_path, declare_script, late_path, read_sprite
from service.web.words import fill_plural, page_words, script_words

POLICY: Final = (
    "default-src 'self'; img-src 'self' data:; base-uri 'none'; object-src 'none'; form-action 'self'; "
    "frame-ancestors 'none'"
)
"""The Content-Security-Policy of all pages: nothing inline but pictures, nothing from other hosts."""
_ICON: Final = Markup(read_api_static("icon.svg").strip())  # noqa: S704 - our own drawing
"""The site's icon, which is part of each page: as a file of its own it would cost a request."""
_TEMPLATES: Final = Environment(
    loader=FileSystemLoader([Path(__file__).with_name("templates"), str(API_TEMPLATES)]),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_TEMPLATES.filters["capitalise"] = capitalise
_TEMPLATES.globals |= {"fill_plural": fill_plural, "footer_links": ()}
_TEMPLATES.policies["json.dumps_kwargs"] = {"ensure_ascii": False, "separators": (",", ":"), "default": dict}


@dataclass(frozen=True, slots=True)
class Page:
    """A page whose HTML depends on the language alone, or on what its view hands in."""

    template: str
    path: str = ""
    """Which of the links at the top leads to it; "": none."""
    entry: str = ""
    """Its script; "": none."""
    groups: tuple[str, ...] = ()
    """Groups of words that the script needs besides `common`."""
    shows_cards: bool = False
    style: str = "app.css"
    offers_mail: bool = False
    """Whether what it asks for can come by mail."""
    offers_push: bool = False
    """Whether this device can be told, too."""
    is_over: bool = False
    """Whether it shows a game that is over."""

    def __post_init__(self) -> None:
        if self.entry:
            declare_script(self.entry, self.template)


@dataclass(frozen=True, slots=True)
class Tongue:
    """In which language a page is shown, and whether its address says so."""

    language: str
    is_asked_for: bool

    def address(self, path: str) -> str:
        """The address of another page, in the same language."""
        return f"{path}?lang={self.language}" if self.is_asked_for else path


def read_tongue() -> Tongue:
    """The request's language: that of `?lang=` if there is such a one, else the best of Accept-Language."""
    asked_for = current_request().args.get("lang", "")
    return Tongue(asked_for, True) if asked_for in LANGUAGES else Tongue(preferred_language(), False)


def render(name: str, **values: Any) -> str:
    return _TEMPLATES.get_template(name).render(values)


def render_page(page: Page, tongue: Tongue, **values: Any) -> str:
    language = tongue.language
    return render(
        page.template,
        language=language,
        languages=[(code, words_of(code).name) for code in LANGUAGES],
        words=page_words(language),
        names=words_of(language),
        here=page.path,
        entry=page.entry,
        style=page.style,
        offers_mail=page.offers_mail,
        offers_push=page.offers_push,
        is_over=page.is_over,
        script_words=script_words(language, page.groups),
        sprite=Markup(read_sprite() if page.shows_cards else ""),  # noqa: S704 - our own drawing
        asset=asset_path,
        late=late_path(page.entry),
        icon=_ICON,
        icon_address=f"data:image/svg+xml,{quote(_ICON)}",
        page=tongue.address,
        **values,
    )


def set_footer(links: Sequence[tuple[str, str]]) -> None:
    """Show these links, texts and addresses, at the end of all pages of this process."""
    _TEMPLATES.globals["footer_links"] = links
    _rendered.clear()


_rendered: Final[dict[tuple[Page, Tongue], StaticContent]] = {}


def respond_fixed(page: Page, **values: Any) -> Response:
    """The answer with a page that is the same for all in one language: rendered once, 304 where the client has it.

    `values`: the same at each call.
    """
    tongue = read_tongue()
    content = _rendered.get((page, tongue))
    if content is None:
        content = _rendered[page, tongue] = StaticContent.of(render_page(page, tongue, **values).encode())
    answer = content.respond("text/html; charset=utf-8", REVALIDATE)
    answer.headers.add("Vary", "Accept-Language")
    answer.headers["Content-Language"] = tongue.language
    answer.headers["Content-Security-Policy"] = POLICY
    return answer


def respond_page(page: Page, tongue: Tongue, status: int = 200, *, is_open: bool = False, **values: Any) -> Response:
    """The answer with a page that no cache keeps. `is_open`: it holds no secret, and so is compressed."""
    headers = language_headers(tongue.language) | {"Content-Security-Policy": POLICY, "Cache-Control": "no-store"}
    content = render_page(page, tongue, **values)
    answer = Response(content, status, headers, content_type="text/html; charset=utf-8")
    return compress(answer) if is_open else answer


def respond_unknown_game(tongue: Tongue) -> Response:
    """The answer where there is no such game: a page, with 404."""
    return respond_not_found(tongue, read(tongue.language, "plain_table").unknown)


def respond_game_page(request: GameRequest, page: Page) -> Response:
    """A page whose script asks for the game: 404 where there is none; where none can be read now the script waits."""
    try:
        page = replace(page, is_over=request.load().game.over)
    except NoSuchGame:
        return respond_unknown_game(read_tongue())
    except (StoreUnavailable, CorruptLog):
        pass
    return respond_fixed(page)


_NOTICE: Final = Page("page.html", shows_cards=True)
declare_script("zone.js", _NOTICE.template)
NOTICE_PARTS: Final[dict[str, Any]] = {"button": "", "code": "", "choices": (), "seats": (), "asks_zone": False}
"""What such a page may have besides a title and lines: nothing."""


def respond_not_found(tongue: Tongue, title: str, *lines: str) -> Response:
    return respond_page(_NOTICE, tongue, 404, **NOTICE_PARTS | {"title": title, "lines": lines})


def respond_notice(tongue: Tongue, title: str, lines: Sequence[str], **more: Any) -> Response:
    """The answer with a page that asks one question or says one thing.

    `button`: of a form, which POSTs to the page's own address, with `choices`, boxes: value, label, and
    whether it is ticked; `asks_zone`: it also sends the browser's time zone; `code`: a text to copy; `seats`: links,
    label and address.
    """
    return respond_page(_NOTICE, tongue, **NOTICE_PARTS | {"title": title, "lines": lines} | more)
