"""The clauses of scoring that recorded games must show: every line of the rules' table, doubled and not."""

from collections.abc import Callable
from typing import Final

from domain.cards import MULTITALENT, RISK
from domain.events import RoundScored
from domain.scoring import INCOME_REASONS
from tests.games.played import Clause, Loss, Played, Scored


def _row(test: Callable[[Scored], object]) -> Clause:
    return lambda played: any(test(scored) for scored in played.scored)


def _line(reason: str, income: int, test: Callable[[Scored], object] = lambda _: True) -> Clause:
    """A row awarded for the reason with the income; it is doubled where the test says so."""
    return _row(lambda scored: (scored.reason, scored.income) == (reason, income) and test(scored))


def _plain(scored: Scored) -> bool:
    return not scored.doubled


def _doubled(scored: Scored) -> bool:
    return scored.doubled


def _tie(players: int, income: int, *, doubled: bool) -> Clause:
    return _line(
        "shared_longest",
        income,
        lambda scored: scored.doubled is doubled and scored.rivals.count(scored.length) == players - 1,
    )


def _shared_second(players: int, *, doubled: bool) -> Clause:
    return _line(
        "shared_second",
        0,
        lambda scored: scored.doubled is doubled and scored.rivals.count(scored.length) >= players - 1,
    )


def _behind_tie(scored: Scored) -> bool:
    """The second length, behind several longest: there is no second."""
    longest = scored.rivals[0]
    return scored.rivals.count(longest) > 1 and not any(scored.length < rival < longest for rival in scored.rivals)


def _next_after_tied_seconds(scored: Scored) -> bool:
    """The third length, behind two seconds: it doesn't move up."""
    above = [rival for rival in scored.rivals if rival > scored.length]
    return len(above) > 2 and above[0] > above[1] == above[-1]


def _loss(test: Callable[[Loss], object]) -> Clause:
    return lambda played: any(test(loss) for loss in played.losses)


def _no_loss_before_the_end(played: Played) -> bool:
    """An empty businessmaker and a full hand cost nothing in the first two rounds."""
    return played.any(
        lambda moment: (
            isinstance(moment.event, RoundScored)
            and moment.event.round < 3
            and any(
                seat.hand and any(row.business is None for row in seat.rows) and scored["income"] == 0
                for seat, scored in zip(moment.before.seats, moment.event.seats, strict=True)
            )
        )
    )


def _monopoly_despite_empty(played: Played) -> bool:
    """Another seat's empty businessmaker of the same business breaks no monopoly."""
    return played.any(
        lambda moment: (
            isinstance(moment.event, RoundScored)
            and any(
                row["reason"] == "monopoly" and _empty_maker(moment.before.seats, business, number)
                for number, seat in enumerate(moment.event.seats)
                for business, row in seat["businesses"].items()
            )
        )
    )


def _empty_maker(seats: list, business: str, but: int) -> bool:
    return any(
        row.businessmaker == business and row.business is None
        for number, seat in enumerate(seats)
        if number != but
        for row in seat.rows
    )


def _doubled_again(played: Played) -> bool:
    return any(
        one.doubled and two.doubled and one.row == two.row and (one.round, two.round) == (1, 3)
        for one in played.scored
        for two in played.scored
    )


SCORING: Final[dict[str, Clause]] = {
    **{
        f"{reason} in round {number}": _row(
            lambda scored, reason=reason, number=number: (scored.reason, scored.round) == (reason, number)
        )
        for reason in INCOME_REASONS
        for number in (1, 2, 3)
    },
    "monopoly of one card": _line("monopoly", 4, lambda scored: scored.length == 1),
    "monopoly of many cards": _line("monopoly", 4, lambda scored: scored.length > 4),
    "monopoly, doubled": _line("monopoly", 8, _doubled),
    "longest alone": _line("longest", 3, _plain),
    "longest alone, doubled": _line("longest", 6, _doubled),
    **{f"{k} tie for longest": _tie(k, income, doubled=False) for k, income in {2: 2, 3: 1, 4: 1, 5: 0}.items()},
    **{
        f"{k} tie for longest, doubled": _tie(k, income, doubled=True)
        for k, income in {2: 4, 3: 2, 4: 2, 5: 0}.items()
    },
    "second alone": _line("second", 1, _plain),
    "second alone, doubled": _line("second", 2, _doubled),
    "two tie for second": _shared_second(2, doubled=False),
    "two tie for second, doubled": _shared_second(2, doubled=True),
    "three tie for second": _shared_second(3, doubled=False),
    "third": _line("none", 0, lambda scored: scored.rivals[0] > scored.rivals[1] > scored.length),
    "nothing, doubled": _line("none", 0, _doubled),
    "nobody is second behind a tie": _line("none", 0, _behind_tie),
    "nobody moves up behind tied seconds": _line("none", 0, _next_after_tied_seconds),
    "rows of all players, all different": _row(
        lambda scored: len(scored.rivals) > 2 and len({scored.length, *scored.rivals}) == len(scored.rivals) + 1
    ),
    "multitalents count": _row(lambda scored: MULTITALENT in scored.row.cards),
    "longest by a multitalent": _line(
        "longest",
        3,
        lambda scored: scored.length - scored.row.cards.count(MULTITALENT) <= scored.rivals[0],
    ),
    "the risk card doesn't count": _line(
        "shared_longest", 4, lambda scored: scored.doubled and len(scored.row.cards) == scored.length + 1
    ),
    "the businessmaker doesn't count": _row(
        lambda scored: scored.row.businessmaker == scored.row.business and scored.reason == "shared_longest"
    ),
    "a risk card as businessmaker doubles nothing": _row(
        lambda scored: scored.row.businessmaker == RISK and scored.income in (3, 4) and not scored.doubled
    ),
    "doubled in rounds 1 to 3": _doubled_again,
    "an empty businessmaker breaks no monopoly": _monopoly_despite_empty,
    "a round without a row for a seat": lambda played: any(
        not seat["businesses"] for done in played.game.rounds[:2] for seat in done.seats
    ),
    "no losses before the last round": _no_loss_before_the_end,
    "loss for an empty businessmaker": _loss(lambda loss: loss.empty == -2 and not loss.hand),
    "loss for cards in hand": _loss(lambda loss: loss.hand < 0 and not loss.empty),
    "both losses": _loss(lambda loss: loss.hand < 0 and loss.empty < 0),
    "no loss": _loss(lambda loss: not loss.hand and not loss.empty),
    "loss for ten cards in hand": _loss(lambda loss: loss.hand <= -10),
    "a round below zero": _loss(lambda loss: loss.income < 0),
    "negative total": lambda played: any(seat.total < 0 for seat in played.game.seats),
    "total of zero": lambda played: any(seat.total == 0 for seat in played.game.seats),
    "one winner": lambda played: len(played.game.winners or []) == 1,
    "shared victory of two": lambda played: len(played.game.winners or []) == 2,
    "shared victory of three": lambda played: len(played.game.winners or []) == 3,
    "the starting seat wins": lambda played: played.game.starting_seat in (played.game.winners or []),
}  # fmt: skip
