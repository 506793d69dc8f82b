"""What is kept with an idempotency key: bodies are told apart by a secret, and a refusal is kept as data."""

from random import Random

import pytest

from domain.refusals import Reason, Refused
from service.connections.clients import Client
from service.gamelog.idempotency import FirstAnswer, IdempotencyKey
from service.gamelog.store.errors import CorruptLog, KeyReused
from service.signing.deployment import Deployment
from tests.gamelog.ledger import any_act, new_game, open_games

COLLIDING = (
    {
        "actions": [
            {"card": "gold", "type": "lay_businessmaker"},
            {"card": "reibach", "row": 10**69 + 1361574502311361576200, "type": "append"},
        ]
    },
    {"actions": [{"type": "draw"}, {"card": "oil", "row": 10000000000000001766605276531552660125, "type": "append"}]},
)
"""Two bodies whose unkeyed SHA-256 began with the same 8 bytes."""
REFUSALS = [
    None,
    Refused(Reason.NOT_YOUR_TURN, seat=1, name="Anna \U0001f3b2"),
    Refused(Reason.NO_SUCH_ROW, case="several", row=9, last=3),
    Refused(Reason.GAME_OVER, case="shared", winners=["Anna", "Bert"]),
    Refused(Reason.SCORING_IN_PROGRESS, round=2),
]


def key_of(body: object, secret: bytes = bytes(32)) -> IdempotencyKey:
    return IdempotencyKey("actions/0", "key", body, secret)


@pytest.mark.parametrize("refusal", REFUSALS)
def test_a_record_holds_the_first_answer(refusal: Refused | None) -> None:
    """Version, number of applied actions and refusal come back from the record."""
    key = key_of({"slot": 1})
    again = key_of({"slot": 1.0}).read_record(key.record_of(FirstAnswer(57, 2, refusal)))
    assert again[:2] == (57, 2)
    assert (again.refusal is None) == (refusal is None)
    if refusal and again.refusal:
        assert (again.refusal.reason, again.refusal.parameters) == (refusal.reason, refusal.parameters)


def test_another_body_is_refused() -> None:
    """Another body, and a record of another form, don't pass for the first request."""
    record = key_of({"slot": 1}).record_of(FirstAnswer(57))
    for body, kept in ((COLLIDING[0], record), ({"slot": True}, record), ({"slot": 1}, b"57:12345678")):
        with pytest.raises(KeyReused):
            key_of(body).read_record(kept)


@pytest.mark.parametrize(
    "rest", [b"", b"1", b"1:0", b"x:0:", b'1:0:["no-such-reason",{}]', b'1:0:["row-closed"]', b"1:0:["]
)
def test_a_damaged_record_is_a_corrupt_log(rest: bytes) -> None:
    key = key_of(1)
    with pytest.raises(CorruptLog):
        key.read_record(key.fingerprint + rest)


def test_a_record_of_before_checksums_is_read() -> None:
    """Its fingerprint is followed by the answer at once."""
    key = key_of(1)
    assert key.read_record(key.fingerprint + b"57:2:") == FirstAnswer(57, 2)
    with pytest.raises(KeyReused):
        key_of(2).read_record(key.fingerprint + b"57:2:")


def test_a_flipped_bit_is_noticed(client: Client) -> None:
    """Whichever bit of a record the disk changes: no other answer is given, and no other body blamed for it."""
    games, key = open_games(client), key_of(1)
    games.create(new_game("g"))
    first = games.handle("g", any_act(games.load_cached("g").game, Random(1)), key=key)
    names = games.store.keys("g").idempotency
    kept = client.hget(names, key.digest)
    assert games.find_answer("g", key).loaded == first.loaded
    for place in range(8 * len(kept)):
        changed = bytearray(kept)
        changed[place // 8] ^= 1 << place % 8
        client.hset(names, key.digest, bytes(changed))
        with pytest.raises(CorruptLog):
            games.find_answer("g", key)


@pytest.mark.parametrize("answer", [b"-3:0:", b"0:0:", b"1:0:", b"9:1:", b"99:1:", b"%d:1:" % 10**30])
def test_a_record_that_names_no_entry_is_a_corrupt_log(client: Client, answer: bytes) -> None:
    """No version inside an entry, before the first event or after the head is taken for a request's."""
    games, key = open_games(client), key_of(1)
    games.create(new_game("g"))
    client.hset(games.store.keys("g").idempotency, key.digest, key.fingerprint + answer)
    with pytest.raises(CorruptLog):
        games.find_answer("g", key)


def test_fingerprints_depend_on_a_secret_of_the_deployment() -> None:
    """16 bytes that differ from deployment to deployment, so that equal ones can't be looked for elsewhere."""
    secrets = [Deployment.new(1).repeat_secret for _ in range(2)]
    prints = {key_of(body, secret).fingerprint for body in COLLIDING for secret in secrets}
    assert len(prints) == 4
    assert {len(one) for one in prints} == {16}
    assert len({key_of(1, secret).digest for secret in secrets}) == 2
