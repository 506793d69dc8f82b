"""Given, when, then for the rules: a position as text, actions as text, and what happened as text.

Cards stand apart by spaces; `gold*3` is three of them. A row is `businessmaker/cards`; `!` after the businessmaker says
that it may still be seen; a seat's rows stand apart by commas.
"""

from collections.abc import Collection, Iterable, Sequence

from domain.cards import BUSINESS_SET, RISK
from domain.commands import Act, Action, Append, CompleteScoring, Draw, LayBusinessmaker, Take
from domain.decide import decide
from domain.decision import Decision
from domain.events import Event, GameEnded, RoundScored, payload_of, type_of
from domain.rules import NEWEST, rules_of
from domain.state import Game, Row, ScoredRound, Seat

VERSION = 50
"""Of every position made here."""


def cards(text: str) -> list[str]:
    """`gold*2 oil` -> gold, gold, oil."""
    found = []
    for word in text.split():
        card, _, times = word.partition("*")
        found += [card] * int(times or 1)
    return found


def row(text: str) -> Row:
    """`art!/gold gold risk`, or `art/` for an empty businessmaker."""
    businessmaker, _, laid = text.strip().partition("/")
    on_it = tuple(cards(laid))
    return Row(
        businessmaker=businessmaker.rstrip("!"),
        shown=businessmaker.endswith("!"),
        business=next((card for card in on_it if card in BUSINESS_SET), None),
        cards=on_it,
        length=sum(card != RISK for card in on_it),
        closed=RISK in on_it,
    )


def rows(text: str) -> list[Row]:
    """A seat's rows, in the order laid."""
    return [row(part) for part in text.split(",") if part.strip()]


def given(
    hands: Sequence[str],
    laid: Sequence[str] = (),
    *,
    display: str = "shares shares shares",
    pile: str = "art*20",
    revealed: int = 0,
    seat: int = 0,
    points: int = 3,
    starting_seat: int = 0,
    variants: Collection[str] = (),
) -> Game:
    """A game in the middle of a turn of `seat`; rounds due by `revealed` Reibach cards are scored already, with 0."""
    rules = rules_of(NEWEST.name, frozenset(variants))
    game = Game(
        id="position",
        version=VERSION,
        rules=rules,
        variants={name: name in variants for name in rules.variants},
        starting_seat=starting_seat,
        server_seed=bytes(32),
        seats=[Seat(f"player {index}", None, "", cards(hand)) for index, hand in enumerate(hands)],
        display=list(cards(display)),
        draw_pile=tuple(cards(pile)),
        revealed=revealed,
        rounds=[ScoredRound(index + 1, index + 10, []) for index, at in enumerate(rules.scoring_at) if revealed >= at],
        turn=7,
        turn_seat=seat,
        action_points=points,
    )
    for place, text in zip(game.seats, laid, strict=False):
        place.rows = rows(text)
    for place, bonus in zip(game.seats, game.bonus, strict=True):
        place.total = bonus
    return game


def action(text: str) -> Action:
    """`take 0`, `draw`, `lay oil`, `append gold 1`."""
    match text.split():
        case ["take", slot]:
            return Take(slot=int(slot))
        case ["draw"]:
            return Draw()
        case ["lay", card]:
            return LayBusinessmaker(card=card)
        case ["append", card, number]:
            return Append(card=card, row=int(number))
    raise ValueError(text)


def when(game: Game, seat: int, *actions: str) -> Decision:
    return decide(Act(seat=seat, actions=tuple(action(text) for text in actions)), game)


def when_scored(game: Game) -> Decision:
    assert game.scoring is not None
    return decide(CompleteScoring(round=game.scoring), game)


def events_as_text(events: Iterable[Event]) -> list[str]:
    """Each event as its type and its fields; of a scored round only number and totals."""
    return [_event_as_text(event) for event in events]


def _event_as_text(event: Event) -> str:
    match event:
        case RoundScored(round=number, totals=totals):
            return f"RoundScored {number} {totals}"
        case GameEnded(totals=totals, winners=winners):
            return f"GameEnded {totals} {winners}"
        case _:
            return " ".join([type_of(event), *map(str, payload_of(event).values())])
