"""What each member of a body and each parameter means, for the OpenAPI document.

A member is described once by its name; where that isn't enough, by `Schema.member` or `member.member`, which win.
"""

from collections.abc import Mapping
from typing import Any, Final

MEMBERS: Final[Mapping[str, str]] = {
    # Everywhere
    "at": "The time of acceptance, in UTC; events that were accepted together have the same.",
    "business": "The business of the row; null before its first business card.",
    "card": "The card.",
    "data": "What happened, by the type of the event.",
    "hash": "The last link of the game's hash chain up to this version, in hex.",
    "key": "The id of the key that signed, as in `GET /v1/keys`.",
    "listed": "Whether everyone may find the game. It does nothing yet: there is no list of games.",
    "name": "The name of the player; of a bot's seat the name of the bot.",
    "receipt": "Proof that the service accepted the game up to this version: keep it.",
    "round": "The scoring round: 1, 2 or 3.",
    "row": "A row of that seat, counted from 0 in the order laid.",
    "seat": "The number of a seat, counted from 0.",
    "server_seed": "The seed of the shuffle, as 64 hex digits; null until the game is over.",
    "slot": "A place of the display: 0, 1 or 2.",
    "token": "The token of the seat, which acts for it. Keep it: it can't be had again.",
    "totals": "The income of each seat so far, in whole millions, with the bonus of `staggered_start`.",
    "type": "What kind of event this is.",
    "version": "The number of the last event that this includes. Events are counted from 1 without gaps.",
    "winners": "The seats with the most money, several if they tie; null until the game is over.",
    # Requests
    "actions": "The actions, in order. Those before the first one that is refused stay carried out.",
    "entropy": "This player's share in the shuffle: any text, which binds the service if the seat is joined later.",
    "fork": "The version that the new game continues from.",
    "Forked.game": "The id of the game to continue.",
    "Forked.version": "The version to continue from; of a running game, its present one.",
    "bot": "The name of a bot, as in `GET /v1/bots`; null at the seat of a person.",
    "seats": "The seats, in the order of play.",
    "NewGame.server_seed": (
        "Fixes the shuffle, for tests: 64 hex digits. Taken only where the service allows it "
        "(`REIBACH_ALLOW_FIXED_SEED`)."
    ),
    "starting_seat": "Who plays first; in the printed game, the oldest.",
    "text": "The text of the message, at most 2,000 characters; line breaks are allowed.",
    "variants": "The variants of the rules that are played.",
    "expensive_specials": "To take a multitalent or a risk card from the display costs 2 action points.",
    "staggered_start": "Seats start with 0, 1, 2, … millions, in the order of play.",
    "Take.type": "To take a card from the display costs 1 action point.",
    "Draw.type": "To draw the top card of the pile costs 2 action points.",
    "LayBusinessmaker.type": "To lay a hand card face down, as the businessmaker of a new row, costs 1 action point.",
    "Append.type": "To append a hand card to one of the seat's own rows costs 1 action point.",
    "LayBusinessmaker.card": "A card of the seat's hand.",
    "Append.card": "A card of the seat's hand.",
    # Parameters
    "after": "The events after this version; past the present one there is no such version.",
    "limit": "The most events in the answer.",
    "ViewQuery.at": "The game as it was at this version; without it, as it is now.",
    "ReceiptQuery.at": "The version to sign; without it, the present one.",
    "wait": "With `If-None-Match`: wait up to so many seconds for a newer version, then answer 304.",
    "since": "The version after which the recap begins.",
    "language": "The language of the sentences.",
    "LanguageQuery.language": "The language; without it, the best one in `Accept-Language`, else English.",
    "RecapQuery.language": "The language; without it, the best one in `Accept-Language`, else English.",
    # The view
    "View.id": "The id of the game, which is case-sensitive.",
    "View.status": "`open`: seats are free; `scoring`: the game waits for a moment, nobody can act.",
    "View.display": "The three open cards, by slot; null for a slot that waits for its refill.",
    "View.draw_pile": "How many cards the draw pile has, Reibach cards included; null before the start.",
    "View.reibach": "The Reibach cards that turned up: the 4th, 7th and 10th start a scoring round.",
    "View.turn": "Whose turn it is; null before the start and after the end.",
    "View.you": "What only the asking seat sees; null for a spectator.",
    "View.fairness": "What proves the shuffle, once the game is over.",
    "View.receipt": "Version and hash of this view, unsigned.",
    "View.open_information": "Only in a fork of a finished game, and true there: the parent shows all its cards.",
    "revealed": "How many Reibach cards have turned up.",
    "next_scoring_at": "At how many of them the next scoring round starts; null after the third.",
    "rounds_scored": "How many scoring rounds are done.",
    "Turn.number": "The number of the turn, counted from 1 over the whole game.",
    "action_points": "What the turn has left, of three.",
    "hand": "The cards of the hand, sorted.",
    "hand_size": "How many cards the hand has.",
    "total": "The income so far, in whole millions, with the bonus of `staggered_start`.",
    "rows": "The rows of the seat, in the order laid.",
    "cards": "The open cards of the row, in the order laid, without the businessmaker.",
    "length": "The cards of the row that count: business and multitalent cards.",
    "closed": "Whether a risk card has closed the row for good.",
    "businessmaker": "The card that was laid face down; null while it is hidden from the asker.",
    "Fairness.entropy": "The entropy of each seat; null for one that is open.",
    "commitment": "The SHA-256 that bound the service to its seed when the game was opened.",
    # Other answers
    "Created.game": "The view of a spectator.",
    "Created.seats": "The seats that are taken by name, with their tokens.",
    "game": "The view of the asking seat, as of this request's own last event.",
    "applied": "How many of the actions were carried out.",
    "Acted.events": "The events of this request, as the seat may see them.",
    "Accepted.events": "The events of this request, as the seat may see them.",
    "Acted.problem": "Why the rest of a list was refused; null if nothing was.",
    "LegalActions.actions": "Every action that would be accepted now; none when it isn't the seat's turn.",
    "EventsPage.events": "The events, the oldest first.",
    "EventsPage.next": "The `after` of the next page; null at the present end.",
    "signature": "Ed25519 over the receipt's text, in base64; the text is described in the protocol.",
    "keys": "Every key that ever signed a receipt, retired ones included.",
    "algorithm": "How receipts are signed.",
    "public_key": "The 32 bytes of the public key, in base64.",
    "bots": "The bots.",
    "Bot.name": "What `bot` of a seat names.",
    "about": "How the bot plays, in a sentence.",
    "Scores.rounds": "The scoring rounds so far.",
    "RoundScore.seats": "What each seat got, in the order of the seats.",
    "bonus": "What each seat started with, in whole millions.",
    "businesses": "The businesses that the seat has a row of.",
    "penalties": "What the last round takes off, in whole millions: zero or negative.",
    "empty_businessmakers": "For businessmakers without a card.",
    "hand_cards": "For cards left in the hand.",
    "income": "In whole millions: of a business after doubling; of a seat with its penalties.",
    "reason": "The place of the row among the rows of its business.",
    "doubled": "Whether a risk card doubles the income, which may be 0.",
    "BusinessScore.length": "The cards of the row that count.",
    "Audit.ok": "Whether no check fails.",
    "checks": "One for each name, in this order.",
    "Check.name": "What is checked.",
    "Check.ok": "Null if it can't be checked, or not before the game is over.",
    "Check.detail": "What was found; while the game is running, no more than the check's name and a version.",
    "items": "What happened, the oldest first.",
    "RecapItem.version": "The version of its last event.",
    "Recap.next": "The `since` of the next page; null at the end.",
    "RecapItem.at": "Of its last event.",
    "RecapItem.type": "The type of its first event; `TurnStarted` for (a part of) a turn.",
    "RecapItem.seat": "Whose turn, action or message; null where there is no one seat.",
    "RecapItem.text": "A sentence.",
    "RecapItem.events": "The events behind the sentence.",
    "Health.status": "The process is up.",
    "Readiness.status": "Fixed words: a worker, or the store, may be missing.",
    "Problem.type": "`/problems/<code>`: the code says what is wrong, and the page explains it.",
    "title": "What is wrong with every request of this code.",
    "Problem.status": "The status of the answer.",
    "detail": "What is wrong with this request, in the language of Accept-Language: en, de, nl or fr.",
    "Problem.version": "The present version of the game, where there is a game.",
    "errors": "With `invalid-request`: path of a field -> messages, in the same language.",
    # Events
    "GameCreated.game": "The id of the game.",
    "rules": "The name of the rule set.",
    "GameCreated.seats": "How many seats the game has.",
    "parent": "The id of the game that this one continues.",
    "from": "The version of the parent that it continues from.",
    "hands": "The hands by seat, each in the order dealt; null while hidden from the asker.",
    "hand_sizes": "How many cards each hand has.",
    "display": "The open cards, by slot.",
    "draw_pile": "The cards of the draw pile, the top one first; null until the game is over.",
    "PositionSet.rows": "The rows of each seat.",
    "PositionSet.rounds": "The scoring rounds before.",
    "PositionSet.turn": "Whose turn it is.",
    "RowBefore.businessmaker": "The businessmaker; null while it is hidden from the asker.",
    "shown": "Whether the forking seat could see the businessmaker.",
    "RoundBefore.seats": "What each seat got.",
    "TurnStarted.turn": "The number of the turn, counted from 1 over the whole game.",
    "cost": "How many action points it cost.",
    "count": "How many Reibach cards have turned up now.",
    "CardDrawn.card": "The card; null while it is hidden from the asker.",
    "BusinessmakerLaid.card": "The card; null while it is hidden from the asker.",
    "RoundScored.seats": "What each seat got, in the order of the seats.",
    "points": "How many action points were lost.",
}

