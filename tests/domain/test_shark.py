"""The bot `shark`: its table keeps the rules, its worlds are possible ones, and it beats greedy quickly enough."""

from collections import Counter
from itertools import islice
from random import Random
from time import process_time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.bots.greedy import best_move, play_turn
from domain.bots.knowledge import SeatKnowledge, knowledge_of
from domain.bots.shark.search import sample_world
from domain.bots.table import KIND_OF, Table, action_of, move_of, read_table
from domain.cards import HAND_CARDS, REIBACH
from domain.commands import Act, Action, Append, CompleteScoring, Take
from domain.decide import decide
from domain.events import Event
from domain.legality import legal_actions
from domain.rules import NEWEST
from domain.state import Game
from domain.view import redact_event, view_of
from service.commands.simulate import interval, simulate
from tests.domain.positions import positions
from tests.support.forks import fork_steps
from tests.support.play import create, numbered
from tests.support.profiles import examples

MOST_TIMES = 200
"""So many times as long as games between greedy bots may those of a shark and a greedy bot last."""


def real_table(game: Game) -> Table:
    table = read_table(view_of(game, game.turn_seat, ""), game.rules)
    table.hands = [[place.hand.count(card) for card in HAND_CARDS] for place in game.seats]
    table.pile = [KIND_OF[card] for card in reversed(game.draw_pile[game.drawn :])]
    return table


def alike(action: Action, rows: list[dict[str, Any]]) -> Action:
    """The action with the first of several empty businessmakers in place of any: they are alike to a table."""
    if isinstance(action, Append) and rows[action.row]["business"] is None:
        return Append(card=action.card, row=[row["business"] for row in rows].index(None))
    return action


def state_of(table: Table) -> list[object]:
    return [getattr(table, name) for name in Table.__slots__]


@pytest.mark.nightly
@examples(0.6)
@given(
    st.integers(2, 5),
    st.integers(0, 9999),
    st.sets(st.sampled_from(sorted(NEWEST.variants))),
    st.sampled_from((0.0, 0.5, 1.0)),
)
def test_the_table_keeps_the_rules(seats: int, seed: int, variants: set[str], expected: float) -> None:
    """Whole games on the table and by `decide` are the same: legal moves, cards, money, turns, the end.

    `expected`: share of moves that are those that shark expects of others; the rest are random.
    """
    chance = Random(seed)
    game = decide(create(seats, str(seed), variants), Game()).game
    table = real_table(game)
    while not game.over:
        moves = table.moves()
        rows = view_of(game, game.turn_seat, "")["seats"][game.turn_seat]["rows"]
        named = {move: action_of(move, [row["business"] for row in rows]) for move in moves}
        assert len(set(named.values())) == len(moves)
        assert [move_of(action, [row["business"] for row in rows]) for action in named.values()] == moves
        # Empty businessmakers are alike to the table: of several it names the first.
        assert {alike(action, rows) for action in legal_actions(game, game.turn_seat)} == set(named.values())
        best = best_move(table, moves, of_shark=True)
        move = best if chance.random() < expected else chance.choice(moves)
        table.play(move)
        game = decide(Act(seat=game.turn_seat, actions=(named[move],)), game).game
        while game.scoring is not None:
            game = decide(CompleteScoring(round=game.scoring), game).game
        assert table.totals == [place.total for place in game.seats]
        assert table.over == game.over
        if not game.over:
            assert state_of(table) == state_of(real_table(game))


@examples(5)
@given(st.integers(2, 5), st.integers(0, 9999), st.sets(st.sampled_from(sorted(NEWEST.variants))))
def test_a_turn_is_its_best_moves_one_by_one(seats: int, seed: int, variants: set[str]) -> None:
    """`play_turn` estimates anew only what a move has changed. Half of the turns are of random moves."""
    chance = Random(seed)
    table = real_table(decide(create(seats, str(seed), variants), Game()).game)
    while not table.over:
        whole, seat, is_random = table.copy(), table.seat, chance.random() < 0.5
        play_turn(whole)
        while table.seat == seat and not table.over:
            table.play(chance.choice(table.moves()) if is_random else best_move(table, table.moves(), of_shark=True))
        assert is_random or state_of(whole) == state_of(table)


def recall(game: Game, events: list[Event]) -> SeatKnowledge:
    seat = game.turn_seat
    history = [redact_event(event, seat, game) for event in numbered(events)]
    return knowledge_of(len(game.seats), game.rules, history)


