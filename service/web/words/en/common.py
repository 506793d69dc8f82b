"""What all pages say, in English."""

from typing import Final

from service.web.words.shape.common import CommonWords

COMMON: Final = CommonWords(
    skip="Skip to content",
    menu="Menu",
    navigation="Pages",
    languages="Language",
    new_game="New game",
    lobby="Open games",
    games="My games",
    rules="Rules",
    by_post="Play by post",
    api="For programs",
    table="Table",
    loading="Loading …",
    needs_script="This page needs JavaScript. Tables and mails show their game without it, too.",
    plain_table="Show the table without JavaScript",
    plain_hint=(
        "Without JavaScript you see the table as plain text and play with buttons: paste the token of "
        "your seat there, which follows “token=” in your link. You can also play by mail, or with a "
        "program of your own."
    ),
    offline="The server can’t be reached right now.",
    unavailable="The server can’t answer right now.",
    too_many="Too many requests at once.",
    again_hint="Reload the page in a few seconds.",
    open_seat="open seat",
    damaged_link="This link is damaged or incomplete: ask for it again.",
    void_link="This link to a seat isn’t valid, or no longer: ask for it again.",
    void_seat="The link to your seat is void; you are watching.",
    no_page="There is no such page.",
    no_page_hint="Perhaps a character of its address was lost. Go on here:",
)
