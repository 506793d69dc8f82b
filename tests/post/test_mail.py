"""Mails as their receivers' programs read them."""

import re
from copy import deepcopy
from dataclasses import replace
from email.headerregistry import Address
from html.parser import HTMLParser
from random import Random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from domain.commands import ACTIONS, Append, PostMessage, ReclaimSeat, Take, TakeCard
from domain.events import Event
from domain.orders.planner import Dropped, Orders
from domain.projections.table import TableSeat
from domain.state import Game
from domain.words.appearance import APPEARANCES
from domain.words.catalogue import LANGUAGES, read
from domain.words.refusals import phrase_refusal
from domain.words.refusals.sentences import Sentence, phrase_for_table
from domain.words.reply import read_reply
from domain.words.wording import words_of
from service.post.mail import contents
from service.post.mail.answer_mail import AnswerMail
from service.post.mail.composer import (
    compose_answer,
    compose_messages,
    compose_over,
    compose_people,
    compose_reminder,
    compose_scoring,
    compose_turn,
)
from service.post.mail.contents import LONGEST_RECAP, link_actions, link_agreements, rank_example, recap_for, tell_time
from service.post.mail.headers import header_name, read_message_id
from service.post.snapshot import SeatSnapshot, take_snapshot
from tests.domain.positions import positions
from tests.domain.worlds import another_world
from tests.post.inbox import GAME, Table
from tests.post.mails import (
    DEADLINE,
    END,
    KEPT,
    all_mails,
    answers,
    at_end,
    at_turn,
    envelope,
    kept_text,
    parse,
    snapshot,
    text_of,
    with_consent,
    with_messages,
    within_turn,
)
from tests.support.cases import cases
from tests.support.play import fold
from tests.support.profiles import examples

NASTY = [*cases(__file__, "nasty"), "x" * 300, "é" * 300, "\ud800"]


