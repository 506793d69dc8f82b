"""The pages for players: their languages, headers and links. They know no token, and hold no data of a viewer."""

import json
import re
import struct
from html import unescape

import pytest

from config.settings import BadSetting, Settings
from domain.commands import LONGEST_NAME
from domain.words.catalogue import LANGUAGES, read
from domain.words.reply import read_reply
from domain.words.wording import words_of
from service.api.docs.html.documents import DOCUMENTS
from service.gamelog.store.errors import StoreUnavailable
from service.signing.deployment import Deployment
from service.web.assets import read_module
from service.web.words import page_words
from tests.api.worlds import SHARDS, World
from tests.support.cases import cases
from tests.support.samples import with_nightly

PAGES = ["/", "/lobby", "/games", "/rules", "/check", "/post", "/privacy", "/league"]
PAGES += ["/g/{game}", "/g/{game}/check", "/g/{game}/replay"]
DOCUMENTED = [f"/docs/{name}" for name in sorted(DOCUMENTS)]


@pytest.fixture(params=PAGES)
def path(request: pytest.FixtureRequest, world: World) -> str:
    return str(request.param).format(game=world.path.rpartition("/")[2])


def test_a_page_runs_nothing_but_its_own_script(world: World, path: str) -> None:
    """Nothing inline, nothing from other hosts; its address is sent to no other page."""
    page = world.ask("GET", path)
    assert (page.status_code, page.mimetype) == (200, "text/html")
    policy = page.headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'self';")
    assert "unsafe" not in policy
    assert (page.headers["Referrer-Policy"], page.headers["X-Content-Type-Options"]) == ("no-referrer", "nosniff")
    assert not re.search(r"<style|\son\w+=|\sstyle=|(?:src|href)=\"(?:https?:)?//", page.text)
    (inline,) = re.findall(r"<script(?![^>]* src=)([^>]*)>(.*?)</script>", page.text)
    assert inline[0] == ' type="application/json" id="words"'
    json.loads(inline[1])


@pytest.mark.parametrize("path", [*PAGES, "/docs", *DOCUMENTED], indirect=True)
def test_links_of_a_page_lead_somewhere(world: World, path: str) -> None:
    targets = set(re.findall(r'(?:href|src)="([/#][^"]*)"', world.ask("GET", path).text)) - {"/readyz"}
    for target in targets:  # of these /readyz isn't well: this service has no workers
        address, _, place = target.partition("#")
        answer = world.ask("GET", address or path)
        assert answer.status_code == 200, target
        assert not place or f'id="{place}"' in answer.text, target


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_page_speaks_the_language_that_is_asked_for(world: World, language: str) -> None:
    """By the browser's setting, or by the switch, whose choice the page's links keep; an unknown one is ignored."""
    title = page_words(language).lobby.title
    by_browser = world.ask("GET", "/lobby", headers={"Accept-Language": f"{language}-XX, en;q=0.5"})
    assert "Accept-Language" in by_browser.headers.getlist("Vary")
    by_switch = world.ask("GET", f"/lobby?lang={language}", headers={"Accept-Language": "fr"})
    for page, switch in ((by_browser, ""), (by_switch, f"?lang={language}")):
        assert f'<html lang="{language}">' in page.text
        assert f"<h1>{title}</h1>" in page.text
        assert f'href="/games{switch}"' in page.text
    for wrong in ("xx", "<b>", "de-AT", ""):
        assert '<html lang="en">' in world.ask("GET", "/lobby", query_string={"lang": wrong}).text


