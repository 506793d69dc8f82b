"""All that is said, in a language that isn't there: only texts of that language, and each of them."""

import copy
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from html import unescape
from pathlib import Path
from string import Formatter
from typing import Any, NamedTuple

import pytest

from config.settings import Settings
from domain.clock.pace import Pace
from domain.commands import ACTIONS
from domain.orders.planner import Dropped, Orders
from domain.projections.recap import describe_events, recap
from domain.projections.table import TableSeat, table_at
from domain.scoring import INCOME_REASONS
from domain.state import Game, Seat
from domain.words.catalogue import LANGUAGES, read
from domain.words.refusals import phrase_refusal, templates_of
from domain.words.refusals.sentences import Sentence
from domain.words.reply import Reply, read_reply, write_wish
from domain.words.sentence import Clause, Thing, make_sentence
from domain.words.wording import label_seats, words_of
from service.api.routes.reading.scores import render_csv, render_page
from service.app import all_routes
from service.commands.replay import _lay_out_sheet
from service.gamelog.store.errors import StoreUnavailable
from service.post.channels.chat import CHAT_FORMS, ChatNotice
from service.post.mail.answer_mail import AnswerMail
from service.post.mail.composer import (
    TurnEnd,
    compose_answer,
    compose_link,
    compose_over,
    compose_people,
    compose_reminder,
    compose_scoring,
    compose_turn,
)
from service.post.mail.contents import tell_invitation
from service.signing.deployment import Deployment
from service.web import error_pages, frame
from service.web.assets import late_name, load_assets
from tests.api.worlds import SHARDS, World
from tests.browser.test_every_page import NO_PAGES
from tests.domain.test_reply import WISHES
from tests.post.mails import DEADLINE, END, all_mails, at_end, at_turn, envelope, parse, text_of, with_consent
from tests.support.play import numbered, play_game, play_until
from tests.support.pseudo_language import PSEUDO, marks, respell, speaking_pseudo_language, without_marks

ROOT = Path(__file__).resolve().parents[1]
OWN = """
Reibach Co UTC Januaro Berlino vendredo dimanĉo tagoj minuto Club player greedy bot Berta Emil Frida Anna Bert game mail
token
Well played Thanks Hm Next time And now append draw gold take it
"""
"""What stands in texts, whatever their language: names, and what players write."""


ENGLISH_ONLY = {"/docs", "/docs/<name>", "/problems/<code>"}
"""Documents."""
BROWSER = {"Accept": "text/html", "Accept-Language": PSEUDO}
USE = re.compile(r"\bwords\.(\w+)\.(\w+)")
CALL = re.compile(r"\b(?:fill|count)\(words\.(\w+)\.(\w+), ")
ID_OR_DATE = re.compile(r"[a-z0-9]{24}|\d+-\w+-\d+")
OF_THE_GAME = {"cards", "faces", "short", "millions", "colon", "bots"}
"""Words that each page's script gets, besides its groups."""


class Rendered(NamedTuple):
    """A page: its HTML, and its script's words and text; a page without a script has neither."""

    html: str
    words: dict[str, Any]
    script: str


class Said(NamedTuple):
    """All that is said, by kind; all pages, by their routes or statuses; and the places of all texts."""

    texts: dict[str, str]
    pages: dict[str, Rendered]
    places: set[str]


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Said]:
    """Each once."""
    folder = tmp_path_factory.mktemp("language")
    with pytest.MonkeyPatch.context() as patch, speaking_pseudo_language(folder) as places:
        texts: dict[str, str] = {}
        for kind, text in _say_all():
            texts[kind] = f"{texts.get(kind, '')}\n{text}"
        patch.setattr(frame, "_rendered", {})
        yield Said(texts, {name: _read(text) for name, text in _render(patch)}, places)
    error_pages._passing_page.cache_clear()


