"""Subscriptions in the store: kept as given, changed by compare and set, gone with their game."""

import json
from dataclasses import replace
from threading import Barrier, Thread

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.clock.hours import Hours
from domain.words.catalogue import LANGUAGES
from service.connections.clients import Client
from service.gamelog.archive.expiry import Expiry, expire
from service.gamelog.archive.retention import Retention
from service.gamelog.store.errors import NoSuchGame
from service.gamelog.store.streams import Store
from service.post.subscriptions import FORMATS, WORDS, Subscription, Subscriptions, WebhookTarget, _decode, _encode
from tests.gamelog.ledger import SHARDS, LosingClient, finish, new_game, open_games
from tests.post.processes import by_mail, wish
from tests.support.stores import EVERY_STORE
from tests.support.waiting import patience

STORES = EVERY_STORE
HOOK = WebhookTarget(url="https://example.org/hook", secret="whsec_c2VjcmV0", format="standard")
MINE = by_mail("turn", "over", is_confirmed=False, webhook=HOOK, language="de")


@pytest.fixture
def store(client: Client) -> Store:
    open_games(client).create(new_game("g"))
    return Store(client, SHARDS, patience(0.5))


@pytest.fixture
def kept(store: Store) -> Subscriptions:
    return Subscriptions(store)


def test_a_subscription_is_found_as_it_was_saved(kept: Subscriptions, client: Client, store: Store) -> None:
    """By its game and seat; in one hash of the game's shard. As a text it shows no secret."""
    assert not any(word in repr(MINE) for word in ("anna", "/hook", "whsec", "first"))
    other = replace(MINE, email=None, webhook=None, on=frozenset(), nonce="other")
    kept.save("g", 0, replace(other, language="fr"))
    kept.save("g", 0, MINE)
    kept.save("g", 1, other)
    assert kept.load("g") == {0: MINE, 1: other}
    assert kept.load_seat("g", 0) == MINE
    assert kept.load_seat("g", 2) is None
    assert kept.load_many(["none", "g"]) == [{}, {0: MINE, 1: other}]
    assert kept.load_many([]) == []
    assert client.hlen(f"{store.tag('g')}:post:g") == 2
    kept.delete("g", 0)
    kept.delete("g", 0)
    assert kept.load("g") == {1: other}
    kept.delete("g", 1)
    assert not client.exists(store.post("g"))


def test_an_address_is_confirmed_by_its_own_nonce_only(kept: Subscriptions) -> None:
    """As often as one likes; not where there is no address any more, and not in another seat or game."""
    kept.save("g", 0, MINE)
    assert not kept.confirm("g", 0, "second")
    assert not kept.confirm("g", 1, "first")
    assert not kept.confirm("none", 0, "first")
    assert kept.load("g") == {0: MINE}
    assert kept.confirm("g", 0, "first")
    assert kept.confirm("g", 0, "first")
    assert kept.load_seat("g", 0) == replace(MINE, is_confirmed=True)
    kept.end("g", 0, "anna@example.org")
    assert not kept.confirm("g", 0, "first")


def test_the_end_of_a_channel_leaves_the_other(kept: Subscriptions) -> None:
    """An address or URL that has been replaced meanwhile stays; without any the subscription goes."""
    kept.save("g", 0, replace(MINE, is_confirmed=True))
    kept.end("g", 0, "https://example.org/old standard")
    kept.end("g", 0, "old@example.org")
    assert kept.load_seat("g", 0) == replace(MINE, is_confirmed=True)
    kept.end("g", 0, HOOK.receiver)
    assert kept.load_seat("g", 0) == replace(MINE, is_confirmed=True, webhook=None)
    kept.end("g", 0, HOOK.receiver)
    kept.end("g", 0, "anna@example.org")
    assert kept.load("g") == {}
    kept.save("g", 0, MINE)
    kept.end("g", 0, "anna@example.org")
    assert kept.load_seat("g", 0) == replace(MINE, email=None)
    kept.end("g", 0, HOOK.receiver)
    assert kept.load("g") == {}


def test_nothing_is_kept_for_a_game_that_is_not_there(kept: Subscriptions, client: Client) -> None:
    """No request makes keys that nothing would delete."""
    before = set(client.keys("*"))
    with pytest.raises(NoSuchGame):
        kept.save("none", 0, MINE)
    kept.delete("none", 0)
    kept.end("none", 0, HOOK.receiver)
    assert set(client.keys("*")) == before


@pytest.mark.parametrize("over", [False, True])
def test_the_archive_of_a_finished_game_leaves_none(
    client: Client, store: Store, kept: Subscriptions, over: bool
) -> None:
    """Addresses aren't kept forever; an abandoned game that is archived continues, and so does its mail."""
    if over:
        finish(open_games(client), "g")
    kept.save("g", 0, MINE)
    now = open_games(client).load("g").game.at + 1000
    assert expire(store, "g", Retention(finished_ms=1, abandoned_ms=1), "store", now) is Expiry.ARCHIVED
    assert kept.load("g") == ({} if over else {0: MINE})


def test_of_two_changes_at_once_none_is_lost(real_client: Client) -> None:
    """Each of many threads adds to what the others have written."""
    open_games(real_client).create(new_game("g"))
    kept = Subscriptions(Store(real_client, SHARDS, patience(0.5)))
    kept.save("g", 0, replace(MINE, nonce=""))
    start = Barrier(4)

    def add(name: str) -> None:
        start.wait(patience(10))
        for _ in range(10):
            kept.change("g", 0, lambda present: present and replace(present, nonce=present.nonce + name))

    threads = [Thread(target=add, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = kept.load_seat("g", 0)
    assert sorted(found.nonce) == sorted("abcd" * 10)


def test_a_change_may_be_sent_twice(client: Client, kept: Subscriptions) -> None:
    """Its answer was lost: the second try finds what the first has written, and confirms it."""
    kept.save("g", 0, MINE)
    losing = LosingClient(client)
    losing.plan += ["after"]
    assert Subscriptions(Store(losing, SHARDS, patience(0.5))).confirm("g", 0, "first")
    assert not losing.plan
    assert kept.load_seat("g", 0) == replace(MINE, is_confirmed=True)


TEXT = st.text(max_size=20).filter(lambda text: text.isprintable())


@settings(max_examples=50)
@given(
    st.builds(
        Subscription,
        email=st.none() | TEXT,
        is_confirmed=st.booleans(),
        webhook=st.none() | st.builds(WebhookTarget, url=TEXT, secret=TEXT, format=st.sampled_from(FORMATS)),
        on=st.frozensets(st.sampled_from(WORDS)),
        language=st.sampled_from(list(LANGUAGES)),
        while_watching=st.booleans(),
        nonce=TEXT,
        zone=st.sampled_from(["UTC", "Europe/Berlin"]),
        quiet=st.none() | st.just(Hours(opens=1320, closes=480, zone="Europe/Berlin")),
        receipts=st.booleans(),
    )
)
def test_what_is_stored_is_read_the_same(subscription: Subscription) -> None:
    """And the same subscription has the same text, which the compare and set needs."""
    text = _encode(subscription).encode()
    assert _decode(text) == subscription
    assert _encode(_decode(text)).encode() == text


def test_a_record_without_later_fields_is_read() -> None:
    """As they were written while those with their usual value were left out."""
    plain = wish()
    left_out = {"generation", "is_invited", "devices", "zone", "quiet", "receipts"}
    fields = {name: value for name, value in json.loads(_encode(plain)).items() if name not in left_out}
    del fields["webhook"]["mention"]
    assert _decode(json.dumps(fields).encode()) == plain
