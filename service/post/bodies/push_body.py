"""What a device gets: who is to do what, and where. Others may see its screen: no card, no token, no player's text."""

import json
from hashlib import sha256
from typing import Final

from domain.clock.deadline import deadline
from domain.words.catalogue import read
from domain.words.wording import label_seats
from service.post.attempt import Attempt, Transports
from service.post.bodies.webhook_body import told_messages
from service.post.channels.push import PushKey, encode, encrypt
from service.post.channels.webhook import Message
from service.post.notices import OF_A_TURN, REMINDER, WORDS_OF_TYPES

_LONGEST_S: Final = 3 * 86_400


def write_push(attempt: Attempt, transports: Transports) -> Message:
    """The message for a notice. Raises StoreUnavailable, CorruptLog and NoSuchGame."""
    notice, game = attempt.notice, attempt.loaded.game
    device, key = attempt.subscription.devices[notice.place], PushKey(transports.push_secret)
    names, words = label_seats(game.seats), read(device.language, "push")
    authors = dict.fromkeys(names[message["seat"]] for message in told_messages(attempt, {notice.seat}))
    table = words["table"].format(players=", ".join(names[: notice.seat] + names[notice.seat + 1 :]))
    body = {
        "title": words[notice.type].format(authors=", ".join(authors)),
        "body": f"{table}. {words['refused']}" if attempt.subscription.is_refused else table,
        "url": f"/g/{notice.game}#seat={notice.seat}",
        "tag": notice.game,
        "type": WORDS_OF_TYPES[notice.type],
        "version": max(notice.version, notice.until),
    }
    until = deadline(game) if notice.type in OF_A_TURN else None
    left = _LONGEST_S if until is None else (until - attempt.began) // 1000
    headers = {
        "Authorization": key.authorize(device.endpoint, transports.push_contact, attempt.began),
        "Content-Encoding": "aes128gcm",
        "Content-Type": "application/octet-stream",
        "TTL": str(max(0, min(left, _LONGEST_S))),
        # The push service reads it, and who has a game's id may watch the game.
        "Topic": encode(sha256(notice.game.encode()).digest()[:24]),
    }
    if notice.type == REMINDER:
        headers["Urgency"] = "high"
    text = json.dumps(body, ensure_ascii=False).encode()
    return Message(
        id=notice.id,
        url=device.endpoint,
        body=encrypt(text, device.p256dh, device.auth),
        secret=None,
        headers=headers,
        gone=frozenset({404, 410}),
    )
