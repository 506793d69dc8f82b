"""The start page, in English."""

from typing import Final

from service.web.words.shape.start import NewGameWords, StartWords

START: Final = StartWords(
    title="Reibach & Co. in the browser",
    what=(
        "Two to five players build rows in ten businesses, and only the longest ones earn money.",
        "A turn has three action points: take an open card, draw a hidden one, or lay cards on your own rows.",
        (
            "Three times in a game the rows are scored, when the fourth, seventh and tenth Reibach card "
            "turns up, and nobody knows when that is."
        ),
    ),
    demo="Try a game against bots",
    demo_hint="One click, no account.",
    guest="Guest",
)
NEW_GAME: Final = NewGameWords(
    title="New game",
    players="Who plays?",
    seat="Seat {number}",
    kind="Who sits at seat {number}?",
    person="Player with a link",
    open="Open seat",
    bots={
        "greedy": "Bot: greedy (solid)",
        "shark": "Bot: shark (strong)",
        "random": "Bot: random (by chance)",
    },
    name="Name at seat {number}",
    your_name="Your name",
    add="Add a seat",
    remove="Remove seat {number}",
    pace="How fast?",
    pace_none="No time limit",
    pace_day="1 day a turn",
    pace_three_days="3 days a turn",
    pace_own="Another limit",
    turn_time="Time for a turn",
    unit="Unit",
    minutes="minutes",
    hours="hours",
    days="days",
    reminder="Remind when a third of the time is left",
    on_timeout="When the time is up",
    on_timeout_bot="a bot plays on",
    on_timeout_wait="the game keeps waiting",
    more="Variants, who starts, who can see it",
    starts="Who starts?",
    starts_random="Chance decides",
    listed="Show it among the open games",
    listed_hint="Everybody can watch then, and take open seats.",
    create="Open the game",
    created="The game is open",
    created_hint="Each link belongs to a seat: whoever has it plays there. Send it only to the person it is for. "
    "Until each player has had a turn, the links are also in the menu of the table, under “My seat and its link”.",
    link_of="Link for {name}",
    open_link="Link for open seats",
    copy="Copy",
    copied="Copied",
    share="Share",
    mail="Mail",
    mail_subject="Reibach & Co.: a seat for {name}",
    mail_subject_open="Reibach & Co.: a seat is free",
    mail_text="Play here: {link}",
    to_table="To the table",
)