@st.composite
def positions_and_forks(draw: st.DrawFn) -> tuple[Game, list[Event]]:
    """A game at any version, or a fork of it after some commands."""
    game, events = draw(positions())
    if game.status != "playing" or draw(st.booleans(), label="fork"):
        return game, events
    seat = draw(st.integers(0, len(game.seats) - 1), label="seat")
    steps = list(islice(fork_steps(game, seat, "fork"), draw(st.integers(1, 60), label="commands of the fork")))
    return steps[-1][1].game, [event for _, decision in steps for event in decision.events]


@examples(2)
@given(positions_and_forks(), st.integers(0, 9))
def test_worlds_are_possible_ones(position: tuple[Game, list[Event]], seed: int) -> None:
    """A world shows the seat what the game shows it; each of the 110 cards is somewhere, once."""
    game, events = position
    if game.status != "playing":
        return
    seat, known = game.turn_seat, recall(game, events)
    view = view_of(game, seat, "")
    seen = read_table(view, game.rules)
    world = sample_world(seen, seat, known, Random(seed))
    assert [sum(hand) for hand in world.hands] == [place["hand_size"] for place in view["seats"]]
    assert world.hands[seat] == seen.hands[seat]
    assert len(world.pile) == view["draw_pile"]
    assert world.pile.count(KIND_OF[REIBACH]) == game.rules.reibachs - game.revealed
    assert state_of(read_table(view, game.rules)) == state_of(seen)
    # What is neither in a hand nor in the pile lies face down: as many cards as businessmakers that aren't shown.
    places = Counter(HAND_CARDS[card] for card in world.pile if card != KIND_OF[REIBACH])
    places += Counter({card: sum(hand[kind] for hand in world.hands) for kind, card in enumerate(HAND_CARDS)})
    places += Counter(card for card in game.display if card)
    for row in (row for place in game.seats for row in place.rows):
        places += Counter(row.cards)
        places += Counter([row.businessmaker] if row.shown else [])
    left = Counter(game.rules.deck)
    left.subtract(places)
    assert min(left.values()) >= 0
    assert left.total() == sum(known.hidden) == sum(not row.shown for place in game.seats for row in place.rows)


@pytest.mark.nightly
@examples(2)
@given(positions_and_forks())
def test_what_a_seat_knows_is_true(position: tuple[Game, list[Event]]) -> None:
    """Cards known to be held by a seat are in its hand or lie face down before it; unseen ones are hidden."""
    game, events = position
    if game.status != "playing":
        return
    known = recall(game, events)
    unseen = Counter(game.draw_pile[game.drawn :])
    del unseen[REIBACH]
    for place, holdings in zip(game.seats, known.holdings, strict=True):
        held = Counter(place.hand)
        held += Counter(row.businessmaker for row in place.rows if not row.shown)
        named = Counter(holding.card for holding in holdings if holding.card)
        assert named <= held
        assert len(holdings) == held.total()
        unseen += held - named
    assert +known.unseen == unseen


def test_taken_cards_are_remembered() -> None:
    """A card that another seat took openly is in its hand in every world, for it has laid nothing since."""
    game = decide(create(2, "taken"), Game())
    events, game = game.events, game.game
    taken = game.display[0]
    for slot in (0, 0, 0):
        done = decide(Act(seat=0, actions=(Take(slot=slot),)), game)
        events, game = events + done.events, done.game
    seen = read_table(view_of(game, 1, ""), game.rules)
    known = recall(game, events)
    assert taken is not None
    assert all(sample_world(seen, 1, known, Random(seed)).hands[0][KIND_OF[taken]] for seed in range(20))


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize(
    ("games", "seed"), [(2, "test"), *(pytest.param(250, f"half {n}", marks=pytest.mark.nightly) for n in range(2))]
)
def test_shark_beats_greedy(games: int, seed: str) -> None:
    """At least 65 % of 250 games of two, with 95 % confidence; of two one at least; and quickly."""
    began = process_time()
    greedy = simulate(games, 2, ["greedy"], seed)
    between = process_time()
    shark = simulate(games, 2, ["shark", "greedy"], seed)
    ended = process_time()
    wins = shark.seats[0].wins
    assert interval(wins, games)[0] > 0.65 if games >= 250 else wins
    # It takes about 45 times as long; with half a second a turn it would be over 600 times.
    assert ended - between < MOST_TIMES * (between - began) * shark.turns / greedy.turns
