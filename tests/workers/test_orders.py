"""Standing orders from the store to the log: what wakes them, and what crashes, rivals and their owner do to them."""

from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.cards import HAND_CARDS
from domain.clock.pace import Pace
from domain.commands import Act, Append, Draw, LayBusinessmaker, PostMessage, Take, TimeOut
from domain.decide import decide
from domain.orders.planner import Orders, Step, next_action
from domain.state import Game
from service.bootstrap import Services
from service.gamelog.history import decode_events
from service.gamelog.log import GAPS
from service.gamelog.store.generations import rotate_token
from service.jobs import PLAY_ORDERS, TIME_OUT
from tests.domain.test_orders import STEP
from tests.gamelog.ledger import check_log
from tests.gamelog.processes import Crash
from tests.support.profiles import examples
from tests.workers.desks import BEGIN, DELAY_MS, Desk
from workers.__main__ import bind_jobs
from workers.bots import play_turn
from workers.counts import COUNTS
from workers.orders import _GRACE_MS, play_orders
from workers.threads.reconciler import _LEASE_MS

DRAW = Step((Draw(),))
ANYTHING = Step((*(Append(card=card, row=row) for row in range(3) for card in HAND_CARDS), Take(slot=0), Draw()))


@pytest.fixture
def desk(valkey: str) -> Desk:
    return Desk(valkey)


def types(desk: Desk, game: str) -> list[str]:
    return [event["type"] for event in decode_events(desk.services.store.read(game).entries)]


def carry_out(orders: Orders, desk: Desk, game: Game, seat: int) -> tuple[Game, Orders]:
    while (found := next_action(orders, game, seat))[0] is not None:
        action, orders = found
        game = decide(Act(seat=seat, actions=(action,)), game, desk.now).game
    return game, found[1]


def rivalled(desk: Desk, *acts: Callable[[], object]) -> Services:
    """A worker before whose appends the acts happen, one each."""
    left = iter(acts)

    def between(gap: str) -> None:
        if gap == GAPS[0]:
            next(left, lambda: None)()

    return desk.process(desk.client, between)


def same(game: Game) -> Game:
    return replace(game, at=0, waiting_since=0, turn_since=0)


def test_orders_wait_for_the_delay_of_a_bot(desk: Desk) -> None:
    """They begin a second after the turn; afterwards the game waits for its deadline again."""
    desk.open("delay", Pace(turn_seconds=3600))
    desk.services.orders.put("delay", 1, (DRAW,))
    desk.read_feed()
    assert desk.due_at("delay") == BEGIN + 3600_000  # it is the other seat's turn
    desk.now += 5000
    desk.play_by_hand("delay", Random(1))
    began = desk.game("delay").turn_since
    assert (desk.game("delay").turn, desk.due_at("delay")) == (2, began + 3600_000)
    desk.read_feed()
    assert desk.due_at("delay") == began + DELAY_MS
    desk.now = began + DELAY_MS - 1
    assert desk.reconcile() == []
    desk.now += 1
    assert desk.reconcile() == [(PLAY_ORDERS, ["delay", 2])]
    play_orders(desk.services, "delay", 2)
    assert desk.left("delay", 1).steps == ()
    assert desk.game("delay").turn_seat == 1  # what is left of the turn is the player's
    desk.work()
    assert desk.due_at("delay") == began + 3600_000
    assert desk.game("delay").action_points == 1


