"""The menu of a game, in English."""

from typing import Final

from service.web.words.shape.menu import ClockWords, MenuWords, NoticeWords, OrderWords, SeatWords

MENU: Final = MenuWords(
    title="Menu of the game",
    close="Close",
    back="Back to the menu",
    saved="Saved.",
    seat="My seat and its link",
    take_seat="Take a seat",
    help="Help",
    replay="Replay",
    score_sheet="Score sheet",
    check="Check the game",
    ask="Ask before taking and drawing",
    how="How to play",
    how_lines=(
        (
            "You lay rows of cards. In each scoring round a business brings 3 million to its longest row and 1 to "
            "the second, or 4 to the only one."
        ),
        (
            "The fourth, seventh and tenth Reibach card each start a scoring round. The third one ends the game, "
            "and costs 2 for each businessmaker without cards and 1 for each card in hand."
        ),
        "A turn has three action points. The number below a card says what it costs to take; to lay one costs one.",
        "Touch an open card or the pile, and it goes to your hand at once.",
        (
            "Touch a card of your hand, then “new row”: it lies there face down, as businessmaker, and doesn’t "
            "count. Only cards of one business go on it: touch one of your hand, then the row."
        ),
        "What you lay is a list until you send it. Cards that are sent can’t be moved or taken back.",
    ),
)
SEAT: Final = SeatWords(
    link="Link to your seat",
    link_hint="It opens this seat on another device. Anyone who has it can play for you.",
    copy="Copy",
    copied="Copied",
    others="Links of the other seats",
    others_hint="You opened this game. Whoever has a link plays at its seat: send it only to the person it is for.",
    link_of="Link for {name}",
    renew="Make a new link",
    renew_hint="The old link becomes void, and so do notifications and standing orders.",
    renewed="The old link is void.",
    try_out="Try out from here",
    try_out_hint="Opens a copy of the game against bots. What you can’t see is dealt anew.",
    have_link="You have a link?",
    paste="Link to a seat, or its token",
    sit_down="Sit down",
    take_over="A seat is abandoned",
    your_name="Your name",
    lost="You have lost the link?",
    lost_hint="If your address is confirmed for a seat of this game, a mail brings a new link.",
    mail="Mail address",
    ask_mail="Send me a mail",
    mail_sent="If the address is right, a mail is on its way. Its link holds for {hours} hours.",
)
NOTICES: Final = NoticeWords(
    title="Notifications",
    hint="What you want to hear about while you are away.",
    email="Mail address",
    confirmed="Mails go to {mail}.",
    unconfirmed="A mail to {mail} has a link: confirm the address there.",
    when="Tell me when",
    on={
        "turn": "it’s my turn",
        "reminder": "my time is running out",
        "scoring": "a round was scored",
        "over": "the game is over",
        "message": "a player writes a message",
    },
    not_watching="Not while I have the table open",
    language="Language",
    webhook="To a program or a chat",
    url="Address (https)",
    format="Form",
    standard="for programs (signed)",
    secret="Secret",  # noqa: S106 - the label of one
    save="Save",
    end="End all notifications",
    deliveries="Sent lately",
    channels={"webhook": "program or chat", "email": "mail"},
    statuses={"delivered": "delivered", "retry": "will be tried again", "refused": "refused", "dead": "given up"},
    errors={
        "address-refused": "address not allowed",
        "timeout": "no answer in time",
        "connection-failed": "no connection",
        "tls-failed": "no safe connection (TLS)",
        "answer-invalid": "answer unreadable",
        "redirect-not-followed": "redirects aren’t followed",
        "status": "answer",
        "no connection": "no connection",
        "connection lost": "connection lost",
        "mail refused": "mail refused",
        "log-in refused": "log-in refused",
        "server refused": "mail server refused",
        "server lacks STARTTLS or log-in": "mail server lacks encryption or log-in",
        "certificate not trusted": "certificate not trusted",
        "recipient refused": "recipient refused",
        "game can't be read": "game can’t be read",
        "internal error": "internal error",
    },
)
ORDERS: Final = OrderWords(
    title="Standing orders",
    hint="What you do by itself when your turn starts: of each step the first that is possible then. "
    "If nothing is, the rest is dropped.",
    none="You have given none.",
    dropped="In turn {turn} the rest was dropped:",
    kind="Action",
    kinds={"take": "take", "draw": "draw", "append": "append", "lay_businessmaker": "lay as businessmaker"},
    what="Which card",
    where="Where",
    slot="open card {number}",
    row="row {number}",
    add_step="Another step",
    add_alternative="or else …",
    remove_step="Remove step",
    remove_alternative="Remove: {alternative}",
    save="Give orders",
    remove="Take all orders back",
)
CLOCK: Final = ClockWords(
    title="Vacation, pause, resigning",
    bot_plays="You were away for long: a bot plays for you.",
    reclaim="Take my seat back from the bot",
    vacation="Vacation",
    vacation_hint="The clock of your turns stands still. 30 days a game at most, in two pieces.",
    until="Back on",
    take_vacation="Go on vacation",
    on_vacation="You are on vacation until {time}.",
    end_vacation="Come back now",
    pause="Pause",
    pause_hint="When all who play agree, the clock stands still for everyone.",
    agree_pause="Agree to pause",
    resume="End the pause",
    cancel="Cancel the game",
    cancel_hint="When all who play agree, the game is over and nobody wins.",
    agree_cancel="Agree to cancel",
    agreed="Agreed so far: {names}",
    withdraw="Withdraw my consent",
    resign="Resign",
    resign_hint="A bot plays on for you, for good.",
    sure="Yes, I leave this game",
)
