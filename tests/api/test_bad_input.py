"""Bad input: each kind gets its own refusal, nothing is appended, and no secret comes back."""

import gzip
import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.client import Api, Table, refused

DRAW = {"type": "draw"}
TAKE = {"type": "take", "slot": 0}
LAY = {"type": "lay_businessmaker", "card": "oil"}
APPEND = {"type": "append", "card": "oil", "row": 0}
SEATS = [{"name": "Anna"}, {"name": "Bert"}]
VERSION = 5
"""The version of a game of two after the deal."""
KIB64 = 64 * 1024
MISSING: Any = object()
NUMBERS = ["1", True, None, 1.5, -0.5, [], {}]
"""Values that are not whole numbers, though some look like one."""
TEXTS = [None, 1, True, [], {}, ["a"]]
CONTROLS = ["a\x00b", "a\nb", "a\rb", "\x1b[2J", "a\x7f", "a\x85b"]


@pytest.fixture
def table(api: Api) -> Iterator[Table]:
    """A game with seat 0 on turn, which the test must not change."""
    table = api.create(2)
    yield table
    assert api.version(table) == VERSION


def changed(body: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """The body with other fields, or without those that are MISSING."""
    return {name: value for name, value in (body | fields).items() if value is not MISSING}


def send(api: Api, table: Table, raw: bytes, **headers: str) -> Any:
    """These bytes as seat 0's action, declared as JSON."""
    sent = {"Content-Type": "application/json"} | {name.replace("_", "-"): value for name, value in headers.items()}
    return api.post(f"{table.path}/actions", table.tokens[0], content=raw, headers=sent)


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(raw, id=name)
        for name, raw in {
            "empty": b"",
            "space": b" ",
            "cut": b'{"type": "draw"',
            "two": b'{"type": "draw"}{"type": "draw"}',
            "comma": b'{"type": "draw",}',
            "comment": b'{"type": "draw"} // please',
            "quotes": b"{'type': 'draw'}",
            "bom": b'\xef\xbb\xbf{"type": "draw"}',
            "utf-16": '{"type": "draw"}'.encode("utf-16"),
            "latin-1": b'{"type": "dr\xe4w"}',
            "raw surrogate": b'{"type": "\xed\xa0\x80"}',
            "escaped surrogate": b'{"type": "\\ud800"}',
            "swapped pair": b'{"type": "\\udc00\\ud800"}',
            "surrogate as a name": b'{"type": "draw", "\\uDFFF": 1}',
            "raw NUL": b'{"type": "dr\x00aw"}',
            "raw line feed": b'{"type": "dr\naw"}',
            "NaN": b'{"type": "take", "slot": NaN}',
            "Infinity": b'{"type": "take", "slot": Infinity}',
            "-Infinity": b'{"type": "take", "slot": -Infinity}',
            "leading zero": b'{"type": "take", "slot": 01}',
            "plus": b'{"type": "take", "slot": +1}',
            "hexadecimal": b'{"type": "take", "slot": 0x1}',
            "long number": b'{"type": "take", "slot": ' + b"1" * 4400 + b"}",
            "names twice": b'{"type": "take", "slot": 1, "slot": 1}',
            "names twice inside": b'{"actions": [{"type": "draw", "type": "draw"}]}',
            "names twice by escape": b'{"type": "draw", "\\u0074ype": "draw"}',
            "deep lists": b"[" * 4_000,
            "deep objects": b'{"a":' * 4_000 + b"1" + b"}" * 4_000,
            "deep and closed": b'{"type": ' + b"[" * 4_000 + b"]" * 4_000 + b"}",
        }.items()
    ],
)
def test_not_json(api: Api, table: Table, raw: bytes) -> None:
    """A body that isn't unambiguous JSON in UTF-8 is 400."""
    refused(send(api, table, raw), 400, "malformed-json", VERSION)


@pytest.mark.parametrize("raw", [b"[" * KIB64, b'{"a":' * 10_000 + b"1" + b"}" * 10_000, b"," * 4_097])
def test_too_many_signs(api: Api, table: Table, raw: bytes) -> None:
    """A body with more lists, objects and items than any request needs isn't even parsed."""
    assert list(refused(send(api, table, raw), 422, "invalid-request", VERSION)["errors"]) == [""]


@pytest.mark.parametrize("body", [[], [DRAW], "draw", None, 1, 1.5, True])
@pytest.mark.parametrize("path", ["/v1/games", "{game}/seats", "{game}/actions"])
def test_not_an_object(api: Api, table: Table, path: str, body: Any) -> None:
    """A body that isn't an object is 422."""
    raw, headers = json.dumps(body).encode(), {"Content-Type": "application/json"}
    answer = api.post(path.format(game=table.path), table.tokens[0], content=raw, headers=headers)
    assert list(refused(answer, 422, "invalid-request")["errors"]) == [""]