def _say_all() -> Iterator[tuple[str, str]]:
    for mail in _mails():
        yield "mail", f"{parse(mail)['Subject']}\n{text_of(mail)}"
        yield "html", re.sub(r"<style.*?</style>|<[^>]*>|&\w+;", " ", text_of(mail, "html"), flags=re.DOTALL)
    _, events = play_until(3, "said", 10_000, variants=("staggered_start",))
    log = numbered(events)
    yield "recap", "\n".join(item["text"] for item in describe_events(log, PSEUDO))
    acted = [event["version"] for event in log if event["type"] in ACTIONS]
    players = dict(zip(acted, ("bot", "orders"), strict=False))
    yield "recap", "\n".join(item["text"] for item in recap(log, 0, PSEUDO, players=players).items)
    yield "clauses", "\n".join(_clauses())
    for name, template in templates_of(PSEUDO).items():
        yield "refusals", phrase_refusal(Sentence(name, _values(template)), PSEUDO)
    for kind in (chat := read(PSEUDO, "chat")).keys() - {"until", "back"}:
        ends, said = "back" if kind == "away" else "until", {"players": ("Anna", "Bert"), "messages": [("Anna", "1")]}
        notice = ChatNotice(type=kind, sentences=chat, link="", seat=0, deadline=1, ends=ends, **said)
        yield "chat", CHAT_FORMS["discord"].write(notice)["content"]
    yield "push", "\n".join(text.format(authors=1, players=1) for text in read(PSEUDO, "push").values())
    for version in (1, len(log)):
        yield "replay", "\n".join(map(" ".join, _lay_out_sheet(table_at(log, version), words_of(PSEUDO))))
    yield "erased", " ".join(label_seats([TableSeat(""), TableSeat("x", "x")], words_of(PSEUDO).terms))
    game, _ = play_game(2, "game", variants=("expensive_specials", "staggered_start"))
    both = game.copy()
    both.winners = [0, 1]
    for render in (render_csv, render_page):
        for each in (game, both, Game(seats=game.seats, variants=game.variants)):
            sheet = render(each, ["Anna", "Bert"], words_of(PSEUDO))
            yield "sheet", re.sub(r"<style.*?</style>|<[^>]*>|&\w+;", " ", sheet, flags=re.DOTALL)


def _mails() -> Iterator[Any]:
    yield from (mail for _, mail in all_mails(PSEUDO))
    for kind in ("receiver", "device", "ended"):
        yield compose_link(kind, "game", 1, envelope(PSEUDO), "https://play.example.org", "1.1.1.1 1 0")
    yield compose_link("unused", "game", 1, envelope(PSEUDO), "https://play.example.org", str(DEADLINE))
    yield compose_link("token", "game", 1, envelope(PSEUDO), "https://play.example.org/token/token")
    for pace in (None, Pace(turn_seconds=60, on_timeout="wait")):
        facts = tell_invitation(Game(pace=pace, seats=[Seat(name="1")]), PSEUDO, {0})
        yield compose_link("invitation", "game", 1, envelope(PSEUDO), "https://play.example.org", facts=facts)
    for to in ("pause", "cancel", "release"):
        asked = with_consent(to)
        third = replace(asked, seat=(asked.table.turn_seat + 2) % 3)
        yield compose_answer(third, envelope(PSEUDO), AnswerMail(id="0", mail=None, kind="help"))
    released = with_consent("release")
    yield compose_people(released, envelope(PSEUDO), released.version, released.version)
    cancelled, turn = with_consent("cancel"), at_turn()
    yield compose_people(cancelled, envelope(PSEUDO), cancelled.version, cancelled.version)
    for policy in ("bot", "wait"):
        first, *later = turn.events
        paced = first | {"data": first["data"] | {"pace": {"on_timeout": policy}}}
        yield compose_reminder(replace(turn, events=[paced, *later]), envelope(PSEUDO), 1, TurnEnd(DEADLINE, 1))
        for kind in ("TurnTimedOut", "SeatAbandoned", "GamePaused", "VacationTaken"):
            own = {"seat": turn.seat, "turn": turn.table.turn, "until": "1970-01-04T00:00:00.000Z"}
            event = {"version": turn.version + 1, "type": kind, "at": "", "data": own}
            told = replace(turn, events=[paced, *later, event])
            yield compose_people(told, envelope(PSEUDO), turn.version + 1, turn.version + 1)
    answer = AnswerMail(id="0", mail=None, since=turn.version, until=turn.version + 1, kind="done")
    yield compose_answer(told, envelope(PSEUDO), answer)
    last = replace(at_turn(), table=replace(at_turn().table, action_points=1, revealed=9, rounds=[{}, {}]))
    yield compose_turn(last, envelope(PSEUDO), 1)
    yield compose_scoring(at_end(), envelope(PSEUDO), at_end().version)
    for winners in ([], [0, 1], [0, 2]):
        yield compose_over(replace(at_end(), table=replace(at_end().table, winners=winners)), envelope(PSEUDO), 1)
    yield compose_answer(at_turn(), envelope(PSEUDO), AnswerMail(id="0", mail=None, refusal=Sentence("reply.back")))
    away = copy.deepcopy(at_turn())
    away.table.seats[away.seat].away = "abandoned"
    for snapshot in (replace(at_turn(), is_warned=True), away, replace(away, free_from=DEADLINE)):
        for answers in (lambda *_: "reply@example.org", None):
            yield compose_turn(snapshot, envelope(PSEUDO, reply_to=answers), 1, END)
    for kind in ("said", "noted", "done", "help", "status", "asked", "resign", "cancel", "back", "no"):
        yield compose_answer(at_turn(), envelope(PSEUDO), AnswerMail(id="0", mail=None, kind=kind, offers=("1",)))
    said = {"version": at_turn().version, "type": "MessagePosted", "at": "", "data": {"seat": 1, "text": "1" * 2000}}
    long = [said | {"version": said["version"] + number} for number in range(1, 20)]
    dropped = Dropped(at_turn().table.turn, (), (Sentence("not-on-display", {"card": "gold"}),))
    yield compose_turn(replace(at_turn(), orders=Orders((), 0, dropped)), envelope(PSEUDO), 1)
    yield compose_turn(replace(at_turn(), events=[*at_turn().events, *long], note="1"), envelope(PSEUDO), 1)