class _Html(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def read_html(text: str) -> _Html:
    page = _Html()
    page.feed(text)
    return page


@pytest.mark.parametrize("language", LANGUAGES)
def test_texts_are_as_kept(language: str) -> None:
    """Each type of mail says the same as in its file; `python -m tests.post.mails` writes the files.

    In 72 columns but for links, of which there are few; what one decides on stands above what one can do. All about a
    game have one subject, by which Gmail makes them one conversation.
    """
    of_game = (mail for kind, mail in all_mails(language) if kind not in {"confirmation", "invitation"})
    assert len({mail["Subject"] for mail in of_game}) == 1
    for kind, mail in all_mails(language):
        text = kept_text(mail)
        assert text == (KEPT / f"{kind}.{language}.txt").read_text("utf-8")
        assert [line for line in text.splitlines()[1:] if len(line) > 72 and not line.startswith("https://")] == []
        assert text.count("https://") <= (4 if kind.startswith("over") else 3)
        if kind in {"turn", "reminder", "answer-part"}:
            heads = [text.index(read(language, "mail").headings[name]) for name in ("hand", "table", "actions")]
            assert heads == sorted(heads)


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_a_mail_proposes_is_read_as_that_action(language: str) -> None:
    snapshot = at_turn()
    links, display = link_actions(snapshot, language, "https://x", None), snapshot.table.display
    takes = {(TakeCard(card=card),): (Take(slot=slot),) for slot, card in enumerate(display)}
    wishes = [read_reply(link.reply).wishes for link in links]
    assert [takes.get(one, one) for one in wishes] == [(action,) for action, _ in snapshot.actions]
    best = max(snapshot.actions, key=lambda action: rank_example(snapshot, action[0]))[0]
    assert best == Append(card="jewellery", row=3)  # not the risk card, which would close a row of one
    consents = frozenset({(1, "pause"), (2, "cancel"), (snapshot.seat, "pause")})
    mail = text_of(compose_turn(asked := replace(snapshot, consents=consents), envelope(language), 50))
    (link,) = link_agreements(asked, language, "https://x", None)
    assert read_reply(link.reply).word == "agree cancel"
    assert f"\n  {link.reply}\n" in mail
    assert " ".join(read(language, "mail").agreed.cancel.format(player="player 2").split()) in " ".join(mail.split())


def test_html_says_what_the_text_says() -> None:
    """All of its lines and links; its other links prepare actions. No pictures, no scripts, no table as in the text."""
    rows, marks = re.compile(r"^    \d.*$|^-- $|^https.*$", re.MULTILINE), str.maketrans("", "", ",:*")
    for _, mail in (found for language in LANGUAGES for found in all_mails(language)):
        text, page = text_of(mail), read_html(text_of(mail, "html"))
        links = {str(attributes["href"]) for tag, attributes in page.tags if tag == "a"}
        assert {link for link in links if "&type=" not in link} == set(re.findall(r"https://\S+", text))
        assert not {tag for tag, _ in page.tags} & {"img", "script", "link", "iframe", "object", "form"}
        said = "".join(page.text.split()).translate(marks)
        for line in rows.sub("", text).splitlines():
            assert "".join(line.removeprefix("  - ").split()).translate(marks) in said


def test_html_suits_mail_programs() -> None:
    """Outlook and Gmail drop style sheets, flexible boxes, positions; a dark theme has all colours but cards'."""
    cards = {(look.background, look.ink) for look in APPEARANCES.values()}
    for kind, mail in all_mails("de"):
        html = text_of(mail, "html")
        if kind == "turn":  # on the first screen of a phone, however much has happened
            assert html.index(">Offene Karten<") < html.index(">Seit deinem letzten Zug<")
        page, dark = read_html(html), set(re.findall(r"\.(\w+) \{[^}]*color: #", html))
        assert ("meta", {"name": "color-scheme", "content": "light dark"}) in page.tags
        assert len(html.encode()) < 100_000
        for _, attributes in page.tags:
            style = dict(one.split(":", 1) for one in str(attributes.get("style") or "").split(";") if one)
            assert not style.keys() & {"position", "float", "width", "min-width"}
            assert style.get("display", "block") in {"block", "inline-block"}
            is_card = (style.get("background"), style.get("color")) in cards
            assert is_card or not style.keys() & {"color", "background"} or attributes.get("class") in dark


@pytest.mark.parametrize("name", ["Anna", "Wolfeschlegelsteinhausen"])
def test_the_head_of_a_round_agrees_with_the_table(name: str) -> None:
    """Also where another round comes before the mail leaves; the reader is `You`, and no line is too long."""
    seen = next(seen for number in range(60, 999, 5) if len((seen := at_turn(number, 5)).table.rounds) == 2)
    first = next(event["version"] for event in seen.events if event["type"] == "RoundScored")
    for seat in seen.table.seats:
        seat.name = f"{name} {seat.total}"
    text = text_of(compose_scoring(seen, envelope(), first))
    assert [line.partition(":")[0] for line in text.splitlines()[:2]] == ["Payday 1", "Payday 2"]
    standings = [line.split("(total ")[1].split()[0] for line in text.splitlines() if "(total " in line]
    totals = [seat.total for seat in seen.table.seats]
    assert standings == [str(total) for total in sorted(totals, reverse=True)]
    (money,) = re.findall(r"^  Money(.*)$", text, re.MULTILINE)
    order = [(seen.seat + place) % 5 for place in range(5)]
    assert money.split()[::2] == [str(totals[seat]) for seat in order]
    place = 1 + sum(total > totals[seen.seat] for total in totals)
    assert f"\n  {place}. You +" in text
    assert max(len(line) for line in text.splitlines() if "https:" not in line) <= 72


def flat(text: str) -> str:
    return " ".join(text.split())


def test_headers_of_a_turn() -> None:
    """Sender, receiver, thread, unsubscribing in one click, and that no person wrote it; each time the same."""
    seen = at_turn()
    content = compose_turn(seen, envelope(), 50).as_bytes()
    assert compose_turn(seen, envelope(), 50).as_bytes() == content
    mail = parse(content)
    assert mail["From"] == '"Reibach & Co." <reibach@example.org>'
    assert mail["To"].addresses[0].addr_spec == "anna@example.com"
    assert mail["Subject"] == "player 0, player 1 and player 2 (Reibach)"
    assert mail["Message-ID"] == "<turn.50.0.game-mail@example.org>"  # the same in each attempt, whatever comes between
    assert mail["In-Reply-To"] == "<game.0.game-mail@example.org>"
    assert mail["References"] == "<game.0.game-mail@example.org> <shown.50-113.0.game-mail@example.org>"
    assert mail["List-Id"] == "<game-mail.example.org>"
    assert mail["X-Auto-Response-Suppress"] == "OOF, AutoReply"
    assert mail["List-Unsubscribe"] == "<https://play.example.org/unsubscribe/abc>"
    assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert mail["Auto-Submitted"] == "auto-generated"
    assert mail["Reply-To"] == "reply+abc@in.example.org"
    assert mail["Date"] == "Fri, 15 Jan 2027 08:00:00 +0000"


def test_a_mail_without_options() -> None:
    """No way to answer, to unsubscribe in one click, and no deadline: none of them is mentioned."""
    seen = at_turn()
    plain = envelope(reply_to=None, unsubscribe_url="http://localhost/u")
    mail = compose_turn(seen, plain, 50)
    assert mail["Reply-To"] is None
    assert mail["List-Unsubscribe-Post"] is None
    assert "answer this mail" not in text_of(mail)
    assert "You have until" not in text_of(mail)
    assert compose_turn(seen, replace(plain, unsubscribe_url=None), 50)["List-Unsubscribe"] is None


def test_long_links_and_ids_stay_whole() -> None:
    url = f"https://play.example.org/unsubscribe/{'abc.def-' * 40}"
    sender = Address("Reibach", addr_spec="reibach@a-rather-long-name-of-a-host.mail.example.org")
    seen = replace(at_turn(), game="a" * 24)
    content = compose_turn(seen, envelope(unsubscribe_url=url, sender=sender), 50).as_bytes()
    assert f"\r\nList-Unsubscribe: <{url}>\r\n".encode() in content
    assert f"\r\nReferences: <game.0.{'a' * 24}@{sender.domain}> <shown.50-113.0.".encode() in content
    assert f"Message-ID: <turn.50.0.{'a' * 24}@{sender.domain}>\r\n".encode() in content


@pytest.mark.parametrize("name", NASTY, ids=range(len(NASTY)))
def test_no_name_breaks_a_header(name: str) -> None:
    """Names with line breaks, encoded words, quotes, commas, changes of direction, 300 characters."""
    seen, clean = named(name), compose_turn(named("Eve"), envelope(), 50)
    content = compose_turn(seen, envelope(), 50).as_bytes()
    mail = parse(content)
    assert mail.keys() == clean.keys()
    assert [address.addr_spec for address in mail["To"].addresses] == ["anna@example.com"]
    # Python 3.11 reads a blank between two encoded words of a name.
    assert "".join(mail["To"].addresses[0].display_name.split()) == "".join(header_name(name).split())
    shown = " ".join(header_name(name).split())
    assert " ".join(mail["Subject"].split()) == " ".join(f"{shown}, {shown} and {shown} (Reibach)".split())
    called = replace(seen, table=replace(seen.table, name=name))
    assert parse(compose_turn(called, envelope(), 50))["Subject"].split() == f"{shown} (Reibach)".split()
    head = content.partition(b"\r\n\r\n")[0]
    assert head.isascii()
    assert max(map(len, head.split(b"\r\n"))) <= 200
    assert re.fullmatch(r"[^\u202a-\u202e\u2066\u2067\x00-\x1f]*", str(mail["Subject"]))


def named(name: str):
    seen = deepcopy(at_turn())
    events = [
        event | {"data": event["data"] | {"name": name}} if event["type"] == "PlayerJoined" else event
        for event in seen.events
    ]
    for seat in seen.table.seats:
        seat.name = name
    return replace(seen, events=events)


@pytest.mark.parametrize("text", ["</li><script>x</script>", "=_\r\n--=_x--", "a\n\n--=_\nb", "\ud800", "{{ 7*7 }}"])
def test_no_message_breaks_a_body(text: str) -> None:
    """Markup, boundaries and templates of a player are text."""
    seen = with_messages((0, text))
    mail = compose_messages(seen, envelope(), seen.version, seen.version)
    page = read_html(text_of(mail, "html"))
    assert "script" not in {tag for tag, _ in page.tags}
    assert "player 0 writes" in page.text
    assert [part.get_content_type() for part in parse(mail).iter_parts()] == ["text/plain", "text/html"]
    # No line of a message stands where lines of the mail begin.
    later = text_of(mail).partition("writes:")[2].partition("”")[0].splitlines()[1:]
    assert all(line.startswith("    ") for line in later if line)


def test_long_stories_are_cut() -> None:
    """The newest sentences stay, within a limit; the mail says where the others are."""
    seen = at_turn()
    more = [
        {"version": seen.version + number, "type": "MessagePosted", "at": "", "data": {"seat": 1, "text": "x" * 2000}}
        for number in range(1, 20)
    ]
    longer = replace(seen, events=[*seen.events, *more])
    texts, is_cut = recap_for(longer, words_of("en"))
    assert is_cut
    assert LONGEST_RECAP - 2100 < sum(map(len, texts)) <= LONGEST_RECAP
    assert read("en", "mail").earlier in text_of(compose_turn(longer, envelope(), 50))
    assert recap_for(seen, words_of("en"))[1] is False
    acted = [one["version"] for one in seen.events if one["type"] in ACTIONS and one["data"]["seat"] == seen.seat]
    for done, is_told in ((tuple(acted), True), ((), False)):  # what orders dropped, until their person acts
        orders = Orders((), 0, Dropped(1, (), (Sentence("not-on-display", {"card": "gold"}),)), done=done)
        texts, _ = recap_for(replace(seen, orders=orders), words_of("en"))
        assert ("is not on display" in texts[-1]) is is_told


def test_links_prepare_the_legal_actions() -> None:
    """The page's address holds no more than the game; seat, version, action and token stand in the fragment."""
    seen = at_turn()
    mail = compose_turn(seen, envelope(token="secret.token"), 50)
    links = re.findall(r"https://play.example.org/g/[^\"]+", text_of(mail, "html").replace("&amp;", "&"))
    assert len(links) == len(seen.actions) + 1
    for link in links:
        address, _, fragment = link.partition("#")
        assert address == f"https://play.example.org/g/{seen.game}"
        assert fragment.startswith(f"seat={seen.seat}&version={seen.version}")
        assert fragment.endswith("&token=secret.token")
    head = mail.as_bytes().partition(b"\r\n\r\n")[0]
    assert b"secret" not in head
    assert any(f"#seat=0&version={seen.version}&type=take&slot=0&token=" in link for link in links)


@examples(0.6)
@given(positions(), st.data())
def test_worlds_that_a_seat_can_not_tell_apart_give_equal_mails(
    position: tuple[Game, list[Event]], data: st.DataObject
) -> None:
    """Other hands, hidden businessmakers and the pile change no byte of a mail."""
    game, events = position
    assume(game.started and not game.over)
    seat = data.draw(st.integers(0, len(game.seats) - 1), label="seat")
    others = another_world(events, seat, game, Random(data.draw(st.integers(0, 9), label="swap")))
    other = fold(others)
    assume(other != game)
    to = envelope(data.draw(st.sampled_from(list(LANGUAGES)), label="language"))
    for compose in (compose_turn, compose_over):
        mails = [compose(snapshot(*world, seat), to, 7).as_bytes() for world in ((game, events), (other, others))]
        assert mails[0] == mails[1]


# Players who miss turns: a bot will play on for them, and then does.


def seen(table: Table, seat: int = 0) -> SeatSnapshot:
    loaded, events = table.games.load_events(GAME, 0)
    return take_snapshot(loaded.game, events, seat)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_turn_before_a_seat_is_abandoned_warns(table: Table, language: str) -> None:
    """In the first lines, with the deadline above and the way back below; turns before that one don't warn."""
    words, to = read(language, "mail").absence, envelope(language)
    assert flat(words["warning"]) not in flat(text_of(compose_turn(seen(table), to, 1, END)))
    table.abandon(0, turns=1)
    assert table.end_turn() == 0
    snapshot = seen(table)
    for compose in (compose_turn, compose_reminder):
        mail = compose(snapshot, to, 1, END)
        assert flat(f"{words['warning']} {words['answer']}") in flat(text_of(mail))[:400]
        assert words["warning"] in text_of(mail, "html").replace("&#39;", "'")
    unread = compose_turn(snapshot, envelope(language, reply_to=None), 1, END)
    assert words["reclaim"] in flat(text_of(unread))
    warning = flat(words["warning"])
    assert warning not in flat(text_of(compose_turn(snapshot, to, 1)))  # no deadline stands there
    table.end_turn()
    table.end_turn()
    assert warning not in flat(text_of(compose_turn(seen(table), to, 1, END)))


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_next_mail_says_that_a_bot_plays(table: Table, language: str) -> None:
    """Whatever it is about, until the player is back; the others' mails don't say it."""
    words = read(language, "mail").absence
    table.abandon(0)
    version = table.games.handle(GAME, PostMessage(seat=1, text="Where are you?")).loaded.game.version
    for sight, is_told in ((seen(table), True), (seen(table, 1), False)):
        to = envelope(language)
        for mail in (compose_messages(sight, to, version, version), compose_turn(sight, to, version)):
            assert (flat(words["abandoned"]) in flat(text_of(mail))) is is_told
    table.games.handle(GAME, ReclaimSeat(seat=0))
    mail = compose_turn(seen(table), envelope(language), version)
    assert flat(words["abandoned"]) not in flat(text_of(mail))


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_mail_about_an_abandoned_seat_says_from_when_anyone_may_take_it(table: Table, language: str) -> None:
    """By the reader's clock; only where the table has agreed to that."""
    table.abandon(0)
    free, to = read(language, "mail").absence["free"], envelope(language)
    time = tell_time(DEADLINE, to.zone, language)
    for since in (None, DEADLINE):
        mail = compose_turn(replace(seen(table), free_from=since), to, table.version)
        assert (flat(free.format(time=time)) in flat(text_of(mail))) is (since is not None)


ANSWERS = dict(answers())


def test_headers_of_an_answer() -> None:
    """It goes to the address of the seat, in the thread of the player's mail, and says that a program wrote it."""
    answer = ANSWERS["answer"]
    mail = parse(compose_answer(within_turn(), envelope(), answer))
    assert mail["To"].addresses[0].addr_spec == "anna@example.com"
    assert mail["Auto-Submitted"] == "auto-replied"
    assert mail["X-Loop"] == "reibach@example.org"
    assert mail["In-Reply-To"] == "<CAF+1=x@mail.example.com>"
    assert mail["References"] == "<game.0.game-mail@example.org> <CAF+1=x@mail.example.com>"
    assert mail["Reply-To"] == "reply+abc@in.example.org"
    told = read_message_id(mail["Message-ID"], "example.org")
    assert told == ("game-mail", 0, answer.until, "answer", answer.until, False)
    other = parse(compose_answer(within_turn(), envelope(), replace(answer, id="1234", mail=None)))
    assert other["Message-ID"] != mail["Message-ID"]
    assert other["In-Reply-To"] == "<game.0.game-mail@example.org>"


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_answer_says_what_was_done_and_what_is_left(language: str) -> None:
    """Sentences of the events of the mail alone, the first one in its first line; of a refusal the action, too."""
    assert [AnswerMail.from_json(one.to_json()) for one in ANSWERS.values()] == [*ANSWERS.values()]  # as it is kept
    said = {kind: text_of(compose_answer(within_turn(), envelope(language), one)) for kind, one in ANSWERS.items()}
    assert "append gold 9" in said["answer-part"]
    assert len({text.splitlines()[0] for text in said.values()}) == 3
    assert [said[kind].count("\n  - ") for kind in ("answer", "answer-part", "answer-none")] == [0, 1, 0]
    (done,) = re.findall(r"\n  - (.*?)\n\n", said["answer-part"], re.DOTALL)
    assert "".join(done.split()) in "".join(said["answer"].partition("\n\n")[0].split())
    assert "#seat=0" in said["answer-none"]


@pytest.mark.parametrize(("names", "said"), [(["Anna", "Bert"], "Bert"), (["Bert", "Bert"], "Bert (2)")])
def test_seats_have_names_and_no_numbers(names: list[str], said: str) -> None:
    """Equal names are numbered from 1, as in the table that the same mail shows; rows, too."""
    seats = [TableSeat(name) for name in names]
    worded = phrase_for_table(Sentence("not-your-turn", {"seat": 1, "name": "Bert"}), seats)
    assert phrase_refusal(worded, "en") == f"It\u2019s {said}\u2019s turn."
    counted = phrase_for_table(Sentence("no-such-row.several", {"row": 4, "first": 0, "last": 2}), seats)
    assert counted.values == {"row": 5, "first": 1, "last": 3}
    for same in (Sentence("not-your-turn.timed-out"), Sentence("too-many-businessmakers", {"rows": 6})):
        assert phrase_for_table(same, seats) == same


@pytest.mark.parametrize(
    "text", ["", "<a@example.org>", "<game.0.abc@example.org>", "<turn.1.0.abc@example.com>", "<..@>"]
)
def test_other_ids_are_not_own(text: str) -> None:
    assert read_message_id(text, "example.org") is None


def test_who_has_agreed_is_not_asked_again() -> None:
    """And where who has asked no longer agrees, nobody is said to ask."""
    asked, to = with_consent("pause"), envelope("en")
    both = replace(asked, consents=asked.consents | {(asked.seat, "pause")})
    texts = [text_of(compose_people(each, to, each.version, each.version)) for each in (asked, both)]
    assert ["agree\u201d to this email" in text for text in texts] == [True, False]
    status = compose_answer(asked, to, AnswerMail(id="0", mail=None, kind="status"))
    assert f"For a pause: player {(asked.seat + 1) % 3}." in text_of(status)


def test_a_bot_wins_for_who_has_resigned() -> None:
    """The seat has won, and its person hasn't."""
    left = deepcopy(at_end())
    left.table.seats[1].away = "resigned"
    assert [bool(recap_for(each, words_of("en"))[0]) for each in (at_end(0), left)] == [True, False]
    headlines = [contents.tell_end(each, words_of("en"))["headline"] for each in (at_end(), left)]
    assert [headline.partition(" with ")[0].partition(",")[0] for headline in headlines] == ["You won", "player 1 wins"]
