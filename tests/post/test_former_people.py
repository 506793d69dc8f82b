"""What was on its way to a seat's former person: nothing of it reaches anyone once the seat is another one's."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from domain.clock.deadline import FREE_AFTER_MS
from domain.clock.pace import Pace
from domain.commands import Act, CompleteScoring, JoinGame, PostMessage, TimeOut
from domain.legality import legal_actions
from service.connections.clients import Client
from service.gamelog.store.generations import rotate_token
from service.post.channel_table import CHANNELS
from service.post.channels.results import SendResult
from service.post.mail.answer_mail import AnswerMail
from service.post.notices import ANSWER, EMAIL, Notice
from service.signing.tokens import Tokens
from tests.gamelog.ledger import new_game
from tests.post.processes import Mailbox, World, by_mail, wish, world_with_mails

OLD, NEW = "old@example.org", "new@example.org"


@pytest.fixture
def opened(real_client: Client) -> tuple[World, Mailbox]:
    return world_with_mails(real_client)


def hand_over(world: World, seat: int) -> None:
    """As `POST …/handover` does."""
    rotate_token(world.games.store, "g", seat)


def replace_person(world: World, seat: int) -> None:
    """Time out two turns of the seat; then another person takes it."""
    while not (game := world.games.load("g").game).seats[seat].away:
        if game.turn_seat == seat and not game.timed_out and not game.scoring:
            world.clock.now += 60_000
            world.games.handle("g", TimeOut(turn=game.turn))
        elif game.scoring:
            world.games.handle("g", CompleteScoring(round=game.scoring))
        else:
            action = next(legal_actions(game, game.turn_seat))
            world.games.handle("g", Act(seat=game.turn_seat, actions=(action,), by_bot=game.timed_out))
    world.clock.now += FREE_AFTER_MS
    world.games.handle("g", JoinGame(name="Cleo", entropy=""))


def open_game(world: World) -> int:
    """A game in which both seats can be another person's; the seat that is on turn."""
    command = replace(new_game("g", 2), pace=Pace(turn_seconds=60), replaceable=True)
    return world.games.create(command).head.turn_seat


def late_answer(seat: int) -> Notice:
    answer = AnswerMail(id="00", mail="<1@host-of-the-old-person.example>", since=1, until=1, wish="draw")
    return Notice(game="g", seat=seat, type=ANSWER, version=1, channel=EMAIL, detail=answer.to_json())


def receivers(mailbox: Mailbox) -> set[str]:
    return {address.addr_spec for mail in mailbox.mails for address in mail["To"].addresses}


@pytest.mark.parametrize("change", [hand_over, replace_person])
def test_the_next_person_gets_nothing_of_the_former_one(
    opened: tuple[World, Mailbox], change: Callable[[World, int], None]
) -> None:
    """The answer to a mail names that mail's id and what its writer wanted; the next person gets neither."""
    world, mails = opened
    seat = open_game(world)
    world.subscribe("g", seat, by_mail(email=OLD))
    mails.fault = SendResult("no connection", is_unanswered=True)
    assert world.outbox.add([late_answer(seat)]) == 1
    world.send()
    assert world.services.status.read().counts["mail_down"] == 1
    assert world.outbox.list_deliveries("g", seat)
    change(world, seat)
    assert world.outbox.list_deliveries("g", seat) == []
    mails.fault = None
    world.subscribe("g", seat, by_mail(email=NEW, nonce="second"))
    world.later(4 * 24 * 3600)
    assert OLD not in receivers(mails)
    assert not any("old-person" in mail.as_string() for mail in mails.mails)


def test_no_mail_to_a_former_person_holds_the_new_token(
    opened: tuple[World, Mailbox], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The seat is handed over after its subscription was read, and before the mail's links are made."""
    world, mails = opened
    seat = open_game(world)
    issue_token, issued = Tokens.issue, []

    def issue(tokens: Tokens, name: str, seat: int, generation: int = 0) -> str:
        if not issued:
            hand_over(world, seat)
        issued.append(generation)
        return issue_token(tokens, name, seat, generation)

    monkeypatch.setattr(Tokens, "issue", issue)
    world.process = world.open_process()
    world.subscribe("g", seat, by_mail(email=OLD))
    world.send()
    assert set(issued) == {0}
    assert mails.mails == []


@pytest.mark.parametrize("change", [hand_over, replace_person])
def test_a_subscription_of_a_former_token_gets_nothing(
    opened: tuple[World, Mailbox], change: Callable[[World, int], None]
) -> None:
    """Nor does the answer to a mail of its person reach the next one, whatever has written them."""
    world, mails = opened
    seat = open_game(world)
    change(world, seat)
    present = world.games.load("g").generation(seat)
    for generation, address in ((0, OLD), (present, NEW)):
        kept = wish(1, "message", email=address, is_confirmed=True, nonce=address, generation=generation)
        world.subscribe("g", seat, kept)
        world.outbox.add([late_answer(seat)])
        world.games.handle("g", PostMessage(seat=1 - seat, text="Your turn"))
        world.later(CHANNELS["email"].pause_ms / 1000)
        world.later(1)  # of eight threads a game has two at a time
        channels = {line["channel"] for line in world.outbox.list_deliveries("g", seat)}
        assert channels == ({"email", "webhook"} if generation else set())
    assert receivers(mails) == {NEW}
    assert not any("old-person" in mail.as_string() for mail in mails.mails)
