"""Web Push: what a device reads, who signs it, and when it ends."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from types import SimpleNamespace
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from config.settings import Settings
from domain.commands import GiveConsent, PostMessage, WithdrawConsent
from domain.orders.planner import NO_ORDERS
from service.connections.clients import Client
from service.post.attempt import Attempt
from service.post.bodies.push_body import write_push
from service.post.bodies.webhook_body import write_webhook
from service.post.channels.push import PushKey, decode, encode, encrypt
from service.post.mail.address import push_contact
from service.post.notices import MESSAGE, SCORING, TURN, Notice
from service.post.subscriptions import FORMATS, Device, Subscription
from service.signing.deployment import Deployment
from tests.api.worlds import SECRETS, twins
from tests.post.processes import PACE, World, wish
from tests.support.cases import cases
from tests.support.receivers import Receiver, answer, receiver

CURVE = ec.SECP256R1()
AUTH = encode(bytes(range(16)))


def point(key: Any) -> bytes:
    numbers = key.public_key().public_numbers()
    return b"\4" + numbers.x.to_bytes(32) + numbers.y.to_bytes(32)


@dataclass
class Phone:
    """A browser's subscription, and what its user agent reads (RFC 8291)."""

    number: int = 1

    @property
    def key(self) -> Any:
        return ec.derive_private_key(1000 + self.number, CURVE)

    def device(self, port: int, language: str = "de") -> Device:
        url = f"http://127.0.0.1:{port}/push/{self.number}"
        return Device(endpoint=url, p256dh=encode(point(self.key)), auth=AUTH, language=language, since=1)

    def read(self, body: bytes) -> Any:
        salt, theirs, sealed = body[:16], body[21:86], body[86:]
        assert (int.from_bytes(body[16:20]), body[20]) == (4096, 65)
        shared = self.key.exchange(ec.ECDH(), ec.EllipticCurvePublicKey.from_encoded_point(CURVE, theirs))
        info = b"WebPush: info\0" + point(self.key) + theirs
        secret = HKDF(SHA256(), 32, decode(AUTH), info).derive(shared)
        key, nonce = (
            HKDF(SHA256(), size, salt, b"Content-Encoding: %s\0" % name).derive(secret)
            for name, size in ((b"aes128gcm", 16), (b"nonce", 12))
        )
        text = AESGCM(key).decrypt(nonce, sealed, None)
        assert text.endswith(b"\2")
        return json.loads(text[:-1])


def with_devices(*devices: Device, **changes: Any) -> Subscription:
    return wish(1, **{"webhook": None, "devices": {str(at): one for at, one in enumerate(devices, 1)}, **changes})


def claims_of(headers: Mapping[str, str], public: str) -> Any:
    """Of the header's token, once its signature is checked (RFC 8292)."""
    token, key = (part.partition("=")[2] for part in headers["authorization"].removeprefix("vapid ").split(", "))
    head, claims, signature = token.split(".")
    numbers = decode(signature)
    der = encode_dss_signature(int.from_bytes(numbers[:32]), int.from_bytes(numbers[32:]))
    assert key == public
    signer = ec.EllipticCurvePublicKey.from_encoded_point(CURVE, decode(key))
    signer.verify(der, f"{head}.{claims}".encode(), ec.ECDSA(SHA256()))
    assert json.loads(decode(head)) == {"typ": "JWT", "alg": "ES256"}
    return json.loads(decode(claims))


def test_the_example_of_the_standard() -> None:
    """RFC 8291, section 5."""
    theirs = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
    private = ec.derive_private_key(int.from_bytes(decode("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw")), CURVE)
    text, salt = b"When I grow up, I want to be a watermelon", decode("DGv6ra1nlYgDCS1FRnbzlw")
    assert encode(encrypt(text, theirs, "BTBZMqHH6r4Tts7J_aSIgg", private=private, salt=salt)) == (
        "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBr"
        "u3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
    )


def test_the_key_stays(world: World) -> None:
    """Also when the key of receipts is rotated, and in a backup; each deployment has one of its own."""
    keys = [world.deployment, world.deployment.with_new_key(), Deployment.from_json(world.deployment.to_json())]
    assert len({PushKey(one.push_secret).public for one in keys}) == 1
    assert PushKey(Deployment.new(1).push_secret).public != PushKey(world.deployment.push_secret).public


