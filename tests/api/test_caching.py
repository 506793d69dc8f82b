"""What a client needn't fetch again, and what is sent compressed."""

import gzip

import httpx
import pytest

from tests.support.cases import cases
from tests.support.client import Api, Table

GZIP = {"Accept-Encoding": "gzip"}
PLAIN = {"Accept-Encoding": "identity"}
NDJSON = {"Accept": "application/x-ndjson"}
TAGGED = cases(__file__, "tagged")
COMPRESSED = cases(__file__, "compressed")


@pytest.fixture(scope="module")
def running(api: Api) -> Table:
    """A game of two players after some turns, with a message that is long enough to be compressed."""
    table = api.create(2)
    for _ in range(3):
        for seat in (0, 1):
            assert api.act(table, seat, {"type": "draw"}, {"type": "take", "slot": 0}).status_code == 201
    assert api.post(f"{table.path}/messages", table.tokens[1], json={"text": "gold " * 300}).status_code == 201
    return table


def raw(
    api: Api, path: str, token: str | None = None, headers: dict[str, str] | None = None
) -> tuple[bytes, httpx.Headers]:
    """The content of an answer as it was sent, and its headers."""
    bearer = {} if token is None else {"Authorization": f"Bearer {token}"}
    with api.http.stream("GET", path, headers={**bearer, **(headers or {})}) as answer:
        assert answer.status_code == 200
        return b"".join(answer.iter_raw()), answer.headers


@pytest.mark.parametrize(("path", "headers"), TAGGED)
@pytest.mark.parametrize("seat", [None, 0])
def test_what_a_client_has_is_not_sent_again(
    api: Api, running: Table, path: str, headers: dict[str, str], seat: int | None
) -> None:
    """304 by the tag of an answer, which no `If-Match` takes for a version; 200 by any other."""
    token = None if seat is None else running.tokens[seat]
    first = api.get(running.path + path, token, headers=headers)
    tag = first.headers["ETag"]
    assert (first.status_code, tag[:3]) == (200, 'W/"')
    for known in (tag, tag.removeprefix("W/"), f'"x", {tag}', "*"):
        again = api.get(running.path + path, token, headers=headers | {"If-None-Match": known})
        assert (again.status_code, again.content, again.headers["ETag"]) == (304, b"", tag)
        assert again.headers["Cache-Control"] == "private, no-cache"
        assert "Content-Type" not in again.headers
        assert again.headers.get_list("Vary") == first.headers.get_list("Vary")
    other = api.get(running.path + path, token, headers=headers | {"If-None-Match": '"x", W/"57"', "If-Match": '"x"'})
    assert (other.status_code, other.content) == (200, first.content)
    refused = api.act(running, 0, {"type": "draw"}, headers={"If-Match": tag})
    assert refused.json()["type"] == "/problems/stale-version"


def test_a_full_page_of_the_past_keeps_its_tag(api: Api) -> None:
    """While the game runs, a page that can't grow isn't sent again; the last page is."""
    table = api.create(2)
    pages = {page: api.get(table.path + page).headers["ETag"] for page in ("/events?limit=3", "/events")}
    assert api.act(table, 0, {"type": "draw"}).status_code == 201
    found = [api.get(table.path + page, headers={"If-None-Match": tag}).status_code for page, tag in pages.items()]
    assert found == [304, 200]


def test_a_tag_is_for_one_viewer_and_form(api: Api, running: Table) -> None:
    """Another seat, media type or language has another tag where it gets another answer."""
    tokens: dict[int | None, str | None] = {None: None, **running.tokens}
    for path, forms in (
        ("/events", [(None, {}), (0, {}), (1, {}), (None, NDJSON)]),
        ("/replay", [(None, {}), (0, {}), (1, {})]),
        ("/scores", [(None, {}), *((None, {"Accept": "text/html", "Accept-Language": code}) for code in ("de", "nl"))]),
    ):
        answers = [api.get(running.path + path, tokens[seat], headers=headers) for seat, headers in forms]
        assert len({answer.headers["ETag"] for answer in answers}) == len(forms)


@pytest.mark.parametrize(("path", "headers"), COMPRESSED)
def test_large_answers_without_secrets_are_compressed(
    api: Api, running: Table, over: Table, path: str, headers: dict[str, str]
) -> None:
    """To a spectator, and to everyone once the game is over: the same content, if the client takes gzip."""
    for table, token in ((running, None), (over, None), (over, over.tokens[0])):
        plain, plain_headers = raw(api, table.path + path, token, headers | PLAIN)
        packed, packed_headers = raw(api, table.path + path, token, headers | GZIP)
        assert packed_headers["Content-Encoding"] == "gzip"
        assert "Content-Encoding" not in plain_headers
        assert gzip.decompress(packed) == plain
        assert len(packed) < len(plain) * 0.7
        assert packed_headers["ETag"] == plain_headers["ETag"]
        for sent in (packed_headers, plain_headers):
            assert "Accept-Encoding" in ", ".join(sent.get_list("Vary"))
    unwanted = raw(api, over.path + path, None, headers | {"Accept-Encoding": "gzip;q=0, br"})[1]
    assert "Content-Encoding" not in unwanted


@pytest.mark.parametrize("path", ["", "/events", "/replay", "/recap?since=1", "/scores", "/legal-actions", "/receipt"])
def test_secrets_are_never_compressed(api: Api, running: Table, over: Table, path: str) -> None:
    """Where a seat's hand stands beside text that others chose, the length of the answer tells nothing of it."""
    content, headers = raw(api, running.path + path, running.tokens[0], GZIP)
    assert "Content-Encoding" not in headers
    if path in {"/events", "/replay"}:
        assert len(content) > 1000
    made = api.post("/v1/games", json={"seats": [{"name": "x" * 40}] * 5}, headers=GZIP)
    assert "Content-Encoding" not in made.headers
    assert len(made.content) > 1000
    events, headers = raw(api, f"{over.path}/events", None, GZIP | {"Accept": "text/event-stream"})
    assert "Content-Encoding" not in headers  # nor is any stream
    assert b"event: GameEnded" in events


def test_head_says_what_get_says(api: Api, running: Table) -> None:
    for path, headers in TAGGED:
        get, head = (api.request(method, running.path + path, headers=headers | GZIP) for method in ("GET", "HEAD"))
        for name in ("ETag", "Content-Encoding", "Content-Type"):
            assert head.headers.get(name) == get.headers.get(name)
        assert head.content == b""
