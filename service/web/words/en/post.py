"""Play by post, in English."""

from typing import Final

from service.web.words.shape.post import PostWords

POST: Final = PostWords(
    title="Play by post",
    lead=(
        "A game by post takes days or weeks: the service tells you when it is your turn, and you play when you have "
        "time. You need neither a program nor an account."
    ),
    parts=(
        (
            "Open a game",
            (
                (
                    "On the start page, choose how long a turn may take: a day, three days or a time of your own. "
                    "Without a time limit no turn ends by itself."
                ),
                (
                    "Each player gets a link of their own. Anyone who has it sees the hand and can play for the seat: "
                    "send it to that player alone."
                ),
            ),
        ),
        (
            "Get notifications",
            (
                (
                    "In the menu of the game, under “Notifications”, give a mail address, a webhook of Discord or "
                    "Slack, or one of a program. You can hear of your turn, of time that runs out, of scoring rounds, "
                    "of the end and of messages."
                ),
                (
                    "A new address first gets one mail with a link to confirm it. Nothing else comes before that. "
                    "Every mail has a link at its end that stops the mails about this game."
                ),
                "Don’t forward these mails: their links are keys to your seat.",
            ),
        ),
        (
            "Play your turn",
            (
                (
                    "A mail lists what you can do. A link in it opens the table with an action ready; only the button "
                    "there plays it."
                ),
                "Where the service takes answers, the mail says so: answer with one action a line, up to three.",
            ),
        ),
        (
            "Play ahead",
            (
                (
                    "Standing orders, in the menu, are played as soon as your turn begins: of each step the first "
                    "thing that is possible then. Nobody else is told that you have any."
                ),
            ),
        ),
        (
            "When the time is up",
            (
                (
                    "Too late once: a bot plays the rest of that turn. Too late twice in a row: the bot plays on for "
                    "you, until you take your seat back by a button at the table, or by an answer to any mail of the "
                    "game."
                ),
                "With the option that the game waits nothing is played for anyone.",
            ),
        ),
        (
            "Time off",
            (
                (
                    "Vacation stops the clock of your own turns: thirty days a game at most, in two pieces. When all "
                    "agree to pause, it stops for everybody."
                ),
            ),
        ),
        (
            "Lost link",
            (
                (
                    "With a confirmed address, ask for a new link in the menu, under “Take a seat”. The old link is "
                    "void then. If others know your link, make a new one under “My seat and its link”."
                ),
            ),
        ),
    ),
    answers="What an answer can say",
    action="Action",
    answer="Line",
    answers_lines=(
        ("take the second open card", "take 2"),
        ("draw from the pile", "draw"),
        ("lay oil as a businessmaker", "lay oil"),
        ("add gold to your first row", "append gold 1"),
        ("add a multitalented card to row 2", "append multitalent 2"),
    ),
    answers_notes=(
        (
            "Open cards and rows count from 1, as in the mail. Upper and lower case don’t matter; a greeting and the "
            "quoted mail are passed over."
        ),
        "Nothing is guessed: if one line isn’t understood, nothing is played, and the answer says which line it was.",
    ),
    more="All of this in detail",
)
