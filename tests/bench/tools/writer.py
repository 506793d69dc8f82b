"""Writes one recorded game: seats, styles, requests, and at times one that is refused."""

from collections.abc import Collection
from dataclasses import replace
from hashlib import sha256
from random import Random
from typing import Final

from domain.cards import HAND_CARDS, REIBACH
from domain.commands import Act, Action, Append, Draw, LayBusinessmaker, Take
from domain.decide import decide
from domain.legality import legal_actions
from domain.state import Game
from tests.bench.tools.styles import STYLES
from tests.games.recorded import Recorded, attempt, command_of, entries_of, move_of, sheet_of, steps_of

SLIPS: Final = 0.08
"""How often a move is preceded by one that is refused."""
TALK: Final = 0.02
"""How often a player writes a message before a move; most often while the game waits."""
SAID: Final = ("Good luck!", "Well,\nI never", "\u00e7a alors \u2026", "42 \u2028 \u05d3\u05e0\u05d4")
NAMES: Final = ("Anna", "Bert", "Carla", "Dirk", "Elif")
CASTS: Final = (
    ("random",),
    ("by-kind",),
    ("greedy",),
    ("greedy", "random"),
    ("build", "double"),
    ("match",),
    ("strip",),
    ("clog",),
    ("hoard", "greedy"),
    ("collect", "by-kind"),
    ("pile-up", "build"),
    ("jest", "double"),
    ("match", "greedy", "hoard", "build", "strip"),
)
"""Who sits at a table; a short cast is repeated."""
ALL_BOTS: Final = (2, 3)
"""The casts that are played by bots; in some others seats are open at first, and in some the last one is a bot's."""


class Writer:
    def __init__(
        self, name: str, players: int, variants: Collection[str], cast: int, salt: str = "", *, first: int = 0
    ) -> None:
        """`cast`: its number; `salt`: another one gives another game of that name; `first`: the starting seat."""
        self.chance = Random(f"{name} {salt}")
        self.talk = Random(f"{name} {salt} talk")
        self.seed = sha256(f"recorded {name} {salt}".encode()).hexdigest()
        self.styles = [CASTS[cast][seat % len(CASTS[cast])] for seat in range(players)]
        self.people = [{"name": person, "entropy": f"{person}'s share"} for person in NAMES[:players]]
        self.seats = self._seats(cast)
        self.moves: list[str] = []
        self.recorded = Recorded(
            game=name,
            about=", ".join(self.styles),
            server_seed=self.seed,
            seats=self.seats,
            variants=sorted(variants),
            starting_seat=first,
            moves=self.moves,
            sheet=[],
            totals=[],
            winners=[],
            hash="",
        )
        self.game = decide(self.recorded.creation, Game()).game

    def _seats(self, cast: int) -> list[dict[str, str]]:
        if cast in ALL_BOTS:
            return [{"bot": style} for style in self.styles]
        if cast % 4 == 0:
            return [self.people[1] if seat == 1 else {} for seat in range(len(self.people))]
        if cast == len(CASTS) - 2:
            self.styles[-1] = "greedy"
            return [*self.people[:-2], {}, {"bot": "greedy"}]
        return [{"name": person["name"]} if cast % 4 == 1 else dict(person) for person in self.people]

    def send(self, move: str) -> None:
        """Execute a move whose outcome is known: accepted, or refused as it says."""
        command, _ = command_of(move)
        self.game = attempt(command, self.game)[0].game
        self.moves.append(move)

    def slip(self) -> None:
        """Send a move that is refused, each possible reason with the same probability."""
        chance, game = self.chance, self.game
        by_reason: dict[str, Act] = {}
        if game.started and chance.random() < 1 / 10:
            return self.send("join Zoe ! no-open-seat")
        seats = [*range(len(game.seats)), *[game.turn_seat] * 3]
        for _ in range(40):
            act = Act(seat=chance.choice(seats), actions=(self.wish(game),))
            _, reason = attempt(act, game)
            if reason:
                by_reason[reason] = act
        if by_reason:
            reason = chance.choice(sorted(by_reason))
            self.send(move_of(by_reason[reason], reason))
        return None

    def say(self, share: float) -> None:
        """At times a seated player writes a message."""
        seated = [seat for seat, place in enumerate(self.game.seats) if place.name and place.bot is None]
        if seated and self.talk.random() < share:
            self.send(f"{self.talk.choice(seated)} says {self.talk.choice(SAID)}")

    def wish(self, game: Game) -> Action:
        """Any well-formed action, one with a card in hand more likely than others."""
        chance = self.chance
        place = game.seats[game.turn_seat]
        card = chance.choice([*HAND_CARDS, REIBACH, *place.hand * 2])
        return chance.choice(
            (
                Draw(),
                Take(slot=chance.randrange(3)),
                LayBusinessmaker(card=card),
                Append(card=card, row=chance.randrange(len(place.rows) + 1)),
                Append(card=card, row=chance.randrange(len(place.rows) + 1)),
            )
        )

    def turn(self) -> None:
        """One request of the seat whose turn it is: one to three actions, at times one too many."""
        chance, game, seat = self.chance, self.game, self.game.turn_seat
        actions: list[Action] = []
        for _ in range(chance.choice((1, 1, 2, 3))):
            action = STYLES[self.styles[seat]](game, list(legal_actions(game, seat)), chance)
            actions.append(action)
            game = decide(Act(seat=seat, actions=(action,)), game).game
            if game.scoring is not None or game.turn_seat != seat:
                break
        if len(actions) < 3 and chance.random() < SLIPS:
            too_many = Act(seat=seat, actions=(*actions, self.wish(game)))
            _, reason = attempt(too_many, self.game)
            return self.send(move_of(too_many, reason))
        return self.send(move_of(Act(seat=seat, actions=tuple(actions))))

    def write(self) -> Recorded:
        while not self.game.over:
            self.say(TALK if self.game.started and self.game.scoring is None else 5 * TALK)
            if self.chance.random() < SLIPS:
                self.slip()
            if not self.game.started:
                person = self.people[next(index for index, seat in enumerate(self.game.seats) if seat.name is None)]
                entropy = f" {person['entropy']}" if self.chance.random() < 1 / 2 else ""
                self.send(f"join {person['name']}{entropy}")
            elif self.game.scoring is not None:
                if self.chance.random() < SLIPS:
                    self.slip()
                number = self.game.scoring
                self.send(f"score {number}")
                if self.chance.random() < SLIPS:
                    self.send(f"score {number}")  # as a job that runs twice
            else:
                self.turn()
        if self.chance.random() < SLIPS:
            self.slip()
        self.say(5 * TALK)
        return self._finished()

    def _finished(self) -> Recorded:
        game = self.game
        totals = [seat.total for seat in game.seats]
        return hashed(replace(self.recorded, sheet=sheet_of(game), totals=totals, winners=list(game.winners or [])))


def hashed(recorded: Recorded) -> Recorded:
    """The game with the hash that its moves lead to. Raises AssertionError where refusals or scores are others now."""
    steps = list(steps_of(recorded))
    assert sheet_of(steps[-1].after) == recorded.sheet, recorded.game
    return replace(recorded, hash=entries_of(steps)[1].hex())
