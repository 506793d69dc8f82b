"""The table of a game, in English."""

from typing import Final

from service.web.words.plural import Plural
from service.web.words.shape.table import TableWords

TABLE: Final = TableWords(
    display="Display",
    own_rows="Your rows",
    hand="Your hand",
    rivals="Other players",
    face_down="face-down card",
    row_name="Row {number}: {business}",
    row_without_business="no business yet",
    length=Plural(one="length {n}", other="length {n}"),
    doubled="doubled",
    closed="closed",
    shown_businessmaker="businessmaker: {card}",
    no_rows="No rows yet.",
    empty_hand="No cards.",
    track="Reibach cards: {revealed} revealed, next scoring at {next}",
    track_full="Reibach cards: {revealed} revealed, no scoring left",
    pile=Plural(one="Draw pile: {n} card", other="Draw pile: {n} cards"),
    hand_size=Plural(one="{n} card", other="{n} cards"),
    your_turn="It’s your turn",
    their_turn="{name} to play",
    points_left=Plural(one="{n} action point left", other="{n} action points left"),
    waits_for_players="The game waits for players",
    scoring="A round is being scored",
    over="The game is over",
    won=Plural(one="{names} wins", other="{names} share the win"),
    abandoned="away, a bot plays",
    resigned="resigned, a bot plays",
    play_as="Play as {name}",
    other_seat="other seat",
    recap_own="Since your last action",
    recap_all="Lately",
    recap_none="Nothing has happened since.",
    cost=Plural(one="{n} point", other="{n} points"),
    connection_lost="No connection, trying again …",
    time_left="{time} left",
    paused="Paused",
    on_vacation="on vacation, back {time}",
    bank="time bank: {time}",
    new_row="new row",
)