def _clauses() -> Iterator[str]:
    words = words_of(PSEUDO)
    for name, template in words.clauses.items():
        values = dict.fromkeys(_values(template).keys() - {"list", "count"}, 7)
        things = tuple(Thing(card=card) for card in ("gold", "gold", "risk")) if "several" in name else (Thing("oil"),)
        yield make_sentence([Clause(name.removesuffix(".several"), values, things)], words)
    for template in words.to_you.values():
        yield template.format(**dict.fromkeys(_values(template), 7))
    yield from (words.list_cards([card] * count) for card in words.spoken for count in (1, 2))
    yield from (words.spell(count) for count in range(2, 10))
    yield from (words.duration(seconds) for seconds in (90_000, 61))
    yield from (words.date_of(datetime(2026, 1, day, tzinfo=UTC)) for day in range(1, 8))
    yield from (*words.cards.values(), *words.short.values())


def _values(template: str) -> dict[str, Any]:
    """A value for each placeholder but those that sentences fill themselves."""
    special = {"card": "gold", "business": "risk", "cost": 2, "winners": ["1", "2"], "values": [1, 2], "choices": ["1"]}
    names = {name for _, name, *_ in Formatter().parse(template) if name}
    return {name: special.get(name, 7) for name in names}


def _render(patch: pytest.MonkeyPatch) -> Iterator[tuple[str, str]]:
    world = World(Deployment.new(SHARDS), Settings(rate_limit=0))
    seats = [{"name": "Anna"}, {"name": "Bert"}]
    game = world.ask("POST", "/v1/games", json={"seats": seats}).headers["Location"].rpartition("/")[2]
    paths = {route.path for route in all_routes() if route.method == "GET" and not route.path.startswith("/v1/")}
    for path in sorted(paths - NO_PAGES - ENGLISH_ONLY):
        page = world.ask("GET", path.replace("<game>", game).replace("<token>", "void"), headers=BROWSER)
        assert page.status_code == (404 if "<token>" in path else 200), path
        yield path, page.text
    yield "plain", world.ask("POST", f"/g/{game}", data={"token": ""}, headers=BROWSER).text
    yield "404", world.ask("GET", "/nosuch", headers=BROWSER).text
    busy = World(Deployment.new(SHARDS), Settings(rate_limit=1))
    yield "429", [busy.ask("GET", "/lobby", headers=BROWSER).text for _ in range(2)][1]

    def fail(*_: object, **__: object) -> None:
        raise StoreUnavailable

    patch.setattr(world.web.services.games, "load_history", fail)
    yield "503", world.ask("POST", f"/g/{game}", data={"token": ""}, headers=BROWSER).text


def _read(page: str) -> Rendered:
    assert f'<html lang="{PSEUDO}">' in page
    words = re.search(r'<script type="application/json" id="words">(.*?)</script>', page)
    entry = re.search(r'src="/static/\w+/([\w.]+)"', page)
    html = unescape(re.sub(r"<script.*?</script>", "", page))
    if words is None or entry is None:
        return Rendered(html, {}, "")
    scripts = (load_assets().get(name) for name in (entry[1], late_name(entry[1])))
    return Rendered(html, json.loads(words[1]), "".join(one.plain.decode() for one in scripts if one))