def test_a_device_reads_who_is_to_act(world: World, found: Receiver) -> None:
    """In its language, and nothing else; the push service learns when it is too late, and not of which game it is."""
    game = world.create()
    seat, phone = game.turn_seat, Phone()
    world.subscribe("g", seat, with_devices(phone.device(found.port)))
    world.send()
    world.later(PACE.turn_seconds - PACE.reminder_seconds + 1)
    world.games.handle("g", PostMessage(seat=1 - seat, text="a secret"))
    world.send()
    bodies = [phone.read(body) for _, _, body in found.requests]
    same = {"body": f"Reibach & Co. mit player {1 - seat}", "url": f"/g/g#seat={seat}", "tag": "g"}
    assert bodies == [
        {"title": "Du bist an der Reihe", "type": "turn", "version": game.turn_version, **same},
        {"title": "Du bist noch immer an der Reihe", "type": "reminder", "version": game.turn_version, **same},
        {"title": f"Neue Nachricht: player {1 - seat}", "type": "message", "version": game.version + 1, **same},
    ]
    public = PushKey(world.deployment.push_secret).public
    for (line, headers, body), ttl in zip(found.requests, (3600, 599, 259_200), strict=True):
        assert line == "POST /push/1 HTTP/1.1"
        claims = claims_of(headers, public)
        assert claims == {"aud": f"http://127.0.0.1:{found.port}", "exp": claims["exp"], "sub": "https://a.org"}
        assert 0 < claims["exp"] - world.clock.now / 1000 < 86_400
        topic = encode(sha256(b"g").digest()[:24])
        assert (headers["content-encoding"], headers["topic"], headers["ttl"]) == ("aes128gcm", topic, str(ttl))
        assert headers.get("urgency") == ("high" if ttl == 599 else None)
        assert len(topic) == 32
        assert b"player" not in body
        assert not {"cookie", "webhook-id"} & headers.keys()
    assert {line["channel"] for line in world.outbox.list_deliveries("g", seat)} == {"push"}


@pytest.mark.parametrize(("sender", "url", "contact"), cases(__file__, "contacts"))
def test_a_push_service_gets_a_public_contact(sender: str, url: str, contact: str) -> None:
    """Or none, and then nothing is pushed."""
    assert push_contact(sender, url) == contact


def test_nothing_is_pushed_without_a_contact(found: Receiver, real_client: Client) -> None:
    """To devices of before, either: their players see why."""
    world = World(real_client, settings=Settings(webhook_allow_private=True, public_url="http://play.example.com"))
    seat = world.create().turn_seat
    world.subscribe("g", seat, with_devices(Phone().device(found.port)))
    world.send()
    assert found.requests == []
    assert [line["error"] for line in world.outbox.list_deliveries("g", seat)] == ["no contact"]


def test_a_device_says_that_the_address_is_refused(world: World, found: Receiver) -> None:
    seat, phone = world.create().turn_seat, Phone()
    mail = {"email": "anna@example.org", "is_confirmed": True, "is_refused": True}
    world.subscribe("g", seat, with_devices(phone.device(found.port, "en"), **mail))
    world.send()
    ((_, _, body),) = found.requests
    assert phone.read(body)["body"].endswith(f"player {1 - seat}. Your email address takes no mails: give another one.")


