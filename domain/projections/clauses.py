"""What each type of event says: its clauses, made of the event as the reader may see it and of the table so far."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from domain.cards import RISK
from domain.clock.timestamps import milliseconds
from domain.fairness.canonical import JsonObject
from domain.projections.table import GameTable
from domain.words.sentence import Clause, Thing
from domain.words.wording import Reader, Words, isolate


def describe_event(event: JsonObject, table: GameTable, names: Sequence[str], words: Words) -> list[Clause]:
    """The event's clauses.

    `table`: the game right after the event; `names`: the seats' labels, a `Reader` for that of who is spoken to. The
    event's type is one of `words.clauses`.
    Raises one of the errors of `GameTable` for impossible events.
    """
    return _CLAUSES.get(event["type"], _describe_fields)(event, table, names, words)


def _describe_fields(event: JsonObject, _table: GameTable, names: Sequence[str], words: Words) -> list[Clause]:
    """A clause of the event's own fields: numbers, times of a bank, and the player."""
    data = event["data"]
    values = {name: data[name] for name in ("turn", "round") if name in data}
    if "seat" in data:
        values["player"] = names[data["seat"]]
    if "points" in data:
        values["points"] = words.points(data["points"])
    if "left" in data:
        values |= {"time": words.duration(data["seconds"]), "left": words.duration(data["left"])}
    return [Clause(event["type"], values)]


def _describe_card(event: JsonObject, _table: GameTable, names: Sequence[str], words: Words) -> list[Clause]:
    """A clause with the event's card as its object; a hidden card has no name."""
    kind, data = event["type"], event["data"]
    card = data.get("card")
    case = kind if card is None or f"{kind}.seen" not in words.clauses else f"{kind}.seen"
    values = {"player": names[data["seat"]]} if "seat" in data else {}
    return [Clause(case, values, (Thing(card),))]


def _game_created(event: JsonObject, _table: GameTable, _names: Sequence[str], _words: Words) -> list[Clause]:
    data = event["data"]
    if "parent" not in data:
        return [Clause("GameCreated", {"seats": data["seats"]})]
    values = {"seats": data["seats"], "parent": isolate(data["parent"]), "from": data["from"]}
    return [Clause("GameCreated.fork", values)]


def _player_joined(event: JsonObject, _table: GameTable, names: Sequence[str], _words: Words) -> list[Clause]:
    name = names[event["data"]["seat"]]
    if isinstance(name, Reader):
        return [Clause("PlayerJoined", {"player": name})]
    return [Clause("PlayerJoined", {}, (Thing(text=name),))]


def _game_started(event: JsonObject, table: GameTable, names: Sequence[str], words: Words) -> list[Clause]:
    data = event["data"]
    clauses = [Clause("GameStarted", {"cards": words.list_cards(data["display"])}), *_hands(data, names, words)]
    amounts = [
        _forms(name, words)["GameStarted.bonus.seat"].format(player=name, amount=words.money(bonus))
        for name, bonus in zip(names, table.bonus, strict=True)
        if bonus
    ]
    return [*clauses, Clause("GameStarted.bonus", {"amounts": words.join(amounts)})] if amounts else clauses


def _position_set(event: JsonObject, table: GameTable, names: Sequence[str], words: Words) -> list[Clause]:
    data = event["data"]
    turn = Clause("TurnStarted", {"turn": table.turn, "player": names[table.turn_seat]})
    return [Clause("PositionSet", {"player": names[data["seat"]]}), *_hands(data, names, words), turn]


def _hands(data: JsonObject, names: Sequence[str], words: Words) -> list[Clause]:
    dealt = ((names[seat], hand) for seat, hand in enumerate(data["hands"]) if hand)
    return [Clause("GameStarted.hand", {"player": name, "cards": words.list_cards(hand)}) for name, hand in dealt]


def _card_appended(event: JsonObject, table: GameTable, names: Sequence[str], words: Words) -> list[Clause]:
    data = event["data"]
    row, card = table.seats[data["seat"]].rows[data["row"]], data["card"]
    assert row.business is not None
    values = {"player": names[data["seat"]], "business": words.cards[row.business]}
    if card == RISK:
        return [Clause("CardAppended.risk", values)]
    if len(row.cards) == 1:
        return [Clause("CardAppended.first", values)]
    values["length"] = str(row.length)
    if card == row.business:
        return [Clause("CardAppended.same", values)]
    return [Clause("CardAppended", values | {"card": words.spoken[card]})]


def _forms(name: str, words: Words) -> Mapping[str, str]:
    """Templates about the player who is called so."""
    return words.to_you if isinstance(name, Reader) else words.clauses