def test_every_text_is_said(said: Said) -> None:
    """By one of these, by a script, or by a line of the modules whose pages have many states.

    A script names a text in full (`words.table.hand`), or all of the table that has it.
    """
    spoken = {place for text in said.texts.values() for place in marks(text)}
    spoken |= {place for page in said.pages.values() for place in marks(page.html)}
    by_scripts = {use for page in said.pages.values() for use in USE.findall(page.script)}
    files = ("frame.py", "game_page.py", "mail_links.py", "templates/plain_table.html")
    source = "\n".join((ROOT / "service" / "web" / file).read_text("utf-8") for file in files)

    def is_named(place: str) -> bool:
        if place.startswith("pages_"):
            return tuple(place.split("/")[1:3]) in by_scripts
        in_source = re.search(rf"[.\"]{place.rpartition('/')[2]}\b", source)
        return in_source is not None and place.startswith(("plain_table/", "mail_links/", "game/terms/"))

    unsaid = {place for place in said.places - spoken if not is_named(place)}
    assert (
        unsaid - {f"pages_rules/rules/reasons/{reason}" for reason in INCOME_REASONS} == set()
    )  # its example has some


def test_nothing_else_is_said(said: Said) -> None:
    """No text stands in Python or in a template."""
    for kind, said_so in said.texts.items():
        text = re.sub(r"⟦[^ ⟧]+|\bq[a-z]+|\S+@\S+|https?:\S+|[\"{][\w\".:,{]+\"", " ", said_so)
        assert set(re.findall(r"[^\W\d_]{2,}", text)) <= {*OWN.split()}, kind


def test_answers_are_read(said: Said) -> None:
    """In its own words, as mails show them, among its courtesies, and above what a mail program quotes."""
    assert PSEUDO in LANGUAGES
    for wish in WISHES:
        assert read_reply(write_wish(wish, PSEUDO)) == Reply((wish,))
    text = "\n".join(
        [
            respell("hello") + " Anna,\n",
            f"{respell('I would like to take card')} 2{respell('nd')}, {respell('please')}",
            f"{respell('draw')} {respell('and')} {respell('put the joker on row')} 1\n",
            respell("take care"),
            respell("hello"),
        ]
    )
    assert len(read_reply(text).wishes) == 3, read_reply(text)
    for quoted in ("On 28 November 2026, Anna\nwrote:", "From: Anna", "--- Forwarded", "Sent from my telephone"):
        assert read_reply(f"{respell('draw')}\n{respell(quoted)}\n{respell('take')}") == read_reply(respell("draw"))


def test_pages_say_nothing_else(said: Said) -> None:
    """No word stands in a template, and none comes from another language."""
    names = {"Reibach & Co.", "Anna", "Bert", "Carla", *LANGUAGES, *(words_of(code).name for code in LANGUAGES)}
    for path, page in said.pages.items():
        shown = re.findall(r'>([^<>]*)<|\b(?:alt|aria-label|placeholder|title)="([^"]*)"', page.html)
        texts = {without_marks("".join(text)).strip(" \n·,") for text in shown} - names
        assert [text for text in texts if re.search(r"[^\W\d_]", text) and not ID_OR_DATE.fullmatch(text)] == [], path


def test_scripts_get_the_words_that_they_use(said: Said) -> None:
    """Groups that no module of theirs uses they don't get, but for those of every page."""
    for path, page in said.pages.items():
        used = USE.findall(page.script)
        missing = {use for use in used if use[0] not in OF_THE_GAME and use[1] not in page.words.get(use[0], {})}
        assert missing == set(), path
        assert page.words.keys() - OF_THE_GAME == {group for group, _ in used} - OF_THE_GAME, path


def test_scripts_fill_the_places_that_texts_have(said: Said) -> None:
    """By their names; the first number of a plural form is `{n}`."""
    checked = set()
    for path, page in said.pages.items():
        for call in CALL.finditer(page.script):
            filled = _filled(page.script[call.end() :])
            text = page.words[call[1]][call[2]]
            for form in text.values() if isinstance(text, dict) else [text]:
                assert {field for _, field, *_ in Formatter().parse(form) if field} - {"n"} == filled, (path, call[0])
            checked.add((call[1], call[2]))
    assert len(checked) > 50


def _filled(call: str) -> set[str]:
    """The members of the object among the arguments that the text of a call begins with."""
    opened, members = "", ""
    for character in call:
        if character in "([{":
            opened += character
        elif character in ")]}":
            if not opened:
                break
            opened = opened[:-1]
        elif opened == "{":
            members += character
    return {member.partition(":")[0].strip() for member in members.split(",") if member.strip()}