def test_games_without_orders_cost_one_read_a_batch(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(5):
        desk.open(f"plain {number}")
    loaded: list[str] = []
    monkeypatch.setattr(desk.services.games, "load", loaded.append)
    desk.read_feed()
    assert loaded == []


@pytest.mark.parametrize("has_pace", [True, False])
def test_a_game_that_orders_woke_for_nothing_goes_back(desk: Desk, has_pace: bool) -> None:
    """To its deadline, or out of the list; also where the orders were taken back just before."""
    desk.open("back", Pace(turn_seconds=60) if has_pace else None)
    desk.services.orders.put("back", 1, (DRAW,))
    desk.play_by_hand("back", Random(2))
    desk.read_feed()
    desk.services.orders.cancel("back", 1)
    desk.now += DELAY_MS
    assert desk.due_at("back") == desk.now
    assert desk.reconcile() == []
    assert desk.due_at("back") == (desk.game("back").turn_since + 60_000 if has_pace else None)


def test_a_turn_that_times_out_is_played_by_orders_then_by_the_bot(desk: Desk) -> None:
    """All that there are from the first, even if put in during the turn; the log says which actions were theirs."""
    desk.open("late", Pace(turn_seconds=60))
    desk.play_by_hand("late", Random(3))
    there = Step((Take(slot=2),), repeat=True, is_list=False)
    desk.services.orders.put("late", 1, (there, Step((Append(card="gold", row=9),), if_none="keep")))
    desk.read_feed()
    desk.now += 60_000
    assert desk.reconcile() == [(TIME_OUT, ["late", 2])]
    desk.games.handle("late", TimeOut(turn=2))
    desk.work()
    assert desk.left("late", 1).done == ()  # the bot player, which comes next, lets them play
    play_turn(desk.services, "late")
    assert desk.game("late").turn == 3
    version = desk.left("late", 1).done[0]
    (late, first, *rest) = [
        one for one in decode_events(desk.services.store.read("late").entries) if one["version"] >= version - 1
    ]
    assert (late["type"], first["type"], first["data"]["slot"]) == ("TurnTimedOut", "CardTaken", 2)
    assert [one["type"] for one in rest].count("DisplayRefilled") >= 1
    assert desk.left("late", 1).steps[0] == there
    check_log(desk.services.store, "late")


def test_what_orders_did_is_kept_as_long_as_the_person(desk: Desk) -> None:
    """Also when others replace them, or they are taken back; not for the seat's next person."""
    desk.open("kept")
    orders = desk.services.orders
    orders.put("kept", 1, (DRAW,))
    desk.play_by_hand("kept", Random(3))
    desk.work()
    done = desk.left("kept", 1).done
    assert types(desk, "kept")[done[0] - 1] == "PileDrawn"
    orders.put("kept", 1, (DRAW, DRAW))
    assert desk.left("kept", 1).done == done
    orders.cancel("kept", 1)
    assert (desk.left("kept", 1).put_in, desk.left("kept", 1).done) == (None, done)
    orders.put("kept", 0, (DRAW,))
    orders.cancel("kept", 0)
    assert orders.load("kept", 0) is None
    rotate_token(desk.services.store, "kept", 1)
    assert orders.load("kept", 1) is None


def test_late_and_repeated_jobs_do_nothing(desk: Desk) -> None:
    """In another turn, of another seat, and when the steps are done."""
    desk.open("twice")
    desk.services.orders.put("twice", 1, (DRAW, Step((Take(slot=0),)), DRAW))
    play_orders(desk.services, "twice", 1)
    assert desk.game("twice").turn == 1
    desk.play_by_hand("twice", Random(4))
    for _ in range(3):
        play_orders(desk.services, "twice", 2)
    assert desk.game("twice").turn == 3
    assert desk.left("twice", 1).steps == (DRAW,)  # not reached
    version = desk.game("twice").version
    desk.work()
    assert desk.game("twice").version == version
    check_log(desk.services.store, "twice")


def test_two_workers_and_a_player_at_the_same_moment(desk: Desk) -> None:
    """Before each append another worker carries out the same step, or the player acts: each step is done once."""
    desk.open("rivals")
    desk.services.orders.put(
        "rivals", 1, (Step((Take(slot=0), Take(slot=1))), Step((Take(slot=0),)), Step((Take(slot=0),)), DRAW)
    )
    desk.play_by_hand("rivals", Random(6))
    worker = rivalled(
        desk,
        lambda: play_orders(desk.services, "rivals", 0),
        lambda: desk.games.handle("rivals", Act(seat=1, actions=(Take(slot=2),))),
        lambda: desk.games.handle("rivals", PostMessage(seat=0, text="Hurry up!")),
    )
    play_orders(worker, "rivals", 2)
    game = desk.game("rivals")
    assert game.turn == 3
    assert types(desk, "rivals").count("MessagePosted") == 1
    # The player's own action took one of the three action points, so two steps were done, and one stays.
    assert len(desk.left("rivals", 1).steps) == 2
    check_log(desk.services.store, "rivals")

    desk.play_by_hand("rivals", Random(7))  # seat 0
    play_orders(rivalled(desk, lambda: play_orders(desk.services, "rivals", 4)), "rivals", 4)
    held = desk.left("rivals", 1)
    assert (held.steps, held.dropped) == ((), None)
    check_log(desk.services.store, "rivals")


@pytest.mark.parametrize("owner", ["cancels", "replaces", "leaves"])
def test_nothing_of_old_orders_is_done_after_the_answer(desk: Desk, owner: str) -> None:
    """A worker has decided a step when its owner takes the orders back, puts in others, or leaves: none is appended."""
    desk.open("taken back")
    orders = desk.services.orders
    orders.put("taken back", 1, (DRAW,))
    desk.play_by_hand("taken back", Random(8))
    version = desk.game("taken back").version

    def between(_gap: str) -> None:
        if owner == "cancels":
            orders.cancel("taken back", 1)
        elif owner == "leaves":
            rotate_token(desk.services.store, "taken back", 1)
        else:
            orders.put("taken back", 1, (Step((LayBusinessmaker(card="gold"), Draw())),))

    play_orders(desk.process(desk.client, between), "taken back", 2)
    desk.work()
    assert desk.game("taken back").version == version
    assert desk.client.hlen(desk.services.store.keys("taken back").idempotency) == (owner == "leaves")  # its own
    assert (orders.load("taken back", 1) is None) is (owner != "replaces")
    orders.put("taken back", 1, (DRAW,))
    desk.play_by_hand("taken back", Random(9))
    desk.play_by_hand("taken back", Random(9))
    desk.work()
    assert orders.load("taken back", 1).orders.steps == ()  # type: ignore[union-attr]  # they begin with the next turn


@pytest.mark.parametrize("gap", GAPS)
def test_a_killed_worker_is_followed_by_another(desk: Desk, gap: str) -> None:
    """At each gap of an append: two seconds later at most the orders go on where they were, nothing twice."""
    desk.open("killed", Pace(turn_seconds=3600))
    desk.services.orders.put("killed", 1, (Step((Take(slot=0),)), Step((Take(slot=1),))))
    desk.play_by_hand("killed", Random(11))
    desk.read_feed()
    desk.now += DELAY_MS
    assert desk.reconcile() == [(PLAY_ORDERS, ["killed", 2])]

    def kill(reached: str) -> None:
        if reached == gap:
            raise Crash

    with pytest.raises(Crash):
        play_orders(desk.process(desk.client, kill), "killed", 2)
    desk.read_feed()
    assert desk.due_at("killed") - desk.now == (_LEASE_MS if gap == GAPS[0] else _GRACE_MS)
    done = gap != GAPS[0]
    assert len(desk.left("killed", 1).steps) == 2 - done
    assert desk.game("killed").action_points == 3 - done
    desk.work()
    assert desk.left("killed", 1).steps == ()
    assert desk.game("killed").action_points == 1
    check_log(desk.services.store, "killed")


def test_nothing_tells_of_orders(desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    """No line of the log; the job's counts and the events' are those of any job."""
    COUNTS.take()
    desk.open("secret")
    desk.services.orders.put("secret", 1, (DRAW, Step((Append(card="gold", row=9),))))
    desk.play_by_hand("secret", Random(12))
    desk.read_feed()
    desk.now += DELAY_MS
    capsys.readouterr()
    assert desk.reconcile() == [(PLAY_ORDERS, ["secret", 2])]
    bind_jobs(desk.services)[PLAY_ORDERS]("secret", 2)
    desk.work()
    assert desk.left("secret", 1).dropped is not None
    assert capsys.readouterr() == ("", "")
    counts = COUNTS.take()
    assert counts["reibach_jobs other done"] == 1
    assert not any("order" in name for name in counts)


def test_orders_are_judged_on_the_game_as_it_is(desk: Desk) -> None:
    """A turn that starts between judging and writing counts: orders put in during it begin with the next."""
    desk.open("moment")
    games = desk.services.games
    load = games.load

    def load_then_play(game: str) -> object:
        loaded = load(game)
        if desk.game(game).turn == 1:
            desk.play_by_hand(game, Random(10))
        return loaded

    other = desk.process(desk.client)
    other.games.load = load_then_play  # type: ignore[method-assign, assignment]
    _, orders = other.orders.put("moment", 1, (DRAW,))
    assert orders.put_in == desk.game("moment").turn == 2


STEPS = st.lists(st.one_of(st.just(ANYTHING), STEP), min_size=1, max_size=12).map(tuple)
LOSSES = st.lists(st.tuples(st.integers(0, 9), st.sampled_from(["before", "after"])), max_size=6)


@examples(0.15)
@given(STEPS, st.integers(0, 99), st.lists(LOSSES, min_size=4, max_size=4))
def test_crashes_repeat_nothing_and_lose_nothing(
    valkey: str, steps: tuple[Step, ...], seed: int, losses: list[list[tuple[int, str]]]
) -> None:
    """Whatever command of reader, reconciler or job is lost: each turn is as by the orders alone."""
    desk, chance, name = Desk(valkey), Random(seed), "crashes"
    desk.open(name)
    for _ in range(chance.randrange(30)):
        desk.play_by_hand(name, chance)
    seat = chance.randrange(2)
    if desk.game(name).over:
        return
    _, model = desk.services.orders.put(name, seat, steps)
    for plan in losses:
        game = desk.game(name)
        if game.over:
            break
        if game.turn_seat == seat:
            expected, model = carry_out(model, desk, game, seat)
            desk.work_with_losses(plan)
            assert same(desk.game(name)) == same(expected)
        assert desk.left(name, seat) == model
        desk.play_by_hand(name, chance)
    check_log(desk.services.store, name)
