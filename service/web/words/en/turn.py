"""Playing, in English."""

from typing import Final

from service.web.words.plural import Plural
from service.web.words.shape.turn import KeyWords, MessageWords, ScoringWords, TurnWords

TURN: Final = TurnWords(
    heading="Your turn so far",
    hint_pick="Choose a card of your hand, an open card or the pile.",
    hint_target="{card}: choose a row.",
    step_append="{card} on row {number}",
    step_lay="{card} as businessmaker",
    earlier="Earlier: {step}",
    remove="Without: {step}",
    change_steps=Plural(one="{n} composed action: show and change", other="{n} composed actions: show and change"),
    empty="Clear",
    send=Plural(one="Send {n} action", other="Send {n} actions"),
    waiting="Waiting for {name}.",
    sending="Sending …",
    unsent="Not sent yet: no connection. It will be sent as soon as there is one.",
    changed="The table has changed in the meantime: nothing was done. Choose again.",
    retry="Try now",
    take_now="Take {card}",
    draw_now="Draw a card",
    with_before=Plural(one="Sends the composed action first.", other="Sends the {n} composed actions first."),
    back="Back",
    ask_not="Don’t ask any more",
    next_game="Your turn with {names}",
)
KEYS: Final = KeyWords(
    title="Keyboard",
    take="take the first, second or third open card",
    draw="draw from the pile",
    move="go through rows, hand and turn",
    choose="choose what has the focus",
    escape="let go",
    empty="empty the turn",
    help="show this help",
    line="Keys: 1 2 3 take, d draw, arrows and Enter choose, ⌫ empty, ? all keys.",
)
SCORING: Final = ScoringWords(
    title="Scoring round {round}",
    rounds="Scoring rounds",
    no_round="No round has been scored yet.",
    reasons={
        "monopoly": "monopoly",
        "longest": "longest row",
        "shared_longest": "tie for longest",
        "second": "second longest",
        "shared_second": "tie for second",
        "none": "too short",
    },
    doubled="doubled",
    player="Player",
    income="Income",
    losses="Losses",
    empty_businessmakers="Businessmakers without a card",
    hand_cards="Cards in hand",
    totals="Totals",
    total="Total",
    now="If it were scored now",
    now_hint="Amounts in millions, length of the row in brackets.",
    no_rows="There is no row yet.",
    you="you",
)
MESSAGES: Final = MessageWords(
    title="Messages",
    label="Your message to all at the table",
    send="Send message",
    none="Nobody has written yet.",
    unread=Plural(one="{n} unread", other="{n} unread"),
)
