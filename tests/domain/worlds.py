"""Another game that one seat can't distinguish from this one.

Every card of a log gets an identity; cards whose kind the seat sees nowhere in its redacted log keep theirs secret and
swap kinds among each other. The result is a whole log that the rules allow.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from random import Random

from domain.cards import REIBACH, Card
from domain.events import (
    BusinessmakerLaid,
    CardAppended,
    CardDrawn,
    CardTaken,
    DisplayRefilled,
    Event,
    GameStarted,
    ReibachRevealed,
)
from domain.state import Game


class _Trace:
    """Which card (by number) each place of the log holds, and which of them `seat` has seen."""

    def __init__(self, events: Sequence[Event], seat: int | None, head: Game) -> None:
        self.kinds: list[Card] = []
        self.seen: set[int] = set()
        self.where: defaultdict[int, list[int]] = defaultdict(list)
        """Index of an event -> its cards, in order."""
        self._hands: list[list[int]] = []
        self._display: list[int] = []
        self._pile: list[int] = []
        for index, event in enumerate(events):
            self._read(index, event, seat, head)
        self.pile = self._pile

    def _read(self, index: int, event: Event, seat: int | None, head: Game) -> None:
        match event:
            case GameStarted(hands=hands, display=display, draw_pile=pile):
                self._hands = [[self._new(card) for card in hand] for hand in hands]
                self._display = [self._new(card) for card in display]
                self._pile = [self._new(card) for card in pile]
                self.where[index] = [*(card for hand in self._hands for card in hand), *self._display, *self._pile]
                self.seen.update(self._display, self._hands[seat] if seat is not None else [])
            case CardTaken(seat=owner, slot=slot):
                self._hands[owner].append(self._display[slot])
                self.where[index] = [self._display[slot]]
            case DisplayRefilled(slot=slot):
                self._display[slot] = self._pile.pop(0)
                self._show(index, self._display[slot], seen=True)
            case ReibachRevealed():
                self.seen.add(self._pile.pop(0))
            case CardDrawn(seat=owner):
                self._hands[owner].append(self._pile.pop(0))
                self._show(index, self._hands[owner][-1], seen=owner == seat)
            case BusinessmakerLaid(seat=owner, row=row, card=card):
                shown = head.seats[owner].rows[row].shown
                self._show(index, self._leave_hand(owner, card, secret_first=not shown), seen=shown)
            case CardAppended(seat=owner, card=card):
                self._show(index, self._leave_hand(owner, card, secret_first=False), seen=True)
            case _:
                pass

    def _new(self, card: Card) -> int:
        self.kinds.append(card)
        return len(self.kinds) - 1

    def _show(self, index: int, card: int, *, seen: bool) -> None:
        self.where[index] = [card]
        if seen:
            self.seen.add(card)

    def _leave_hand(self, owner: int, kind: Card, *, secret_first: bool) -> int:
        """One of the owner's cards of a kind; any of several may be chosen."""
        alike = [card for card in self._hands[owner] if self.kinds[card] == kind]
        card = min(alike, key=lambda card: (card in self.seen) == secret_first)
        self._hands[owner].remove(card)
        return card


def another_world(events: Sequence[Event], seat: int | None, head: Game, chance: Random) -> list[Event]:
    """A log that differs from `events` only in what `seat` may not see at `head`, a game that isn't over."""
    trace = _Trace(events, seat, head)
    secret = [card for card in range(len(trace.kinds)) if card not in trace.seen]
    kinds = trace.kinds[:]
    # Reibach cards may be anywhere in the pile, but in no hand and in no row.
    fixed = [card for card in secret if kinds[card] != REIBACH]
    for card, kind in zip(fixed, chance.sample([kinds[card] for card in fixed], len(fixed)), strict=True):
        kinds[card] = kind
    pile = trace.pile
    for card, kind in zip(pile, chance.sample([kinds[card] for card in pile], len(pile)), strict=True):
        kinds[card] = kind
    assert Counter(kinds) == Counter(trace.kinds)
    return [_retell(event, [kinds[card] for card in trace.where[index]]) for index, event in enumerate(events)]


def shuffle_hidden(game: Game, seat: int | None, chance: Random) -> Game:
    """The game with other cards where the seat sees none, its own hidden businessmakers among them."""
    other = game.copy()
    hidden = [row.businessmaker for place in game.seats for row in place.rows if not row.shown]
    hidden += [card for index, place in enumerate(game.seats) if index != seat for card in place.hand]
    chance.shuffle(hidden)
    for index, place in enumerate(other.seats):
        place.rows = [row if row.shown else row._replace(businessmaker=hidden.pop()) for row in place.rows]
        if index != seat:
            place.hand = [hidden.pop() for _ in place.hand]
    pile = game.draw_pile[game.drawn :]
    other.draw_pile = (*game.draw_pile[: game.drawn], *chance.sample(pile, len(pile)))
    return other


def _retell(event: Event, cards: list[Card]) -> Event:
    if isinstance(event, GameStarted):
        rest = iter(cards)
        return GameStarted(
            [[next(rest) for _ in hand] for hand in event.hands], [next(rest) for _ in event.display], list(rest)
        )
    if isinstance(event, CardTaken | CardDrawn | BusinessmakerLaid | CardAppended | DisplayRefilled):
        return event._replace(card=cards[0])
    return event