def test_an_unchanged_page_is_not_sent_again(world: World, path: str) -> None:
    """It is asked for each time, since its assets change with a release."""
    page = world.ask("GET", path)
    assert page.headers["Cache-Control"] == "no-cache"
    again = world.ask("GET", path, headers={"If-None-Match": page.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")
    other = world.ask("GET", path, headers={"If-None-Match": page.headers["ETag"], "Accept-Language": "de"})
    assert other.status_code == 200


def test_the_site_can_be_installed(world: World) -> None:
    """Its manifest names pictures of the sizes that they have, and its worker may serve the whole site."""
    manifest = world.ask("GET", "/manifest.webmanifest", headers={"Accept-Language": "de"})
    assert manifest.mimetype == "application/manifest+json"
    content = json.loads(manifest.data)
    assert content["lang"] == "de"
    for icon in content["icons"]:
        picture = world.ask("GET", icon["src"])
        assert (picture.status_code, picture.mimetype) == (200, "image/png")
        width, height = struct.unpack(">II", picture.data[16:24])
        assert icon["sizes"] == f"{width}x{height}"
    assert world.ask("GET", content["start_url"]).status_code == 200
    worker = world.ask("GET", "/service-worker.js")
    assert (worker.status_code, worker.mimetype) == (200, "text/javascript")
    assert worker.headers["Cache-Control"] == "no-cache"


def test_pages_that_hold_a_game_are_kept_by_no_cache(world: World) -> None:
    """An unknown game has a page, too, at each of its addresses, and in the language of the switch."""
    for page in ("", "/sheet", "/check", "/replay"):
        answer = world.ask("GET", f"/g/nowhere{page}?lang=nl")
        assert (answer.status_code, answer.headers["Cache-Control"]) == (404, "no-store")
        assert '<html lang="nl">' in answer.text
        assert read("nl", "plain_table").unknown in answer.text


BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("path", ["/nosuch", "/g/some-game/nosuch", "/v1x"])
def test_a_browser_gets_a_page_where_there_is_none(world: World, path: str, language: str) -> None:
    page = world.ask("GET", path, headers={"Accept": BROWSER, "Accept-Language": language})
    assert (page.status_code, page.mimetype) == (404, "text/html")
    assert f"<h1>{page_words(language).common.no_page}</h1>" in page.text
    assert {'href="/games"', 'href="/"'} <= set(re.findall(r'href="[^"]*"', page.text))
    assert {"Accept", "Accept-Language"} <= set(", ".join(page.headers.getlist("Vary")).split(", "))
    assert page.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize(("method", "path", "accept"), [*cases(__file__, "other_clients"), ("GET", "/nosuch", None)])
def test_other_clients_get_a_problem(world: World, method: str, path: str, accept: str | None) -> None:
    """As the contract has it: for programs, for what isn't read by GET, and for all of the API."""
    answer = world.ask(method, path, headers={} if accept is None else {"Accept": accept})
    plain = world.ask("GET", "/nosuch")
    assert (answer.status_code, answer.mimetype) == (404, "application/problem+json")
    assert answer.data == plain.data
    assert answer.get_json()["type"] == "/problems/not-found"
    assert world.ask("GET", "/nosuch", headers={"Accept": "text/html," * 4000}).status_code == 400


@pytest.mark.parametrize("language", with_nightly(LANGUAGES))
def test_a_browser_gets_a_page_while_it_asks_too_often(language: str) -> None:
    """With the problem's status and `Retry-After`; the API and other clients get the problem."""
    busy = World(Deployment.new(SHARDS), Settings(rate_limit=1))
    assert busy.ask("GET", "/lobby").status_code == 200
    page = busy.ask("GET", "/lobby", headers={"Accept": BROWSER, "Accept-Language": language})
    assert (page.status_code, page.mimetype) == (429, "text/html")
    assert int(page.headers["Retry-After"]) >= 1  # and what the first page took of the processor
    assert f"<h1>{page_words(language).common.too_many}</h1>" in page.text
    assert page.headers["Content-Security-Policy"].startswith("default-src 'self';")
    assert (page.headers["Cache-Control"], page.headers["Referrer-Policy"]) == ("no-store", "no-referrer")
    assert int(page.headers["Content-Length"]) == len(page.data)
    for path, accept in (("/lobby", "*/*"), ("/v1/bots", BROWSER), ("/lobby", "text/html," * 4000)):
        answer = busy.ask("GET", path, headers={"Accept": accept})
        assert (answer.status_code, answer.mimetype) == (429, "application/problem+json")


def test_a_browser_gets_a_page_while_the_store_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(Deployment.new(SHARDS))

    def fail(*_: object, **__: object) -> None:
        raise StoreUnavailable

    monkeypatch.setattr(world.web.services.games, "load_cached", fail)
    monkeypatch.setattr(world.web.services.games, "load_history", fail)
    page = world.ask("POST", "/g/any", data={"token": ""}, headers={"Accept": BROWSER, "Accept-Language": "nl"})
    assert (page.status_code, page.mimetype) == (503, "text/html")
    assert f"<h1>{page_words('nl').common.unavailable}</h1>" in page.text


def test_fields_for_names_take_whole_names(world: World) -> None:
    """Those of the start page, and those that scripts make, are as long as the longest name."""
    fields = re.findall(r'<input name="name"[^>]* maxlength="(\d+)"', world.ask("GET", "/").text)
    fields += re.findall(r"LONGEST_NAME = (\d+);", read_module("core/session.js"))
    assert len(fields) >= 3
    assert set(fields) == {str(LONGEST_NAME)}


def test_an_operators_links_stand_on_every_page_and_privacy_names_the_times() -> None:
    """Text and address of `REIBACH_FOOTER_LINKS`, escaped; a link of another form ends the start."""
    links = "Imprint & <b>=https://club.example/imprint ; Mail=mailto:me@club.example"
    world = World(Deployment.new(SHARDS), Settings(rate_limit=0, footer_links=links, delete_unused_after=172_800))
    for path in PAGES[:7]:
        page = world.ask("GET", path).text
        assert '<a href="https://club.example/imprint">Imprint &amp; &lt;b&gt;</a>' in page
        assert '<a href="mailto:me@club.example">Mail</a>' in page
    page = unescape(world.ask("GET", "/privacy", headers={"Accept-Language": "de"}).text)
    assert "wird nach 2 Tagen gelöscht" in page
    assert "und 7 Tage nach seinem Ende" in page
    contact = world.ask("GET", "/v1/openapi.json").get_json()["info"]["contact"]
    assert contact == {"name": "Imprint & <b>", "url": "https://club.example/imprint"}
    for wrong in ("Imprint", "=https://a.example", "A=javascript:alert(1)", "A=https://a.example;B"):
        with pytest.raises(BadSetting, match="REIBACH_FOOTER_LINKS"):
            Settings(footer_links=wrong)
    assert "club.example" not in World(Deployment.new(SHARDS), Settings(rate_limit=0)).ask("GET", "/").text


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_sheet_is_that_of_the_api(world: World, language: str) -> None:
    """The same table within the page's frame, which no policy keeps from its style."""
    headers = {"Accept-Language": language, "Accept": "text/html"}
    page = world.ask("GET", f"{world.path.replace('/v1/games', '/g')}/sheet", headers=headers)
    sheet = world.ask("GET", f"{world.path}/scores", headers=headers)
    assert (page.status_code, page.mimetype) == (200, "text/html")
    (shown,), (of_api,) = (re.findall(r"<table>.*</table>", text, re.DOTALL) for text in (page.text, sheet.text))
    assert re.sub(r"\s*\n\s*", "", shown) == re.sub(r"\s*\n\s*", "", of_api)
    assert "Anna &lt;b&gt;" in shown
    assert f'<h1 id="sheet">{words_of(language).terms["score sheet"]}</h1>' in page.text
    assert not re.search(r"<style|\sstyle=", page.text)
    assert re.search(r'<link rel="stylesheet" href="/static/\w+/scores\.css">', page.text)


# The page about play by post: what it tells players to do is there, in each language.


def test_the_lines_of_answers_are_understood() -> None:
    """Each says one action, or a request, the same one in all languages."""
    posts = [page_words(language).post for language in LANGUAGES]
    alone = [[read_reply(answer.line) for answer in post.alone_lines] for post in posts]
    assert len({tuple((reply.word, reply.until, reply.error) for reply in replies) for replies in alone}) == 1
    assert all(reply.word for reply in alone[0])
    read = [[read_reply(answer.line) for answer in post.answers_lines] for post in posts]
    assert all(reply.error is None for replies in read for reply in replies)
    assert len({tuple(reply.wishes for reply in replies) for replies in read}) == 1


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_about_post_names_what_there_is(world: World, language: str) -> None:
    """Parts of the menu by their names; a link to a page in English says so."""
    words = page_words(language)
    texts = " ".join(text for part in words.post.parts for text in part.paragraphs)
    assert all(name in texts for name in (words.notices.title, words.menu.take_seat, words.menu.seat))
    page = world.ask("GET", "/post", headers={"Accept-Language": language}).text
    (name,) = re.findall(r'<a href="/docs/by-post" hreflang="en">([^<]*)</a>', page)
    assert name.endswith(")") == (language != "en")


@pytest.mark.parametrize("url", ["", "smtp://mail.example.org"])
def test_a_table_knows_whether_mails_are_sent(url: str) -> None:
    """Else its menu has no field for an address; one process can be asked about both."""
    settings = Settings(rate_limit=0, smtp_url=url, mail_from="reibach@example.org", public_url="https://example.org")
    world = World(Deployment.new(SHARDS), settings).open([{"name": "Anna"}, {}])
    page = world.ask("GET", world.path.replace("/v1/games", "/g")).text
    assert (" data-mail" in page) == bool(url)
