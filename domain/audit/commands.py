"""Which command caused an event of a log: what is decided again."""

from domain.audit.chain import Offence, Offended
from domain.audit.compare import whole_number
from domain.audit.members import check_created, check_player
from domain.audit.opening import Opening, wrong_origin
from domain.commands import (
    LONGEST_MESSAGE,
    Act,
    Action,
    Append,
    Command,
    CompleteScoring,
    CreateGame,
    Draw,
    JoinGame,
    LayBusinessmaker,
    PostMessage,
    SeatPlan,
    Take,
)
from domain.events import ACTIONS
from domain.fairness.canonical import JsonObject
from domain.state import Game
from domain.waiting import WaitingFor, waiting_for


def creation_of(opening: Opening, seed: str | None) -> CreateGame:
    """The command that opened the table, all seats open and without a fork's position. Raises Offended, or CANT_HAPPEN.

    `seed`: 64 hex digits, None where it is hidden.
    """
    data = opening.created
    check_created(data)
    if opening.forked and (expected := wrong_origin(opening)):
        raise Offended(Offence(1, expected))
    return CreateGame(
        game=data["game"],
        server_seed=bytes.fromhex(seed or ""),
        seats=(SeatPlan(),) * data["seats"],
        variants=frozenset(name for name, on in data["variants"].items() if on),
        starting_seat=data["starting_seat"],
        listed=data["listed"],
        rules=data["rules"],
        parent=data.get("parent"),
        from_version=data.get("from"),
    )


def seats_of(opening: Opening) -> tuple[SeatPlan, ...]:
    """The seats that the same command planned; the opening's GameCreated is sound. Raises Offended, or CANT_HAPPEN."""
    plans = [SeatPlan()] * opening.created["seats"]
    for version, one in enumerate(opening.joined, 2):
        check_player(one, version)
        entropy = one["entropy"] if opening.forked or one["bot"] is None else ""
        plans[one["seat"]] = SeatPlan(name=one["name"], bot=one["bot"], entropy=entropy)
    return tuple(plans)


def command_of(kind: str, data: JsonObject, game: Game, version: int) -> Command:
    """The command whose first event, behind the creation, is of this type and has this data.

    `game`: right before it; `version`: the event's own. Raises Offended where no command begins with that event there,
    or one of CANT_HAPPEN.
    """
    if kind in ACTIONS:
        return Act(seat=whole_number(data["seat"]), actions=(_action_in(kind, data, game),))
    if kind == "MessagePosted":
        return PostMessage(seat=whole_number(data["seat"]), text=_text_in(data, version))
    if kind == "PlayerJoined":
        check_player(data, version)
        bot = data["bot"] if game.parent is not None else None
        return JoinGame(name=data["name"], entropy=data["entropy"], bot=bot)
    if kind == "RoundScored" and game.scoring is not None:
        return CompleteScoring(round=game.scoring)
    raise Offended(Offence(version, next_of(game)))


def _action_in(kind: str, data: JsonObject, game: Game) -> Action:
    match kind:
        case "CardTaken":
            slot = whole_number(data["slot"])
            assert slot < game.rules.display_size
            return Take(slot=slot)
        case "PileDrawn":
            return Draw()
    assert isinstance(data["card"], str)
    if kind == "BusinessmakerLaid":
        return LayBusinessmaker(card=data["card"])
    return Append(card=data["card"], row=whole_number(data["row"]))


def _text_in(data: JsonObject, version: int) -> str:
    text = data["text"]
    if isinstance(text, str) and 1 <= len(text) <= LONGEST_MESSAGE:
        return text
    raise Offended(Offence(version, f"MessagePosted with a text of 1 to {LONGEST_MESSAGE} characters"))


def next_of(game: Game) -> str:
    """What may come next, for a log in which another event does."""
    waiting = waiting_for(game)
    if waiting is None:
        return "nothing that changes a game that is over"
    match waiting.reason:
        case WaitingFor.PLAYERS:
            return "PlayerJoined"
        case WaitingFor.SCORING:
            return f"RoundScored of round {waiting.round}"
        case WaitingFor.SEAT | WaitingFor.BOT:
            return f"an action of seat {waiting.seat}"