def test_devices_are_told_each_for_itself(world: World) -> None:
    """One that is gone ends, the other stays; a further one is told of the turn that is on, and no other again."""
    game = world.create()
    with receiver(answer("410 Gone")) as gone, receiver(answer("201 Created")) as found:
        one, two, more = Phone(1).device(gone.port), Phone(2).device(found.port), Phone(3).device(found.port)
        world.subscribe("g", game.turn_seat, with_devices(one, two))
        world.send()
        assert world.subscriptions.load("g")[game.turn_seat].devices == {"2": two}
        assert [line["error"] for line in world.outbox.list_deliveries("g", game.turn_seat)].count("status 410") == 1
        world.subscribe("g", game.turn_seat, with_devices(more, two))
        world.send()
        assert [line.split()[1] for line, _, _ in found.requests] == ["/push/2", "/push/3"]
        for command in (GiveConsent, WithdrawConsent):
            world.games.handle("g", command(seat=1 - game.turn_seat, to="cancel"))
            world.later(1)  # a game has few attempts at a time
        assert sorted(line.split()[1] for line, _, _ in found.requests[2:]) == ["/push/2"] * 2 + ["/push/3"] * 2
        world.subscribe("g", game.turn_seat, with_devices(more, two, while_watching=False))
        world.end_turn()
        world.send()
        assert (len(gone.requests), len(found.requests)) == (1, 6)
        world.subscriptions.end("g", game.turn_seat, more.endpoint)
        world.subscriptions.end("g", game.turn_seat, two.endpoint)
        assert world.subscriptions.load("g") == {}


@pytest.mark.nightly
def test_a_game_sends_one_host_few_notices_a_minute(world: World, found: Receiver) -> None:
    """Of all types together, however many devices its players have there; none is lost, and turns come first."""
    game = world.create()
    phones = [Phone(number).device(found.port) for number in range(1, 6)]
    world.subscribe("g", game.turn_seat, with_devices(*phones))
    world.send()
    for _ in range(10):
        for command in (GiveConsent, WithdrawConsent):
            world.games.handle("g", command(seat=1 - game.turn_seat, to="cancel"))
    sent = []
    for second in range(200):
        if second == 50:  # the seat's next turn
            world.end_turn()
            world.end_turn()
        world.later(1)
        sent.append(len(found.requests))
    read = [Phone(int(line.split()[1].rpartition("/")[2])).read(body)["type"] for line, _, body in found.requests]
    assert (read.count("turn"), len(read)) == (10, 5 * 22)
    assert read[: sent[55]].count("turn") == 10  # the others that wait come later
    assert sent[55] < 60
    assert max(now - before for before, now in zip(sent, sent[60:], strict=False)) <= 60
    assert sent[59] <= 60


@pytest.mark.parametrize("seed", ["a", "d", "e"])
def test_two_worlds_look_the_same_from_outside(seed: str) -> None:
    """Where a seat can't tell two games apart, nor can its webhook, its chat, its device, or who sees any of them."""
    *worlds, _, _ = twins(0, 3, seed, 45, talk=0.1)
    hook, kept = wish(1).webhook, with_devices(Phone().device(1), webhook=wish(1).webhook)
    transports: Any = SimpleNamespace(settings=Settings(), push_secret=bytes(32 * [1]), push_contact="mailto:a@b.org")
    found: list[list[Any]] = [[], []]
    for world, said in zip(worlds, found, strict=True):
        loaded = world.log.load(world.path.rpartition("/")[2])
        same: dict[str, Any] = {
            "games": world.log,
            "subscription": kept,
            "subscriptions": {0: kept},
            "recheck": bool,
            "orders": NO_ORDERS,
        }
        for kind, until in {TURN: 0, SCORING: 0, MESSAGE: loaded.game.version}.items():
            notice = Notice(game=loaded.game.id, seat=0, type=kind, version=1, channel="", until=until, place="1")
            attempt = Attempt(notice=notice, created=0, began=loaded.game.at, loaded=loaded, **same)
            forms = [replace(kept, webhook=replace(hook, format=form)) for form in FORMATS]
            bodies = [
                write_webhook(replace(attempt, subscription=one, subscriptions={0: one}), transports).body
                for one in forms
            ]
            said += [SECRETS.sub(b"", body) for body in bodies]
            if kind != SCORING:
                pushed = write_push(attempt, transports)
                said += [Phone().read(pushed.body), {**pushed.headers, "Authorization": ""}]
    assert found[0] == found[1]
    assert b'"hand"' in found[0][0]


def test_rounds_make_no_phone_ring(world: World, found: Receiver) -> None:
    world.create(pace=None)
    world.subscribe("g", 0, with_devices(Phone().device(found.port), on=frozenset({"scoring", "over"})))
    while not world.end_turn().over:
        pass
    world.send()
    ((_, _, body),) = found.requests
    assert Phone().read(body)["type"] == "over"