SCHEMAS: Final[Mapping[str, str]] = {
    "Accepted": "What an accepted request did, and the game after it.",
    "Acted": "What the actions did, and the game after the last of them.",
    "Audit": "What the checks found on the stored log and on what is served from it.",
    "Bot": "A bot that can take a seat.",
    "Bots": "The bots of the service.",
    "BusinessScore": "What a business brought a seat in a round.",
    "Check": "One check of the audit.",
    "Created": "The new game, with the tokens of its seats.",
    "Document": "This document.",
    "EventsPage": "A page of events.",
    "Fairness": "What proves the shuffle, once the game is over.",
    "Health": "The process is up.",
    "Keys": "The public keys of receipts.",
    "LegalActions": "What the seat may do now.",
    "OwnSeat": "What only the asking seat sees.",
    "PublicKey": "A key that signs, or signed, receipts.",
    "Readiness": "Whether games can be played.",
    "Receipt": "Proof that the service accepted the game up to a version.",
    "Recap": "What happened, in sentences.",
    "RecapEvent": "An event behind a sentence.",
    "RecapItem": "A sentence, and the events behind it.",
    "ReibachCards": "The Reibach cards that turned up.",
    "RoundBefore": "A scoring round before the fork.",
    "RoundScore": "A scoring round.",
    "Row": "A row of a seat.",
    "RowBefore": "A row as it lay before the fork.",
    "SeatScore": "What a seat got in a round.",
    "SeatToken": "The token of a seat.",
    "Turn": "A turn.",
    "Joined": "The seat that was taken, with its token.",
    "PositionSet": "The position that a fork of a running game starts from, as one of its seats could see it.",
    "Position": "A version of a game, and its hash.",
    "Problem": "Why a request was refused (RFC 9457).",
    "RoundScored": "A scoring round is done.",
    "GameEnded": "The third scoring round is done; several seats win when totals tie.",
    "Scores": "The score sheet.",
    "SeatView": "A seat as everyone sees it.",
    "View": "A game as the asker may see it.",
    "Variants": "The variants; one that is left out is off.",
}


def describe(schemas: Mapping[str, dict[str, Any]]) -> None:
    """Add the descriptions to the document's schemas."""
    for name, schema in schemas.items():
        if name in SCHEMAS:
            schema["description"] = SCHEMAS[name]
        _describe(schema, (name,))


def describe_parameter(query: str, parameter: dict[str, Any]) -> None:
    """Add its description to a parameter, unless its field has one. `query`: the name of its schema."""
    if "description" not in parameter:
        parameter["description"] = _meaning((query, parameter["name"]))


def _describe(schema: dict[str, Any], path: tuple[str, ...]) -> None:
    for member, inner in schema.get("properties", {}).items():
        inner.setdefault("description", _meaning((*path, member)))
        _describe(inner, (*path, member))


def _meaning(path: tuple[str, ...]) -> str:
    member = path[-1]
    for outer in reversed(path[:-1]):
        if found := MEMBERS.get(f"{outer}.{member}"):
            return found
    return MEMBERS[member]
