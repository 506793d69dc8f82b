"""The outbox in the store: added once, claimed once, settled once; dead letters, deliveries, and what remains."""

from dataclasses import replace

import pytest

from service.connections.clients import Client
from service.gamelog.store.streams import Store
from service.post.channel_table import CHANNELS
from service.post.claim import AGAIN, FIRST
from service.post.notices import ANSWER, CONFIRMATION, MESSAGE, OVER, PEOPLE, REMINDER, SCORING, TOKEN, TURN, Notice
from service.post.outbox import Outbox
from tests.gamelog.ledger import SHARDS
from tests.post.processes import Clock
from tests.support.stores import EVERY_STORE
from tests.support.waiting import patience

STORES = EVERY_STORE
NOTICE = Notice(game="g", seat=1, type=TURN, version=7, channel="webhook", target="one")


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def outbox(client: Client, clock: Clock) -> Outbox:
    return Outbox(Store(client, SHARDS, patience(0.5)), clock)


def take(outbox: Outbox, lane: str = FIRST) -> list[Notice]:
    return [claim.notice for claim in outbox.claim(lane, 100)]


def test_a_notice_is_added_once_for_each_receiver(outbox: Outbox) -> None:
    """By version and receiver; an older version is never added after a newer one."""
    assert outbox.add([NOTICE, NOTICE]) == 1
    assert outbox.add([NOTICE]) == 0
    assert outbox.add([replace(NOTICE, seat=0), replace(NOTICE, channel="email"), replace(NOTICE, type=REMINDER)]) == 3
    assert outbox.add([replace(NOTICE, version=6), replace(NOTICE, version=6, target="two")]) == 0
    assert len(take(outbox)) == 4
    assert outbox.add([replace(NOTICE, target="two")]) == 1
    assert outbox.add([NOTICE]) == 1  # the first one is back
    assert outbox.add([replace(NOTICE, version=8)]) == 1


def test_confirmations_and_answers_go_by_what_they_say(outbox: Outbox) -> None:
    """A confirmation once for each nonce; an answer always, for two mails may be answered at one version."""
    ask = Notice(game="g", seat=1, type=CONFIRMATION, version=0, channel="email", detail="nonce")
    assert [outbox.add([one]) for one in (ask, ask, replace(ask, detail="other"))] == [1, 0, 1]
    reply = replace(ask, type=ANSWER, version=7, detail="{}")
    assert [outbox.add([one]) for one in (reply, replace(reply, detail="[]"))] == [1, 1]
    assert {notice.detail for notice in take(outbox)} == {"nonce", "other", "{}", "[]"}
    ids = {one.id for one in (ask, replace(ask, detail="other"), reply, replace(reply, detail="[]"))}
    assert len(ids) == 4
    assert not any("nonce" in one for one in ids)


def test_a_link_to_a_new_token_leaves_nothing(outbox: Outbox, client: Client) -> None:
    """Anyone may ask for one, in each game that was ever archived."""
    outbox.add([Notice(game="g", seat=0, type=TOKEN, version=0, channel="email", detail="nonce 0 1")])
    (claim,) = outbox.claim(FIRST, 10)
    claim.drop()
    assert client.keys("*") == []


def test_a_claim_is_one_process_s_until_its_lease_ends(outbox: Outbox, clock: Clock) -> None:
    """Then another claims it; what the first one says doesn't count, unless it was delivered."""
    outbox.add([NOTICE])
    (old,) = outbox.claim(FIRST, 10)
    assert outbox.claim(FIRST, 10) == []
    clock.now += CHANNELS["webhook"].lease_ms
    (new,) = outbox.claim(FIRST, 10)
    assert (new.created, new.attempts, new.notice.target) == (clock.now - CHANNELS["webhook"].lease_ms, 0, "one")
    old.settle("retry", 1, "status 500", at=clock.now)
    old.drop()
    old.settle("dead", 1, "status 500")
    assert outbox.list_deliveries("g", 1) == []
    clock.now += CHANNELS["webhook"].lease_ms
    (newest,) = outbox.claim(FIRST, 10)
    assert replace(newest, lease_ends=new.lease_ends) == new
    old.settle("delivered", 1)
    (line,) = outbox.list_deliveries("g", 1)
    newest.settle("retry", 1, "status 500", at=clock.now)  # it has been delivered
    clock.now += CHANNELS["webhook"].lease_ms
    assert take(outbox) == take(outbox, AGAIN) == []
    assert outbox.list_deliveries("g", 1) == [line]


