"""Notices in a chat: what a player wrote stays text."""

import re
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from domain.words.catalogue import LANGUAGES, read
from service.post.channels.chat import CHAT_FORMS, ChatNotice
from tests.support.cases import cases

MAX_DISCORD = 2000
"""Characters of a message's `content`; Discord refuses longer ones."""
MAX_SLACK = 3000
"""Characters of the text of a block; Slack refuses longer ones."""
SENTENCES = {language: read(language, "chat") for language in LANGUAGES}
LINK = "https://reibach.example/g/" + "g" * 32
TYPES = ("turn.started", "turn.reminder", "round.scored", "game.over", "game.cancelled", "message.posted")
EVIL = cases(__file__, "evil")


def notice(**changes: Any) -> ChatNotice:
    return ChatNotice(
        **(
            {"type": "turn.started", "sentences": SENTENCES["en"], "link": LINK, "players": ("Ann", "Bob"), "seat": 0}
            | {"round": 1, "points": [(5, 7), (-2, -2)] * 6, "winners": (0,)}
            | changes
        )
    )


def discord(**changes: Any) -> str:
    """The text of a Discord message, and nothing in it mentions anybody but the one that is named."""
    body = CHAT_FORMS["discord"].write(notice(**changes))
    named = {"users": [changes["mention"]]} if "mention" in changes else {}
    assert body["allowed_mentions"] == {"parse": [], **named}
    assert body["flags"] == 4
    return body["content"]


def slack(**changes: Any) -> tuple[str, str]:
    """The sentence, which is plain text, and the service's own markup."""
    body = CHAT_FORMS["slack"].write(notice(**changes))
    [sentence, own] = [block["text"] for block in body["blocks"]]
    assert body["text"] == sentence["text"]
    assert sentence["type"] == "plain_text"
    assert own["verbatim"]
    return sentence["text"], own["text"]


def test_a_turn() -> None:
    content = discord(deadline=1_800_000_000_000)
    assert (
        content == f"It\u2019s Ann\u2019s turn, at the table with Bob.\nThe turn lasts until <t:1800000000:f>.\n{LINK}"
    )
    sentence, own = slack(deadline=1_800_000_000_000)
    assert sentence == "It\u2019s Ann\u2019s turn, at the table with Bob."
    date = "<!date^1800000000^{date_short_pretty} {time}|2027-01-15 08:00 UTC>"
    assert own == f"The turn lasts until {date}.\n<{LINK}>"
    assert slack(deadline=1_800_000_000_000, ends="back")[1].startswith("Back on <!date^1800000000^{date_long}|2027-")
    assert discord(table="@all *4*").startswith("\\@\u2060all \\*4\\* \u00b7 It\u2019s Ann\u2019s turn, ")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("type_", TYPES)
def test_every_language_says_every_notice(language: str, type_: str) -> None:
    said = slack(type=type_, sentences=SENTENCES[language], messages=[("Cy", "Hi!")])[0]
    assert ("Cy" in said and "Hi!" in said) if type_ == "message.posted" else "Ann" in said and "Bob" in said
    others = [SENTENCES[other][type_] for other in SENTENCES if other != language]
    assert SENTENCES[language][type_] not in others


TURNS = {
    "de": "Berta ist an der Reihe, am Tisch mit Timo, greedy.\nDer Zug dauert bis",
    "en": "It\u2019s Berta\u2019s turn, at the table with Timo, greedy.\nThe turn lasts until",
    "fr": "C\u2019est à Berta de jouer, à la table avec Timo, greedy.\nLe tour dure jusqu\u2019au",
    "nl": "Berta is aan de beurt, aan tafel met Timo, greedy.\nDe beurt duurt tot",
}


@pytest.mark.parametrize("language", TURNS)
def test_a_turn_is_the_named_players(language: str) -> None:
    """The channel's readers may be several players, so none of them is "you"."""
    turn = {"players": ("Timo", "Berta", "greedy"), "seat": 1, "sentences": SENTENCES[language], "deadline": 1}
    assert discord(**turn) == f"{TURNS[language]} <t:0:f>.\n{LINK}"
    still = discord(type="turn.reminder", **turn)
    assert "Berta" in still
    assert "Timo, greedy." in still
    assert not any(
        re.search(r"\b(you|your|du|dein|je|jij|toi|tu)\b", template, re.IGNORECASE)
        for template in SENTENCES[language].values()
    )


@pytest.mark.parametrize("text", EVIL.strip().splitlines())
def test_a_players_text_stays_text(text: str) -> None:
    """Mentions, links and markup of both services, as a name and as a message."""
    for changes in ({"players": (text,)}, {"type": "message.posted", "messages": [(text, text)]}):
        content = discord(**changes).removesuffix(LINK)
        sentence, own = slack(**changes)
        assert own == f"<{LINK}>"
        for said in (content, sentence):
            assert not re.search(r"@\w|://|\w\.\w|/\w", said.replace("It\u2019s", "").replace("\u2019s turn", "")), said
        assert not re.search(r"(?<!\\)(?:\\\\)*[*_~|`<>\[\]#@]", content), content
        assert not re.search(r"[<>]|&(?!amp;|lt;|gt;)", sentence), sentence


def test_a_text_is_one_line_without_invisible_characters() -> None:
    """A line break could begin a heading or a quotation; a right-to-left override would turn the sentence round."""
    assert discord(type="message.posted", messages=[("A\u202eB\u200b", "a\r\n# b\0\u2028c")]) == (
        f"A B writes: a \\# b c\n{LINK}"
    )


@given(
    st.lists(st.text() | st.text("@.<&*\\:/", min_size=60), min_size=1, max_size=12),
    st.text() | st.text("@.<&*\\:/😀", min_size=320),
    st.sampled_from(TYPES),
    st.sampled_from(sorted(SENTENCES)),
)
@example(["&" * 99] * 12, "", "turn.reminder", "nl")
@example(["x"], "&" * 5000, "message.posted", "de")
@example(["x"], "." * 5000, "message.posted", "fr")
def test_no_message_is_too_long(players: list[str], text: str, type_: str, language: str) -> None:
    """Whatever the players wrote, the services accept it, and it ends with the link."""
    changes = {
        "players": players,
        "mention": "1" * 20,
        "messages": [(text, text)] * 9 * (type_ == "message.posted"),
        "type": type_,
        "sentences": SENTENCES[language],
    }
    content = discord(**changes, deadline=1)
    assert len(content.encode("utf-16-le")) // 2 <= MAX_DISCORD
    assert content.endswith(f"\n{LINK}")
    assert all(0 < len(said) <= MAX_SLACK for said in slack(**changes, deadline=1))
