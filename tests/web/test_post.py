"""The page about play by post: what it tells players to do is there, in each language."""

import pytest

from config.settings import Settings
from domain.words.catalogue import LANGUAGES
from domain.words.reply import read_reply
from service.signing.deployment import Deployment
from service.web.words import page_words
from tests.api.worlds import SHARDS, World


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
def test_parts_of_the_menu_have_their_names(language: str) -> None:
    words = page_words(language)
    page = " ".join(text for part in words.post.parts for text in part.paragraphs)
    assert all(name in page for name in (words.notices.title, words.menu.take_seat, words.menu.seat))


@pytest.mark.parametrize("url", ["", "smtp://mail.example.org"])
def test_a_table_knows_whether_mails_are_sent(url: str) -> None:
    """Else its menu has no field for an address; one process can be asked about both."""
    settings = Settings(rate_limit=0, smtp_url=url, mail_from="reibach@example.org", public_url="https://example.org")
    world = World(Deployment.new(SHARDS), settings).open([{"name": "Anna"}, {}])
    page = world.ask("GET", world.path.replace("/v1/games", "/g")).text
    assert (" data-mail" in page) == bool(url)
