"""How a fork of a running game begins: with the position that one of its seats sees.

Rule 1: it is built from the asking seat's view and the score sheet, and from nothing else, so it can't show more than
they do.
Rule 2: what they don't show is shuffled anew, in an order that follows from what they show: the same view, seed and
entropies give the same position, whatever is hidden in the parent.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

from domain.cards import Card
from domain.commands import CreateGame
from domain.events import PositionSet
from domain.fairness.canonical import JsonObject
from domain.fairness.shuffle import random_integers, shuffle, shuffle_key
from domain.legality import refuse_unless_playing
from domain.rules import Rules
from domain.state import Game
from domain.view import scores_of, view_of


def fork_of_running(parent: Game, seat: int, plan: CreateGame) -> CreateGame:
    """The command that opens a fork of `parent` as it is now, from what `seat` sees of it. Raises Refused.

    `plan`: the fork's own id, seed, seats (one for each of the parent's, none open) and `listed`; the rest is ignored.
    """
    refuse_unless_playing(parent)
    position = visible_position(view_of(parent, seat, ""), scores_of(parent))
    entropies = [taken.entropy for taken in plan.seats]
    return replace(
        plan,
        variants=frozenset(name for name, on in parent.variants.items() if on),
        starting_seat=parent.starting_seat,
        rules=parent.rules.name,
        parent=parent.id,
        from_version=parent.version,
        position=fill_hidden(position, parent.rules, plan.server_seed, entropies),
    )


def visible_position(view: JsonObject, scores: JsonObject) -> JsonObject:
    """The data of PositionSet from a seat's view of a game that is `playing`; None for what the seat doesn't see."""
    seats, you, turn = view["seats"], view["you"], view["turn"]
    return {
        "parent": view["id"],
        "seat": you["seat"],
        "hands": [you["hand"] if seat["seat"] == you["seat"] else None for seat in seats],
        "hand_sizes": [seat["hand_size"] for seat in seats],
        "rows": [[_visible_row(row["businessmaker"], row["cards"]) for row in seat["rows"]] for seat in seats],
        "display": list(view["display"]),
        "draw_pile": None,
        "revealed": view["reibach"]["revealed"],
        "rounds": [{"round": done["round"], "seats": done["seats"]} for done in scores["rounds"]],
        "totals": [seat["total"] for seat in seats],
        "turn": {name: turn[name] for name in ("number", "seat", "action_points")},
    }


def _visible_row(businessmaker: Card | None, cards: Sequence[Card]) -> JsonObject:
    return {"businessmaker": businessmaker, "shown": businessmaker is not None, "cards": list(cards)}


def hide_unseen(data: JsonObject) -> JsonObject:
    """The unredacted data of a PositionSet, reduced to what `visible_position` gave."""
    return data | {
        "hands": [hand if seat == data["seat"] else None for seat, hand in enumerate(data["hands"])],
        "rows": [[row if row["shown"] else row | {"businessmaker": None} for row in laid] for laid in data["rows"]],
        "draw_pile": None,
    }


def fill_hidden(seen: JsonObject, rules: Rules, server_seed: bytes, entropies: Sequence[str]) -> PositionSet:
    """The whole position: `seen` (as from `visible_position`) with every None replaced.

    The rule set's deck in its canonical order, without the cards in `seen`, is shuffled with the random stream of
    contract 4. It fills, in this order, the unseen hands by seat, then the unseen businessmakers by seat and row. The
    rest, followed by the Reibach cards not revealed yet, is shuffled with the continuing stream: index 0 is the top.
    Raises ValueError or AssertionError where `seen` shows cards that the deck hasn't.
    """
    stream = random_integers(shuffle_key(server_seed, entropies))
    cards = _unseen(seen, rules)
    shuffle(cards, stream)
    rest, left = iter(cards), pile_size(seen, rules)
    hands = [
        list(islice(rest, size)) if hand is None else list(hand)
        for hand, size in zip(seen["hands"], seen["hand_sizes"], strict=True)
    ]
    rows = [[row if row["shown"] else row | {"businessmaker": next(rest, "")} for row in laid] for laid in seen["rows"]]
    draw_pile = [*rest, *rules.reibach_cards[seen["revealed"] :]]
    assert len(draw_pile) == left, "more cards are hidden than the deck has"
    shuffle(draw_pile, stream)
    return PositionSet(**seen | {"hands": hands, "rows": rows, "draw_pile": draw_pile})


def pile_size(position: JsonObject, rules: Rules) -> int:
    """Number of cards in the draw pile of a position, from open facts. AssertionError for an impossible position."""
    assert all(0 <= size <= len(rules.deck) for size in position["hand_sizes"])
    assert 0 <= position["revealed"] <= rules.reibachs
    laid: int = sum(1 + len(row["cards"]) for rows in position["rows"] for row in rows)
    out: int = sum(position["hand_sizes"]) + len(position["display"]) + laid + position["revealed"]
    left = len(rules.deck) + rules.reibachs - out
    assert left >= 0
    return left


def _unseen(seen: JsonObject, rules: Rules) -> list[Card]:
    """The hidden cards in canonical order, without the Reibach cards."""
    cards = rules.deck
    visible = [card for hand in seen["hands"] for card in hand or ()] + seen["display"]
    for row in (row for laid in seen["rows"] for row in laid):
        visible += row["cards"] + ([row["businessmaker"]] if row["shown"] else [])
    for card in visible:
        cards.remove(card)
    return cards
