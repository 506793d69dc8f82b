"""Notices as the incoming webhooks of chats take them, and all that differs between these chats, in one table.

Rules: others read the channel, too, so a message says only what is public in its game: no hand, no token. A name or a
text of a player stays text, without mentions, links or formats.
"""

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

_MAX_PLAYERS: Final = 6
_MAX_NAME: Final = 44
"""A name of 40, and a number where names are equal."""
_MAX_TEXT: Final = 300
"""Characters before escaping, which at most makes five of one (`&amp;`) for Slack, three for Discord."""
_MAX_MESSAGES: Final = 5
"""That came together; older ones are at the table."""
_JOINER: Final = "\u2060"
"""Invisible; a name with it is neither a mention nor a link to any program."""
_LINK_SIGNS: Final = re.compile(r"([@.:/])(?=\S)")
_DISCORD_MARKUP: Final = re.compile(r"([!-/:-@\[-`{-~])")
"""All punctuation of ASCII: Discord shows it as it is after a backslash."""
_SUPPRESS_EMBEDS: Final = 4
_FORMS: Final = {"until": ("f", "{date_short_pretty} {time}"), "back": ("D", "{date_long}")}
"""Of a deadline, for Discord and Slack: both show it by the reader's own clock."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatNotice:
    """What a chat message tells; all of it is public in its game."""

    type: str
    """A notice's, or `game.cancelled`."""
    sentences: Mapping[str, str]
    """Of one language: by type, and for a deadline. None says "you": a channel has many readers."""
    link: str
    """To the game's page, made by the service: at most 200 characters of a URL, and without a token."""
    players: Sequence[str]
    """By seat, each unlike the others."""
    table: str | None = None  # its name
    seat: int
    """Whose notice it is: of a turn its player, who is named, since the channel's readers may be several players."""
    mention: str | None = None
    """The id that the player has in the chat: the only one that the message may ping."""
    round: int = 0
    points: Sequence[tuple[int, int]] = ()
    """Of the round, by seat: the income, and the total then."""
    winners: Sequence[int] = ()
    deadline: int | None = None
    """Of the turn, or of what else `ends`, in milliseconds since 1970."""
    ends: str = "until"
    """The sentence about the deadline; `back`: that on its day a vacation ends."""
    messages: Sequence[tuple[str, str]] = ()
    """What was written, each with its author before it, the oldest first."""


def discord_body(notice: ChatNotice) -> dict[str, Any]:
    """JSON for a Discord webhook. It shows the deadline in the reader's own time zone."""
    deadline = None if notice.deadline is None else f"<t:{notice.deadline // 1000}:{_FORMS[notice.ends][0]}>"
    lines = message_lines(notice, _escape_for_discord, deadline)
    # `parse: []` lets the text mention no other member, whatever the escaping misses.
    allowed: dict[str, list[str]] = {"parse": []}
    if notice.mention:
        lines[0] = f"<@{notice.mention}> {lines[0]}"
        allowed["users"] = [notice.mention]
    return {"content": "\n".join(lines), "allowed_mentions": allowed, "flags": _SUPPRESS_EMBEDS}


def slack_body(notice: ChatNotice) -> dict[str, Any]:
    """JSON for a Slack webhook: the players' words as plain text, the service's own as markup."""
    deadline = None
    if notice.deadline is not None:
        seconds = notice.deadline // 1000
        plain = datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")
        deadline = f"<!date^{seconds}^{_FORMS[notice.ends][1]}|{plain}>"
    sentence, *rest = message_lines(notice, _escape_for_slack, deadline)
    markup = "\n".join([*([f"<@{notice.mention}>"] if notice.mention else []), *rest[:-1], f"<{rest[-1]}>"])
    return {
        "text": sentence,
        "unfurl_links": False,
        "unfurl_media": False,
        "blocks": [
            {"type": "section", "text": {"type": "plain_text", "text": sentence, "emoji": False}},
            {"type": "section", "text": {"type": "mrkdwn", "text": markup, "verbatim": True}},
        ],
    }


class ChatForm(NamedTuple):
    write: Callable[[ChatNotice], dict[str, Any]]
    mention: str = ""
    """A pattern of its members' ids; empty: nobody can be pinged. `member`: what its users call such an id."""
    member: str = ""


CHAT_FORMS: Final = {
    "discord": ChatForm(discord_body, "[0-9]{15,20}", "Discord's number"),
    "slack": ChatForm(slack_body, "[UW][A-Z0-9]{2,20}", "Slack's member id"),
}
"""By the `format` of a webhook."""


def message_lines(notice: ChatNotice, escape: Callable[[str], str], deadline: str | None) -> list[str]:
    """The sentence, of messages those of the newest, the one about the deadline if there is one, and the link."""
    names = [escape(_plain(name, _MAX_NAME)) for name in notice.players[:_MAX_PLAYERS]]
    newest = notice.messages[-_MAX_MESSAGES:] or [("", "")]
    sentences = [
        notice.sentences[notice.type].format(
            player=names[notice.seat],
            others=", ".join(names[: notice.seat] + names[notice.seat + 1 :]),
            players=", ".join(names),
            round=notice.round,
            points=", ".join(
                f"{name} {_number(points, '+')} ({_number(total)})"
                for name, (points, total) in zip(names, notice.points, strict=False)
            ),
            totals=", ".join(
                f"{name} {_number(total)}" for name, (_, total) in zip(names, notice.points, strict=False)
            ),
            winners=", ".join(names[seat] for seat in notice.winners),
            author=escape(_plain(author, _MAX_NAME)),
            text=escape(_plain(text, _MAX_TEXT // len(newest))),
        )
        for author, text in newest
    ]
    if notice.table:
        sentences[0] = f"{escape(_plain(notice.table, _MAX_TEXT))} \u00b7 {sentences[0]}"
    until = [] if deadline is None else [notice.sentences[notice.ends].format(deadline=deadline)]
    return ["\n".join(sentences), *until, notice.link]


def _number(value: int, form: str = "") -> str:
    return format(value, form).replace("-", "\u2212")


def _plain(text: str, length: int) -> str:
    """One line of at most `length` characters, without control, format and unassigned ones."""
    text = " ".join("".join(" " if unicodedata.category(sign) in _UNSEEN else sign for sign in text).split())
    return text if len(text) <= length else text[: length - 1] + "…"


_UNSEEN: Final = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"})
"""Categories of characters that reorder or break lines, or that JSON can't carry."""


def break_links(text: str) -> str:
    """Escape for all services: what is left has neither mentions nor links."""
    return _LINK_SIGNS.sub(rf"\1{_JOINER}", text)


def _escape_for_discord(text: str) -> str:
    return _DISCORD_MARKUP.sub(r"\\\1", break_links(text))


def _escape_for_slack(text: str) -> str:
    return break_links(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