@pytest.mark.parametrize(
    "content_type",
    [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "text/json",
        "application/problem+json",
        "application/json-seq",
        "application/json; charset=utf-7",
        "application/json; charset=latin-1",
        "application/json, text/plain",
        "json",
        "",
    ],
)
def test_other_media_types(api: Api, table: Table, content_type: str) -> None:
    """Only application/json in UTF-8 is read."""
    refused(send(api, table, b'{"type": "draw"}', Content_Type=content_type), 415, "unsupported-media-type", VERSION)


def test_other_encodings(api: Api, table: Table) -> None:
    """A compressed body is refused, with any Content-Encoding and any size."""
    for encoding in ("gzip", "br", "identity", "x"):
        answer = send(api, table, gzip.compress(b'{"type": "draw"}'), Content_Encoding=encoding)
        refused(answer, 415, "unsupported-media-type", VERSION)
    bomb = gzip.compress(b" " * 10_000_000)
    refused(send(api, table, bomb, Content_Encoding="gzip"), 415, "unsupported-media-type", VERSION)


def test_the_largest_body(api: Api) -> None:
    """64 KiB are taken, one byte more is 413, and so are many more."""
    for size, status in ((KIB64 - 1, 201), (KIB64, 201), (KIB64 + 1, 413), (10_000_000, 413)):
        raw = json.dumps({"seats": SEATS}).encode().ljust(size)
        answer = api.post("/v1/games", content=raw, headers={"Content-Type": "application/json"})
        assert answer.status_code == status
    refused(answer, 413, "body-too-large")


@pytest.mark.parametrize(
    ("field", "wrong"),
    [
        *(("seats", wrong) for wrong in (MISSING, *TEXTS, "ab", {}, SEATS[:1], SEATS * 3)),
        *(("seats.1", wrong) for wrong in (None, 1, "Bert", [], True)),
        *(("seats.1.name", wrong) for wrong in (*TEXTS, "", "a" * 41, "\U0001f0cf" * 41, *CONTROLS)),
        *(("seats.1.bot", wrong) for wrong in (*TEXTS, "", "Greedy", "../greedy", "a" * 1000)),
        *(("seats.1.entropy", wrong) for wrong in (*TEXTS, "a" * 201, *CONTROLS)),
        *(("seats.1.token", wrong) for wrong in ("x", None)),
        *(("variants", wrong) for wrong in (*TEXTS[:-2], "staggered_start", ["staggered_start"])),
        *(("variants.staggered_start", wrong) for wrong in (None, 1, 0, "true", "", [], {})),
        *(("variants.expensive_specials", wrong) for wrong in (None, 1.0, "false")),
        *(("variants.faster", wrong) for wrong in (True, False)),
        *(("starting_seat", wrong) for wrong in (*NUMBERS, -1, 2, 5, 2**31, 2**53 + 1, 2**63, 2**64, 1e300, -1e300)),
        *(("listed", wrong) for wrong in (None, 0, 1, "true", "", [], {})),
        *(("server_seed", wrong) for wrong in (*TEXTS, "", "5" * 63, "5" * 65, "5" * 64 + "\n", "g" * 64, "A" * 64)),
        *(
            (name, 1)
            for name in ("version", "id", "draw_pile", "commitment", "at", "events", "type", "", "Seats", "x.y")
        ),
    ],
)
def test_fields_of_a_new_game(api: Api, field: str, wrong: Any) -> None:
    """A field that is missing, unknown, null or of another kind is 422, and `errors` says which."""
    body: dict[str, Any] = {"seats": [dict(seat) for seat in SEATS], "variants": {}}
    inside: Any = body
    *way, last = field.split(".") if field != "x.y" else [field]
    for step in way:
        inside = inside[int(step)] if isinstance(inside, list) else inside[step]
    if last == "bot":
        inside.clear()
    inside[int(last) if isinstance(inside, list) else last] = wrong
    problem = refused(api.post("/v1/games", json=changed(body)), 422, "invalid-request")
    assert any(name == field or name.startswith(f"{field}.") for name in problem["errors"]), problem["errors"]


def test_numbers_beyond_floats(api: Api, table: Table) -> None:
    """1e400 is JSON and no whole number; a thousand digits are one, and out of range."""
    for number in ("1e400", "-1e400", "1" * 1000, "-" + "9" * 4000):
        raw = f'{{"type": "take", "slot": {number}}}'.encode()
        assert "slot" in refused(send(api, table, raw), 422, "invalid-request", VERSION)["errors"]


def test_a_seat_is_a_bot_or_a_person(api: Api) -> None:
    """A name and a bot exclude each other, and entropy needs a name."""
    for seat in ({"name": "a", "bot": "greedy"}, {"bot": "greedy", "entropy": ""}, {"entropy": "tulip"}):
        refused(api.post("/v1/games", json={"seats": [seat, {}]}), 422, "invalid-request")


