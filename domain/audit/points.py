"""The audit's look at a position by its action points: whether so many turns can have laid and got these cards.

Rule 1: a turn spends all of its points (rules, "A turn"), but for those that are forfeited (ruling 5), and in a game
that is `playing` no card is pending. So the turns bound the cards from both sides, and the cards the turns.
Rule 2: no seat is accused whose turns could have paid; which of its cards was drawn and which taken isn't told.
"""

from domain.fairness.canonical import JsonObject
from domain.rules.standard import Rules


def ill_spent(data: JsonObject, rules: Rules, starting_seat: int) -> str:
    """What a position should have been whose cards don't fit its turns; empty where they do.

    `data`: of PositionSet, of the right form.
    """
    turn, seats = data["turn"], len(data["hand_sizes"])
    spent_now = rules.action_points - turn["action_points"]
    gone = 0
    for seat, (size, rows) in enumerate(zip(data["hand_sizes"], data["rows"], strict=True)):
        # Of the turns before the present one, every so-many-th from the seat's first on.
        finished = (turn["number"] - 2 - (seat - starting_seat) % seats + seats) // seats
        now = spent_now if seat == turn["seat"] else 0
        got = size - rules.hand_size + _cards_on(rows)
        if not _could_pay(rules, rows, got, finished, now):
            return f"a position in which the turns of seat {seat} spend the action points that its cards cost"
        last = now if seat == turn["seat"] else rules.action_points * (finished > 0)
        if not _could_be_seen(rules, rows, last):
            return f"a position in which seat {seat} laid in its last turn what is shown"
        gone += got
    return "" if gone or not data["revealed"] else "a position without a Reibach card, for no card has left the pile"


def _could_pay(rules: Rules, rows: list[JsonObject], got: int, finished: int, now: int) -> bool:
    """Whether turns can have been spent on cards: `finished` whole ones, and `now` points of the present one.

    `rows`: all that was laid; `got`: how many cards came to the hand after the deal.
    """
    costs = rules.cost_take, rules.cost_take_special, rules.cost_draw
    # A draw can always be paid for with so many points, and an open card: whoever has fewer may be stuck.
    forfeited = min(rules.cost_draw, max(rules.cost_take, rules.cost_take_special)) - 1
    spent, laid = rules.action_points * finished + now, _cost_of(rules, rows)
    if got < 0 or not laid + min(costs) * got <= spent <= laid + max(costs) * got + forfeited * finished:
        return False
    # No action goes on from one turn into the next: 3 points are 2 actions at least, though 6 might be 3.
    dearest = max(*costs, rules.cost_lay, rules.cost_append)
    fewest = -(-(rules.action_points - forfeited) // dearest) * finished - (-now // dearest)
    return _cards_on(rows) + got >= fewest


def _could_be_seen(rules: Rules, rows: list[JsonObject], points: int) -> bool:
    """Whether the businessmakers that are shown are the last, and were laid, with their rows, for so many points."""
    shown = [row["shown"] for row in rows]
    return shown == sorted(shown) and _cost_of(rules, [row for row in rows if row["shown"]]) <= points


def _cards_on(rows: list[JsonObject]) -> int:
    return sum(1 + len(row["cards"]) for row in rows)


def _cost_of(rules: Rules, rows: list[JsonObject]) -> int:
    return sum(rules.cost_lay + rules.cost_append * len(row["cards"]) for row in rows)