def test_retries_have_a_lane_of_their_own(outbox: Outbox, clock: Clock) -> None:
    """A notice waits there until its time, or is let go; `postpone` keeps the lane, `set_aside` changes it."""
    outbox.add([NOTICE])
    (claim,) = outbox.claim(FIRST, 1)
    claim.postpone(clock.now + 5)
    clock.now += 5
    (claim,) = outbox.claim(FIRST, 1)
    claim.set_aside(clock.now)
    assert take(outbox) == []
    (claim,) = outbox.claim(AGAIN, 1)
    claim.settle("retry", clock.now, "timeout", at=clock.now + 60_000)
    assert take(outbox, AGAIN) == []
    others = outbox.let_go("email"), outbox.let_go("webhook", "h")
    assert (others, outbox.let_go("webhook"), outbox.let_go()) == ((0, 0), 1, 0)
    (again,) = outbox.claim(AGAIN, 1)
    assert outbox.let_go() == 0  # it is being tried
    assert again == replace(claim, attempts=1, first=clock.now, lease_ends=again.lease_ends)
    assert again.notice == NOTICE
    assert [(one["attempt"], one["status"], one["error"]) for one in outbox.list_deliveries("g", 1)] == [
        (1, "retry", "timeout")
    ]


def test_dead_letters_are_sent_again_once(outbox: Outbox, clock: Clock) -> None:
    """All, or those of a game; they are as new, with the same id."""
    for game in ("g", "h"):
        outbox.add([replace(NOTICE, game=game)])
    for claim in outbox.claim(FIRST, 10):
        claim.settle("dead", 1, "timeout")
    assert take(outbox) == []
    assert outbox.add([NOTICE]) == 0
    assert outbox.resend("h") == 1
    assert take(outbox) == [replace(NOTICE, game="h")]
    assert outbox.resend() == 1
    (claim,) = outbox.claim(FIRST, 10)
    assert (claim.created, claim.attempts, claim.first, claim.notice.target) == (clock.now, 0, 0, "one")
    assert outbox.resend() == 0


def test_a_dropped_turn_can_be_added_again(outbox: Outbox) -> None:
    """Its player may come back, or subscribe again; another notice that was dropped can't."""
    message = replace(NOTICE, type=MESSAGE)
    outbox.add([NOTICE, message])
    for claim in outbox.claim(FIRST, 10):
        claim.drop()
    assert outbox.add([message]) == 0
    assert outbox.add([NOTICE]) == 1


def test_the_last_fifty_attempts_are_kept(outbox: Outbox, clock: Clock) -> None:
    for version in range(1, 61):
        outbox.add([replace(NOTICE, version=version)])
        (claim,) = outbox.claim(FIRST, 10)
        claim.settle("delivered", 1)
    assert [line["version"] for line in outbox.list_deliveries("g", 1)] == list(range(60, 10, -1))
    assert outbox.list_deliveries("g", 0) == []


def test_forgetting_a_seat_leaves_the_others(outbox: Outbox, client: Client, clock: Clock) -> None:
    """Its waiting notices, markers and deliveries are deleted; a new subscription gets a notice at once."""
    outbox.add([NOTICE, replace(NOTICE, seat=0), replace(NOTICE, type=MESSAGE)])
    outbox.forget("g", 1)
    assert take(outbox) == [replace(NOTICE, seat=0)]
    assert outbox.add([NOTICE, replace(NOTICE, seat=0)]) == 1
    outbox.forget("g", 1)
    outbox.forget("g", 0)
    clock.now += 600_000  # a claim leaves its lane when its lease has ended
    assert take(outbox) == []
    assert list(client.scan_iter()) == []


def test_older_news_of_the_feed_are_taken_after_the_end(outbox: Outbox) -> None:
    """A turn may be settled when its game is over and the feed isn't read that far: older news come after it."""
    outbox.add([NOTICE], {"g": 5})
    (claim,) = outbox.claim(FIRST, 10)
    claim.settle("delivered", 1, over=9)
    assert outbox.add([replace(NOTICE, type=SCORING, version=6), replace(NOTICE, type=OVER, version=9)], {"g": 9}) == 2


def test_a_notice_without_a_doer_is_read(outbox: Outbox, client: Client, clock: Clock) -> None:
    """As records were before they had one: `by <seat>` was the detail of what is shared. It is sent all the same."""
    store, name = outbox._store, "r|all|webhook|people.changed|7|8e2a1c0b9d3f4a56@one"
    record = f'{{"created":{clock.now},"attempts":0,"first":0,"target":"one","detail":"by 1","until":0}}'
    client.hset(store.outbox("g"), name, record)
    client.zadd(f"{store.tag('g')}:{FIRST}", {f"g|{name}": clock.now})
    (claim,) = outbox.claim(FIRST, 10)
    assert (claim.notice.type, claim.notice.is_shared, claim.notice.doer) == (PEOPLE, True, None)
    claim.settle("delivered", 1)
    assert take(outbox) == []


def test_a_finished_game_keeps_one_number(outbox: Outbox, client: Client) -> None:
    """Once everything is settled; no notice is taken twice, and later messages are taken."""
    settled = [replace(NOTICE, seat=seat, type=kind) for seat in (0, 1) for kind in (OVER, SCORING)]
    outbox.add(settled, {"g": 7})
    for claim in outbox.claim(FIRST, 10):
        claim.settle("delivered", 1, over=7)
    (key,) = client.scan_iter(match="*:outbox:g")
    assert client.hgetall(key) == {b"floor": b"7", b"read": b"7"}
    assert outbox.add(settled) == 0
    assert outbox.add([replace(NOTICE, type=MESSAGE, version=8)]) == 1