def _reibach_revealed(event: JsonObject, table: GameTable, names: Sequence[str], _words: Words) -> list[Clause]:
    card = Thing(text=str(event["data"]["count"]))
    return [Clause("ReibachRevealed", {"player": names[table.turn_seat]}, (card,))]


def _round_scored(event: JsonObject, table: GameTable, names: Sequence[str], words: Words) -> list[Clause]:
    incomes = words.semicolon.join(describe_incomes(event["data"], table, names, words))
    return [Clause("RoundScored", {"round": event["data"]["round"], "incomes": incomes})]


def describe_incomes(data: JsonObject, table: GameTable, names: Sequence[str], words: Words) -> list[str]:
    """What each seat got in a scoring round, in the order of the seats."""
    seats = zip(names, data["seats"], data["totals"], strict=True)
    return [_describe_income(name, seat, total, table, words) for name, seat, total in seats]


def _describe_income(name: str, seat: JsonObject, total: int, table: GameTable, words: Words) -> str:
    rules, penalties = table.rules, {penalty: lost for penalty, lost in seat["penalties"].items() if lost}
    prices = {"empty_businessmakers": rules.penalty_empty_businessmaker, "hand_cards": rules.penalty_hand_card}
    things = {penalty: words.count_losses(penalty, lost // prices[penalty]) for penalty, lost in penalties.items()}
    form = words.clauses["RoundScored.loss"].format
    losses = [form(amount=words.money(lost), things=things[penalty]) for penalty, lost in penalties.items()]
    case = "RoundScored.losses" if losses else "RoundScored.seat"
    amounts = {"income": words.money(seat["income"], signed=True), "total": words.money(total)}
    if losses:
        amounts["losses"] = words.join(losses)
    return _forms(name, words)[case].format(player=name, **amounts)


def _game_ended(event: JsonObject, _table: GameTable, names: Sequence[str], words: Words) -> list[Clause]:
    data = event["data"]
    winners, values = [names[seat] for seat in data["winners"]], {"total": words.money(max(data["totals"]))}
    others = tuple(Thing(text=name) for name in winners if not isinstance(name, Reader))
    if len(others) == len(winners):
        return [Clause("GameEnded", values, others)]
    values["player"] = next(name for name in winners if isinstance(name, Reader))
    return [Clause("GameEnded.shared" if others else "GameEnded", values, others)]


def _consent_changed(event: JsonObject, _table: GameTable, names: Sequence[str], _words: Words) -> list[Clause]:
    data = event["data"]
    case = event["type"] if data["to"] == "cancel" else f"{event['type']}.{data['to']}"
    other = {} if "about" not in data else {"other": names[data["about"]]}
    case += ".you" * isinstance(other.get("other"), Reader)
    return [Clause(case, {"player": names[data["seat"]]} | other)]


def _message_posted(event: JsonObject, table: GameTable, names: Sequence[str], words: Words) -> list[Clause]:
    data = event["data"]
    copied = event["version"] <= table.copied_until  # another person wrote it in the parent
    if data["text"] is None:
        return [Clause("MessagePosted.erased", {"player": names[data["seat"]]})]
    case = "MessagePosted.copied" if copied else "MessagePosted"
    return [Clause(case, {"player": names[data["seat"]], "text": words.quote(data["text"])})]


def _vacation_taken(event: JsonObject, _table: GameTable, names: Sequence[str], words: Words) -> list[Clause]:
    data, ends = event["data"], milliseconds(event["data"]["until"])
    until = words.clock(ends)
    ends_day = (until.hour, until.minute) == (0, 0)  # to tell the day before, or midnight, would mislead
    case, text = (".back", words.date_of(until)) if ends_day else ("", words.time_of(ends))
    return [Clause(f"VacationTaken{case}", {"player": names[data["seat"]], "until": text})]


_CLAUSES: Final[dict[str, Callable[[JsonObject, GameTable, Sequence[str], Words], list[Clause]]]] = {
    "GameCreated": _game_created,
    "PlayerJoined": _player_joined,
    "GameStarted": _game_started,
    "PositionSet": _position_set,
    **dict.fromkeys(("CardTaken", "PileDrawn", "CardDrawn", "BusinessmakerLaid", "DisplayRefilled"), _describe_card),
    "CardAppended": _card_appended,
    "ReibachRevealed": _reibach_revealed,
    "RoundScored": _round_scored,
    "GameEnded": _game_ended,
    "VacationTaken": _vacation_taken,
    **dict.fromkeys(("ConsentGiven", "ConsentWithdrawn"), _consent_changed),
    "MessagePosted": _message_posted,
}
"""By event type: the function that makes its clauses, where `_describe_fields` isn't enough."""
