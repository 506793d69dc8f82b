"""The pages that links in mails lead to: a button confirms or ends, nothing else does."""

import re

import httpx
import pytest

from domain.words.catalogue import LANGUAGES, read
from service.web import mail_links
from tests.api.desks import FORM, MAIL, PEOPLE, URL, House
from tests.support.client import Table


def asked(house: House, **more: object) -> tuple[Table, str]:
    """A game whose first seat has named an address, and the nonce of that."""
    table = house.api.create(PEOPLE)
    assert house.put(table, **{"email": MAIL, **more}).status_code == 200
    return table, house.subscription(table).nonce


UNTIL = 2**52
"""Of a link, in ms since 1970: after all tests."""


def confirm_path(house: House, table: Table, nonce: str, seat: int = 0) -> str:
    return f"/confirm/{house.services.links.confirm(table.id, seat, nonce, until=UNTIL)}"


def unsubscribe_path(house: House, table: Table, nonce: str, seat: int = 0) -> str:
    return f"/unsubscribe/{house.services.links.unsubscribe(table.id, seat, nonce)}"


def is_page(answer: httpx.Response, status: int = 200) -> str:
    """The page, which no cache keeps, no other page learns of, and which runs no script and asks no other host."""
    assert answer.status_code == status
    assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    policy = answer.headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'self';")
    assert policy.count("form-action 'self'") == policy.count("form-action") == 1
    assert "unsafe" not in policy
    assert not re.search(r"<script|<style|\sstyle=", answer.text)
    assert not re.search(r'(?:href|src|action)="(?:https?:)?//', answer.text)
    assert f'<html lang="{answer.headers["Content-Language"]}">' in answer.text
    return answer.text


def test_an_address_is_confirmed_by_the_button(house: House) -> None:
    """Opening the page, as often as a scanner likes, confirms nothing; then the turn that is on is told."""
    table, nonce = asked(house)
    path = confirm_path(house, table, nonce)
    told = len(house.desk.told)
    for method in ("GET", "HEAD", "GET", "OPTIONS"):
        assert house.api.request(method, path).status_code == 200
    assert house.get(table).json()["confirmed"] is False
    page = is_page(house.api.get(path))
    assert '<form method="post">' in page
    assert len(house.desk.told) == told
    for _ in range(2):
        done = is_page(house.api.post(path, content=b"", headers=FORM))
        assert "<form" not in done
        assert house.get(table).json()["confirmed"] is True
    assert house.desk.told[told:] == [(table.id, 0)] * 2
    assert MAIL not in page + done
    assert not any(seat["name"] in page for seat in PEOPLE)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_pages_have_the_subscriptions_language(house: House, language: str) -> None:
    """Whatever the browser's is; an invalid link's page has that one."""
    table, nonce = asked(house, language=language)
    other = {"Accept-Language": "de" if language == "fr" else "fr"}
    words = read(language, "mail_links")
    paths = confirm_path(house, table, nonce), unsubscribe_path(house, table, nonce)
    for path, own in zip(paths, (words.confirm, words.unsubscribe), strict=True):
        page, done = (house.api.request(method, path, headers=other | FORM) for method in ("GET", "POST"))
        for answer, texts in ((page, (own.title, own.question, own.button)), (done, (own.title, own.done))):
            text = is_page(answer).replace("&#39;", "'")
            assert answer.headers["Content-Language"] == language
            assert all(word in text for word in texts)
    void = house.api.get(paths[0], headers={"Accept-Language": language})
    assert words.void_title in is_page(void, 404)
    assert "Accept-Language" in void.headers["Vary"]


def test_mails_end_by_the_button(house: House) -> None:
    """The webhook stays; without one the subscription goes. Opening the page ends nothing."""
    table, nonce = asked(house, webhook={"url": URL})
    path = unsubscribe_path(house, table, nonce)
    assert '<form method="post">' in is_page(house.api.get(path))
    assert house.get(table).json()["email"] == MAIL
    is_page(house.api.post(path, content=b"", headers=FORM))
    shown = house.get(table).json()
    assert (shown["email"], shown["confirmed"], shown["webhook"]["url"]) == (None, None, URL)
    is_page(house.api.post(path, content=b"", headers=FORM), 404)
    alone, nonce = asked(house)
    is_page(house.api.post(unsubscribe_path(house, alone, nonce), content=b"", headers=FORM))
    assert house.get(alone).status_code == 404


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"List-Unsubscribe=One-Click", FORM["Content-Type"]),
        (b'--b\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--b--\r\n',
         "multipart/form-data; boundary=b"),
        (b"", ""),
    ],
)  # fmt: skip
def test_a_mail_program_ends_mails_with_one_click(house: House, content: bytes, kind: str) -> None:
    """RFC 8058: a POST with this body in either form, without cookies or anything else."""
    table, nonce = asked(house)
    headers = {"Content-Type": kind} if kind else {}
    answer = house.api.post(unsubscribe_path(house, table, nonce), content=content, headers=headers)
    assert answer.status_code == 200
    assert house.get(table).status_code == 404


def test_void_links_do_nothing(house: House) -> None:
    """Wrong, cut, of another deed, seat or game, of an address that was replaced: the same page for all."""
    table, nonce = asked(house)
    links, pages = house.services.links, set()
    others = ((table.id, 1, nonce), ("gone", 0, nonce), (table.id, 0, "other"))
    good, ending = links.confirm(table.id, 0, nonce, until=UNTIL), links.unsubscribe(table.id, 0, nonce)
    void = [links.confirm(*other, until=UNTIL) for other in others]
    void += [good[:-1], ending, table.tokens[0], "x", "%00", "ä", "a" * 2000]
    paths = [f"/confirm/{token}" for token in void]
    paths += [f"/unsubscribe/{token}" for token in (links.unsubscribe(table.id, 0, "other"), good, "x")]
    for path in paths:
        for method in ("GET", "POST"):
            pages.add(is_page(house.api.request(method, path), 404))
    assert len(pages) == 1
    assert house.get(table).json()["confirmed"] is False
    house.put(table, email="other@example.org")
    is_page(house.api.post(confirm_path(house, table, nonce)), 404)
    is_page(house.api.post(unsubscribe_path(house, table, nonce)), 404)
    path = confirm_path(house, table, house.subscription(table).nonce)
    assert house.api.request("PUT", path, content=b"x").status_code == 405
    assert house.api.post(path, content=b"x" * 70_000, headers=FORM).status_code == 413
    assert house.get(table).json()["confirmed"] is False


@pytest.mark.parametrize("is_valid", [False, True])
def test_a_form_of_more_fields_than_its_page_is_not_parsed(
    house: House, monkeypatch: pytest.MonkeyPatch, *, is_valid: bool
) -> None:
    """Nor any form before the link is known to be valid: 64 KB of fields took as long as a hundred actions."""
    table, nonce = asked(house)
    parsed: list[int] = []
    monkeypatch.setattr(mail_links, "parse_qs", lambda text, **_: parsed.append(len(text)) or {})
    path = confirm_path(house, table, nonce if is_valid else "other")
    answer = house.api.post(path, content="&".join(["seat=1"] * 9000), headers=FORM)
    is_page(answer, 200 if is_valid else 404)
    assert parsed == []
    assert house.get(table).json()["confirmed"] is False