@pytest.mark.parametrize(
    ("field", "wrong"),
    [
        *(("name", wrong) for wrong in (MISSING, *TEXTS, "", "a" * 41, *CONTROLS)),
        *(("entropy", wrong) for wrong in (*TEXTS, "a" * 201, *CONTROLS)),
        *((name, 0) for name in ("seat", "bot", "token", "version")),
    ],
)
def test_fields_of_joining(api: Api, table: Table, field: str, wrong: Any) -> None:
    """The same, for joining; 422 comes before it is said that there is no open seat."""
    answer = api.post(f"{table.path}/seats", json=changed({"name": "Carla"}, **{field: wrong}))
    assert list(refused(answer, 422, "invalid-request", VERSION)["errors"]) == [field]


@pytest.mark.parametrize("listed", [False, True], ids=["alone", "in a list"])
@pytest.mark.parametrize(
    ("action", "field", "wrong"),
    [
        *((TAKE, "type", wrong) for wrong in (MISSING, *TEXTS, "", "Take", "pass", "CardTaken", "RoundScored")),
        *((TAKE, "slot", wrong) for wrong in (MISSING, *NUMBERS, -1, 3, 2**31, 2**53 + 1, 2**63, 2**64)),
        *((LAY, "card", wrong) for wrong in (MISSING, *TEXTS, "", "Oil", "oil\n", "unknown")),
        *((APPEND, "card", wrong) for wrong in (MISSING, *TEXTS, "jewelry")),
        *((APPEND, "row", wrong) for wrong in (MISSING, *NUMBERS, -1, -(2**63), -1e300)),
        *((DRAW, name, 1) for name in ("slot", "card", "seat", "version", "at", "hash", "cost", "")),
        *((TAKE, name, "oil") for name in ("card", "row")),
    ],
)
def test_fields_of_an_action(
    api: Api, table: Table, action: dict[str, Any], field: str, wrong: Any, *, listed: bool
) -> None:
    """The same, for each action; in a list the valid action before it isn't executed either."""
    sent = changed(action, **{field: wrong})
    answer = api.act(table, 0, DRAW, sent) if listed else api.act(table, 0, sent)
    problem = refused(answer, 422, "invalid-request", VERSION)
    assert list(problem["errors"]) == [f"actions.1.{field}".rstrip(".") if listed else field]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "type"),
        ({"actions": []}, "actions"),
        ({"actions": [DRAW] * 4}, "actions"),
        ({"actions": [DRAW] * 1001}, "actions"),
        ({"actions": None}, "actions"),
        ({"actions": DRAW}, "actions"),
        ({"actions": "draw"}, "actions"),
        ({"actions": [None]}, "actions.0"),
        ({"actions": [[DRAW]]}, "actions.0"),
        ({"actions": [DRAW, 1]}, "actions.1"),
        ({"actions": [{"actions": [DRAW]}]}, "actions.0"),
        ({"actions": [DRAW], "type": "draw"}, "type"),
        ({"actions": [DRAW], "If-Match": '"5"'}, "If-Match"),
    ],
)
def test_lists_of_actions(api: Api, table: Table, body: dict[str, Any], field: str) -> None:
    """A list holds one to three actions; the body has no other member."""
    answer = api.post(f"{table.path}/actions", table.tokens[0], json=body)
    problem = refused(answer, 422, "invalid-request", VERSION)
    assert all(name.startswith(field) for name in problem["errors"]), problem["errors"]


def test_whole_numbers_may_have_a_point(api: Api) -> None:
    """1.0 is 1, -0.0 is 0 and 1e0 is 1, wherever a number is asked for."""
    table = api.create(2, starting_seat=1.0)
    assert api.view(table)["turn"]["seat"] == 1
    assert api.post(f"{table.path}/actions", table.tokens[1], json={"type": "take", "slot": 1.0}).status_code == 201
    for number, status in ((b"-0.0", 201), (b"1e0", 201)):
        raw = b'{"type": "take", "slot": ' + number + b"}"
        answer = api.post(
            f"{table.path}/actions", table.tokens[1], content=raw, headers={"Content-Type": "application/json"}
        )
        assert answer.status_code == status, answer.text


def test_texts_are_stored_as_sent(api: Api) -> None:
    """Lengths count code points, and nothing is trimmed, normalised or escaped."""
    names = [
        "\U0001f0cf" * 40,
        "<script>alert(1)</script>",
        "{} %s ${a} ../..",
        " e\u0301 is not \u00e9 ",
        "\u202eright to left\u2028",
    ]
    entropies = ["\U0001f0cf" * 200, "", " ", "\u2029", "' OR 1=1 --"]
    seats = [{"name": name, "entropy": entropy} for name, entropy in zip(names, entropies, strict=True)]
    table = api.create(seats)
    view = api.view(table)
    assert [seat["name"] for seat in view["seats"]] == names
    assert view["fairness"]["entropy"] == entropies
    assert [event["data"]["name"] for event in api.events(table) if event["type"] == "PlayerJoined"] == names


def test_a_post_ignores_its_query(api: Api, table: Table) -> None:
    """A POST ignores its query."""
    answer = api.post(f"{table.path}/actions?slot=1&version=9&at=1", table.tokens[0], json={"type": "take"})
    assert list(refused(answer, 422, "invalid-request", VERSION)["errors"]) == ["slot"]
